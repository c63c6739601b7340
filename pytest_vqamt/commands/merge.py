"""``vqamt merge``: merges the reports of shards into that of a run without ``--vqamt-shard``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.commands.report import (
    add_images_argument,
    add_junit_argument,
    complain,
    source_or_warning,
    warn_of_settings,
)
from pytest_vqamt.core.results import RelationResult, Report, ViolationPreview
from pytest_vqamt.integration.aggregate import is_on_ci
from pytest_vqamt.integration.options import add_option_argument, parse_settings
from pytest_vqamt.integration.replaying import ReportData
from pytest_vqamt.reporting.files import PAGE, write_pages
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.junit import write_junit
from pytest_vqamt.reporting.merging import merge_folders
from pytest_vqamt.reporting.terminal import short_summary, summary
from pytest_vqamt.reporting.view.headline import ungated_line, untested_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "The exit status is 1 if the merged cases miss a gate of the shards, or cannot tell and the shards had "
        "--vqamt-undecided=fail. The page shows pictures of data that is "
        "found here under its name in the run; `vqamt report OUT --data SPEC` writes it again with data at another "
        "place."
    )
    parser.add_argument(
        "folders", metavar="DIR", nargs="+", type=Path, help="the report of each shard: what --vqamt-report named there"
    )
    parser.add_argument(
        "-o", "--out", metavar="OUT", required=True, type=Path, help="the folder to write the merged report into"
    )
    add_images_argument(parser)
    add_junit_argument(parser)
    add_option_argument(parser)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show all tables and metrics, and why items had no case"
    )


def run(arguments: argparse.Namespace) -> int:
    """Merges the reports, and prints the summary."""
    given, _ = parse_settings(arguments.option, "--option")
    report = merge_folders(arguments.folders, arguments.out)
    if arguments.junitxml:
        write_junit(report, arguments.out / PAGE, arguments.junitxml)
    warn_of_settings(report, given)
    load = source_or_warning(ReportData(report, (), str(arguments.out)))
    undrawn = write_pages(arguments.out, source_of=load, images=Images(arguments.report_images))
    lines = summary(report, in_full=True) if arguments.verbose else _short(report, arguments.out)
    untested = untested_line(report) or ungated_line(report)
    written = [f"JUnit: {arguments.junitxml}"] if arguments.junitxml else []
    print("\n".join((*([untested] if untested else []), *lines, *written, f"report: {arguments.out / PAGE}")))
    # Both are printed; either makes the exit status 1.
    return max(complain(undrawn), ExitStatus.FINDING if _misses_a_gate(report) else ExitStatus.OK)


def _short(report: Report, folder: Path) -> Iterator[str]:
    def replay(_: RelationResult, violation: ViolationPreview) -> str:
        return f"vqamt replay {violation.id} --report {shlex.quote(str(folder))}"

    return (line.text for line in short_summary(report, replay))


def _misses_a_gate(report: Report) -> bool:
    """True if any gate failed, or no case was judged under a gate or on CI. Single items without cases cannot fail."""
    # As a session does (``SessionReport``), which its shards could not.
    if ungated_line(report) or (untested_line(report) and is_on_ci()):
        return True
    return report.fails
