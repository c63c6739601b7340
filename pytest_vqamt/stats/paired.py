"""Paired comparison of two runs on the same cases: difference, interval, p-value and gate, clustered by scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isqrt, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import BaselineChange, Gate, GateState
from pytest_vqamt.core.tallies import PairedClusters
from pytest_vqamt.stats.intervals import (
    CONFIDENCE,
    SceneGroup,
    effective_sample_size,
    least_sample_size,
    mean_scene_size,
    wilson,
)
from pytest_vqamt.stats.thresholds import GateKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_PRIOR_SCENES_OF_CHANGE = 0.25
"""So many prior scenes that are lost, and so many that are won: together half a scene that differs."""

_FAR_OUT = 350
"""Numbers of heads further than sqrt(350 n) from n/2 have a probability below 1e-303 (Hoeffding)."""

_HALVINGS = 42
"""The ends are exact to 12 decimals."""

SIGNIFICANT = 0.05
"""The significance level."""


def drop_p(paired: PairedClusters) -> float:
    """Returns the exact one-sided p-value of a drop, by a sign-flip test of scenes; 1 if nothing differs.

    If the runs were equally good, the net loss of each scene would have either sign with the same probability. The
    p-value is the share of all sign changes with at least the observed net loss (Fisher's randomisation test of pairs,
    The Design of Experiments, 1935, section 21). With at most one differing case per scene it is McNemar's exact test.

    >>> from pytest_vqamt.core.tallies import PairedSceneTally
    >>> drop_p(PairedClusters((PairedSceneTally(9, 1, 0, 0, 5),)))
    0.03125
    """
    return sign_flip_p(paired.first_only - paired.second_only, _net_changes(paired))


def two_sided_p(paired: PairedClusters) -> float:
    """Returns the exact two-sided p-value of a difference, by the test of ``drop_p``."""
    difference = abs(paired.first_only - paired.second_only)
    return min(1.0, 2 * sign_flip_p(difference, _net_changes(paired))) if difference else 1.0


def mcnemar_p(paired: PairedClusters) -> float:
    """Returns McNemar's exact two-sided p-value. It assumes that the cases of a scene are independent."""
    differing = paired.first_only + paired.second_only
    difference = abs(paired.first_only - paired.second_only)
    return min(1.0, 2 * sign_flip_p(difference, {1: differing})) if difference else 1.0


def paired_interval(paired: PairedClusters) -> tuple[float, float]:
    """Returns the 95 % interval of the second pass rate less the first; (-1, 1) if the runs share no case.

    Tango's interval with the effective sample size; the prior is a quarter of a scene that is lost and a quarter of one
    that is won. With a net loss, the lower end is at most that of a comparison in which nothing differs, and likewise
    the upper end with a net gain.
    """
    groups = groups_of_changes(paired)
    difference = paired.difference
    if difference is None:
        return -1.0, 1.0
    share = worth_of_case(paired)
    # Counts are scaled to the independent cases that they are worth, so they need not be whole.
    low, high = tango(paired.first_only * share, paired.second_only * share, paired.shared * share)
    # Bounds: a run with a net loss must not rule out a drop that an unchanged one leaves open.
    nothing_differs = wilson(0, least_sample_size(groups))[1]
    return (
        min(low, -nothing_differs) if difference <= 0 else low,
        max(high, nothing_differs) if difference >= 0 else high,
    )


def worth_of_case(paired: PairedClusters) -> float:
    """Returns the independent cases that a case is worth: the effective sample size over the number of cases."""
    groups = groups_of_changes(paired)
    size = mean_scene_size(groups)
    prior = (
        SceneGroup(-size, size, size, _PRIOR_SCENES_OF_CHANGE),
        SceneGroup(size, size, size, _PRIOR_SCENES_OF_CHANGE),
    )
    return effective_sample_size(groups, prior) / paired.shared


def groups_of_changes(paired: PairedClusters) -> list[SceneGroup]:
    """Returns the scenes with cases that count 1 if they were won, -1 if they were lost, and else 0."""
    return [
        SceneGroup(row.second_only - row.first_only, row.second_only + row.first_only, sum(row[:4]), row.scenes)
        for row in paired.rows
    ]


def _net_changes(paired: PairedClusters) -> Counter[int]:
    """Counts the scenes by the size of their net change, without those at 0."""
    changes: Counter[int] = Counter()
    for row in paired.rows:
        # A scene that lost as many as it won has no sign to flip.
        if row.second_only != row.first_only:
            changes[abs(row.second_only - row.first_only)] += row.scenes
    return changes


def sign_flip_p(size: int, terms: Mapping[int, int]) -> float:
    """Returns the probability that a sum of terms with random signs is at least ``size``.

    ``terms`` maps each magnitude, at least 1, to its number of terms. The distribution is exact: one binomial for each
    magnitude, convolved. All summands are positive, so small probabilities keep their precision, which they would lose
    by the faster Fourier transform.

    >>> sign_flip_p(3, {1: 3}), sign_flip_p(-3, {1: 1, 2: 1})
    (0.125, 1.0)
    """
    import numpy as np

    largest = sum(magnitude * count for magnitude, count in terms.items())
    # Out of reach, or reached by any signs.
    if abs(size) > largest or size == -largest:
        return 0.0 if size > 0 else 1.0
    # The sum is twice that of the terms with a positive sign, less the largest.
    needed = (size + largest + 1) // 2
    # Few terms first, so that the convolved arrays stay short; ties by magnitude, for the same rounding everywhere.
    *others, (magnitude, count) = sorted(terms.items(), key=lambda each: (each[1], each[0]))
    fewest, chances = 0, np.ones(1)
    for other, so_many in others:
        skipped, heads = _fair_binomial(so_many)
        fewest, chances = fewest + skipped * other, _spread(chances, heads, other)
    # The most frequent magnitude is not convolved: its upper tail gives the probability of what is still lacking.
    skipped, heads = _fair_binomial(count)
    at_least = np.append(np.cumsum(heads[::-1])[::-1], 0.0)
    lacking = needed - fewest - np.arange(len(chances))
    wanted = np.clip(-(-lacking // magnitude) - skipped, 0, len(heads))
    return min(1.0, float((chances * at_least[wanted]).sum()))


def _spread(chances: NDArray[np.float64], heads: NDArray[np.float64], magnitude: int) -> NDArray[np.float64]:
    """Convolves with the sums of heads of ``magnitude``. Sums with different remainders never meet."""
    import numpy as np

    spread = np.zeros(len(chances) + magnitude * (len(heads) - 1))
    # Heads of magnitude m move a sum by m: sums modulo m are apart, and each class is a plain convolution.
    for remainder in range(min(magnitude, len(chances))):
        spread[remainder::magnitude] = np.convolve(chances[remainder::magnitude], heads)
    return spread


def _fair_binomial(count: int) -> tuple[int, NDArray[np.float64]]:
    """Returns the number of skipped outcomes from 0 on, and the probabilities (float64) of the next numbers of heads.

    They are computed from the middle by the ratio of neighbours, so each is exact to a few units in the last place.
    """
    import numpy as np

    middle = count // 2
    reach = min(middle, isqrt(_FAR_OUT * count))
    up = np.arange(middle, min(count, middle + reach + 1))
    down = np.arange(middle, middle - reach, -1)
    # P(k + 1) / P(k) = (n - k) / (k + 1) for a fair coin.
    right = np.cumprod((count - up) / (up + 1))
    left = np.cumprod(down / (count - down + 1))
    ratios = np.concatenate((left[::-1], [1.0], right))
    return middle - reach, ratios / ratios.sum()


def tango(lost: float, won: float, cases: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Returns the interval of the second proportion less the first, inside [-1, 1]; (-1, 1) without cases.

    The differences D that a score test does not reject: ``|won - lost - nD| <= z sqrt(n (2q + D(1 - D)))``, where q is
    the maximum likelihood estimate of the share of lost cases under D (Tango, Statistics in Medicine 17, 1998). The
    interval has a width even if nothing was lost or won. Counts need not be whole.

    >>> [round(end, 3) for end in tango(7, 1, 21)]
    [-0.517, -0.026]
    """
    if not cases:
        return -1.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    # The difference itself is never rejected: the bisections start there.
    found = (won - lost) / cases
    return (
        _end(lambda difference: _score(difference, lost, won, cases) > z, -1.0, found),
        _end(lambda difference: _score(difference, lost, won, cases) < -z, 1.0, found),
    )


def _score(difference: float, lost: float, won: float, cases: float) -> float:
    """Returns the score statistic of ``difference``."""
    excess = won - lost - cases * difference
    b = (2 * cases - won + lost) * difference - won - lost
    # Rounding can make it negative by 1e-16 where the root is 0.
    root = sqrt(max(0.0, b * b + 8 * cases * lost * difference * (1 - difference)))
    q = (root - b) / (4 * cases)
    variance = cases * (2 * q + difference * (1 - difference))
    # No room for chance, as at a difference of 1, or of 0 where nothing differs.
    if variance <= 0:
        return 0.0 if excess == 0 else (float("inf") if excess > 0 else float("-inf"))
    return excess / sqrt(variance)


def _end(rejected: Callable[[float], bool], outer: float, inner: float) -> float:
    """Bisects for the end of the interval between ``outer`` and ``inner``, which lies inside."""
    # All cases were lost, or all won: the difference found is the end.
    if not rejected(outer):
        return outer
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        if rejected(middle):
            outer = middle
        else:
            inner = middle
    # The rejected side: the interval is never too short.
    return outer


def change_of(
    paired: PairedClusters, *, version_before: int = 1, other_judgement: int = 0, unread_before: float | None = None
) -> BaselineChange:
    """Returns the comparison of one item; ``with_holm_gates`` adds the adjusted p-value and the gate."""
    return BaselineChange(
        paired=paired,
        interval=paired_interval(paired),
        p=drop_p(paired),
        p_two_sided=two_sided_p(paired),
        version_before=version_before,
        other_judgement=other_judgement,
        p_mcnemar=mcnemar_p(paired),
        unread_before=unread_before,
    )


def with_holm_gates(
    changes: Sequence[BaselineChange], allowed: Sequence[float | None], families: int = 1
) -> tuple[BaselineChange, ...]:
    """Returns the changes in the same order; the gated ones get a Holm-adjusted p-value and a gate, the others neither.

    ``allowed`` is the drop that the gate on each change allows, None for those without one. A gate is missed if the
    drop is larger and significant after Holm's adjustment. It is uncertain if the 95 % interval of the difference
    reaches such a drop. Where the changes are one of several ``families`` of tests that can fail a run, each has its
    share of the significance level (Bonferroni): the p-values are multiplied.
    """
    # Only what is gated is corrected for: looking at more costs no power.
    ps = [change.p for change, drop in zip(changes, allowed, strict=True) if drop is not None]
    adjusted = iter(min(1.0, families * p) for p in holm(ps))
    return tuple(
        replace(change, p_holm=None, gate=None) if drop is None else _with_gate(change, drop, next(adjusted))
        for change, drop in zip(changes, allowed, strict=True)
    )


def between_models(pairs: Sequence[PairedClusters], tested: Sequence[bool]) -> tuple[BaselineChange, ...]:
    """Returns the second model less the first on each item; ``p_holm`` of the tested ones is two-sided.

    All that compares two models takes their differences from here. That of a model with its own baseline is one-sided
    (``with_holm_gates``).
    """
    changes = [change_of(each) for each in pairs]
    # Two-sided: neither model is the one before.
    adjusted = iter(holm([each.p_two_sided for each, counts in zip(changes, tested, strict=True) if counts]))
    return tuple(
        replace(each, p_holm=next(adjusted) if counts else None) for each, counts in zip(changes, tested, strict=True)
    )


def state_of(change: BaselineChange, max_drop: float) -> GateState:
    """The state of a gate that allows ``max_drop``, by the adjusted p-value, or the plain one without it.

    Missed: the drop is larger, and significant. Met: the whole 95 % interval of the difference lies above it.
    """
    # Significant alone is not enough: with many cases a drop of 0.1 points is significant.
    if _too_large(change, max_drop) and (change.p if change.p_holm is None else change.p_holm) < SIGNIFICANT:
        return GateState.MISSED
    return GateState.MET if change.interval[0] > -max_drop else GateState.CANNOT_TELL


def _with_gate(change: BaselineChange, max_drop: float, p_holm: float) -> BaselineChange:
    adjusted = replace(change, p_holm=p_holm)
    state = state_of(adjusted, max_drop)
    return replace(
        adjusted,
        gate=Gate(
            kind=GateKind.DROP.value,
            threshold=max_drop,
            on="holm",
            met=state is not GateState.MISSED,
            uncertain=state is GateState.CANNOT_TELL,
            dropped=state is GateState.MISSED,
        ),
    )


def may_fall(change: BaselineChange, max_drop: float) -> bool:
    """True if the rate in the baseline is so high that it can fall by more than ``max_drop``."""
    before = change.paired.first_rate
    return before is not None and before > max_drop


def _too_large(change: BaselineChange, max_drop: float) -> bool:
    difference = change.paired.difference
    return difference is not None and -difference > max_drop


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Returns Holm-adjusted p-values in the same order: the j-th smallest of m, times m - j + 1, monotone, at most 1.

    Rejecting below 0.05 keeps the family-wise error rate at 0.05 under any dependence of the tests (Holm, Scandinavian
    Journal of Statistics 6, 1979).

    >>> holm([0.04, 0.01, 0.5])
    (0.08, 0.03, 0.5)
    """
    adjusted = [1.0] * len(ps)
    so_far = 0.0
    for smaller, place in enumerate(sorted(range(len(ps)), key=lambda each: ps[each])):
        # Monotone: a larger p-value never gets a smaller adjusted one.
        so_far = max(so_far, min(1.0, (len(ps) - smaller) * ps[place]))
        adjusted[place] = so_far
    return tuple(adjusted)
