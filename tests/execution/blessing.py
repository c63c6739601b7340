"""Runs of a model on made scenes, and baselines that are blessed of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.report_json import case_line, case_row, report_row
from pytest_vqamt.core.results import RelationResult, build_report
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.reporting.blessing import bless
from pytest_vqamt.sampling.chooser import Sampler
from tests.execution.worlds import Rule, Scenes

SAMPLING = Sampling(max_cases=10, sampler=Sampler.RANDOM)


def run(
    model: object,
    *,
    rule: Relation | None = None,
    source: SceneSource | None = None,
    baseline: Baseline | None = None,
    sampling: Sampling = SAMPLING,
    waived: Mapping[str, str] | None = None,
    shrink: int = 0,
    heard: list[Event] | None = None,
) -> RelationResult:
    """One item: of what the baseline has of it, where one is given."""
    scenes = Scenes(5) if source is None else source
    used = rule or Rule()
    loaded = wrap_model("made", model, ModelOptions())
    blessed = baseline.item(used.info.item(""), "made", scenes.spec, "digest of today") if baseline else None
    stores = AnswerStores(None)
    events: list[Event] = [] if heard is None else heard
    try:
        return run_item(
            Job(relation=used, variant="", model=loaded, source=scenes, baseline=blessed),
            RunOptions(sampling=sampling, shrink=shrink, waived=waived or {}),
            stores,
            events.append,
        )
    finally:
        stores.close()


def write(folder: Path, results: Sequence[RelationResult], events: Sequence[Event], **fields: object) -> Path:
    """A report folder, without its pages; ``fields`` are set in ``report.json`` as they are given."""
    made = build_report(
        results,
        vqamt_version="1.2.3",
        seed=0,
        sampler="random",
        max_cases=10,
        shard=(1, 1),
        started="2026-11-20T12:00:00+00:00",
        duration_s=1.0,
    )
    judged = [each for each in events if isinstance(each, Judged)]
    rows = [
        case_row(each.case, each.answers, each.verdict, model=each.model, data=each.data, waived=each.waived)
        for each in judged
    ]
    lines = sorted(map(case_line, rows), key=lambda line: (json.loads(line)["relation"], line))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "report.json").write_text(json.dumps({**report_row(made), **fields}), encoding="utf-8")
    return folder


def blessed_of(
    folder: Path,
    model: object,
    *,
    rule: Relation | None = None,
    source: SceneSource | None = None,
    waived: Mapping[str, str] | None = None,
    allow_errors: bool = False,
) -> Baseline:
    """The baseline of a run of one item."""
    events: list[Event] = []
    result = run(model, rule=rule, source=source, waived=waived, heard=events)
    write(folder, [result], events)
    bless(folder, folder / "baseline.jsonl.gz", allow_errors=allow_errors)
    return Baseline(folder / "baseline.jsonl.gz")
