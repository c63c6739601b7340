"""How many cases it takes to see a drop, and how small a drop is seen with the cases there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from pytest_vqamt.stats.changes import SIGNIFICANT
from pytest_vqamt.stats.power_by_scene import power_by_scene
from pytest_vqamt.stats.prospects import Prospect

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
