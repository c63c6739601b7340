"""Choices drawn by Hypothesis, so that it can shrink them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

_STEPS = 1 << 20


class Draw(Protocol):
    """Hypothesis's ``draw``."""

    def __call__(self, strategy: SearchStrategy[T], /) -> T: ...


class HypothesisChooser:
    """A Chooser over Hypothesis's ``draw``; every choice is one whole number, and smaller numbers are simpler."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def one(self, options: Sequence[T]) -> T:
        return options[self.between(0, len(options) - 1)]

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        left = list(options)
        return tuple(left.pop(self.between(0, len(left) - 1)) for _ in range(k))

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        sums = list(accumulate(weights))
        at = self.between(0, _STEPS - 1) / _STEPS * sums[-1]
        return options[min(bisect_right(sums, at), len(options) - 1)]

    def chance(self, p: float) -> bool:
        return self.between(0, _STEPS - 1) >= (1 - p) * _STEPS

    def between(self, lo: int, hi: int) -> int:
        return self._draw(_integers(lo, hi)) if hi > lo else lo


@lru_cache(maxsize=1024)
def _integers(lo: int, hi: int) -> SearchStrategy[int]:
    return st.integers(lo, hi)
