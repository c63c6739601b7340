"""``vqamt report``: writes the pages of a report again, its cases as a table, or the papers' tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.report_json import REPORT_FILE
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.integration.options import add_option_argument, parse_settings
from pytest_vqamt.integration.replaying import ReportData, settings_of_run, unused_note
from pytest_vqamt.reporting.files import PAGE, read_report, write_pages
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.junit import write_junit
from pytest_vqamt.reporting.latex import write_latex
from pytest_vqamt.reporting.markdown import SUMMARY_FILE as SUMMARY
from pytest_vqamt.reporting.table_export import write_csv, write_parquet, write_tables_csv

_NO_TABLES = (
    "0 tables: only relations of the papers have them, such as metavqa.*, carets.* and veglue.mr* "
    "(docs/how-to/paper.md)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        f"The pages are {PAGE} and {SUMMARY}, made from the other files of the report. Pictures are rendered again, so "
        "the data must be here: without it the page has no pictures, and says so. The exit status is 1 if one "
        "cannot be drawn."
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="a report: what --vqamt-report named, or the OUT of a merge"
    )
    parser.add_argument(
        "--data",
        metavar="SPEC",
        action="append",
        default=[],
        help="where the data of the report is now; may be given again (default: where the report says it was)",
    )
    add_images_argument(parser)
    add_option_argument(parser)
    parser.add_argument("-o", "--out", metavar="OUT", type=Path, help="a folder to write the pages into (default: DIR)")
    add_junit_argument(parser)
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the cases, too, as CSV, a row each")
    parser.add_argument("--parquet", metavar="FILE", type=Path, help="write the cases, too, as Parquet, a row each")
    parser.add_argument(
        "--latex",
        metavar="TEX_DIR",
        type=Path,
        help="write the papers' tables and the differences of models as LaTeX, a file each; a document needs the "
        "package booktabs",
    )
    parser.add_argument(
        "--csv-tables",
        metavar="CSV_DIR",
        type=Path,
        help="write the papers' tables and the differences of models as CSV, a file each",
    )


def add_junit_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--junitxml``."""
    parser.add_argument(
        "--junitxml",
        metavar="FILE",
        type=Path,
        help="write the tests of the run with their gates, too, as JUnit XML for dashboards",
    )


def add_images_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--report-images`` of commands that write the pages."""
    parser.add_argument(
        "--report-images",
        choices=[each.value for each in Images],
        default=Images.VIOLATIONS.value,
        help="whose pictures the page shows (default: violations)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the pages and the tables, and prints where they are."""
    given, _ = parse_settings(arguments.option, "--option")
    folder, out = arguments.folder, arguments.out or arguments.folder
    report = read_report(folder)
    # Tables first: they need no data, which the page below may lack.
    for write, file in ((write_csv, arguments.csv), (write_parquet, arguments.parquet)):
        if file:
            print(f"{count_noun(write(folder, file), 'case')}: {file}")
    for kind, write_tables, tables in (
        ("LaTeX table", write_latex, arguments.latex),
        ("CSV table", write_tables_csv, arguments.csv_tables),
    ):
        if tables:
            written = write_tables(report, tables)
            print(f"{count_noun(written, kind)}: {tables}" if written else _NO_TABLES)
    if arguments.junitxml:
        write_junit(report, out / PAGE, arguments.junitxml)
        print(f"JUnit: {arguments.junitxml}")
    warn_of_settings(report, given)
    data = ReportData(report, arguments.data, str(folder / REPORT_FILE))
    # Without data the page is written all the same, with a warning.
    undrawn = write_pages(folder, source_of=source_or_warning(data), images=Images(arguments.report_images), out=out)
    print(f"report: {out / PAGE}")
    print(f"summary: {out / SUMMARY}")
    return complain(undrawn)


def complain(undrawn: str) -> ExitStatus:
    """Prints the line about cards that could not be drawn, if there is one, and returns the exit status."""
    if not undrawn:
        return ExitStatus.OK
    print(f"vqamt: {undrawn}", file=sys.stderr)
    return ExitStatus.FINDING


def warn_of_settings(report: Report, given: Mapping[str, str]) -> None:
    """Prints which settings of a report are not used, unless they are ``given`` anew."""
    if note := unused_note(settings_of_run(dict(report.settings)), given):
        print(f"vqamt: {note}", file=sys.stderr)


def source_or_warning(load: Callable[[str], SceneSource]) -> Callable[[str], SceneSource | None]:
    """A function that loads each source of a report once; for one that is not here it prints a warning."""

    @cache
    def found(spec: str) -> SceneSource | None:
        try:
            return load(spec)
        except VqamtError as error:
            print(f"vqamt: the page shows no pictures of {spec}: {error}", file=sys.stderr)
            return None

    return found
