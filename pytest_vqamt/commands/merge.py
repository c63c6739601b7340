"""``vqamt merge``: the reports of shards as the one report that a run without ``--vqamt-shard`` writes."""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.integration.replay import load_source, register_inpainter
from pytest_vqamt.reporting.files import PAGE, write_pages
from pytest_vqamt.reporting.html.cards import Images
from pytest_vqamt.reporting.merge import merge_folders
from pytest_vqamt.reporting.terminal import summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "The exit status is 1 where the merged cases miss a gate that the shards were run with. The page shows "
        "pictures of data that is to be had here under the name that it had in the run; `vqamt report OUT --data SPEC` "
        "writes it anew with data that lies elsewhere."
    )
    parser.add_argument(
        "folders", metavar="DIR", nargs="+", type=Path, help="what --vqamt-report named in the run of each shard"
    )
    parser.add_argument(
        "-o", "--out", metavar="OUT", required=True, type=Path, help="the folder to write the merged report into"
    )
    parser.add_argument(
        "--images",
        type=Images,
        choices=list(Images),
        default=Images.VIOLATIONS,
        help="whose pictures the page shows (default: violations)",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show all metrics, and why items had no case")


def run(arguments: argparse.Namespace) -> int:
    """Merges, and prints the summary of the whole.

    Raises:
        VqamtError: the folders do not hold all shards of one run, each once.
    """
    report = merge_folders(arguments.folders, arguments.out)
    register_inpainter(dict(report.settings))
    write_pages(arguments.out, source_of=cache(_found), images=arguments.images)
    print("\n".join(summary(report, in_full=arguments.verbose)))
    print(f"report: {arguments.out / PAGE}")
    return ExitStatus.FINDING if _misses_a_gate(report) else ExitStatus.OK


def _found(spec: str) -> SceneSource | None:
    """The data of the run, where it is to be had here."""
    try:
        return load_source(spec)
    except VqamtError as error:
        print(f"vqamt: the page shows no pictures of {spec}: {error}", file=sys.stderr)
        return None


def _misses_a_gate(report: Report) -> bool:
    """Whether any is missed; a rate of no case at all is none to be missed."""
    return any(
        not held.met
        for result in report.relations
        for held in ((*result.gates, *result.drop_gates) if result.all_cases else result.drop_gates)
    )
