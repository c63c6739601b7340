"""The only source of random choices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chooser(Protocol):
    """Makes the choices of a relation.

    The first option of every choice (the lowest number, False) is the simplest, towards which violations shrink.
    """

    def one(self, options: Sequence[T]) -> T:
        """One of ``options`` (at least one), with equal probabilities."""
        ...

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        """``k`` different positions of ``options``, in the order they were drawn."""
        ...

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One of ``options``, with probabilities proportional to ``weights``."""
        ...

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        ...

    def between(self, lo: int, hi: int) -> int:
        """A whole number from ``lo`` to ``hi``, both included."""
        ...


class RandomChooser:
    """A Chooser over ``random.Random``.

    >>> RandomChooser(Random(0)).one(["cat", "dog"])
    'dog'
    """

    def __init__(self, random: Random) -> None:
        self._random = random.random
        self._sample = random.sample

    def one(self, options: Sequence[T]) -> T:
        return options[int(self._random() * len(options))]

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        return tuple(self._sample(options, k))

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        sums = list(accumulate(weights))
        return options[min(bisect_right(sums, self._random() * sums[-1]), len(options) - 1)]

    def chance(self, p: float) -> bool:
        return self._random() < p

    def between(self, lo: int, hi: int) -> int:
        return lo + int(self._random() * (hi - lo + 1))
