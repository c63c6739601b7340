"""``vqamt probe``: checks that a deployment of a model answers about the picture that it is sent."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.errors import OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.query import Task
from pytest_vqamt.integration.options import parse_settings
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.against import AgainstResult, compare
from pytest_vqamt.probing.findings import FindingKind
from pytest_vqamt.probing.gate import ProbeBaseline, gate
from pytest_vqamt.probing.probe import MOST_REQUESTS, probe
from pytest_vqamt.probing.probe_files import result_junit, result_markdown
from pytest_vqamt.probing.probe_report import against_lines, gate_lines, probe_lines, result_html, result_json

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
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help="a setting of the models")
    parser.add_argument("--device", default="auto", help="the device of models that run here (default: %(default)s)")
    parser.add_argument(
        "--max-requests", metavar="N", type=int, default=MOST_REQUESTS, help="to each model (default: %(default)s)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="other cards (default: %(default)s)")
    parser.add_argument(
        "--allow",
        metavar="KIND",
        action="append",
        default=[],
        help="a kind of finding that does not fail (docs/how-to/probe.md)",
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
        help="write probe.html, probe.json, probe.md and probe.xml (JUnit) into this folder",
    )


def run(arguments: argparse.Namespace) -> int:
    """Probes the model, or compares two deployments."""
    if arguments.against and arguments.baseline:
        raise OptionError("Expected --against or --baseline, but got both: leave one off")
    if arguments.max_requests < _LEAST_REQUESTS:
        raise OptionError(
            f"Expected {_LEAST_REQUESTS} requests or more, but got --max-requests={arguments.max_requests}"
        )
    kinds = [kind.value for kind in FindingKind]
    for name in arguments.allow:
        if name not in kinds:
            raise OptionError(
                f"Expected --allow to name a kind of finding, but got {name!r}; {did_you_mean(name, kinds)}"
            )
    specs = [arguments.model, *([arguments.against] if arguments.against else [])]
    catalogue = ModelCatalogue()
    of_relations, settings = parse_settings(arguments.option, "--option", catalogue.settings_of(specs))
    if of_relations:
        raise OptionError(f"Expected --option to set a model, but got {next(iter(of_relations))!r}: leave it off")
    options = ModelOptions(device=arguments.device, settings=settings)
    models = [_loaded(catalogue, spec, options) for spec in specs]
    limit, seed = arguments.max_requests, arguments.seed
    baseline = ProbeBaseline.of_file(arguments.baseline) if arguments.baseline else None
    if arguments.against:
        return _shown_against(compare(*models, limit=limit, seed=seed), arguments)
    result = probe(models[0], limit=limit, seed=seed, url_host=arguments.url_host)
    found = gate(result, arguments.allow, baseline)
    lines = [*probe_lines(result, arguments.allow), *gate_lines(found)]
    print(result_json(result) if arguments.json else "\n".join(lines))
    if arguments.out:
        files = {
            "probe.json": result_json(result),
            "probe.html": result_html(result, arguments.allow),
            "probe.md": result_markdown(result, found),
            "probe.xml": result_junit(result, found, arguments.allow),
        }
        _write(arguments, files)
    return ExitStatus.FINDING if found.fails else ExitStatus.OK


def _shown_against(result: AgainstResult, arguments: argparse.Namespace) -> int:
    print(result_json(result) if arguments.json else "\n".join(against_lines(result)))
    if arguments.out:
        _write(arguments, {"probe.json": result_json(result), "probe.html": result_html(result, arguments.allow)})
    return ExitStatus.FINDING if result.parted else ExitStatus.OK


def _loaded(catalogue: ModelCatalogue, spec: str, options: ModelOptions) -> LoadedModel:
    kind = catalogue.kind(spec)
    # The oracle and files of answers see no pixels: each check would be met, or none.
    if kind.needs_scenes or kind.name == "answers":
        raise OptionError(
            f"Expected a model that looks at pixels, but got model={spec!r}: name one that a picture can be sent to"
        )
    catalogue.check(spec, options)
    model = catalogue.load(spec, options)
    if Task.VQA not in model.tasks:
        raise OptionError(
            f"Expected a model that answers questions, but got model={spec!r}, which does {', '.join(model.tasks)}"
        )
    return model


def _write(arguments: argparse.Namespace, files: Mapping[str, str]) -> None:
    folder: Path = arguments.out
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with replacing(folder / name) as part:
                part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise VqamtError(
            f"Expected a folder that can be written to, but got --out={str(folder)!r} "
            f"({os.strerror(error.errno or 0)}): name another"
        ) from error
    if not arguments.json:
        print(f"page: {folder / 'probe.html'}")
