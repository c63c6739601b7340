"""Results of models made by hand, from what became of each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.results import DataUse, JudgedCases, ModelUse, RelationResult, StratumResult
from pytest_vqamt.core.tallies import SceneCounter, Tally

Cases = Mapping[str, tuple[str, bool]]
"""By id: the scene, and whether it holds."""


def result(
    item: str,
    model: str,
    cases: Cases,
    *,
    presumed: Cases | None = None,
    tags: tuple[str, ...] = (),
    data: str = "pictures:9",
    known: bool = True,
) -> RelationResult:
    """What became of an item; where its cases are not ``known``, there are counts alone."""
    judged = JudgedCases()
    for apart, some in ((False, cases), (True, presumed or {})):
        for case_id, (scene, holds) in some.items():
            judged.add(case_id, scene, Outcome.HOLDS if holds else Outcome.VIOLATED, presumed=apart)
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="All is one.",
        model=ModelUse(name=model, fingerprint=model, tasks=("vqa",)),
        data=DataUse(spec=data, scenes=9, digest="0"),
        tags=tags,
        tally=tally_of(cases),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        clusters=_spread(cases).clusters,
        presumed=None
        if presumed is None
        else StratumResult(tally=tally_of(presumed), breakdown={}, readings=Counter(), interval=(0.0, 1.0), gate=None),
        judged=judged if known else None,
    )


def tally_of(cases: Cases) -> Tally:
    holds = sum(held for _, held in cases.values())
    return Tally(cases=len(cases), holds=holds, violated=len(cases) - holds)


def _spread(cases: Cases) -> SceneCounter:
    spread = SceneCounter()
    for scene, holds in cases.values():
        spread.add(scene, Outcome.HOLDS if holds else Outcome.VIOLATED)
    return spread


def cases_of(verdicts: str, *, scenes: str = "", start: int = 0) -> dict[str, tuple[str, bool]]:
    """A case a letter: "+" holds, "-" does not, " " was not judged; the scenes a letter each, or all different."""
    return {
        f"case {number}": (scenes[place] if scenes else f"scene {number}", verdict == "+")
        for place, (number, verdict) in enumerate(enumerate(verdicts, start=start))
        if verdict != " "
    }
