"""How many cases it takes to see a drop, and how small a drop is seen with the cases there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, exp, lgamma, log
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.tallies import Clusters, PairedClusters
from pytest_vqamt.stats.intervals import Kind, alikeness
from pytest_vqamt.stats.paired import SIGNIFICANT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MOST_SCENES = 1_000_000
_LOOKED_AHEAD = 25
"""Whole numbers make the power rise in teeth: a number is enough where none of so many after it falls short."""
_STEP = 0.0001


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The regression gate: missed by a drop above ``max_drop`` that is significant among so many relations."""

    relations: int = 1
    max_drop: float = 0.0

    @property
    def significant(self) -> float:
        """What a p-value has to be below: Holm's first step, which is his only one where nothing else has dropped."""
        return SIGNIFICANT / self.relations


def power(scenes: int, prospect: Prospect, demand: Demand) -> float:
    """How likely the gate is missed by so many scenes, if what is expected comes true.

    With one case a scene it is a sum over all numbers of lost and won cases, exact; otherwise see ``power_by_scene``.
    """
    if prospect.sizes == ((1, 1.0),):
        return _power_of_single_cases(scenes, prospect, demand)
    return power_by_scene(scenes, prospect, demand.significant, demand.max_drop)


def scenes_needed(prospect: Prospect, demand: Demand, target: float) -> int | None:
    """The fewest scenes with which the gate is missed with a chance of at least ``target``; None: more than a million.

    With one case a scene none of the next numbers falls short of it either.
    """
    enough = 1
    short = 0
    while power(enough, prospect, demand) < target:
        if enough == MOST_SCENES:
            return None
        short, enough = enough, min(MOST_SCENES, 2 * enough)
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (middle, enough) if power(middle, prospect, demand) < target else (short, middle)
    if prospect.sizes != ((1, 1.0),):
        return enough
    while falls_short := [
        later for later in range(enough + 1, enough + _LOOKED_AHEAD) if power(later, prospect, demand) < target
    ]:
        enough = falls_short[-1] + 1
    return enough


def smallest_drop(scenes: int, prospect: Prospect, demand: Demand, target: float, largest: float) -> float | None:
    """The smallest drop, in steps of 0.0001, that so many scenes show with a chance of at least ``target``.

    The drop of ``prospect`` does not count. None where not even the ``largest`` is seen.
    """

    def seen(steps: int) -> bool:
        return power(scenes, replace(prospect, drop=min(largest, steps * _STEP)), demand) >= target

    enough = ceil(largest / _STEP)
    if not seen(enough):
        return None
    short = 0
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if seen(middle) else (middle, enough)
    return min(largest, round(enough * _STEP, 4))


def _power_of_single_cases(cases: int, prospect: Prospect, demand: Demand) -> float:
    """The sum over how many cases differ, and how many of those are lost, of the chances that miss the gate."""
    import numpy as np
    from scipy.stats import binom  # type: ignore[import-untyped]  # its stubs are a package of their own

    share = min(1.0, prospect.lost + prospect.won)
    if not share:
        return 0.0
    fewest, most = binom.ppf(1e-13, cases, share), binom.isf(1e-13, cases, share)
    differing = np.arange(max(1, fewest), most + 1)
    significant = binom.isf(demand.significant, differing, 0.5) + 1
    too_large = np.floor((differing + demand.max_drop * cases) / 2 + 1e-9) + 1
    missed = binom.sf(np.maximum(significant, too_large) - 1, differing, min(1.0, prospect.lost / share))
    return float((binom.pmf(differing, cases, share) * missed).sum())


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


_DRAWN = 10_000
_AT_ONCE = 1 << 22
"""So many numbers at most are held at a time."""
_DEVIATIONS = 8
"""A sum of signs is further than so many standard deviations from 0 with a chance below 3e-14 (Hoeffding, 1963)."""


def power_by_scene(scenes: int, prospect: Prospect, significant: float, max_drop: float) -> float:
    """The share of 10,000 pairs of runs, drawn as is expected, with a larger drop and a smaller p-value than these.

    Each is tested exactly, as ``drop_p`` does, but for those that need not be: a sum of z standard deviations or more
    has a chance of exp(-z^2/2) at most (Hoeffding, Journal of the American Statistical Association 58, 1963), and one
    of a standard deviation or less a chance of 6/64 at least (arXiv 2104.10005), which is never significant. The seed
    is fixed, so the same question has the same answer, within 0.8 percent points of the true one 95 times in 100.
    """
    import numpy as np

    # The likeliest first: the drawing of a run ends where all scenes are.
    chances = dict(sorted(prospect.net_changes().items(), key=lambda each: -each[1]))
    sizes, nets = np.array(list(chances), dtype=np.float64).T
    likely = np.array(list(chances.values()))
    # As floats, which hold such counts exactly, the products are far quicker.
    drawn = np.random.default_rng(0).multinomial(scenes, likely / likely.sum(), _DRAWN).astype(np.float64)
    drops, cases, squares = (drawn @ each for each in (-nets, sizes, nets**2))
    too_large = drops / cases > max_drop
    surely = drops**2 > -2 * log(significant) * squares
    open_ = too_large & ~surely & (drops**2 > squares)
    magnitudes = np.unique(np.abs(nets[nets != 0]))
    counts = drawn[open_] @ (np.abs(nets)[:, None] == magnitudes)
    found = chances_of_drops(*(each.astype(np.int64) for each in (drops[open_], magnitudes, counts))) < significant
    return float(((too_large & surely).sum() + found.sum()) / _DRAWN)


def chances_of_drops(
    drops: NDArray[np.int64], magnitudes: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """``chance_of_sum_at_least`` of many sums at once, to 12 decimals, by their characteristic functions.

    ``drops``, each above 0, has length N, ``magnitudes`` length M, and ``counts``, N x M, says how many terms of each
    magnitude the sums have. The answer has length N.
    """
    import numpy as np

    if not len(drops):
        return np.empty(0)
    reach = int(max(drops.max(), _DEVIATIONS * np.sqrt((counts @ magnitudes**2).max()))) + 1
    # A sum is as odd or even as the terms together are: a quarter of the circle tells all of it.
    quarter = reach // 2 + 1
    angles = np.pi / 2 * np.arange(quarter + 1) / quarter
    weights = np.full(quarter + 1, 1 / quarter)
    weights[[0, -1]] /= 2
    answer = np.empty(len(drops))
    step = max(1, _AT_ONCE // len(angles))
    for start in range(0, len(drops), step):
        part = slice(start, start + step)
        seen, which = np.unique(drops[part], return_inverse=True)
        product = _cosines_from(seen, reach, angles)[which] * weights
        for magnitude, count in zip(magnitudes, counts[part].T, strict=True):
            seen, which = np.unique(count, return_inverse=True)
            product *= (np.cos(magnitude * angles) ** seen[:, None])[which]
        answer[part] = product.sum(axis=1)
    return np.clip(answer, 0.0, 1.0)


def _cosines_from(first: NDArray[np.int64], reach: int, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """``cos(x angle)``, added up over x = first, first + 2, ... up to ``reach``: one row for each first."""
    import numpy as np

    terms = ((reach - first) // 2 + 1)[:, None]
    ratio = np.ones((len(first), len(angles))) * terms
    ratio[:, 1:] = np.sin(terms * angles[1:]) / np.sin(angles[1:])
    return ratio * np.cos((first[:, None] + terms - 1) * angles)


def differing_by_chance(rate: float) -> float:
    """``p (1 - p)``: half as many as would differ were the verdicts of two runs with this pass rate independent.

    That is to say that their verdicts correlate with 0.5.
    """
    return rate * (1 - rate)


def prospect_of(
    clusters: Clusters, paired: PairedClusters | None, *, differ: float | None = None, icc: float | None = None
) -> Prospect:
    """What these cases have shown; what is given is taken as it is. The drop is 0.

    How many differ by chance is twice the smaller of those lost and won since an earlier run, where there was one, and
    else ``differing_by_chance``. How much alike a scene's cases are is worked out from what became of them since the
    earlier run, and where that shows nothing, from their verdicts; where these do not either, they count as alike.
    """
    rate = clusters.holds / clusters.judged
    again = paired if paired is not None and paired.shared else None
    if differ is None and again is not None:
        differ = 2 * min(again.lost, again.won) / again.shared
    if icc is None and again is not None:
        icc = alikeness([Kind(row.won - row.lost, row.won + row.lost, sum(row[:4]), row.scenes) for row in again.rows])
    if icc is None:
        icc = alikeness([Kind(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows])
    sizes: Counter[int] = Counter()
    for row in clusters.rows:
        sizes[row.judged] += row.scenes
    return Prospect(
        drop=0.0,
        differ=differing_by_chance(rate) if differ is None else differ,
        sizes=tuple((size, scenes / clusters.scenes) for size, scenes in sorted(sizes.items())),
        icc=1.0 if icc is None else icc,
    )
