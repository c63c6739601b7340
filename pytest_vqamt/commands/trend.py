"""``vqamt trend``: shows how the rates of relations moved over several reports."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.atomic_write import write_file
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import check_patterns, matches
from pytest_vqamt.relations.catalogue import globs_of
from pytest_vqamt.reporting.compare.trend_table import trend_lines, trend_page, trends
from pytest_vqamt.reporting.files import read_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument(
        "folders", metavar="DIR", type=Path, nargs="+", help="reports: folders that --vqamt-report named"
    )
    parser.add_argument("--relations", metavar="GLOBS", default="*", help="relations to show (default: all)")
    parser.add_argument("-o", "--out", metavar="FILE.html", type=Path, help="write it as a page, too")
    parser.epilog = "Reports are taken in the order in which they were started."


def run(arguments: argparse.Namespace) -> int:
    """Prints the trends, and writes the page."""
    if len(arguments.folders) < 2:
        raise OptionError(f"Expected two reports or more, but got one, {str(arguments.folders[0])!r}: name another")
    globs = globs_of(arguments.relations, "--relations")
    reports = [(str(folder), read_report(folder)) for folder in arguments.folders]
    # Among the relations of the reports: these may be of a user, and not installed here.
    check_patterns(globs, [result.item for _, report in reports for result in report.relations])
    found = trends(reports, lambda item: any(matches(glob, item) for glob in globs))
    for line in trend_lines(found):
        print(line)
    if arguments.out:
        write_file(arguments.out, trend_page(found), "--out")
        print(f"page: {arguments.out}")
    return ExitStatus.OK
