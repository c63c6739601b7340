"""A progress bar for people at a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, TextIO

from pytest_vqamt.core.events import Answered, Event, Finished, Planned
from pytest_vqamt.reporting.view.format import format_cost

if TYPE_CHECKING:
    from tqdm import tqdm


_DELAY_S = 0.5
"""An item that takes less shows no bar."""


def open_terminal() -> TextIO | None:
    """Opens the terminal of standard output again, past pytest's capturing; None without a terminal, and in CI."""
    # Each step of a bar would be a line of a log.
    if "CI" in os.environ or not sys.stdout.isatty():
        return None
    # A copy, so that closing it leaves standard output open.
    return os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")


class ProgressBar:
    """Shows how many queries of the current item are answered.

    The bar takes the line below the cursor, and puts the cursor back to ``column`` at the end. If not all of at most
    ``cases`` cases are planned yet, the number of queries is extrapolated. Where the model tells its cost, that so far
    is shown, and what all ``items`` will cost if they cost as much as those that are ``done``.
    """

    def __init__(
        self, file: TextIO, column: Callable[[], int], cases: float = 0, *, done: int = 0, items: int = 1
    ) -> None:
        self._done = done
        self._items = items
        self._file = file
        self._column = column
        self._cases = cases
        self._planned = 0
        self._started = time.monotonic()
        self._item = ""
        self._to_ask = 0
        self._answered = 0
        self._bar: tqdm[NoReturn] | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, Planned):
            self._item = event.item
            self._planned += event.cases
            # Cached answers take no time, so the bar leaves them out.
            self._to_ask += event.queries - event.cached
            if self._bar is not None:
                self._bar.total = self._total
        elif isinstance(event, Answered):
            self._answered += event.queries
            if self._bar is not None:
                self._bar.update(event.queries)
            elif time.monotonic() - self._started > _DELAY_S:
                self._bar = self._opened()
            if self._bar is not None and event.cost:
                self._bar.set_postfix_str(self._cost(event.cost))
        elif isinstance(event, Finished):
            self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            column = self._column()
            # Escape codes: one line up, then to the right, where pytest writes its next dot.
            self._file.write("\x1b[A" + (f"\x1b[{column}C" if column else ""))
            self._file.flush()

    @property
    def _total(self) -> int:
        """The expected number of queries, extrapolated from the planned cases."""
        return round(self._to_ask * max(1.0, self._cases / max(1, self._planned)))

    def _cost(self, so_far: float) -> str:
        share = (self._done + min(1.0, self._answered / max(1, self._total))) / self._items
        # Never by 0: the first answers of a large run are a tiny share.
        return f"cost {format_cost(so_far)} of about {format_cost(so_far / max(share, 1e-6))}"

    def _opened(self) -> tqdm[NoReturn]:
        from tqdm import tqdm

        # Below the line of dots that pytest is writing.
        self._file.write("\n")
        return tqdm(
            total=self._total, initial=self._answered, desc=self._item, unit="query", leave=False, file=self._file
        )
