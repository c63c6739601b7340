"""How many independent cases the cases of so many scenes are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_vqamt.stats.student import students_t


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
