"""Reports made by hand, case by case, to be compared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.case import Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import DataUse, ModelUse, RelationResult, Report, StratumResult, build_report
from pytest_vqamt.core.tallies import Tally
from tests.reporting.reported import write_report

_OUTCOMES = {"+": Outcome.HOLDS, "-": Outcome.VIOLATED, "?": Outcome.UNPARSED, "!": Outcome.ERROR}
RULE = "ours.rule"


@dataclass(frozen=True, kw_only=True)
class Made:
    """An item: a letter a case ("+" holds, "-" violated, "?" unparsed, "!" error, "w" waived, " " not there).

    Attributes:
        scenes: a letter each; by default each case is of a scene of its own.
        answers: by the place of a case, where it is not just its letter.
        presumed: the places of the cases that are.
    """

    verdicts: str
    item: str = RULE
    model: str = "tiny"
    data: str = "pictures:9"
    scenes: str = ""
    tags: tuple[str, ...] = ()
    version: int = 1
    answers: Mapping[int, str] | None = None
    presumed: Sequence[int] = ()

    @property
    def places(self) -> list[int]:
        return [place for place, letter in enumerate(self.verdicts) if letter != " "]

    def tally(self, *, presumed: bool) -> Tally:
        total = Tally()
        for place in self.places:
            if (place in self.presumed) == presumed:
                total += Tally.of(Verdict(outcome=self._outcome(place)), waived=self.verdicts[place] == "w")
        return total

    def _outcome(self, place: int) -> Outcome:
        return _OUTCOMES.get(self.verdicts[place], Outcome.VIOLATED)

    def lines(self) -> list[str]:
        return [json.dumps(self._row(place), separators=(",", ":")) for place in self.places]

    def _row(self, place: int) -> dict[str, object]:
        outcome = self._outcome(place)
        answer = (self.answers or {}).get(place, f"answer {self.verdicts[place]}")
        return {
            "case_id": case_id(place),
            "relation": self.item,
            "model": self.model,
            "data": self.data,
            "scene": self.scenes[place] if self.scenes else f"scene {place}",
            "queries": [
                {
                    "id": "q",
                    "task": "vqa",
                    "text": f"question {place}",
                    "picture": {"photo": "p", "digest": "d", "edits": []},
                }
            ],
            "answers": [None if outcome is Outcome.ERROR else answer],
            "expected": "as it should be",
            "verdict": outcome.value,
            "reason": "" if outcome is Outcome.HOLDS else f"because it is {outcome.value}",
            "vacuous": False,
            "readings": [],
            "facts": {},
            **({"unread": ["no number"]} if outcome is Outcome.UNPARSED else {}),
            **({"tags": ["presumed"]} if place in self.presumed else {}),
            **({"waived": True} if self.verdicts[place] == "w" else {}),
        }


def case_id(place: int) -> str:
    return f"{place:016x}"


def write_run(
    folder: Path,
    *made: Made,
    fingerprints: Mapping[str, str] | None = None,
    digests: Mapping[str, str] | None = None,
    **of_report: object,
) -> Path:
    """Writes the two files of a run of these items, in this order."""
    results = [_result(place, each, fingerprints or {}, digests or {}) for place, each in enumerate(made)]
    whole: Report = build_report(
        results,
        vqamt_version="1.2.3",
        seed=0,
        sampler="random",
        max_cases=9,
        shard=(1, 1),
        started="2026-11-20T12:00:00+00:00",
        duration_s=1.5,
    )
    folder.mkdir(parents=True, exist_ok=True)
    write_report(replace(whole, **of_report), folder)
    lines = [line for each in made for line in each.lines()]
    (folder / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def _result(place: int, made: Made, fingerprints: Mapping[str, str], digests: Mapping[str, str]) -> RelationResult:
    presumed = made.tally(presumed=True)
    return RelationResult(
        position=place,
        item=made.item,
        version=made.version,
        claim="All is one.",
        model=ModelUse(name=made.model, fingerprint=fingerprints.get(made.model, f"of {made.model}"), tasks=("vqa",)),
        data=DataUse(spec=made.data, scenes=9, digest=digests.get(made.data, "d" * 16)),
        tags=made.tags,
        tally=made.tally(presumed=False),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        presumed=StratumResult(tally=presumed, breakdown={}, readings=Counter(), interval=(0.0, 1.0), gate=None)
        if presumed.cases
        else None,
    )
