"""Reports and cards made by hand, small enough to work out what the page must say of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineUse,
    DataUse,
    Gate,
    ModelUse,
    RelationResult,
    Report,
    StratumResult,
)
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, Tally
from pytest_vqamt.reporting.html.case_cards import PageCases
from pytest_vqamt.reporting.html.page import report_html

TINY = ModelUse(
    name="tiny", kind="tiny", fingerprint="f1", tasks=("vqa",), queries_needed=45, queries_asked=40, queries_cached=2
)
OTHER = ModelUse(name="other", fingerprint="f2", tasks=("vqa",))
GQA = DataUse(spec="gqa:DIR", scenes=8, digest="0" * 16)

NO_CARDS = PageCases(json='{"cards":[],"pictures":{}}', shown=0, left_out=0)

DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
"""A picture of one pixel."""


def gate(threshold: float, *, met: bool, kind: str = "fail-under", on: str = "point", uncertain: bool = False) -> Gate:
    return Gate(kind=kind, threshold=threshold, on=on, met=met, uncertain=uncertain)


def change(
    *, kept: int = 0, lost: int = 0, won: int = 0, p: float = 0.5, p_holm: float | None = None, held: Gate | None = None
) -> BaselineChange:
    """A change on cases of one scene each."""
    rows = ((kept, 0, 0), (0, lost, 0), (0, 0, won))
    paired = PairedClusters(
        tuple(PairedSceneTally(int(k > 0), int(n > 0), int(w > 0), 0, max(k, n, w)) for k, n, w in rows if k or n or w)
    )
    middle = paired.difference or 0.0
    return BaselineChange(
        paired=paired, interval=(middle - 0.05, middle + 0.05), p=p, p_two_sided=p, p_holm=p_holm, gate=held
    )


def presumed(tally: Tally, **fields: Any) -> StratumResult:
    told: dict[str, Any] = {"breakdown": {}, "readings": Counter(), "interval": (0.1, 0.9), "gate": None}
    return StratumResult(tally=tally, **{**told, **fields})


def result(item: str = "ours.rule", *, holds: int = 8, violated: int = 2, **fields: Any) -> RelationResult:
    """An item of ten cases, unless the fields say otherwise."""
    told: dict[str, Any] = {
        "position": 0,
        "version": 1,
        "claim": "All is one.",
        "model": TINY,
        "data": GQA,
        "tags": (),
        "tally": Tally(cases=holds + violated, holds=holds, violated=violated),
        "scenes_not_applicable": 0,
        "not_applicable": {},
        "breakdown": {},
        "readings": Counter({"yes": 3, "no": 1}),
        "interval": (0.25, 0.75),
        "gate": None,
    }
    return RelationResult(item=item, **{**told, **fields})


def report(*results: RelationResult, **fields: Any) -> Report:
    told: dict[str, Any] = {
        "vqamt_version": "1.2.3",
        "seed": 0,
        "sampler": "random",
        "max_cases": 10,
        "shard": "1/1",
        "started": "2026-11-20T12:00:00+00:00",
        "duration_s": 1.5,
        "models": tuple(dict.fromkeys(each.model for each in results)) or (TINY,),
        "data": tuple(dict.fromkeys(each.data for each in results)) or (GQA,),
        "relations": results,
    }
    return Report(**{**told, **fields})


BASELINE = BaselineUse(file="base.json", digest="b" * 16, models=(("old", "f0"),), max_drop={"*": 0.1})


def card(case_id: str, **fields: Any) -> dict[str, Json]:
    """A card on one question about one picture."""
    told: dict[str, Json] = {
        "id": case_id,
        "item": "ours.rule",
        "model": "tiny",
        "data": "gqa:DIR",
        "scene": "1",
        "verdict": "violated",
        "presumed": False,
        "waived": False,
        "before": None,
        "expected": "first = second",
        "reason": "got yes, no",
        "facts": {},
        "objects": ["dog"],
        "queries": [query()],
    }
    return {**told, **fields}


def query(text: str = "Is there a dog?", answer: str | None = "yes", **fields: Any) -> dict[str, Json]:
    told: dict[str, Json] = {
        "picture": "p1",
        "text": text,
        "task": "vqa",
        "manner": "",
        "answer": answer,
        "reading": answer,
        "edits": "",
        "asked": [],
    }
    return {**told, **fields}


def page_cases(
    cards: Sequence[dict[str, Json]], *, left_out: int = 0, total: int = 0, notes: Iterable[str] = ()
) -> PageCases:
    """The cards with a picture, escaped as those of a run are."""
    pictures = {"p1": {"uri": DOT, "width": 1, "height": 1, "regions": []}}
    text = json.dumps({"cards": list(cards), "pictures": pictures}, ensure_ascii=False).replace("<", "\\u003c")
    return PageCases(json=text, shown=len(cards), left_out=left_out, total=total, notes=tuple(notes))


def page(*results: RelationResult, cases: PageCases = NO_CARDS, **fields: Any) -> str:
    return report_html(report(*results, **fields), cases)
