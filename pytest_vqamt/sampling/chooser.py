"""The only source of choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chooser(Protocol):
    """Makes the choices of a relation.

    Of every choice, the first option (the lowest number, False) is the simplest: it is what a shrunk violation shows.
    """

    def one(self, options: Sequence[T]) -> T:
        """Any of ``options``, each as likely; at least one is needed."""
        ...

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        """``k`` different positions of ``options``, in the order they were drawn."""
        ...

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Any of ``options``, as likely as its weight is large."""
        ...

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        ...

    def between(self, lo: int, hi: int) -> int:
        """A whole number from ``lo`` to ``hi``, both included."""
        ...
