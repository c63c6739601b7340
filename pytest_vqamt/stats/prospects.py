"""What is expected to become of cases between two runs, of which the number of cases needed is worked out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, lgamma, log

from pytest_vqamt.core.errors import VqamtError

_ROUNDED = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """The chances of every case.

    Attributes:
        drop: by how much the pass rate drops.
        differ: the share of cases that come out otherwise for reasons of chance, half of them in either direction.
        sizes: the sizes of scenes, in cases, and what share of the scenes is of each.
        icc: how much alike what becomes of the cases of one scene is: their correlation, from 0 to 1.
    """

    drop: float
    differ: float
    sizes: tuple[tuple[int, float], ...] = ((1, 1.0),)
    icc: float = 0.0

    def __post_init__(self) -> None:
        if not (self.won >= 0 and self.lost >= 0 and self.lost + self.won <= 1 + _ROUNDED and 0 <= self.icc <= 1):
            raise VqamtError(f"Expected shares of cases that add up to 1 at most, but got {self!r}")

    @property
    def lost(self) -> float:
        """The share of cases that hold in the first run alone."""
        return self.drop + self.differ / 2

    @property
    def won(self) -> float:
        """The share of cases that hold in the second run alone."""
        return self.differ / 2

    @property
    def cases_a_scene(self) -> float:
        return sum(size * share for size, share in self.sizes)

    def net_changes(self) -> dict[tuple[int, int], float]:
        """The chance that a scene has so many cases, and so many more won than lost.

        How many of a scene's cases are lost, won and neither follows the Dirichlet-multinomial distribution (Mosimann,
        Biometrika 49, 1962), whose correlation within a scene is ``icc``; with 0 it is the multinomial.
        """
        chances: defaultdict[tuple[int, int], float] = defaultdict(float)
        for size, share in self.sizes:
            for lost, won, chance in _fates(size, self.lost, self.won, self.icc):
                chances[size, won - lost] += share * chance
        return dict(sorted(chances.items()))


def _fates(size: int, lost: float, won: float, icc: float) -> Iterator[tuple[int, int, float]]:
    """So many of a scene's cases are lost, and so many won, with what chance; without what cannot be."""
    shares = (lost, won, max(0.0, 1 - lost - won))
    for losses in range(size + 1):
        for wins in range(size + 1 - losses):
            counts = (losses, wins, size - losses - wins)
            if icc == 1:
                chance = shares[counts.index(size)] if size in counts else 0.0
            elif any(count and share <= 0 for count, share in zip(counts, shares, strict=True)):
                continue
            else:
                chance = exp(_log_of_ways(counts) + _log_chance(counts, shares, icc))
            yield losses, wins, chance


def _log_of_ways(counts: tuple[int, ...]) -> float:
    return lgamma(sum(counts) + 1) - sum(lgamma(count + 1) for count in counts)


def _log_chance(counts: tuple[int, ...], shares: tuple[float, ...], icc: float) -> float:
    """Of one order of the cases."""
    present = [(count, share) for count, share in zip(counts, shares, strict=True) if count]
    if icc == 0:
        return sum(count * log(share) for count, share in present)
    weight = 1 / icc - 1
    return (
        lgamma(weight)
        - lgamma(weight + sum(counts))
        + sum(lgamma(weight * share + count) - lgamma(weight * share) for count, share in present)
    )
