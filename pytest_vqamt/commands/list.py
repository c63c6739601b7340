"""``vqamt list``: lists relations, presets, models, data and faults, or what of the relations a data source covers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.case import RelationInfo
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.presets import PRESETS, Preset
from pytest_vqamt.reporting.view.format import tagged

MAX_CASES = 20
"""The default number of cases after which ``--data`` looks for no more of a relation variant."""

_HOW_TO_NAME = (
    "--vqamt-relations='carets,metavqa.cutting[count]' runs a family and one variant. Without it, openai:, hf: and",
    "served: models run the preset today, oracle and fault: all relations but those on request, and other models the",
    "preset quick. Relations on request run where a pattern begins with their family: --vqamt-relations=view.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--faults", action="store_true", help="only the planted faults of the model fault:NAME")
    parser.add_argument("--data", metavar="SPEC", help="how many cases each relation variant has on this data")
    parser.add_argument(
        "--relations",
        metavar="GLOBS",
        help="with --data: only these, comma-separated (default: all but those on request)",
    )
    parser.add_argument(
        "--max-cases",
        metavar="N",
        type=int,
        help=f"with --data: look for so many cases of each relation variant (default: {MAX_CASES})",
    )
    parser.add_argument(
        "--allow-bad-records",
        action="store_true",
        default=None,
        help="with --data: count on the records that can be used, where some of a data set cannot",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the lists.

    Raises:
        OptionError: an argument is wrong or alone.
        VqamtError: the data cannot be used.
    """
    # Another list: it samples cases, which takes a while.
    if arguments.data is not None:
        return _covered(arguments)
    # These are about the cases of --data: alone they would be ignored in silence.
    for name in ("relations", "max_cases", "allow_bad_records"):
        if getattr(arguments, name) is not None:
            raise OptionError(f"Expected --data=SPEC with --{name.replace('_', '-')}: it says whose cases are counted")
    if arguments.faults:
        print(json.dumps(_fault_rows(), ensure_ascii=False, indent=1) if arguments.json else "\n".join(_fault_lines()))
        return ExitStatus.OK
    infos = [catalogue.get(name).info for name in catalogue.names()]
    if arguments.json:
        print(json.dumps(_rows(infos), ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(infos)))
    return ExitStatus.OK


def _covered(arguments: argparse.Namespace) -> int:
    from pytest_vqamt.commands.coverage import coverage_json, coverage_lines, coverage_rows  # which samples
    from pytest_vqamt.execution.plan import Sampling

    most = MAX_CASES if arguments.max_cases is None else arguments.max_cases
    if most < 1:
        raise OptionError(f"Expected --max-cases to be a whole number from 1 up, but got {most}")
    rows = coverage_rows(
        arguments.data,
        catalogue.globs_of(arguments.relations or "", "--relations"),
        Sampling(max_cases=most, allow_bad_records=bool(arguments.allow_bad_records)),
    )
    if arguments.json:
        row = {"data": arguments.data, "max_cases": most, "coverage": coverage_json(rows)}
        print(json.dumps(row, ensure_ascii=False, indent=1))
    else:
        print("\n".join(coverage_lines(arguments.data, rows, most)))
    return ExitStatus.OK


def _lines(infos: list[RelationInfo]) -> Iterator[str]:
    for kind in (*catalogue.KINDS, catalogue.OTHER):
        relations = [_row(info) for info in infos if catalogue.kind_of(info.name) == kind]
        if relations:
            yield f"Relations that find {kind}" if kind != catalogue.OTHER else "Other relations"
            yield ""
            yield from _table("relation", "task", "claim", "variants", rows=relations)
            yield ""
    yield from _HOW_TO_NAME
    yield ""
    yield from _table("preset", "relations and settings", rows=map(_preset_row, PRESETS.items()))
    yield ""
    yield from _table("model", "what it is", rows=ModelCatalogue().describe())
    yield ""
    yield from _table("data", "what it is", rows=sources.describe())
    yield ""
    yield from _fault_lines()


def _fault_lines() -> Iterator[str]:
    faults = ((f"fault:{name}", fault.description) for name, fault in FAULTS.items())
    return _table("planted fault", "what is wrong with the oracle", rows=faults)


def _row(info: RelationInfo) -> tuple[str, ...]:
    tasks = dict.fromkeys(task for variant in info.variants for task in info.tasks(variant))
    # A relation with variants may also run without one.
    variants = ", ".join(variant or "(none)" for variant in info.variants) if any(info.variants) else ""
    return info.name, ", ".join(tasks), tagged(info.claim, _tags(info)), variants


def _preset_row(item: tuple[str, Preset]) -> tuple[str, ...]:
    name, preset = item
    settings = ", ".join(f"{key}={value}" for key, value in preset.settings.items())
    return name, ", ".join(preset.relations) + (f"; {settings}" if settings else "")


def _tags(info: RelationInfo) -> tuple[str, ...]:
    return (*info.tags, "on request") if info.name in catalogue.ON_REQUEST else info.tags


def _table(*head: str, rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table of left-aligned columns."""
    every = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    for row in (head, tuple("-" * width for width in widths), *every[1:]):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _rows(infos: list[RelationInfo]) -> dict[str, Json]:
    return {
        "relations": [
            {
                "id": info.item(variant),
                "version": info.version,
                "task": ", ".join(info.tasks(variant)),
                "tags": list(_tags(info)),
                "finds": catalogue.kind_of(info.name),
                "claim": info.claim,
                "source": info.source,
            }
            for info in infos
            for variant in info.variants
        ],
        "presets": [
            {"name": name, "relations": list(preset.relations), "settings": dict(preset.settings)}
            for name, preset in PRESETS.items()
        ],
        "models": [{"spec": spec, "description": description} for spec, description in ModelCatalogue().describe()],
        "data": [{"name": name, "description": description} for name, description in sources.describe()],
        **_fault_rows(),
    }


def _fault_rows() -> dict[str, Json]:
    return {"faults": [{"spec": f"fault:{name}", "description": fault.description} for name, fault in FAULTS.items()]}
