"""A run that writes its report, without pytest in between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pytest_vqamt.core.case_store import PLAIN_NAME
from pytest_vqamt.core.results import Report, build_report
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.reporting.case_writer import CasePartWriter, start_parts
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.conclude import with_tables
from pytest_vqamt.stats.thresholds import GateKind, Threshold
from tests.reporting.reported import join_parts, write_report

world = cache(load)


def run_into(
    folder: Path,
    *,
    shard: tuple[int, int] = (1, 1),
    model: object = "fault:order-sensitive",
    relations: Sequence[str] = ("metavqa.partition", "control.repeat"),
    fail_under: Sequence[str] = (),
    max_cases: int = 30,
    cases_name: str = PLAIN_NAME,
    contrast: float = 0.0,
    repeats: int = 1,
    grounded_under: Sequence[str] = (),
) -> Report:
    """Runs ``model`` on twenty scenes and writes the report into ``folder``."""
    source: SceneSource = world("pictures:20")
    terms = RunOptions(
        sampling=Sampling(max_cases=max_cases, sampler=Sampler.RANDOM, shard=shard, contrast=contrast, repeats=repeats),
        thresholds=tuple(map(Threshold.parse, fail_under)),
        grounded_thresholds=tuple(Threshold.parse(each, GateKind.GROUNDED_RATE) for each in grounded_under),
        shrink=0,
    )
    options = ModelOptions()
    loaded = ModelCatalogue().load(model, options) if isinstance(model, str) else wrap_model("ours", model, options)
    stores = AnswerStores(None)
    start_parts(folder)
    results = []
    for position, (relation, variant) in enumerate(select(relations)):
        job = Job(relation=relation, variant=variant, model=loaded, source=source, position=position)
        with CasePartWriter(folder, position) as part:
            results.append(run_item(job, terms, stores, part))
    stores.close()
    made = build_report(
        results,
        vqamt_version="1.2.3",
        seed=0,
        sampler="random",
        max_cases=max_cases,
        contrast=contrast,
        repeats=repeats,
        shard=shard,
        started="2026-11-20T12:00:00+00:00",
        duration_s=1.5,
    )
    made = with_tables(made)
    join_parts(folder, range(len(results)), cases_name)
    write_report(made, folder)
    return made
