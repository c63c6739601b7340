"""A real run with all that a page can show: two models, two data sources, a baseline, gates, pairs of pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.report_json import case_line
from pytest_vqamt.core.results import BaselineUse, RelationResult, build_report
from pytest_vqamt.core.tallies import SceneCounter
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.reporting.case_writer import CasePartWriter, start_parts
from pytest_vqamt.reporting.files import write_pages
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.conclude import differences, rankings
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from pytest_vqamt.stats.thresholds import Threshold
from tests.reporting.erratic import SPEC
from tests.reporting.reported import join_parts, write_report
from tests.reporting.running import world

MODELS = (SPEC, "fault:sees-absent")
DATA = ("pictures:20", "pictures:8")
RELATIONS = ("metavqa.insertion[count]", "metavqa.partition[object]", "control.reencode")
_MAX_DROP = 0.05


def run_with_everything(folder: Path) -> list[dict[str, Any]]:
    """Writes the report and its pages into ``folder``; the rows of its violations."""
    results = _run(folder)
    rows = _as_if_blessed(folder)
    results = _compared(results, rows)
    told = build_report(
        results,
        vqamt_version="1.2.3",
        seed=0,
        sampler="random",
        max_cases=12,
        shard=(1, 1),
        started="2026-11-20T12:00:00+00:00",
        duration_s=1.5,
        baseline=BaselineUse(file="base.json", digest="b" * 16, models=((SPEC, "erratic"),)),
    )
    told = replace(told, ranking=rankings(results), differences=differences(results))
    write_report(told, folder)
    write_pages(folder, source_of=world, images=Images.VIOLATIONS)
    return [row for row in rows if row["verdict"] != "holds"]


def _run(folder: Path) -> list[RelationResult]:
    terms = RunOptions(
        sampling=Sampling(max_cases=12, sampler=Sampler.RANDOM),
        thresholds=(Threshold.parse("0.5"),),
        shrink=0,
        keeps_judged=True,
    )
    stores = AnswerStores(None)
    start_parts(folder)
    results: list[RelationResult] = []
    for model in MODELS:
        loaded = ModelCatalogue().load(model, ModelOptions())
        for spec in DATA:
            for relation, variant in select(RELATIONS):
                job = Job(relation=relation, variant=variant, model=loaded, source=world(spec), position=len(results))
                with CasePartWriter(folder, len(results)) as part:
                    results.append(run_item(job, terms, stores, part))
    stores.close()
    join_parts(folder, range(len(results)))
    return results


def _as_if_blessed(folder: Path) -> list[dict[str, Any]]:
    """Writes into the cases how they came out before: a third of them held, a third did not, the others are new."""
    file = folder / "cases.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        before = ("holds", "violated", None)[int(row["case_id"], 16) % 3]
        if before:
            row["before"] = before
    file.write_text("".join(f"{case_line(row)}\n" for row in rows), encoding="utf-8")
    return rows


def _compared(results: list[RelationResult], rows: list[dict[str, Any]]) -> list[RelationResult]:
    spreads = {(result.item, result.model.name, result.data.spec): SceneCounter() for result in results}
    for row in rows:
        if row.get("before"):
            spread = spreads[row["relation"], row["model"], row["data"]]
            spread.add(row["scene"], Outcome(row["verdict"]), Outcome(row["before"]))
    changes = [change_of(spread.paired) for spread in spreads.values()]
    allowed = [None if "control" in result.tags else _MAX_DROP for result in results]
    return [
        replace(result, change=made) for result, made in zip(results, with_holm_gates(changes, allowed), strict=True)
    ]
