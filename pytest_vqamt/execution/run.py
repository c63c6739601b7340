"""Runs relations from Python: in notebooks, training callbacks and scripts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.events import Event, Listener
from pytest_vqamt.core.results import Report, build_report
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.baseline import Baseline, baseline_use
from pytest_vqamt.execution.lookahead import LookAhead, UpcomingItem
from pytest_vqamt.execution.plan import MAX_CASES, Job, RunOptions, Sampling, is_left_out
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.models.base import ModelOptions, wrap_model
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.relations.catalogue import check, select, settings_known
from pytest_vqamt.relations.catalogue import preset as preset_of
from pytest_vqamt.sampling.samplers import Sampler
from pytest_vqamt.stats.gates import GateOn, Threshold, with_baseline_gates
from pytest_vqamt.stats.papers import summaries

Choice = TypeVar("Choice", bound=StrEnum)


def run(
    *,
    model: object,
    data: str | SceneSource = "pictures",
    relations: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    preset: str | None = None,
    max_cases: int | None = None,
    seed: int = 0,
    sampler: str = "hypothesis",
    fail_under: str | float | Sequence[str | float] = (),
    gate: str = "point",
    baseline: str | Path | None = None,
    max_drop: float = 0.0,
    shrink: int = 30,
    batch_size: int | None = None,
    device: str = "auto",
    dtype: str | None = None,
    cache: str | Path | None = None,
    settings: Mapping[str, str] | None = None,
    allow_bad_records: bool = False,
    listen: Listener | None = None,
) -> Report:
    """Runs relations against a model and returns the report.

    - ``model``: a spec as in ``--vqamt-model``, an object with a method ``answer``, ``entail`` or ``caption``, or a
      function of an image and a text.
    - ``data``: a spec as in ``--vqamt-data``, or a scene source.
    - ``relations``, ``exclude``: globs. By default all relations that the model's tasks allow are run, and on data with
      published pairs only those about them.
    - ``preset``: the name of a paper, for its relations (unless ``relations`` names some) and its settings (unless
      ``settings`` sets them).
    - ``max_cases``: cases per relation variant, 100 by default; published sets run whole unless it is given.
    - ``fail_under``: a rate, ``"GLOB=RATE"``, or several of them. The result tells whether each gate is met.
    - ``baseline``: a file that ``vqamt bless`` wrote. Its cases are run, and results have their ``change`` since.
    - ``max_drop``: the drop from the baseline that is allowed; only significant drops count.
    - ``cache``: a folder that keeps answers for later runs; None keeps nothing.
    - ``settings``: the values of ``--vqamt-option``, by name.
    - ``listen``: is called with each event (``pytest_vqamt.core.events``).

    Other arguments are as the options of their names.

    Raises:
        VqamtError: an argument is wrong, or the model or the data cannot be used.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    if max_cases is not None and max_cases < 1:
        raise OptionError(f"Expected one case or more, but got max_cases={max_cases!r}")
    if not 0 <= max_drop <= 1:
        raise OptionError(f"Expected a rate from 0 to 1, but got max_drop={max_drop!r}")
    held_against = Baseline(Path(baseline)) if baseline is not None else None
    if held_against is not None:
        held_against.check()
    known = {setting.name for setting in settings_known()} if settings else set()  # it imports every relation
    named = preset_of(preset) if preset else None
    published = named.settings if named else {}
    of_relations = {**published, **{name: value for name, value in (settings or {}).items() if name in known}}
    of_model = {name: value for name, value in (settings or {}).items() if name not in known}
    taken = ModelCatalogue().kind(model).settings if isinstance(model, str) else None
    if taken is not None:
        for name in of_model:
            if name not in taken:
                hint = did_you_mean(name, (*sorted(known), *taken))
                raise OptionError(f"Expected settings of a relation or a model, but got {name!r}; {hint}")
    kept = Path(cache) if cache is not None else None
    options = ModelOptions(batch_size=batch_size, device=device, dtype=dtype, settings=of_model, cache=kept)
    run_options = RunOptions(
        sampling=Sampling(
            max_cases=MAX_CASES if max_cases is None else max_cases,
            all_published=max_cases is None,
            seed=seed,
            sampler=_member(Sampler, "sampler", sampler),
            allow_bad_records=allow_bad_records,
        ),
        thresholds=tuple(Threshold.parse(str(each)) for each in _several(fail_under)),
        gate_on=_member(GateOn, "gate", gate),
        shrink=shrink,
    )
    check([each.pattern for each in run_options.thresholds], "fail_under to name a relation or a glob of relations")
    wanted = _globs(relations) or (named.relations if named else ())
    selected = tuple(select(wanted, _globs(exclude), of_relations))
    if isinstance(model, str):
        ModelCatalogue().check(model, options)
    # Every argument has been checked: what takes long comes last.
    source = sources.load(data, allow_bad_records=allow_bad_records) if isinstance(data, str) else data
    loaded = (
        ModelCatalogue().load(model, options) if isinstance(model, str) else wrap_model(_name(model), model, options)
    )
    chosen = [
        (relation, variant)
        for relation, variant in selected
        if relation.info.task in loaded.tasks and not is_left_out(relation, source, wanted)
    ]
    if not chosen:
        raise OptionError(
            f"Expected a relation to be left that model {loaded.name!r} can run ({', '.join(loaded.tasks)}) "
            f"on {source.spec!r}, but got relations={relations!r}, exclude={exclude!r}"
        )
    jobs = [
        Job(
            relation=relation,
            variant=variant,
            model=loaded,
            source=source,
            position=position,
            baseline=None
            if held_against is None
            else held_against.item(relation.info.item(variant), loaded.name, source.spec, source.digest),
        )
        for position, (relation, variant) in enumerate(chosen)
    ]
    upcoming = tuple(UpcomingItem(position=job.position, job=partial(_identity, job)) for job in jobs)
    with closing(AnswerStores(kept)) as stores, closing(LookAhead(run_options.sampling, lambda: upcoming)) as ahead:
        made = [run_item(job, run_options, stores, listen or _ignore, ahead) for job in jobs]
    results = with_baseline_gates(made, max_drop)
    run_ids = {job.baseline.item.id for job in jobs if job.baseline}
    return build_report(
        results,
        vqamt_version=version("pytest-vqamt"),
        seed=seed,
        sampler=sampler,
        max_cases=run_options.sampling.max_cases,
        shard=(1, 1),
        started=started.isoformat(timespec="seconds"),
        duration_s=time.monotonic() - clock,
        settings=of_relations,
        summaries=summaries(results),
        baseline=baseline_use(held_against, results, run_ids, wanted, _globs(exclude)) if held_against else None,
    )


def _identity(job: Job) -> Job:
    return job


def _ignore(event: Event) -> None:
    """Listens to no event."""


def _globs(value: str | Sequence[str]) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def _several(value: str | float | Sequence[str | float]) -> Sequence[str | float]:
    return (value,) if isinstance(value, str | float | int) else value


def _member(kind: type[Choice], argument: str, value: str) -> Choice:
    known = [each.value for each in kind]
    if value not in known:
        raise OptionError(
            f"Expected one of {', '.join(known)}, but got {argument}={value!r}; {did_you_mean(value, known)}"
        )
    return kind(value)


def _name(model: object) -> str:
    name: object = getattr(model, "name", None) or getattr(model, "__name__", None)
    return name if isinstance(name, str) else type(model).__name__
