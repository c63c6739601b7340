"""Transformers without its progress bars and advice on the user's terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_before: list[tuple[int, bool]] = []
"""For each that is quiet just now, what transformers was set to before the first of them: its level, and its bars.

Transformers has one setting for all threads. The last to leave puts it back, whoever came first: one that put back what
it had found itself might put back the silence of another.
"""


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice of transformers; its settings afterwards as before. Threads may overlap."""
    from transformers.utils import logging

    with _lock:
        _before.append(_before[0] if _before else (logging.get_verbosity(), logging.is_progress_bar_enabled()))
        if len(_before) == 1:
            logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # transformers does not annotate it
            logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    try:
        yield
    finally:
        with _lock:
            level, bars = _before.pop()
            if not _before:
                logging.set_verbosity(level)
                if bars:
                    logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, for messages of one line; at most 300 characters."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    told = f"{type(error).__name__}: {line}" if line else type(error).__name__
    return told if len(told) <= 300 else f"{told[:299]}…"
