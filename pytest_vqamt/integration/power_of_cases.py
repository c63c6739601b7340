"""What ``vqamt power`` says of cases as they are described on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.reporting.text import table
from pytest_vqamt.stats.power import MOST_SCENES, Demand, Prospect, power, scenes_needed, smallest_drop


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesAsked:
    """The question: how many cases are needed for ``drops``, and which drops are seen with ``cases``."""

    rate: float
    differ: float
    cases_a_scene: int
    icc: float
    demand: Demand
    power: float
    drops: tuple[float, ...]
    cases: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.differ > 2 * (1 - self.rate) or self.differ > 2 * self.rate:
            raise OptionError(
                f"Expected a share of at most {2 * min(self.rate, 1 - self.rate):g} that differs by chance, half of it "
                f"in either direction, at a pass rate of {self.rate:g}, but got --differ={self.differ:g}"
            )
        for drop in self.drops:
            if drop > self.largest_drop:
                raise OptionError(
                    f"Expected a drop of at most {self.largest_drop:g}, from a pass rate of {self.rate:g} of which "
                    f"{self.differ / 2:g} is lost by chance already, but got --drop={drop:g}"
                )

    @property
    def largest_drop(self) -> float:
        return self.rate - self.differ / 2

    def prospect(self, drop: float) -> Prospect:
        return Prospect(drop=drop, differ=self.differ, sizes=((self.cases_a_scene, 1.0),), icc=self.icc)


def lines_of_cases(asked: CasesAsked) -> Iterator[str]:
    """The assumptions, and a table for each kind of question."""
    yield from _assumptions(asked)
    if asked.drops:
        yield ""
        yield from table([("drop", "cases", "scenes"), *(_needed(asked, drop) for drop in asked.drops)])
    if asked.cases:
        yield ""
        yield from table([("cases", "scenes", "smallest drop"), *(_seen(asked, cases) for cases in asked.cases)])


def row_of_cases(asked: CasesAsked) -> dict[str, Json]:
    """The same as one JSON object; ``power`` of a drop is what the cases that it needs have."""
    needed: list[Json] = []
    for drop in asked.drops:
        scenes = scenes_needed(asked.prospect(drop), asked.demand, asked.power)
        needed.append(
            {
                "drop": drop,
                "cases": None if scenes is None else scenes * asked.cases_a_scene,
                "scenes": scenes,
                "power": None if scenes is None else power(scenes, asked.prospect(drop), asked.demand),
            }
        )
    return {
        "rate": asked.rate,
        "differ": asked.differ,
        "cases_per_scene": asked.cases_a_scene,
        "icc": asked.icc if asked.cases_a_scene > 1 else None,
        "relations": asked.demand.relations,
        "max_drop": asked.demand.max_drop,
        "power": asked.power,
        "needed": needed,
        "seen": [
            {"cases": cases, "scenes": _scenes(asked, cases), "drop": _smallest(asked, cases)} for cases in asked.cases
        ],
    }


def _assumptions(asked: CasesAsked) -> Iterator[str]:
    yield (
        f"the gate is missed by a drop above {asked.demand.max_drop:g} that is significant among "
        f"{asked.demand.relations} relations; a drop counts as seen where that has a chance of {asked.power:g}"
    )
    spread = "one a scene"
    if asked.cases_a_scene > 1:
        spread = f"{asked.cases_a_scene} a scene, alike by {asked.icc:g}"
    yield f"of the cases {asked.rate:g} held before, {asked.differ:.4g} come out otherwise by chance; they are {spread}"


def _needed(asked: CasesAsked, drop: float) -> tuple[str, ...]:
    scenes = scenes_needed(asked.prospect(drop), asked.demand, asked.power)
    if scenes is None:
        return f"{drop:g}", f"over {MOST_SCENES * asked.cases_a_scene:,}", f"over {MOST_SCENES:,}"
    return f"{drop:g}", f"{scenes * asked.cases_a_scene:,}", f"{scenes:,}"


def _seen(asked: CasesAsked, cases: int) -> tuple[str, ...]:
    drop = _smallest(asked, cases)
    return f"{cases:,}", f"{_scenes(asked, cases):,}", "none" if drop is None else f"{drop:.4f}"


def _scenes(asked: CasesAsked, cases: int) -> int:
    return max(1, cases // asked.cases_a_scene)


def _smallest(asked: CasesAsked, cases: int) -> float | None:
    return smallest_drop(_scenes(asked, cases), asked.prospect(0.0), asked.demand, asked.power, asked.largest_drop)
