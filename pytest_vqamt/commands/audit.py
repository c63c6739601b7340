"""``vqamt audit``: samples cases for a person to judge, and evaluates the judgements."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.commands.report import complain, warn_of_settings
from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.case_store import case_rows
from pytest_vqamt.core.errors import DataError, OptionError, VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.integration.options import add_option_argument, parse_settings
from pytest_vqamt.integration.replaying import ReportData
from pytest_vqamt.integration.waivers import add_waivers
from pytest_vqamt.relations.catalogue import globs_of
from pytest_vqamt.reporting.audit.audit_page import PAGE as AUDIT_PAGE
from pytest_vqamt.reporting.audit.audit_page import audit_html
from pytest_vqamt.reporting.audit.audit_results import (
    AUDIT_FILE,
    audit_lines,
    audit_row,
    describe_population,
    write_audit,
)
from pytest_vqamt.reporting.audit.judgements import (
    JudgedSheet,
    Judgement,
    agreements,
    audit_figures,
    figures_by_item,
    has_judgements,
    majority,
    read_judgements,
    read_settings,
)
from pytest_vqamt.reporting.audit.sample import (
    DEFAULT_SAMPLE,
    AuditTarget,
    CaseKey,
    Sample,
    SampleSettings,
    draw_sample,
)
from pytest_vqamt.reporting.audit.sheet import SHEET, csv_text, sheet_case, sheet_row
from pytest_vqamt.reporting.files import PAGE, read_report, write_pages
from pytest_vqamt.reporting.html.case_selection import Images

_WAIVERS = "waivers.txt"
"""The file in the report's folder that --read adds to."""

_NO_REASON = "judged invalid, no reason given"
"""A waiver needs a reason, and a judge need not give one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.usage = (
        f"{parser.prog} REPORT -o SHEET_DIR [--of violations|all] [--sample N | --per-relation N] [--seed N]\n"
        f"       {' ' * len(parser.prog)} [--relations GLOBS] [--model NAME] [--data SPEC] [--option NAME=VALUE]\n"
        f"       {parser.prog} REPORT --read FILE.csv [--waivers FILE]"
    )
    parser.epilog = (
        "A person marks true violations: their share is the precision of the report. Or, of all cases and without the "
        "answers, valid tests: their share is the valid tests rate (VTR)."
    )
    parser.add_argument("report", metavar="REPORT", type=Path, help="a report: the folder that --vqamt-report named")
    parser.add_argument("-o", "--out", metavar="SHEET_DIR", type=Path, help="where to write the sheet and its page")
    parser.add_argument(
        "--of", choices=[each.value for each in AuditTarget], help="what to draw from (default: violations)"
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--sample", metavar="N", type=int, help=f"how many cases to draw (default: {DEFAULT_SAMPLE})")
    size.add_argument("--per-relation", metavar="N", type=int, help="how many to draw of each relation variant")
    parser.add_argument("--seed", metavar="N", type=int, help="another seed draws other cases (default: 0)")
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
    add_option_argument(parser, "the run")
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
    """Writes a sheet with a random sample, or reads filled-in sheets and prints the results."""
    given, _ = parse_settings(arguments.option, "--option")
    # The default of each is None, so that typed options can be recognised.
    sampling = _sampling_options(arguments)
    if arguments.read and (arguments.out or sampling):
        raise OptionError(
            f"Expected --read FILE.csv alone, but got {'-o' if arguments.out else sampling[0]}, too: leave it off, "
            "for a sheet has the options of its sample"
        )
    if arguments.out and arguments.waivers:
        raise OptionError("Expected --waivers with --read FILE.csv, but got it with -o: leave it off")
    if not arguments.read and not arguments.out:
        raise OptionError("Expected -o SHEET_DIR to draw a sheet, or --read FILE.csv of a ticked one, but got neither")
    report = read_report(arguments.report)
    data = ReportData(report, arguments.data, str(arguments.report))
    warn_of_settings(report, given)
    waivers = arguments.waivers or arguments.report / _WAIVERS
    if not arguments.read:
        # Line by line, so that `| head` ends the command without a traceback.
        for line in _draw(report, data, arguments):
            print(line)
        return ExitStatus.OK
    for line in read_sheets(report, arguments.report, arguments.read, waivers):
        print(line)
    return _rebuild(report, data, arguments.report)


def _sampling_options(arguments: argparse.Namespace) -> list[str]:
    """The given options that only a new sample takes."""
    names = ("of", "sample", "per_relation", "seed", "relations", "model")
    given = [name for name in names if getattr(arguments, name) is not None]
    return [f"--{name.replace('_', '-')}" for name in given]


def _draw(report: Report, data: ReportData, arguments: argparse.Namespace) -> Iterator[str]:
    of = AuditTarget(arguments.of or AuditTarget.VIOLATIONS)
    draw = SampleSettings(
        of=of,
        sample=DEFAULT_SAMPLE if arguments.sample is None else arguments.sample,
        per_relation=arguments.per_relation,
        seed=arguments.seed or 0,
        relations=globs_of(arguments.relations or "", "--relations"),
        model=arguments.model,
        # All of the data named is no restriction: these were named for their place.
        data=() if len(data.named) == len(report.data) else data.named,
    )
    sample = draw_sample(report, arguments.report, draw)
    write_sheet(sample, {each.item: each.claim for each in report.relations}, data, arguments.out)
    items = len(sample.population)
    yield (
        f"{len(sample.cases)} of {describe_population(of, sample.drawn_from)} drawn, of "
        f"{count_noun(items, 'relation variant')}"
    )
    then = shlex.join(["vqamt", "audit", str(arguments.report), "--read", str(arguments.out / SHEET)])
    yield f"to tick in a browser:       {arguments.out / AUDIT_PAGE}"
    yield f"to tick in a spreadsheet:   {arguments.out / SHEET}"
    yield f"then, with what was ticked: {then}"


def write_sheet(
    sample: Sample, claims: Mapping[str, str], source_of: Callable[[str], SceneSource], folder: Path
) -> None:
    """Writes ``audit.csv``, ``audit.html`` and the pictures of the sample's cases into ``folder``.

    ``claims`` are those of the relation variants of the report.

    Raises:
        VqamtError: a picture cannot be drawn, or the folder not be written to, or it has a sheet that was ticked.
    """
    _check_unticked(folder / SHEET)
    cases = tuple(
        sheet_case(drawn, sample.draw.of, claims.get(str(drawn.row["relation"]), ""), source_of(drawn.data))
        for drawn in sample.cases
    )
    rows = tuple(sheet_row(each, sample) for each in cases)
    pictures = {picture.file: picture.image for case in cases for picture in case.pictures}
    try:
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        for name, image in pictures.items():
            (folder / name).write_bytes(image)
        # The sheet after the pictures that it names: an interrupted command leaves none that lacks some.
        _replace(folder / SHEET, csv_text(rows))
        _replace(folder / AUDIT_PAGE, audit_html(sample, cases, rows))
    except OSError as error:
        raise OptionError(
            f"Expected a folder that can be written, but got -o {str(folder)!r} ({error.strerror or error}): "
            "name another"
        ) from error


def _check_unticked(file: Path) -> None:
    """Refuses to replace a sheet that a person has filled in."""
    try:
        ticked = file.exists() and has_judgements(file)
    except DataError:
        ticked = True  # an unknown file must not be replaced
    if ticked:
        raise OptionError(
            f"Expected a folder without a sheet that somebody has ticked, but got {str(file)!r}: name another with -o"
        )


def _replace(file: Path, text: str) -> None:
    with replacing(file) as part:
        part.write_text(text, encoding="utf-8", newline="")


def read_sheets(report: Report, folder: Path, sheets: Sequence[Path], waivers: Path) -> Iterator[str]:
    """Evaluates the sheets of one or more judges on the report in ``folder``, and yields lines to print.

    Raises:
        VqamtError: the report or a sheet cannot be used, or a file not be written.
    """
    sample = _sample(report, folder, sheets)

    def is_known(case_id: str) -> bool:
        return any(row["case_id"] == case_id for row in case_rows(folder))

    ticked = [read_judgements(sheet, sample, is_known) for sheet in sheets]
    judgements = majority(ticked)
    if not judgements:
        raise DataError(
            f"Expected a judgement of one case or more, but got none in {', '.join(map(str, sheets))}: "
            "fill in the column judgement, or give the sheet that the page gives"
        )
    whole, by_item, agreed = audit_figures(sample, judgements), figures_by_item(sample, judgements), agreements(ticked)
    # The reader may close the output early (`| head`): the results are written before anything is printed.
    waived = tuple(_waive(judgements, ticked, waivers))
    write_audit(folder, audit_row(report, sample, whole, by_item, agreed, sheets))
    yield from audit_lines(sample.draw.of, whole, by_item, agreed)
    yield ""
    yield from waived
    yield f"audit:   {folder / AUDIT_FILE}"


def _sample(report: Report, folder: Path, sheets: Sequence[Path]) -> Sample:
    """Draws the sample of the sheets again."""
    (draw, population), *others = [read_settings(sheet) for sheet in sheets]
    # Judges are compared case by case, so that their sheets must be of one sample.
    for sheet, (other, of_other) in zip(sheets[1:], others, strict=True):
        if (other, of_other) != (draw, population):
            raise DataError(
                f"Expected sheets of one sample, but {sheet} is of {other.of.value}, {other.words(of_other)}, and "
                f"{sheets[0]} of {draw.of.value}, {draw.words(population)}: read them one by one"
            )
    sample = draw_sample(report, folder, draw)
    # The sample is drawn again by its seed: from another report it would be another one.
    if sample.drawn_from != population:
        raise DataError(
            f"Expected the report that {sheets[0]} was drawn from, with "
            f"{describe_population(draw.of, population)} to draw from, but {str(folder)!r} has "
            f"{sample.drawn_from}: it was written anew since; name the one of that time"
        )
    return sample


def _waive(judgements: Mapping[CaseKey, Judgement], ticked: Sequence[JudgedSheet], file: Path) -> Iterator[str]:
    """Adds the cases judged invalid to the waivers.

    A case stays in the rates if a violation of it was judged true for one model: the test is sound.
    """
    sound = {case_id for (case_id, *_), word in judgements.items() if word is Judgement.VALID}
    invalid = sorted(key for key, word in judgements.items() if word is Judgement.INVALID)
    # A waiver is for a case, whatever the model; a judgement is for a case of one model.
    reasons = {key[0]: _why(key, ticked) for key in invalid if key[0] not in sound}
    new = add_waivers(file, reasons)
    if reasons:
        yield f"waivers: {file} ({len(new)} new, {len(reasons) - len(new)} there before)"
    if disputed := sorted({key[0] for key in invalid} & sound):
        yield f"judged valid for one model and invalid for another, so not waived: {', '.join(disputed)}"


def _why(key: CaseKey, ticked: Sequence[JudgedSheet]) -> str:
    """The first note of a judge who judged the case invalid."""
    return next(
        (sheet.notes[key] for sheet in ticked if sheet.judgements.get(key) is Judgement.INVALID and key in sheet.notes),
        _NO_REASON,
    )


def _rebuild(report: Report, data: ReportData, folder: Path) -> ExitStatus:
    """Writes the pages of the report again with the audit, unless the data for their pictures are not here."""
    try:
        for each in report.data:
            data(each.name)
    except VqamtError as error:
        print(
            f"{folder / PAGE} is as it was, for its pictures cannot be drawn here ({error}): "
            f"`vqamt report {shlex.quote(str(folder))} --data SPEC` writes it anew"
        )
        return ExitStatus.OK
    # With the audit's precision in its headline.
    undrawn = write_pages(folder, source_of=data, images=Images.VIOLATIONS)
    print(f"report:  {folder / PAGE}")
    return complain(undrawn)
