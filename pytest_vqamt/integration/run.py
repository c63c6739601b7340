"""Runs relations from Python: in notebooks, training callbacks and scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Literal

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.events import Event, Finished, Judged, Listener, Planned
from pytest_vqamt.core.results import MAX_UNREAD, Undecided
from pytest_vqamt.core.spelling import option, spelt
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.kept_items import run_or_recall
from pytest_vqamt.execution.prefetch import SharedPipeline
from pytest_vqamt.execution.resources import ItemSpec, Resources, RunSettings
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.integration.options import Options, read_arguments
from pytest_vqamt.integration.run_report import Rates, Report, TemporaryFolder
from pytest_vqamt.integration.settings import (
    OF_A_DROP,
    check_has_baseline,
    check_max_cost,
    model_options_of,
    preset_relations,
    preset_settings,
    run_options_of,
)
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.relations.catalogue import split_settings
from pytest_vqamt.reporting.case_writer import CasePartWriter, remove_parts, remove_report, start_parts
from pytest_vqamt.reporting.files import write_data
from pytest_vqamt.stats.thresholds import drops_of


def run(
    model: object,
    *,
    data: str | SceneSource = "pictures",
    relations: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] = (),
    preset: str | None = None,
    max_cases: int | None = None,
    seed: int = 0,
    sampler: str = "hypothesis",
    fail_under: Rates = (),
    grounded_under: Rates = (),
    contrast: float | None = None,
    repeats: int = 1,
    gate: str = "point",
    max_unread: float = MAX_UNREAD,
    baseline: str | Path | None = None,
    max_drop: Rates = (),
    undecided: str = "pass",
    shrink: int = 30,
    batch_size: int | Literal["auto"] | None = None,
    device: str = "auto",
    dtype: str | None = None,
    timeout: float | None = None,
    max_cost: float | None = None,
    cache: str | Path | None = None,
    settings: Mapping[str, str] | None = None,
    allow_bad_records: bool = False,
    report: str | Path | None = None,
    progress: bool = False,
    listen: Listener | None = None,
) -> Report:
    """Runs relations against a model and returns the report.

    - ``model``: a spec as in ``--vqamt-model``, an object with a method ``answer``, ``entail`` or ``caption``, or a
      function of an image and a text.
    - ``data``: a spec as in ``--vqamt-data``, or a scene source.
    - ``relations``, ``exclude``: globs; "all" for all that the model's tasks allow. By default a chat model
      (``openai:``, ``hf:``, ``served:``) has those of the preset today, the reference models all, and any other model
      those of the preset quick; on data with published pairs only those about them run.
    - ``preset``: "quick", "today" or the name of a paper, for its relations (unless ``relations`` names some) and its
      settings (unless ``settings`` sets them).
    - ``max_cases``: cases per relation variant, 100 by default; published sets run whole unless it is given.
    - ``fail_under``: a rate, ``"GLOB=RATE"``, several of them, or ``{GLOB: RATE}``. The result tells whether each gate
      is met.
    - ``grounded_under``: the same for the grounded rate.
    - ``max_unread``: the share of an item's cases that may be unread, above which it meets no gate.
    - ``contrast``: the share of cases that get a contrast, 0.5 by default and 0 with a paper's preset.
    - ``repeats``: how many times each distinct query is asked. A case whose verdict depends on which of the answers are
      taken is flaky, and counts in no rate.
    - ``baseline``: a file that ``vqamt bless`` wrote. Its cases are run, and results have their ``change`` since.
    - ``max_drop``: the drop from the baseline that is allowed, given as ``fail_under`` is; only significant drops
      count. ``all-relations`` and ``accuracy`` name the comparisons over all relations.
    - ``undecided``: "fail" if a gate that cannot tell, with too few cases, counts as missed in ``Report.fails``.
    - ``timeout``: the seconds that a batch may take; a model that takes longer is not asked again.
    - ``max_cost``: the run ends with an error before its answers cost more; answers that the cache keeps are not lost.
    - ``cache``: a folder that keeps answers for later runs; None keeps nothing.
    - ``settings``: the values of ``--vqamt-option``, by name.
    - ``report``: a folder for ``report.json``, the cases and the pages, as ``--vqamt-report``. Without one the cases
      are in a temporary folder as long as the report is there; ``Report.save`` writes the same files later.
    - ``progress``: show a bar of the relation variants on standard error.
    - ``listen``: is called with each event (``pytest_vqamt.core.events``).

    Other arguments are as the options of their names.

    Raises:
        VqamtError: an argument is wrong, or the model or the data cannot be used.
    """
    arguments = dict(locals())  # the first line: nothing but the arguments is local
    # Objects are no values of options; texts are checked as on the command line.
    objects = {name for name in ("model", "data") if not isinstance(arguments[name], str)}
    options = read_arguments({name: value for name, value in arguments.items() if name not in objects})
    _check_objects(data, progress=progress, listen=listen)
    with spelt(options.spelling):
        return _run(model, data, options, progress=progress, listen=listen)


def _check_objects(data: object, *, progress: object, listen: object) -> None:
    """Checks the arguments that are no options, or objects in place of one."""
    # SceneSource is no protocol for isinstance, which would compute its corpus under Python 3.11.
    if not isinstance(data, str) and not hasattr(data, "scene"):
        raise OptionError(f"Expected a spec or a scene source, but got data={data!r}")
    if not isinstance(progress, bool):
        raise OptionError(f"Expected true or false, but got progress={progress!r}")
    if listen is not None and not callable(listen):
        raise OptionError(f"Expected a function of an event, but got listen={listen!r}")


def _run(model: object, data: str | SceneSource, given: Options, *, progress: bool, listen: Listener | None) -> Report:
    run_settings, loaded = _run_settings(model, data, given)
    objects = {loaded.name: loaded} if loaded else {}
    sources = {} if isinstance(data, str) else {data.spec: data}
    temporary = TemporaryFolder() if given.report is None else None
    # Cases are written to disk in any case: a run may have more of them than fit in memory.
    folder = temporary.path if temporary else Path(str(given.report))
    start_parts(folder)
    with closing(Resources(run_settings, models=objects, data=sources)) as resources:
        specs, terms = resources.item_specs, resources.run_options
        # Only now that the items are known: a mistake in the arguments leaves an older report as it is.
        remove_report(folder)
        try:
            with closing(SharedPipeline()) as pipeline:
                # All first, so that data that cannot be used is reported before the first query.
                jobs = [resources.job(spec) for spec in specs]
                with _listeners(specs, listen, progress=progress) as listeners:
                    results = []
                    for job, after in zip(jobs, (*jobs[1:], None), strict=True):
                        with CasePartWriter(folder, job.position) as part:
                            heard = _calling(part, *listeners)
                            # A listener of the user's is to hear of every case.
                            run = run_item if listen else partial(run_or_recall, lines=part)
                            results.append(run(job, terms, resources.stores, heard, pipeline=pipeline, upcoming=after))
            made = resources.report(results, {job.baseline.item.id for job in jobs if job.baseline})
            write_data(made, folder)
        except BaseException:
            # Ctrl-C in a notebook, too: parts of a report are no report.
            remove_parts(folder)
            raise
        opened = {resources.data_name(each): resources.source(each) for each in run_settings.data}  # and not the models
        finished = Report.of(made, folder, opened.get, temporary)
    if temporary is None:
        finished.save(folder)
    return finished


def _run_settings(model: object, data: str | SceneSource, given: Options) -> tuple[RunSettings, LoadedModel | None]:
    """The settings of the run, and the model where it was given as an object."""
    # A model given as an object takes any setting: what it reads is its own affair.
    taken = ModelCatalogue().settings_of([model]) if isinstance(model, str) else None
    of_relations, of_model = split_settings(dict(given.option), taken, option("option"))
    # Checks come before loading: a wrong argument must not cost the loading of a model.
    options = model_options_of(given, of_model, given.cache)
    if isinstance(model, str):
        ModelCatalogue().check(model, options)
        check_max_cost(given, (model,), given.cache)
    elif given.max_cost is not None:
        raise OptionError(
            "Expected the spec of a model that tells what its answers cost with max_cost, such as 'openai:MODEL@URL', "
            f"but got the object model={_name(model)}: leave max_cost off"
        )
    # Here only a value that differs from the default was surely given.
    of_a_drop = [(each, getattr(given, each.name)) for each in fields(Options) if each.name in OF_A_DROP]
    check_has_baseline(given, [each.name for each, value in of_a_drop if value != each.default])
    loaded = None if isinstance(model, str) else wrap_model(_name(model), model, options)
    settings = RunSettings(
        models=(loaded.name if loaded else str(model),),
        data=(data if isinstance(data, str) else data.spec,),
        relations=given.relations or preset_relations(given.preset),
        excluded=given.exclude,
        terms=run_options_of(given, keeps_judged=given.baseline is not None),
        model_options=options,
        relation_settings={**preset_settings(given.preset), **of_relations},
        baseline=given.baseline,
        max_drop=drops_of(given.max_drop),
        undecided=Undecided(given.undecided),
        cache=given.cache,
        spelling=given.spelling,
    )
    return settings, loaded


def _calling(*listeners: Listener) -> Listener:
    def call(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return call


@contextmanager
def _listeners(specs: Sequence[ItemSpec], listen: Listener | None, *, progress: bool) -> Iterator[tuple[Listener, ...]]:
    """The listeners of a run: the user's, and a bar with ``progress``."""
    given = (listen,) if listen else ()
    if not progress:
        yield given
        return
    # Imported only with ``progress=True``.
    from tqdm import tqdm

    violated = 0
    with tqdm(total=len(specs), unit="relation") as bar:

        def show(event: Event) -> None:
            nonlocal violated
            # Waived cases are in no count of violations.
            if isinstance(event, Judged) and event.verdict.violates and not event.waived:
                violated += 1
            if isinstance(event, Planned):
                bar.set_description_str(event.item)
            if isinstance(event, Finished):
                bar.set_postfix_str(count_noun(violated, "violation"))
                bar.update()

        yield (show, *given)


def _name(model: object) -> str:
    # A function is named by its ``__name__``; an object without a name by its class.
    name: object = getattr(model, "name", None) or getattr(model, "__name__", None)
    return name if isinstance(name, str) else type(model).__name__
