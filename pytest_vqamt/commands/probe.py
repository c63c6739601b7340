"""``vqamt probe``: checks that a deployment of a model answers about the picture that it is sent."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.errors import OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.progress_bar import progress_bar
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.text import one_line
from pytest_vqamt.integration.options import parse_settings
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing import own_photos
from pytest_vqamt.probing.against.comparison import AgainstResult, compare
from pytest_vqamt.probing.against.files import against_badge, against_junit, against_markdown
from pytest_vqamt.probing.against.terminal import against_lines
from pytest_vqamt.probing.checks.photos import REQUESTS as PHOTO_REQUESTS
from pytest_vqamt.probing.checks.together import LEVELS
from pytest_vqamt.probing.gate import ProbeBaseline, gate
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.own_photos import LEAST_PHOTOS, MOST_PHOTOS, PHOTOS
from pytest_vqamt.probing.probe import MOST_REQUESTS, probe
from pytest_vqamt.probing.probe_files import result_badge, result_junit, result_markdown
from pytest_vqamt.probing.probe_report import probe_row, result_html
from pytest_vqamt.probing.probe_rows import PROBE_FILE, against_row, row_text
from pytest_vqamt.probing.probe_terminal import page_line, probe_lines
from pytest_vqamt.probing.scores.photos import requests
from pytest_vqamt.probing.scores.probe import LOGPROBS, SETTINGS, is_refused, probe_scores

_LEAST_REQUESTS = 40
"""The least that --max-requests may be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "The exit status is 1 where there is a finding that --allow does not name. Nothing is cached: each request is "
        "sent."
    )
    parser.add_argument("model", metavar="MODEL", help="as --vqamt-model names it; it answers questions about pixels")
    parser.add_argument("--against", metavar="MODEL", help="another deployment of the same weights to compare with")
    parser.add_argument(
        "--scores",
        action="store_true",
        help="compare log-probabilities, not answers: for weights that read nothing, random ones too "
        "(docs/how-to/probe-scores.md)",
    )
    parser.add_argument(
        "--data",
        metavar="SPEC",
        action="append",
        default=[],
        help=f"photos of your own to compare answers on, as --vqamt-data names them; photos:DIR needs no annotations "
        f"here; at most {PHOTO_REQUESTS} further requests (repeatable)",
    )
    parser.add_argument(
        "--photos",
        metavar="N",
        type=int,
        default=PHOTOS,
        help=f"photos of --data, {LEAST_PHOTOS} to {MOST_PHOTOS}, drawn by --seed (default: %(default)s)",
    )
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="a setting of the models")
    parser.add_argument("--device", default="auto", help="the device of models that run here (default: %(default)s)")
    parser.add_argument(
        "--max-requests", metavar="N", type=int, default=MOST_REQUESTS, help="to each model (default: %(default)s)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="other cards (default: %(default)s)")
    parser.add_argument(
        "--allow",
        metavar="NAME=REASON",
        action="append",
        default=[],
        help="a kind of finding that does not fail (docs/how-to/probe.md); the reason may be left off",
    )
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        type=Path,
        help="an earlier probe.json: its findings do not fail, and its figures must not drop",
    )
    parser.add_argument(
        "--url-host",
        metavar="HOST",
        default="",
        help="this machine's name or address where the model is, which then fetches pictures from here "
        "(default: 127.0.0.1 for a model on this machine; else no picture is sent by URL)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")
    parser.add_argument(
        "-o",
        "--out",
        metavar="DIR",
        type=Path,
        help="write probe.html, probe.json, probe.md, probe.xml (JUnit) and probe-badge.json into this folder",
    )


def run(arguments: argparse.Namespace) -> int:
    """Probes the model, or compares two deployments."""
    if arguments.against and arguments.baseline:
        raise OptionError("Expected --against or --baseline, but got both: leave one off")
    for name in ("allow", "url_host"):
        if arguments.against and getattr(arguments, name):
            raise OptionError(
                f"Expected --{name.replace('_', '-')} for the probe of one deployment, but got --against, too: leave "
                "one off"
            )
    if not LEAST_PHOTOS <= arguments.photos <= MOST_PHOTOS:
        raise OptionError(
            f"Expected {LEAST_PHOTOS} to {MOST_PHOTOS} photos, but got --photos={arguments.photos}: name another number"
        )
    own_photos.check(arguments.data)
    if arguments.max_requests < _LEAST_REQUESTS:
        raise OptionError(
            f"Expected {_LEAST_REQUESTS} requests or more, but got --max-requests={arguments.max_requests}"
        )
    allowed = _allowed(arguments.allow)
    if arguments.out:
        # Before minutes of requests, whose results would be lost.
        _make_folder(arguments.out)
    specs = [arguments.model, *([arguments.against] if arguments.against else [])]
    catalogue = ModelCatalogue()
    of_relations, settings = parse_settings(arguments.option, "--option", catalogue.settings_of(specs))
    if of_relations:
        raise OptionError(f"Expected --option to set a model, but got {next(iter(of_relations))!r}: leave it off")
    if "in-flight" in (catalogue.settings_of(specs) or ()) and "in-flight" not in settings:
        # As many as the probe sends at once.
        settings = {**settings, "in-flight": str(max(LEVELS))}
    options = ModelOptions(device=arguments.device, settings=settings)
    # Two deployments are compared by scores where both give them.
    loaded = _loaded_for_scores if arguments.scores or arguments.against else _loaded
    models = [loaded(catalogue, spec, options, arguments) for spec in specs]
    limit, seed = arguments.max_requests, arguments.seed
    baseline = ProbeBaseline.of_file(arguments.baseline) if arguments.baseline else None
    if baseline is not None and baseline.is_by_scores != arguments.scores:
        was = "with" if baseline.is_by_scores else "without"
        raise OptionError(
            f"Expected a baseline of the same kind, but got --baseline of a probe {was} --scores: probe {was} it, or "
            "write another"
        )
    own = own_photos.take_photos(arguments.data, seed, arguments.photos) if arguments.data else None
    if arguments.against:
        photos = requests(own) if own else []
        with progress_bar("comparing", None, " requests") as advance:
            compared = compare(*models, limit=limit, seed=seed, photos=photos, advance=advance)
        return _shown_against(compared, arguments)
    with progress_bar("probing", None, " requests") as advance:
        result = (
            probe_scores(models[0], limit=limit, seed=seed, own=own, advance=advance)
            if arguments.scores
            else probe(models[0], limit=limit, seed=seed, own=own, url_host=arguments.url_host, advance=advance)
        )
    found = gate(result, allowed, baseline)
    text = row_text(probe_row(result, found))
    lines = probe_lines(result, found, has_page=bool(arguments.out))
    print(text.rstrip("\n") if arguments.json else "\n".join(lines))
    if arguments.out:
        files = {
            PROBE_FILE: text,
            "probe.html": result_html(result, found),
            "probe.md": result_markdown(result, found),
            "probe.xml": result_junit(result, found),
            "probe-badge.json": result_badge(result, found),
        }
        _write(arguments, files)
    if found.fails:
        return ExitStatus.FINDING
    # A gate must not pass what was not looked at.
    return ExitStatus.OK if result.checked else ExitStatus.USAGE


def _allowed(given: Sequence[str]) -> dict[str, str]:
    """The reason or "" by the kind of finding, as ``--allow NAME=REASON`` gives them."""
    kinds = [kind.value for kind in FindingKind]
    allowed: dict[str, str] = {}
    for each in given:
        name, _, reason = each.partition("=")
        if name not in kinds:
            raise OptionError(
                f"Expected --allow to name a kind of finding, but got {name!r}; {did_you_mean(name, kinds)}"
            )
        if allowed.get(name, one_line(reason)) != one_line(reason):
            raise OptionError(f"Expected one reason a kind, but got --allow {name} with two: leave one off")
        allowed[name] = one_line(reason)
    return allowed


def _shown_against(result: AgainstResult, arguments: argparse.Namespace) -> int:
    text = row_text(against_row(result))
    print(text.rstrip("\n") if arguments.json else "\n".join(against_lines(result)))
    if arguments.out:
        files = {
            PROBE_FILE: text,
            "probe.html": result_html(result),
            "probe.md": against_markdown(result),
            "probe.xml": against_junit(result),
            "probe-badge.json": against_badge(result),
        }
        _write(arguments, files)
    return ExitStatus.FINDING if result.parted else ExitStatus.OK


def _loaded_for_scores(
    catalogue: ModelCatalogue, spec: str, options: ModelOptions, arguments: argparse.Namespace
) -> LoadedModel:
    """The model with log-probabilities, if it can give them; a server that refuses them is asked without."""
    known = catalogue.settings_of([spec]) or ()
    wanted = SETTINGS if arguments.scores else LOGPROBS
    added = {name: value for name, value in wanted.items() if name in known and name not in options.settings}
    model = _loaded(catalogue, spec, replace(options, settings={**options.settings, **added}), arguments)
    if not added.keys() & LOGPROBS.keys() or not is_refused(model):
        return model
    for name in LOGPROBS:
        added.pop(name, None)
    return _loaded(catalogue, spec, replace(options, settings={**options.settings, **added}), arguments)


def _loaded(catalogue: ModelCatalogue, spec: str, options: ModelOptions, arguments: argparse.Namespace) -> LoadedModel:
    kind = catalogue.kind(spec)
    # The oracle and files of answers see no pixels: each check would be met, or none.
    if kind.needs_scenes or kind.name == "answers":
        raise OptionError(
            f"Expected a model that looks at pixels, but got model={spec!r}: name one that a picture can be sent to"
        )
    catalogue.check(spec, options)
    model = catalogue.load(spec, options)
    if Task.VQA not in model.tasks and not (
        arguments.scores and not arguments.against and Task.CAPTIONING in model.tasks
    ):
        raise OptionError(
            f"Expected a model that answers questions, but got model={spec!r}, which does {', '.join(model.tasks)}"
        )
    return model


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> VqamtError:
    reason = os.strerror(error.errno or 0)
    return VqamtError(
        f"Expected a folder that can be written to, but got --out={str(folder)!r} ({reason}): name another"
    )


def _write(arguments: argparse.Namespace, files: Mapping[str, str]) -> None:
    folder: Path = arguments.out
    try:
        for name, text in files.items():
            with replacing(folder / name) as part:
                part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from error
    if not arguments.json:
        print(page_line(folder / "probe.html"))
