"""The settings of a session, checked before anything is loaded."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.results import Undecided
from pytest_vqamt.core.spelling import option, spelt
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.execution.plan import MAX_CASES, RunOptions, Sampling, default_contrast
from pytest_vqamt.execution.resources import RunSettings
from pytest_vqamt.integration.options import OPTIONS, Options, Rates, models_named, read_options
from pytest_vqamt.integration.waivers import Waivers, read_waivers
from pytest_vqamt.integration.xdist import place_of, run_process_of
from pytest_vqamt.models.budget import Budget
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.relations.catalogue import check, split_settings
from pytest_vqamt.relations.presets import preset
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.terminal import SummaryLength
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.thresholds import GateKind, GateOn, Threshold, drops_of

OF_A_DROP = ("max_drop", "undecided")
"""The options of the gate on a drop."""

_OPTIONS = {
    "-c": "inifilename",
    "--rootdir": "rootdir",
    "-p": "plugins",
    "-o": "override_ini",
    **{each.name: each.dest for each in OPTIONS if each.is_repeated},
}
"""Options that decide on the conftest files, the settings, the cases and the answers."""

MARKER = "vqamt"
"""The name of the marker: ``@pytest.mark.vqamt(fail_under=0.9)``."""
GATED_RATES = (GateKind.PASS_RATE, GateKind.GROUNDED_RATE)
"""The gates that a marker can set."""
_WANTED = (
    "@pytest.mark.vqamt(fail_under=RATE, grounded_under=RATE), either or both, each a rate, "
    '{"GLOB": RATE}, or a list of RATE and "GLOB=RATE"'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(RunSettings):
    """The options of a session, typed."""

    missing_baseline: Path | None
    """The file of a baseline that is named but not there yet, which is allowed; None otherwise."""
    awaiting_baseline: tuple[str, ...]
    """The options that need a baseline, where none is named; for a hint."""
    is_of_a_paper: bool
    """True if a paper's preset is named, so that its tables are shown."""
    gates_typed: frozenset[GateKind]
    """The gates on the command line, which override those of markers."""
    max_queries: int | None
    """More distinct queries than this end the session before it begins; None for any number."""
    plan_only: bool
    """True if the session prints the plan and runs nothing."""
    report: Path | None
    """The folder of the report; None to write none."""
    cases_name: str
    """The name of the report's file of cases."""
    report_images: Images
    """The cases whose pictures the page shows."""
    summary: SummaryLength | None
    """How long the summary in the terminal is; None where ``-q`` and ``-v`` decide."""
    replay: str | None
    """The id of the case to replay."""
    rerun_command: str
    """The beginning of a command with the settings of this session."""


def read_settings(config: pytest.Config) -> Settings:
    """The settings of this session.

    Raises:
        OptionError: a value cannot be used.
    """
    options = read_options(config)
    with spelt(options.spelling):
        return _settings(config, options)


def _settings(config: pytest.Config, options: Options) -> Settings:
    # Only the spelling of the spec: opening data takes long.
    for spec in options.data:
        sources.check(spec)
    relation_settings, model_settings = split_settings(
        dict(options.option), ModelCatalogue().settings_of(options.model), option("option")
    )
    cache = _cache(config, options)
    worker, workers = place_of(config)
    model_options = replace(
        model_options_of(options, model_settings, cache),
        budget=_budget(config, options, cache),
        worker=worker,
        workers=workers,
    )
    baseline = _baseline(config, options)
    # A replay compares nothing, and a baseline that is missing without leave is an error where it is opened.
    may_be_missing = options.replay is not None or options.allow_missing_baseline
    has_baseline = baseline is not None and (baseline.exists() or not may_be_missing)
    for spec in options.model:
        ModelCatalogue().check(spec, model_options)
    terms = run_options_of(options, keeps_judged=len(options.model) > 1 or has_baseline)
    waivers = read_waivers(options.waive, option("waive")) if options.waive else Waivers(reasons={}, expired={})
    return Settings(
        models=options.model,
        data=options.data,
        relations=options.relations or preset_relations(options.preset),
        excluded=options.exclude,
        terms=replace(
            terms,
            # Without a cache, violations are not shrunk: a shrunk case could not be replayed.
            shrink=0 if cache is None else terms.shrink,
            waived=waivers.reasons,
            expired_waivers=tuple((case_id, day.isoformat()) for case_id, day in waivers.expired.items()),
        ),
        # None of ``getoption`` is "not typed": an ini file's gate gives way to a marker's.
        gates_typed=frozenset(kind for kind in GATED_RATES if config.getoption(f"vqamt_{kind.argument}") is not None),
        model_options=model_options,
        # What the user gives goes before the preset's own.
        relation_settings={**preset_settings(options.preset), **relation_settings},
        max_error_rate=options.max_error_rate,
        max_queries=options.max_queries,
        plan_only=options.plan,
        report=options.report,
        cases_name=options.cases,
        report_images=Images(options.report_images),
        summary=SummaryLength(options.summary) if options.summary else None,
        baseline=baseline if has_baseline else None,
        missing_baseline=None if has_baseline else baseline,
        awaiting_baseline=_awaiting_baseline(options),
        is_of_a_paper=options.preset is not None and not preset(options.preset).contrasts,
        max_drop=drops_of(options.max_drop),
        undecided=Undecided(options.undecided),
        cache=cache,
        replay=options.replay,
        only=tuple(config.option.vqamt_only),
        rerun_command=rerun_command(config),
        run=run_process_of(config),
        spelling=options.spelling,
    )


def preset_relations(name: str | None) -> tuple[str, ...]:
    """The relations of a preset; none without one."""
    return preset(name).relations if name else ()


def preset_settings(name: str | None) -> Mapping[str, str]:
    """The settings of a preset; none without one."""
    return preset(name).settings if name else {}


def run_options_of(options: Options, *, keeps_judged: bool) -> RunOptions:
    """The options that all items of a run share, of a session and of ``vqamt.run``."""
    return RunOptions(
        sampling=Sampling(
            max_cases=MAX_CASES if options.max_cases is None else options.max_cases,
            # A paper's figures are over its whole set: it is cut only where the user asks for fewer cases.
            all_published=options.max_cases is None,
            seed=options.seed,
            sampler=Sampler(options.sampler),
            shard=options.shard or (1, 1),
            allow_bad_records=options.allow_bad_records,
            repeats=options.repeats,
            contrast=default_contrast(options.preset) if options.contrast is None else options.contrast,
        ),
        thresholds=options.fail_under,
        grounded_thresholds=options.grounded_under,
        gate_on=GateOn(options.gate),
        max_unread=options.max_unread,
        shrink=options.shrink,
        keeps_judged=keeps_judged,
    )


def model_options_of(options: Options, settings: Mapping[str, str], cache: Path | None) -> ModelOptions:
    """The options of models, of a session and of ``vqamt.run``."""
    return ModelOptions(
        batch_size=options.batch_size,
        device=options.device,
        dtype=options.dtype,
        settings=settings,
        cache=cache,
        timeout_s=options.timeout,
        budget=None if options.max_cost is None else Budget(options.max_cost),
    )


def check_has_baseline(options: Options, given: Sequence[str]) -> None:
    """Checks that the options ``given`` of the gate on a drop have a baseline to compare with.

    An ini file may have the gate before there is a baseline: it is the command line, or the call, that is checked.

    Raises:
        OptionError: they have none.
    """
    if given and options.baseline is None:
        named = option(given[0].replace("_", "-"))
        raise OptionError(
            f"Expected {option('baseline')}=FILE with {named}, but got {named} alone: name the file that `vqamt bless` "
            "wrote"
        )


def _baseline(config: pytest.Config, options: Options) -> Path | None:
    check_has_baseline(options, [name for name in OF_A_DROP if config.getoption(f"vqamt_{name}") is not None])
    return options.baseline


def _awaiting_baseline(options: Options) -> tuple[str, ...]:
    # Spellings have the short names: "max-drop".
    names = [name.replace("_", "-") for name in (*OF_A_DROP, "allow_missing_baseline")]
    is_typed = {"allow-missing-baseline": options.allow_missing_baseline}
    given = [name for name in names if name in options.spelling.names or is_typed.get(name)]
    return tuple(map(option, given)) if options.baseline is None else ()


def check_max_cost(options: Options, models: Sequence[str], cache: Path | None) -> None:
    """Checks that answers which cost money are cached, and that one of the models reports costs.

    Raises:
        OptionError: they are not, or none does.
    """
    if options.max_cost is None:
        return
    if cache is None:
        raise OptionError(
            f"Expected an answer cache with {option('max-cost')}, or the answers that are paid for would be lost: "
            f"leave {option('no-cache')} off, or name a folder with {option('cache')}"
        )
    if not any(ModelCatalogue().kind(spec).takes_prices for spec in models):
        raise OptionError(
            f"Expected a model that tells what its answers cost with {option('max-cost')}, such as openai:MODEL@URL, "
            f"but got {option('model')}={','.join(models)}: leave {option('max-cost')} off"
        )


def _budget(config: pytest.Config, options: Options, cache: Path | None) -> Budget | None:
    check_max_cost(options, options.model, cache)
    if options.max_cost is None:
        return None
    # Workers share what they have spent through the folder of the run.
    folder = run_process_of(config).folder
    return Budget(options.max_cost, folder and folder / "costs", place_of(config)[1])


def _cache(config: pytest.Config, options: Options) -> Path | None:
    if options.no_cache:
        return None
    if options.cache:
        return options.cache
    cache = getattr(config, "cache", None)  # absent under `-p no:cacheprovider`
    try:
        return Path(cache.mkdir("vqamt")) if cache is not None else None
    except OSError:  # a read-only checkout: the run goes on without a cache, and the header says so
        return None


def rerun_command(config: pytest.Config) -> str:
    """A ``pytest`` command with the options above as typed: with a case's id added, it finds that case.

    It names the models only if one is remote, since the names in reports do not find a remote model.
    """
    return shlex.join(("pytest", *_typed(config), *_remote_models(config)))


def _remote_models(config: pytest.Config) -> Iterator[str]:
    models = models_named(config)
    if any(ModelCatalogue().kind(spec).is_remote for spec in models):
        yield from (f"--vqamt-model={spec}" for spec in models)


def _typed(config: pytest.Config) -> Iterator[str]:
    arguments = [str(argument) for argument in config.invocation_params.args]
    # `config.args` also has the paths of the ini file, which nobody need type again.
    yield from (path for path in config.args if path in arguments)
    for name, dest in _OPTIONS.items():
        given = config.getoption(dest, None)
        # A flag, which has no value to repeat.
        if given is True:
            yield name
            continue
        for value in given if isinstance(given, list) else [given] if given else []:
            # xdist disables some plugins in its workers, which the user did not type.
            if name.startswith("--vqamt") or any(value in argument for argument in arguments):
                yield from (f"{name}={value}",) if name.startswith("--") else (name, value)


def check_markers(items: Sequence[pytest.Item], settings: Settings) -> None:
    """Checks the markers of tests before any of them runs.

    Raises:
        OptionError: a marker has no rate, or names no relation.
    """
    for node in items:
        for mark in node.iter_markers(MARKER):
            for kind in GATED_RATES:
                # A glob of a marker that matches no relation is a typing error.
                patterns = [each.pattern for each in _thresholds(mark, node, kind)]
                check(patterns, f"{kind.argument} of @pytest.mark.vqamt on {node.nodeid} to name a relation or a glob")
                if patterns and kind is GateKind.GROUNDED_RATE and settings.has_no_contrasts:
                    raise OptionError(
                        f"Expected --vqamt-contrast above 0 with {kind.argument} of @pytest.mark.vqamt on "
                        f"{node.nodeid}, but it is 0 (the default with a paper's preset), so no case has a contrast: "
                        "set a share (0.5)"
                    )


def thresholds_for(
    node: pytest.Item, item: str, ini: tuple[Threshold, ...], kind: GateKind = GateKind.PASS_RATE
) -> tuple[Threshold, ...]:
    """The thresholds of the closest marker of ``node`` for the relation variant ``item``, or those of the ini file.

    The marker of the test is closest, then that of its class, then that of its module.

    Raises:
        OptionError: a marker has no rate.
    """
    # The closest first. One that has no rate for this item leaves it to the next.
    for mark in node.iter_markers(MARKER):
        marked = tuple(_thresholds(mark, node, kind))
        if any(matches(each.pattern, item) for each in marked):
            return marked
    return ini


def _thresholds(mark: pytest.Mark, node: pytest.Item, kind: GateKind) -> Iterator[Threshold]:
    known = {each.argument for each in GATED_RATES}
    if mark.args or not mark.kwargs or not known.issuperset(mark.kwargs):
        shown = ", ".join([*map(repr, mark.args), *(f"{name}={value!r}" for name, value in mark.kwargs.items())])
        raise OptionError(f"Expected {_WANTED}, but got @pytest.mark.vqamt({shown}) on {node.nodeid}")
    # A marker may set one of the two rates alone.
    if kind.argument not in mark.kwargs:
        return
    rates = mark.kwargs[kind.argument]
    try:
        found = Rates(kind.value).from_python(rates, kind.argument)
        if not found:
            raise TypeError
        yield from found
    except (OptionError, TypeError) as error:
        raise OptionError(
            f"Expected {_WANTED} with rates from 0 to 1, but got {kind.argument}={rates!r} on {node.nodeid}"
        ) from error
