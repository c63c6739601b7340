"""Two runs on the same cases: how large a difference is, and whether it could be chance; all of it by scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from math import isqrt, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from pytest_vqamt.core.results import Change, Gate
from pytest_vqamt.core.tallies import PairedClusters
from pytest_vqamt.stats.intervals import CONFIDENCE, Kind, effective_cases, scenes_worth, usual_size, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_IMAGINED_SCENES = 0.25
"""Of each sort, one that is lost and one that is won: together half a scene that differs."""


def drop_p(paired: PairedClusters) -> float:
    """How likely a drop as large as this one, or a larger one, would be were the runs equally good: exact, one-sided.

    Were they equally good, then within each scene it would be as likely that they had changed places: the net loss of
    each scene could have had the other sign. The p-value is the share of all such changes of sign that give a net loss
    as large as the one seen (Fisher's randomisation test of pairs, The Design of Experiments, 1935, section 21). Where
    no scene has more than one case that differs this is McNemar's exact test. 1 where nothing differs.

    >>> from pytest_vqamt.core.tallies import AlikeTwice
    >>> drop_p(PairedClusters((AlikeTwice(9, 1, 0, 0, 5),)))
    0.03125
    """
    return chance_of_sum_at_least(paired.lost - paired.won, _net_changes(paired))


def two_sided_p(paired: PairedClusters) -> float:
    """How likely a difference as large as this one, in either direction, would be: as ``drop_p``."""
    difference = abs(paired.lost - paired.won)
    return min(1.0, 2 * chance_of_sum_at_least(difference, _net_changes(paired))) if difference else 1.0


def mcnemar_p(paired: PairedClusters) -> float:
    """McNemar's exact two-sided p, over cases: right only where those of one scene are independent of each other."""
    differing = paired.lost + paired.won
    difference = abs(paired.lost - paired.won)
    return min(1.0, 2 * chance_of_sum_at_least(difference, {1: differing})) if difference else 1.0


def paired_interval(paired: PairedClusters) -> tuple[float, float]:
    """The 95 % interval of the second pass rate less the first, by scene; (-1, 1) where nothing is shared.

    Tango's, for as many cases as these are worth (``effective_cases``), which with one case a scene is Tango's own. The
    quarter of a scene that is imagined to be lost wholly, and the one to be won wholly, are ours. A run that has lost
    cases on balance is never shown to be less bad than one in which nothing differs, and so with gains.
    """
    kinds = [Kind(row.won - row.lost, row.won + row.lost, sum(row[:4]), row.scenes) for row in paired.rows]
    difference = paired.difference
    if difference is None:
        return -1.0, 1.0
    size = usual_size(kinds)
    imagined = (Kind(-size, size, size, _IMAGINED_SCENES), Kind(size, size, size, _IMAGINED_SCENES))
    share = effective_cases(kinds, imagined) / paired.shared
    low, high = tango(paired.lost * share, paired.won * share, paired.shared * share)
    nothing_differs = wilson(0, scenes_worth(kinds))[1]
    return (
        min(low, -nothing_differs) if difference <= 0 else low,
        max(high, nothing_differs) if difference >= 0 else high,
    )


def _net_changes(paired: PairedClusters) -> Counter[int]:
    """How many scenes have lost or won so many cases on balance; without those that have done neither."""
    changes: Counter[int] = Counter()
    for row in paired.rows:
        if row.won != row.lost:
            changes[abs(row.won - row.lost)] += row.scenes
    return changes


_FAR_OUT = 350
"""Of n coins, numbers of heads further than sqrt(350 n) from the middle are less likely than 1e-303 (Hoeffding)."""


def chance_of_sum_at_least(size: int, terms: Mapping[int, int]) -> float:
    """How likely the sum of all terms is ``size`` or more, each as likely to be added as to be taken away.

    ``terms`` says how many there are of each magnitude, which is at least 1. The distribution is worked out on the
    whole numbers, one binomial for each magnitude, with nothing drawn at random. All that is added up is positive, so
    small chances are as exact as large ones; Fourier's transform, which is faster, would lose them.

    >>> chance_of_sum_at_least(3, {1: 3}), chance_of_sum_at_least(-3, {1: 1, 2: 1})
    (0.125, 1.0)
    """
    import numpy as np

    largest = sum(magnitude * count for magnitude, count in terms.items())
    if abs(size) > largest or size == -largest:
        return 0.0 if size > 0 else 1.0
    # Of those that are added alone: the sum of all is twice theirs, less the largest.
    needed = (size + largest + 1) // 2
    *others, (magnitude, count) = sorted(terms.items(), key=lambda each: (each[1], each[0]))
    fewest, chances = 0, np.ones(1)
    for other, so_many in others:
        skipped, heads = _fair_binomial(so_many)
        fewest, chances = fewest + skipped * other, _spread(chances, heads, other)
    # The magnitude that most have need not be spread: its upper tail says how likely it adds what is still lacking.
    skipped, heads = _fair_binomial(count)
    at_least = np.append(np.cumsum(heads[::-1])[::-1], 0.0)
    lacking = needed - fewest - np.arange(len(chances))
    wanted = np.clip(-(-lacking // magnitude) - skipped, 0, len(heads))
    return min(1.0, float((chances * at_least[wanted]).sum()))


def _spread(chances: NDArray[np.float64], heads: NDArray[np.float64], magnitude: int) -> NDArray[np.float64]:
    """The chances of sums to which each head adds ``magnitude``: sums that leave different remainders never meet."""
    import numpy as np

    spread = np.zeros(len(chances) + magnitude * (len(heads) - 1))
    for remainder in range(min(magnitude, len(chances))):
        spread[remainder::magnitude] = np.convolve(chances[remainder::magnitude], heads)
    return spread


def _fair_binomial(count: int) -> tuple[int, NDArray[np.float64]]:
    """The chance of each number of heads of ``count`` fair coins, and how many numbers from 0 on are left out.

    float64. Worked out from the middle by the ratio of neighbours, so that each is exact to a few units in the last
    place.
    """
    import numpy as np

    middle = count // 2
    reach = min(middle, isqrt(_FAR_OUT * count))
    up = np.arange(middle, min(count, middle + reach + 1))
    down = np.arange(middle, middle - reach, -1)
    right = np.cumprod((count - up) / (up + 1))
    left = np.cumprod(down / (count - down + 1))
    ratios = np.concatenate((left[::-1], [1.0], right))
    return middle - reach, ratios / ratios.sum()


_HALVINGS = 42
"""Each end is exact to 12 decimals."""


def tango(lost: float, won: float, cases: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of the second proportion less the first, inside [-1, 1]; (-1, 1) where there are no cases.

    The differences D that a score test does not reject: ``|won - lost - nD| <= z sqrt(n (2q + D(1 - D)))``, where q is
    the most likely share of lost cases, were D true (Tango, Statistics in Medicine 17, 1998). It has a width also
    where nothing was lost or won. Counts need not be whole.

    >>> [round(end, 3) for end in tango(7, 1, 21)]
    [-0.517, -0.026]
    """
    if not cases:
        return -1.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    found = (won - lost) / cases
    return (
        _end(lambda difference: _score(difference, lost, won, cases) > z, -1.0, found),
        _end(lambda difference: _score(difference, lost, won, cases) < -z, 1.0, found),
    )


def _score(difference: float, lost: float, won: float, cases: float) -> float:
    """How many standard errors the difference that was found is above this one."""
    excess = won - lost - cases * difference
    b = (2 * cases - won + lost) * difference - won - lost
    root = sqrt(max(0.0, b * b + 8 * cases * lost * difference * (1 - difference)))
    q = (root - b) / (4 * cases)
    variance = cases * (2 * q + difference * (1 - difference))
    if variance <= 0:
        return 0.0 if excess == 0 else (float("inf") if excess > 0 else float("-inf"))
    return excess / sqrt(variance)


def _end(rejected: Callable[[float], bool], outer: float, inner: float) -> float:
    """The end of the interval between ``outer`` and ``inner``, which is inside it."""
    if not rejected(outer):
        return outer
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        if rejected(middle):
            outer = middle
        else:
            inner = middle
    return outer


SIGNIFICANT = 0.05
"""A p-value below this one is no chance."""


class Standing(StrEnum):
    """What a comparison has shown of an item, for a drop that is still tolerated."""

    WORSE = "worse"
    """It has dropped by more than is tolerated, and that is no chance: its gate is missed."""

    NO_WORSE = "no worse"
    """The whole 95 % interval of the difference lies above the drop that is tolerated: shown not to be worse."""

    UNCERTAIN = "uncertain"
    """Neither: more cases are needed to tell."""


def change(paired: PairedClusters, *, version_before: int = 1, other_judgement: int = 0) -> Change:
    """The comparison of one item by itself; ``judged_together`` adds what needs all of them."""
    return Change(
        paired=paired,
        interval=paired_interval(paired),
        p=drop_p(paired),
        p_two_sided=two_sided_p(paired),
        version_before=version_before,
        other_judgement=other_judgement,
        p_mcnemar=mcnemar_p(paired),
    )


def judged_together(changes: Sequence[Change], max_drop: float, gated: Sequence[bool]) -> tuple[Change, ...]:
    """The changes, in the order given: those that are gated with Holm's p-value over all of them, and their gate.

    A gate is missed where the drop is both larger than ``max_drop`` and significant after Holm. Those that are not
    gated have neither.
    """
    adjusted = iter(holm([each.p for each, counts in zip(changes, gated, strict=True) if counts]))
    return tuple(
        _with_gate(each, max_drop, next(adjusted)) if counts else replace(each, p_holm=None, gate=None)
        for each, counts in zip(changes, gated, strict=True)
    )


def standing(change: Change, max_drop: float) -> Standing:
    """What ``change`` (one that ``judged_together`` gave) has shown, of the three that there are.

    One that is not gated is taken by itself: its p-value as it stands, without Holm.
    """
    if _too_large(change, max_drop) and _p(change) < SIGNIFICANT:
        return Standing.WORSE
    return Standing.NO_WORSE if change.interval[0] > -max_drop else Standing.UNCERTAIN


def _with_gate(change: Change, max_drop: float, p_holm: float) -> Change:
    met = not (_too_large(change, max_drop) and p_holm < SIGNIFICANT)
    return replace(change, p_holm=p_holm, gate=Gate(kind="max-drop", threshold=max_drop, on="holm", met=met))


def _too_large(change: Change, max_drop: float) -> bool:
    difference = change.paired.difference
    return difference is not None and -difference > max_drop


def _p(change: Change) -> float:
    return change.p if change.p_holm is None else change.p_holm


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """The p-values, in the order given, adjusted for there being so many: the j-th smallest of m times m - j + 1.

    None is below a smaller one's, none above 1. To reject where the adjusted one is below 0.05 errs anywhere with
    probability 0.05 at most, however the tests depend on each other (Holm, Scandinavian Journal of Statistics 6, 1979).

    >>> holm([0.04, 0.01, 0.5])
    (0.08, 0.03, 0.5)
    """
    adjusted = [1.0] * len(ps)
    so_far = 0.0
    for smaller, place in enumerate(sorted(range(len(ps)), key=lambda each: ps[each])):
        so_far = max(so_far, min(1.0, (len(ps) - smaller) * ps[place]))
        adjusted[place] = so_far
    return tuple(adjusted)
