"""What answers have cost: requests, tokens, time, and money where the server tells."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from threading import Lock

_TOLD = {"prompt_tokens": "tokens in", "completion_tokens": "tokens out", "cost": "cost"}
"""What a reply's ``usage`` calls them, and what reports do. ``cost`` is OpenRouter's, in its credits (US dollars)."""


class Usage:
    """Sums over all requests since the model was made, those that were asked again included."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._lock = Lock()

    def sent(self) -> None:
        """Counts a request."""
        self._add({"requests": 1})

    def replied(self, usage: object) -> None:
        """Counts what a reply says of its own cost; what is no number of it is passed over."""
        if isinstance(usage, Mapping):
            told = ((ours, _amount(usage.get(theirs))) for theirs, ours in _TOLD.items())
            self._add({name: amount for name, amount in told if amount is not None})

    def cut_off(self) -> None:
        """Counts an answer that ends where the model had to stop."""
        self._add({"answers cut off": 1})

    def told_to_wait(self, seconds: float) -> None:
        """Counts the seconds in which the server wants no request."""
        self._add({"seconds told to wait": seconds})

    def sums(self) -> dict[str, float]:
        with self._lock:
            return dict(self._sums)

    def _add(self, amounts: Mapping[str, float]) -> None:
        with self._lock:
            for name, amount in amounts.items():
                self._sums[name] = self._sums.get(name, 0) + amount


def _amount(value: object) -> float | None:
    """A number that can be summed, whole numbers as they are."""
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0:
        return value
    return None
