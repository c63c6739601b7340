"""Reports made by hand: rows of ``cases.jsonl`` with what an audit reads of them, and the report beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.report_json import case_line
from pytest_vqamt.core.results import DataUse, ModelUse, RelationResult, Report
from pytest_vqamt.core.tallies import Tally

Row = dict[str, Json]


def row(
    number: int,
    *,
    item: str = "ours.one",
    verdict: str = "violated",
    model: str = "tiny",
    data: str = "pictures:6",
    scene: str | None = None,
    **more: Json,
) -> Row:
    """The row of the case of this number of ``item``; each is of a scene of its own unless one is named."""
    return {
        "case_id": digest(item, str(number)),
        "relation": item,
        "model": model,
        "data": data,
        "scene": scene or f"scene {item} {number}",
        "queries": [],
        "answers": [],
        "expected": "first = second",
        "verdict": verdict,
        "reason": "",
        "readings": [],
        **more,
    }


def written(folder: Path, rows: Iterable[Row], tags: dict[str, tuple[str, ...]] | None = None) -> Report:
    """Writes ``cases.jsonl`` of the rows and gives the report that goes with it; ``tags`` are those of items."""
    rows = tuple(rows)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.jsonl").write_text("".join(case_line(each) + "\n" for each in rows), encoding="utf-8")
    models = [ModelUse(name=name, fingerprint=name, tasks=("vqa",)) for name in _distinct(rows, "model")]
    data = [DataUse(spec=spec, scenes=6, digest=spec) for spec in _distinct(rows, "data")]
    relations = tuple(
        _result(item, models[0], data[0], (tags or {}).get(item, ())) for item in _distinct(rows, "relation")
    )
    return Report(
        vqamt_version="1.2.3",
        seed=0,
        sampler="random",
        max_cases=100,
        shard="1/1",
        started="2026-11-20T12:00:00+00:00",
        duration_s=1.5,
        models=tuple(models),
        data=tuple(data),
        relations=relations,
    )


def _distinct(rows: Sequence[Row], name: str) -> list[str]:
    return list(dict.fromkeys(str(each[name]) for each in rows))


def _result(item: str, model: ModelUse, data: DataUse, tags: tuple[str, ...]) -> RelationResult:
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="",
        model=model,
        data=data,
        tags=tags,
        tally=Tally(),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
    )
