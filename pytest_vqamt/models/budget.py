"""What models spend, and the budget of a run: no request starts that would cost more than is left."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Lock
from typing import Protocol

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.spelling import option

_POLL_S = 0.1
"""How often a thread that waits looks at the costs of other processes, and for a stop."""

CUT_OFF = "answers cut off"
"""The name in usage of answers that ended at their longest length."""

BROKEN = "requests broken off"
"""The name in usage of attempts that ended in a server's error or without an answer, and were mostly made again."""


class BudgetSpentError(ModelError):
    """The budget does not allow for another request."""


class Budget:
    """The money that a run may spend, in the currency of its prices. Thread-safe; processes may share it by a file.

    A request starts if it fits beside those in flight, each taken to cost as much as the dearest so far. The first
    goes alone, so that there is a cost to go by. Processes see each other's costs, and each leaves as much room for the
    others as it needs itself: together they may spend a request each too much.

    Attributes:
        most: the amount that may be spent.
    """

    def __init__(self, most: float, file: Path | None = None, processes: int = 1) -> None:
        self.most = most
        self._file = file
        self._processes = processes
        self._changed = Condition()
        self._in_flight = 0
        self._dearest: float | None = None
        self._spent = 0.0
        self._read = 0

    @property
    def spent(self) -> float:
        """The costs of all processes so far."""
        with self._changed:
            return self._total()

    def start(self, is_wanted: Callable[[], bool]) -> bool:
        """Waits until a request may start; False if it is no longer wanted.

        Raises:
            BudgetSpentError: the budget does not allow for another request, and none of this process is in flight.
        """
        with self._changed:
            while is_wanted():
                # Each in flight may cost as much as the dearest so far.
                each = self._dearest or 0.0
                left = self.most - self._total()
                # Only when idle: requests in flight may turn out cheaper, and leave room for one more.
                if not self._in_flight and (left <= 0 or each > left):
                    raise self._spent_error()
                is_known = self._dearest is not None
                # Other processes look at the same file at the same moment, and are taken to have as much in flight.
                fits = (self._in_flight + 1) * each * self._processes <= left
                if not self._in_flight or (is_known and fits and left > 0):
                    self._in_flight += 1
                    return True
                self._changed.wait(_POLL_S)
        return False

    def finish(self, cost: float | None) -> None:
        """Records the end of a started request and its cost; None where no cost is known."""
        with self._changed:
            self._in_flight -= 1
            # A request that failed may cost nothing, or a cost that nobody named.
            if cost is not None:
                self._dearest = max(self._dearest or 0.0, cost)
                self._add(cost)
            self._changed.notify_all()

    def _spent_error(self) -> BudgetSpentError:
        return BudgetSpentError(
            f"Expected another query to fit into {option('max-cost')}={self.most:g}, but {self._total():.6g} is spent: "
            f"all answers are kept; the same command goes on from here with as much again, and {option('plan')} says "
            "what the rest costs"
        )

    def _add(self, cost: float) -> None:
        if self._file is None:
            self._spent += cost
            return
        # One write in append mode: lines of several processes do not mix.
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(descriptor, f"{cost!r}\n".encode())
        finally:
            os.close(descriptor)

    def _total(self) -> float:
        """The costs of all processes so far; only lines that were added since the last call are read."""
        if self._file is not None and self._file.exists():
            with self._file.open("rb") as costs:
                costs.seek(self._read)
                new = costs.read()
            # A line that another process is writing is read the next time.
            whole = new[: new.rfind(b"\n") + 1]
            self._read += len(whole)
            self._spent += sum(map(float, whole.split()))
        return self._spent


class _Priced(Protocol):
    """The tokens and the cost of a reply; None for what is not known."""

    @property
    def tokens_in(self) -> float | None: ...

    @property
    def tokens_out(self) -> float | None: ...

    @property
    def cost(self) -> float | None: ...


class UsageCounter:
    """Thread-safe sums over all requests, retries included."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._lock = Lock()

    def add(self, name: str, amount: float = 1) -> None:
        """Adds to the sum that reports call ``name``."""
        with self._lock:
            self._sums[name] = self._sums.get(name, 0) + amount

    def add_spent(self, spent: _Priced) -> None:
        """Adds the tokens and the cost of a reply, as far as they are known."""
        named = {"tokens in": spent.tokens_in, "tokens out": spent.tokens_out, "cost": spent.cost}
        for name, amount in named.items():
            if amount is not None:
                self.add(name, amount)

    def sums(self) -> dict[str, float]:
        with self._lock:
            return dict(self._sums)
