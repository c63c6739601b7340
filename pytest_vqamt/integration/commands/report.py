"""``vqamt report``: the pages of a report anew, or its cases as a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.results import DataUse
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.integration.commands.main import ExitStatus
from pytest_vqamt.integration.named_settings import settings_given
from pytest_vqamt.reporting.files import PAGE, write_pages
from pytest_vqamt.reporting.images import Images
from pytest_vqamt.reporting.read_report import read_report
from pytest_vqamt.reporting.summary_page import FILE as SUMMARY
from pytest_vqamt.reporting.table_file import write_csv, write_parquet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        f"The pages are {PAGE} and {SUMMARY}, made of the other files of the report alone. Pictures are drawn anew, so "
        "the data must be at hand: without it the page has no pictures, and says so."
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="what --vqamt-report named, or the OUT of a merge")
    parser.add_argument(
        "--data",
        metavar="SPEC",
        action="append",
        default=[],
        help="where the data of the report is now; may be given again (default: where the report says it was)",
    )
    parser.add_argument(
        "--images",
        type=Images,
        choices=list(Images),
        default=Images.VIOLATIONS,
        help="whose pictures the page shows (default: violations)",
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of that run: inpaint=lama:PATH where its pictures were made with a checkpoint",
    )
    parser.add_argument("--out", metavar="OUT", type=Path, help="a folder to write the pages into (default: DIR)")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the cases, too, as CSV, a row each")
    parser.add_argument("--parquet", metavar="FILE", type=Path, help="write the cases, too, as Parquet, a row each")


def run(arguments: argparse.Namespace) -> int:
    """Writes the pages and the tables, and prints where they are.

    Raises:
        VqamtError: the report, the data or a file cannot be used.
    """
    settings_given(arguments.option, "--option")
    folder, out = arguments.folder, arguments.out or arguments.folder
    used = read_report(folder).data
    for write, file in ((write_csv, arguments.csv), (write_parquet, arguments.parquet)):
        if file:
            print(f"{write(folder, file):,} cases: {file}")
    source_of = _found if arguments.images is Images.NONE else _sources(arguments.data, used)
    write_pages(folder, source_of=source_of, images=arguments.images, out=out)
    print(f"report: {out / PAGE}")
    print(f"summary: {out / SUMMARY}")
    return ExitStatus.OK


def _found(spec: str) -> None:
    """No data is needed for a page without pictures."""


def _sources(named: Sequence[str], used: Sequence[DataUse]) -> Callable[[str], SceneSource | None]:
    """What finds the data of the report by the specs that it has there."""
    given = _given(named, used)

    @cache
    def source_of(spec: str) -> SceneSource | None:
        if spec in given:
            return given[spec]
        try:
            return _loaded(spec)
        except VqamtError as error:
            print(f"vqamt: the page shows no pictures of {spec}: {error}; name it with --data", file=sys.stderr)
            return None

    return source_of


def _given(named: Sequence[str], used: Sequence[DataUse]) -> dict[str, SceneSource]:
    """The data that was named, by the specs of the report: it is the same where its digest is.

    The only data of a report may have changed since: a picture that is not what it was is not shown.

    Raises:
        VqamtError: data cannot be loaded, or is none of the report's.
    """
    given: dict[str, SceneSource] = {}
    for spec in named:
        source = _loaded(spec)
        same = [use.spec for use in used if use.digest == source.digest]
        if not same and len(named) == len(used) == 1:
            same = [used[0].spec]
        if not same:
            told = ", ".join(f"{use.spec} (digest {use.digest})" for use in used)
            raise OptionError(
                f"Expected data of the report, {told}, but got --data={spec!r} (digest {source.digest}): name the data "
                "of that run"
            )
        given |= dict.fromkeys(same, source)
    return given


def _loaded(spec: str) -> SceneSource:
    """The source without its bad records: no case of that run is of one."""
    return sources.load(spec, allow_bad_records=True)
