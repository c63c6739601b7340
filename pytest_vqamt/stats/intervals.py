"""The interval of a pass rate, by scene: the cases of one picture tell less than as many of different pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from pytest_vqamt.core.tallies import Clusters

_IMAGINED_SCENES = 0.5
"""Of each sort, one that holds and one that is violated: Jeffreys' prior, of whole scenes."""


def interval(clusters: Clusters) -> tuple[float, float]:
    """The 95 % interval of the pass rate; (0, 1) where nothing was judged.

    Wilson's, for as many cases as these are worth (``effective_cases``), which with one case a scene is Wilson's own:
    the form that Franco, Little, Louis and Slud recommend, who find all such intervals too narrow, though, unless the
    worth is worked out with a model of the scenes (Journal of Survey Statistics and Methodology 7, 2019). Ours is half
    a scene that is imagined to hold wholly, and half a one that is violated wholly. An item with a violation is never
    shown to be better than the same scenes would be with none, nor one with a case that holds worse than with none.

    ``docs/statistics.md`` has its measured coverage, and that of what was not taken, the percentile bootstrap among it.
    """
    kinds = [Kind(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows if row.judged]
    if not kinds:
        return 0.0, 1.0
    size = usual_size(kinds)
    imagined = (Kind(size, size, size, _IMAGINED_SCENES), Kind(0, 0, size, _IMAGINED_SCENES))
    share = effective_cases(kinds, imagined) / clusters.judged
    low, high = wilson(clusters.holds * share, clusters.judged * share)
    worth = scenes_worth(kinds)
    return min(low, wilson(worth, worth)[0]), max(high, wilson(0, worth)[1])


class Kind(NamedTuple):
    """So many scenes of ``size`` cases each, whose values have such a sum and sum of squares; parts, if imagined."""

    total: float
    squares: float
    size: float
    scenes: float


def scenes_worth(kinds: Sequence[Kind]) -> float:
    """How many independent cases there are if those of one scene are always alike: ``(sum n)^2 / sum n^2``.

    It is the number of scenes where all are of one size, and less where some are larger than others (Kish, Survey
    Sampling, 1965).
    """
    return sum(each.size * each.scenes for each in kinds) ** 2 / sum(each.size**2 * each.scenes for each in kinds)


def usual_size(kinds: Sequence[Kind]) -> float:
    """How many cases the scene of a case has on average: ``sum n^2 / sum n``."""
    return sum(each.size**2 * each.scenes for each in kinds) / sum(each.size * each.scenes for each in kinds)


def effective_cases(kinds: Sequence[Kind], imagined: Sequence[Kind]) -> float:
    """The number of independent cases that would leave the mean value of these as uncertain as it is.

    That is N / deff, of N cases of G scenes, corrected for having been worked out from G scenes alone (Korn and
    Graubard, Survey Methodology 24, 1998): times the square of t(N - 1) / t(G - 1), the 97.5 % points of Student's
    distribution. deff, the design effect, is the variance of the mean by scene, which is what a bootstrap of scenes
    tends to as more and more are drawn, over that of as many independent cases. Both are taken with ``imagined``
    scenes beside the real ones: where next to nothing differs, how much alike the cases of a scene are cannot be seen,
    and is then taken to be wholly.

    Never above N, nor below ``scenes_worth``. With one case a scene it is N.
    """
    cases, scenes = sum(round(each.size * each.scenes) for each in kinds), sum(round(each.scenes) for each in kinds)
    worth = scenes_worth(kinds)
    if cases == scenes or scenes < 2:
        return worth
    every = (*kinds, *imagined)
    weight = sum(each.size * each.scenes for each in every)
    mean = sum(each.total * each.scenes for each in every) / weight
    by_scene = sum((each.total - mean * each.size) ** 2 * each.scenes for each in every)
    by_case = sum(each.squares * each.scenes for each in every) - mean**2 * weight
    deff = by_scene / by_case * (scenes / (scenes - 1)) * ((cases - 1) / cases)
    correction = (students_t(cases - 1) / students_t(scenes - 1)) ** 2
    return min(float(cases), max(worth, cases / deff * correction))


CONFIDENCE = 0.95


def wilson(successes: float, trials: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of a pass rate: ``(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)``, inside [0, 1].

    Wilson, Journal of the American Statistical Association 22 (1927). With no trials nothing is known: (0, 1).
    Counts need not be whole.

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
    """The t that Student's variable with so many degrees of freedom exceeds, in either direction, one time in twenty.

    >>> round(students_t(1), 3), round(students_t(10), 3), round(students_t(1000), 3)
    (12.706, 2.228, 1.962)
    """
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # its stubs are a package of their own

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def alikeness(kinds: Sequence[Kind]) -> float | None:
    """The intraclass correlation of their values, from 0 to 1; None where it cannot be seen.

    ``(B - W) / (B + (m - 1) W)``, of the mean squares between and within scenes, with m the size of scenes corrected
    for their being unequal (Donner, International Statistical Review 54, 1986). It cannot be seen where no scene has
    two cases, or no two cases differ.
    """
    cases, scenes = sum(each.size * each.scenes for each in kinds), sum(each.scenes for each in kinds)
    if scenes < 2 or cases <= scenes:
        return None
    squares = sum(each.squares * each.scenes for each in kinds)
    of_scenes = sum(each.total**2 / each.size * each.scenes for each in kinds)
    mean = sum(each.total * each.scenes for each in kinds) / cases
    between = (of_scenes - mean**2 * cases) / (scenes - 1)
    within = (squares - of_scenes) / (cases - scenes)
    size = (cases - sum(each.size**2 * each.scenes for each in kinds) / cases) / (scenes - 1)
    whole = between + (size - 1) * within
    return None if whole <= 0 else min(1.0, max(0.0, (between - within) / whole))
