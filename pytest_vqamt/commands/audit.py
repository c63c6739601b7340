"""``vqamt audit``: a random sample of cases for a person to judge, and what the judgements say of the report."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.results import Report
from pytest_vqamt.integration.audit_reading import read_sheets
from pytest_vqamt.integration.audit_sheet import write_sheet
from pytest_vqamt.integration.named_settings import settings_given
from pytest_vqamt.integration.recorded_data import ReportData, find_inpainter
from pytest_vqamt.reporting.audit.page import PAGE as AUDIT_PAGE
from pytest_vqamt.reporting.audit.results import counted
from pytest_vqamt.reporting.audit.sample import SAMPLE, Draw, Of, draw_sample
from pytest_vqamt.reporting.audit.sheet import SHEET
from pytest_vqamt.reporting.files import read_report

_WAIVERS = "waivers.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.usage = (
        f"{parser.prog} REPORT -o SHEET_DIR [--of violations|all] [--sample N | --per-relation N] [--seed N]\n"
        f"       {' ' * len(parser.prog)} [--relations GLOBS] [--model NAME] [--data SPEC] [--option NAME=VALUE]\n"
        f"       {parser.prog} REPORT --read FILE.csv [--waivers FILE]"
    )
    parser.epilog = (
        "Of violations a person says which are true ones: their share is the precision of the report. Of all cases, "
        "without the answers, a person says which are valid tests: their share is the valid tests rate (VTR)."
    )
    parser.add_argument("report", metavar="REPORT", type=Path, help="the folder that --vqamt-report wrote")
    parser.add_argument("-o", "--out", metavar="SHEET_DIR", type=Path, help="where to write the sheet and its page")
    parser.add_argument("--of", choices=[each.value for each in Of], help="what to draw from (default: violations)")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--sample", metavar="N", type=int, help=f"how many cases to draw (default: {SAMPLE})")
    size.add_argument("--per-relation", metavar="N", type=int, help="how many to draw of each relation variant")
    parser.add_argument("--seed", metavar="N", type=int, help="other cases (default: 0)")
    parser.add_argument(
        "--relations", metavar="GLOBS", help="draw from these, comma-separated (default: all but control.*)"
    )
    parser.add_argument("--model", metavar="NAME", help="draw from what this model was asked (default: every model)")
    parser.add_argument(
        "--data",
        metavar="SPEC",
        action="append",
        default=[],
        help="draw from cases of these data, and where they are if they have moved since; may be given again",
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of the run: inpaint=lama:PATH where its pictures were made with a checkpoint",
    )
    parser.add_argument(
        "--read",
        metavar="FILE.csv",
        type=Path,
        action="append",
        default=[],
        help="a ticked sheet; may be given again, for the sheet of another judge",
    )
    parser.add_argument(
        "--waivers",
        metavar="FILE",
        type=Path,
        help=f"where to add the cases judged invalid, for --vqamt-waive (default: REPORT/{_WAIVERS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Draws and writes a sheet, or reads ticked ones and prints what they say.

    Raises:
        VqamtError: the report, the data, a sheet or a folder cannot be used.
    """
    settings_given(arguments.option, "--option")
    drawing = _drawing(arguments)
    if arguments.read and (arguments.out or drawing):
        raise OptionError(
            f"Expected --read FILE.csv alone, but got {'-o' if arguments.out else drawing[0]}, too: leave it off, "
            "for a sheet says itself how it was drawn"
        )
    if arguments.out and arguments.waivers:
        raise OptionError("Expected --waivers with --read FILE.csv, but got it with -o: leave it off")
    if not arguments.read and not arguments.out:
        raise OptionError("Expected -o SHEET_DIR to draw a sheet, or --read FILE.csv of a ticked one, but got neither")
    report = read_report(arguments.report)
    data = ReportData(report, arguments.data, str(arguments.report))
    find_inpainter(dict(report.settings))
    waivers = arguments.waivers or arguments.report / _WAIVERS
    lines = (
        read_sheets(report, arguments.report, data, arguments.read, waivers)
        if arguments.read
        else _draw(report, data, arguments)
    )
    for line in lines:
        print(line)
    return ExitStatus.OK


def _drawing(arguments: argparse.Namespace) -> list[str]:
    """What was given that only a draw takes."""
    names = ("of", "sample", "per_relation", "seed", "relations", "model")
    given = [name for name in names if getattr(arguments, name) is not None]
    return [f"--{name.replace('_', '-')}" for name in given]


def _draw(report: Report, data: ReportData, arguments: argparse.Namespace) -> Iterator[str]:
    of = Of(arguments.of or Of.VIOLATIONS)
    draw = Draw(
        of=of,
        sample=SAMPLE if arguments.sample is None else arguments.sample,
        per_relation=arguments.per_relation,
        seed=arguments.seed or 0,
        relations=tuple(part.strip() for part in (arguments.relations or "").split(",") if part.strip()),
        model=arguments.model,
        data=() if len(data.named) == len(report.data) else data.named,
    )
    sample = draw_sample(report, arguments.report, draw)
    write_sheet(sample, {each.item: each.claim for each in report.relations}, data, arguments.out)
    items = len(sample.population)
    yield (
        f"{len(sample.cases)} of {counted(of, sample.drawn_from)} drawn, of {items} relation "
        f"variant{'' if items == 1 else 's'}"
    )
    then = shlex.join(["vqamt", "audit", str(arguments.report), "--read", str(arguments.out / SHEET)])
    yield f"to tick in a browser:       {arguments.out / AUDIT_PAGE}"
    yield f"to tick in a spreadsheet:   {arguments.out / SHEET}"
    yield f"then, with what was ticked: {then}"
