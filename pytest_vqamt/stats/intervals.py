"""Intervals of pass rates, clustered by scene: cases of one picture are correlated, so they count for less."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.stats.critical_values import CRITICAL_VALUES

_PRIOR_SCENES = 0.5
"""Jeffreys' prior in whole scenes: so many that hold, and so many that are violated."""


def pass_rate_interval(clusters: Clusters) -> tuple[float, float]:
    """Returns the 95 % interval of the pass rate, (0, 1) without judged cases.

    Wilson's interval with the effective sample size, as recommended by Franco, Little, Louis and Slud (Journal of
    Survey Statistics and Methodology 7, 2019). They find such intervals too narrow unless the effective sample size
    comes from a model of the scenes; here a prior of half a scene that holds and half a scene that is violated serves
    as one. The interval of an item with violations never lies above that of the same scenes without any, and the
    interval of an item with a case that holds never below that of the same scenes without any.

    ``docs/explanation/statistics.md`` has the measured coverage of this interval
    and of its alternatives, such as the bootstrap.
    """
    groups = [SceneGroup(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows if row.judged]
    if not groups:
        return 0.0, 1.0
    share = worth_of_verdict(clusters)
    low, high = wilson(clusters.holds * share, clusters.judged * share)
    least = least_sample_size(groups)
    return min(low, wilson(least, least)[0]), max(high, wilson(0, least)[1])


def worth_of_verdict(clusters: Clusters) -> float:
    """Returns the independent cases that a case is worth for the pass rate: the effective over the whole number."""
    groups = [SceneGroup(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows if row.judged]
    size = mean_scene_size(groups)
    prior = (SceneGroup(size, size, size, _PRIOR_SCENES), SceneGroup(0, 0, size, _PRIOR_SCENES))
    return effective_sample_size(groups, prior) / clusters.judged


class SceneGroup(NamedTuple):
    """A number of ``scenes`` of ``size`` cases each, whose values have the same sum and sum of squares.

    Prior scenes come in fractions.
    """

    total: float
    squares: float
    size: float
    scenes: float


def least_sample_size(groups: Sequence[SceneGroup]) -> float:
    """Returns the effective sample size at an intraclass correlation of 1: ``(sum n)^2 / sum n^2``.

    It is the number of scenes if all have one size, and less otherwise (Kish, Survey Sampling, 1965).
    """
    return sum(each.size * each.scenes for each in groups) ** 2 / sum(each.size**2 * each.scenes for each in groups)


def mean_scene_size(groups: Sequence[SceneGroup]) -> float:
    """Returns the size of the scene of an average case: ``sum n^2 / sum n``."""
    return sum(each.size**2 * each.scenes for each in groups) / sum(each.size * each.scenes for each in groups)


def effective_sample_size(groups: Sequence[SceneGroup], prior: Sequence[SceneGroup]) -> float:
    """Returns the number of independent cases whose mean would have the variance of the mean of these.

    That is N / deff for N cases of G scenes, times the square of t(N - 1) / t(G - 1), the 97.5 % points of Student's
    distribution: deff is itself an estimate from G scenes (Korn and Graubard, Survey Methodology 24, 1998). The design
    effect deff is the variance of the mean by scene, which is the limit of the bootstrap of scenes, over that of N
    independent cases. Both include the ``prior`` scenes: if hardly any case differs, the intraclass correlation cannot
    be estimated, and the prior takes it to be 1.

    The result lies between ``least_sample_size`` and N. With one case per scene it is N.
    """
    cases, scenes = sum(round(each.size * each.scenes) for each in groups), sum(round(each.scenes) for each in groups)
    least = least_sample_size(groups)
    if cases == scenes or scenes < 2:
        return least
    every = (*groups, *prior)
    weight = sum(each.size * each.scenes for each in every)
    mean = sum(each.total * each.scenes for each in every) / weight
    by_scene = sum((each.total - mean * each.size) ** 2 * each.scenes for each in every)
    by_case = sum(each.squares * each.scenes for each in every) - mean**2 * weight
    deff = by_scene / by_case * (scenes / (scenes - 1)) * ((cases - 1) / cases)
    correction = (students_t(cases - 1) / students_t(scenes - 1)) ** 2
    return min(float(cases), max(least, cases / deff * correction))


CONFIDENCE = 0.95


def wilson(successes: float, trials: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Returns Wilson's interval: ``(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)``, inside [0, 1].

    Wilson, Journal of the American Statistical Association 22 (1927). It is (0, 1) without
    trials. Counts need not be whole.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = successes / trials
    middle = p + z * z / (2 * trials)
    spread = z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)


@cache
def students_t(degrees: int) -> float:
    """Returns the two-sided 95 % critical value of Student's distribution.

    From a table, and for more degrees of freedom than it has by the expansion around the normal point (Abramowitz and
    Stegun 1964, 26.7.5), which leaves out less than 1e-12 there.

    >>> round(students_t(1), 3), round(students_t(10), 3), round(students_t(1000), 3)
    (12.706, 2.228, 1.962)
    """
    if degrees <= len(CRITICAL_VALUES):
        return CRITICAL_VALUES[degrees - 1]
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(degrees) ** power for power, term in enumerate(terms))


def intraclass_correlation(groups: Sequence[SceneGroup]) -> float | None:
    """Returns the intraclass correlation of the values within scenes, from 0 to 1.

    ``(B - W) / (B + (m - 1) W)``, of the mean squares between and within scenes, with m the scene size corrected for
    unequal sizes (Donner, International Statistical Review 54, 1986). None if no scene has two cases or no two cases
    differ.
    """
    cases, scenes = sum(each.size * each.scenes for each in groups), sum(each.scenes for each in groups)
    if scenes < 2 or cases <= scenes:
        return None
    squares = sum(each.squares * each.scenes for each in groups)
    of_scenes = sum(each.total**2 / each.size * each.scenes for each in groups)
    mean = sum(each.total * each.scenes for each in groups) / cases
    between = (of_scenes - mean**2 * cases) / (scenes - 1)
    within = (squares - of_scenes) / (cases - scenes)
    size = (cases - sum(each.size**2 * each.scenes for each in groups) / cases) / (scenes - 1)
    whole = between + (size - 1) * within
    return None if whole <= 0 else min(1.0, max(0.0, (between - within) / whole))
