"""The settings of a session, checked before anything is loaded."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import pytest

from pytest_vqamt.core.case_store import FILE_NAMES
from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.identity import matches, name_of, split_name
from pytest_vqamt.core.input_files import expanded
from pytest_vqamt.core.results import MAX_UNREAD, Undecided
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.execution.plan import MAX_CASES, RunOptions, Sampling, default_contrast
from pytest_vqamt.execution.resources import RunSettings
from pytest_vqamt.integration.options import check_device, option_value, option_values, parse_settings
from pytest_vqamt.integration.waivers import Waivers, read_waivers
from pytest_vqamt.integration.xdist import run_process_of
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.budget import Budget
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.relations.catalogue import check, globs_of, preset
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.terminal import SummaryLength
from pytest_vqamt.sampling.samplers import Sampler
from pytest_vqamt.stats.gates import GateKind, GateOn, Threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(RunSettings):
    """The options of a session, typed.

    Attributes:
        missing_baseline: the file of blessed cases that is named and may be missing, and is.
        cases_name: the name of the report's file of cases.
        report_images: the cases whose pictures the page shows.
        summary: how long the summary in the terminal is; None where ``-q`` and ``-v`` decide.
        gates_typed: the gates on the command line, which override those of markers.
        max_error_rate: the share of cases that may end in an error.
        replay: the id of the case to replay.
        rerun_command: the beginning of a command with the settings of this session.
    """

    missing_baseline: Path | None
    gates_typed: frozenset[GateKind]
    max_error_rate: float
    max_queries: int | None
    plan_only: bool
    report: Path | None
    cases_name: str
    report_images: Images
    summary: SummaryLength | None
    replay: str | None
    rerun_command: str


def read_settings(config: pytest.Config) -> Settings:
    """The settings of this session.

    Raises:
        OptionError: a value cannot be used.
    """
    models = _distinct("--vqamt-model", option_values(config, "vqamt_model"))
    data = _distinct("--vqamt-data", option_values(config, "vqamt_data") or ("pictures",))
    for spec in data:
        sources.check(spec)
    relation_settings, model_settings = parse_settings(
        option_values(config, "vqamt_option"),
        "--vqamt-option",
        ModelCatalogue().settings_of(models),
    )
    name = option_value(config, "vqamt_preset")
    named = preset(name) if name else None
    cache = _cache(config)
    options = _model_options(config, model_settings, cache)
    if options.budget and cache is None:
        raise OptionError(
            "Expected an answer cache with --vqamt-max-cost, or the answers that are paid for would be lost: leave "
            "--vqamt-no-cache off, or name a folder with --vqamt-cache"
        )
    if options.budget and not any(ModelCatalogue().kind(spec).takes_prices for spec in models):
        raise OptionError(
            "Expected a model that tells what its answers cost with --vqamt-max-cost, such as openai:MODEL@URL, but "
            f"got --vqamt-model={','.join(models)}: leave --vqamt-max-cost off"
        )
    baseline = _baseline(config)
    # A replay compares nothing, and a baseline that is missing without leave is an error where it is opened.
    may_be_missing = bool(option_value(config, "vqamt_replay")) or _flag(config, "vqamt_allow_missing_baseline")
    has_baseline = baseline is not None and (baseline.exists() or not may_be_missing)
    for spec in models:
        ModelCatalogue().check(spec, options)
    return Settings(
        models=models,
        data=data,
        relations=globs_of(option_value(config, "vqamt_relations") or "") or (named.relations if named else ()),
        excluded=globs_of(option_value(config, "vqamt_exclude") or ""),
        terms=_terms(config, has_no_cache=cache is None, keeps_judged=len(models) > 1 or has_baseline),
        gates_typed=frozenset(kind for kind in GATED_RATES if config.getoption(f"vqamt_{kind.argument}") is not None),
        model_options=options,
        relation_settings={**(named.settings if named else {}), **relation_settings},
        max_error_rate=_rate(config, "vqamt_max_error_rate", 0.0),
        max_queries=_given_number(config, "vqamt_max_queries", at_least=1),
        plan_only=bool(config.getoption("vqamt_plan")),
        report=_path(config, "vqamt_report"),
        cases_name=_choice(config, "vqamt_cases", FILE_NAMES),
        report_images=Images(_choice(config, "vqamt_report_images", tuple(Images))),
        summary=SummaryLength(_choice(config, "vqamt_summary", tuple(SummaryLength)))
        if option_value(config, "vqamt_summary") is not None
        else None,
        baseline=baseline if has_baseline else None,
        missing_baseline=None if has_baseline else baseline,
        max_drop=_rate(config, "vqamt_max_drop", 0.0),
        undecided=Undecided(_choice(config, "vqamt_undecided", tuple(Undecided))),
        cache=cache,
        replay=option_value(config, "vqamt_replay"),
        only=tuple(config.option.vqamt_only),
        rerun_command=rerun_command(config),
        run=run_process_of(config),
        prefix="--vqamt-",
    )


def _terms(config: pytest.Config, *, has_no_cache: bool, keeps_judged: bool) -> RunOptions:
    """The options of the run. Without a cache, violations are not shrunk: a shrunk case could not be replayed."""
    waive = _path(config, "vqamt_waive")
    waivers = read_waivers(waive) if waive else Waivers(reasons={}, expired={})
    shrink = _number(config, "vqamt_shrink", 30, at_least=0)
    max_cases = _given_number(config, "vqamt_max_cases", at_least=1)
    return RunOptions(
        sampling=Sampling(
            max_cases=MAX_CASES if max_cases is None else max_cases,
            all_published=max_cases is None,
            seed=_number(config, "vqamt_seed", 0, at_least=0),
            sampler=Sampler(_choice(config, "vqamt_sampler", tuple(Sampler))),
            shard=_shard(option_value(config, "vqamt_shard")),
            allow_bad_records=_flag(config, "vqamt_allow_bad_records"),
            repeats=_number(config, "vqamt_repeats", 1, at_least=1),
            contrast=_rate(config, "vqamt_contrast", default_contrast(option_value(config, "vqamt_preset"))),
        ),
        thresholds=tuple(Threshold.parse(text) for text in option_values(config, "vqamt_fail_under")),
        grounded_thresholds=tuple(
            Threshold.parse(text, GateKind.GROUNDED_RATE) for text in option_values(config, "vqamt_grounded_under")
        ),
        gate_on=GateOn(_choice(config, "vqamt_gate", tuple(GateOn))),
        max_unread=_rate(config, "vqamt_max_unread", MAX_UNREAD),
        shrink=0 if has_no_cache else shrink,
        waived=waivers.reasons,
        expired_waivers=tuple((case_id, day.isoformat()) for case_id, day in waivers.expired.items()),
        keeps_judged=keeps_judged,
    )


def _baseline(config: pytest.Config) -> Path | None:
    file = _path(config, "vqamt_baseline")
    drop = config.getoption("vqamt_max_drop")
    if drop is not None and file is None:
        raise OptionError(
            f"Expected --vqamt-baseline=FILE with --vqamt-max-drop, but got --vqamt-max-drop={drop!r} alone: name the "
            "file that `vqamt bless` wrote"
        )
    return file


def _flag(config: pytest.Config, dest: str) -> bool:
    if config.getoption(dest):
        return True
    text = str(config.getini(dest) or "false").strip().lower()
    if text not in ("true", "1", "yes", "on", "false", "0", "no", "off"):
        raise OptionError(f"Expected {dest} to be true or false, but got {text!r}")
    return text in ("true", "1", "yes", "on")


def _model_options(config: pytest.Config, settings: Mapping[str, str], cache: Path | None) -> ModelOptions:
    size = option_value(config, "vqamt_batch_size")
    worker, workers = _worker(config)
    return ModelOptions(
        batch_size=None if size in (None, "auto") else _given_number(config, "vqamt_batch_size", at_least=1),
        device=check_device(option_value(config, "vqamt_device") or "auto"),
        dtype=option_value(config, "vqamt_dtype"),
        settings=settings,
        cache=cache,
        timeout_s=_seconds(config, "vqamt_timeout"),
        budget=_budget(config, workers),
        worker=worker,
        workers=workers,
    )


def _budget(config: pytest.Config, workers: int) -> Budget | None:
    text = option_value(config, "vqamt_max_cost")
    if text is None:
        return None
    try:
        most = float(text)
    except ValueError:
        most = 0.0
    if not 0 < most < inf:
        raise OptionError(f"Expected --vqamt-max-cost to be an amount above 0, but got {text!r}")
    folder = run_process_of(config).folder
    return Budget(most, folder and folder / "costs", workers)


def _seconds(config: pytest.Config, dest: str) -> float | None:
    text = option_value(config, dest)
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        raise OptionError(f"Expected {_flag_of(dest)} to be a number of seconds above 0, but got {text!r}")
    return seconds


def _worker(config: pytest.Config) -> tuple[int, int]:
    """The index of this worker of xdist and the number of workers; 0 and 1 without xdist."""
    given: Mapping[str, object] = getattr(config, "workerinput", {})
    found = re.fullmatch(r"gw(\d+)", str(given.get("workerid", "")))
    return (int(found[1]), int(str(given["workercount"]))) if found else (0, 1)


def _cache(config: pytest.Config) -> Path | None:
    if config.getoption("vqamt_no_cache"):
        return None
    if named := _path(config, "vqamt_cache"):
        return named
    cache = getattr(config, "cache", None)  # absent under `-p no:cacheprovider`
    try:
        return Path(cache.mkdir("vqamt")) if cache is not None else None
    except OSError:  # a read-only checkout: the run goes on without a cache, and the header says so
        return None


def _distinct(option: str, specs: Sequence[str]) -> tuple[str, ...]:
    bare = [split_name(each)[1] for each in specs]
    names = [name_of(each) for each in specs]
    for spec, name in zip(bare, names, strict=True):
        if bare.count(spec) > 1:
            raise OptionError(f"Expected each {option} once, but got {spec!r} {bare.count(spec)} times")
        if names.count(name) > 1:
            found = ", ".join(each for each in specs if name_of(each) == name)
            raise OptionError(f"Expected another name for each {option}, but got {name!r} for {found}")
    return tuple(specs)


def _path(config: pytest.Config, dest: str) -> Path | None:
    """Paths on the command line are relative to the current folder, those in ini files to the root folder."""
    typed: str | None = config.getoption(dest)
    text = typed or option_value(config, dest)
    return (config.invocation_params.dir if typed else config.rootpath) / expanded(text) if text else None


def _choice(config: pytest.Config, dest: str, choices: tuple[str, ...]) -> str:
    value = option_value(config, dest)
    if value is None:
        return choices[0]
    if value not in choices:
        hint = did_you_mean(value, choices)
        if dest == "vqamt_cases" and value.isdecimal():
            hint = f"for so many cases give --vqamt-max-cases={value}"
        raise OptionError(f"Expected {_flag_of(dest)} to be one of {', '.join(choices)}, but got {value!r}; {hint}")
    return value


def _number(config: pytest.Config, dest: str, default: int, *, at_least: int) -> int:
    value = _given_number(config, dest, at_least=at_least)
    return default if value is None else value


def _given_number(config: pytest.Config, dest: str, *, at_least: int) -> int | None:
    text = option_value(config, dest)
    if text is None:
        return None
    try:
        value = int(text)
    except ValueError:
        value = at_least - 1
    if value < at_least:
        raise OptionError(f"Expected {_flag_of(dest)} to be a whole number from {at_least} up, but got {text!r}")
    return value


def _rate(config: pytest.Config, dest: str, default: float) -> float:
    text = option_value(config, dest)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise OptionError(f"Expected {_flag_of(dest)} to be a rate from 0 to 1, but got {text!r}")
    return value


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise OptionError(f"Expected --vqamt-shard to be I/N with I from 1 to N, but got {text!r}")
    return number, of


def _flag_of(dest: str) -> str:
    return f"--{dest.replace('_', '-')}"


_OPTIONS = {
    "-c": "inifilename",
    "--rootdir": "rootdir",
    "-p": "plugins",
    "-o": "override_ini",
    "--vqamt-cache": "vqamt_cache",
    "--vqamt-seed": "vqamt_seed",
    "--vqamt-sampler": "vqamt_sampler",
    "--vqamt-max-cases": "vqamt_max_cases",
    "--vqamt-repeats": "vqamt_repeats",
    "--vqamt-device": "vqamt_device",
    "--vqamt-dtype": "vqamt_dtype",
    "--vqamt-option": "vqamt_option",
    "--vqamt-preset": "vqamt_preset",
    "--vqamt-baseline": "vqamt_baseline",
    "--vqamt-allow-bad-records": "vqamt_allow_bad_records",
}
"""Options that decide on the conftest files, the settings, the cases and the answers."""


def rerun_command(config: pytest.Config) -> str:
    """A ``pytest`` command with the options above as typed: with a case's id added, it finds that case.

    It names the models only if one is remote, since the names in reports do not find a remote model.
    """
    return shlex.join(("pytest", *_typed(config), *_remote_models(config)))


def _remote_models(config: pytest.Config) -> Iterator[str]:
    models = option_values(config, "vqamt_model")
    if any(ModelCatalogue().kind(spec).is_remote for spec in models):
        yield from (f"--vqamt-model={spec}" for spec in models)


def _typed(config: pytest.Config) -> Iterator[str]:
    arguments = [str(argument) for argument in config.invocation_params.args]
    yield from (path for path in config.args if path in arguments)
    for option, dest in _OPTIONS.items():
        given = config.getoption(dest, None)
        if given is True:
            yield option
            continue
        for value in given if isinstance(given, list) else [given] if given else []:
            # xdist disables some plugins in its workers, which the user did not type.
            if option.startswith("--vqamt") or any(value in argument for argument in arguments):
                yield from (f"{option}={value}",) if option.startswith("--") else (option, value)


MARKER = "vqamt"
GATED_RATES = (GateKind.PASS_RATE, GateKind.GROUNDED_RATE)
"""The gates that a marker can set."""
_WANTED = (
    "@pytest.mark.vqamt(fail_under=RATE, grounded_under=RATE), either or both, each a rate, "
    '{"GLOB": RATE}, or a list of RATE and "GLOB=RATE"'
)


def check_markers(items: Sequence[pytest.Item], settings: Settings) -> None:
    """Checks the markers of tests before any of them runs.

    Raises:
        OptionError: a marker has no rate, or names no relation.
    """
    for node in items:
        for mark in node.iter_markers(MARKER):
            for kind in GATED_RATES:
                patterns = [each.pattern for each in _thresholds(mark, node, kind)]
                check(patterns, f"{kind.argument} of @pytest.mark.vqamt on {node.nodeid} to name a relation or a glob")
                if patterns and kind is GateKind.GROUNDED_RATE and settings.asks_no_contrast:
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
    if kind.argument not in mark.kwargs:
        return
    rates = mark.kwargs[kind.argument]
    try:
        for text in _texts(rates):
            yield Threshold.parse(text, kind)
    except (OptionError, TypeError) as error:
        raise OptionError(
            f"Expected {_WANTED} with rates from 0 to 1, but got {kind.argument}={rates!r} on {node.nodeid}"
        ) from error


def _texts(rates: object) -> Iterator[str]:
    """The thresholds as the option takes them."""
    if isinstance(rates, Mapping):
        yield from (f"{pattern}={rate}" for pattern, rate in rates.items())
    elif isinstance(rates, list | tuple):
        yield from map(str, rates)
    elif isinstance(rates, int | float | str):
        yield str(rates)
    else:
        raise TypeError(f"expected a rate, got {rates!r}")
