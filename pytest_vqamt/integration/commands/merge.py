"""``vqamt merge``: the reports of shards as the one report that a run without ``--vqamt-shard`` writes."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_vqamt.integration.commands.main import ExitStatus
from pytest_vqamt.reporting.merge import merge_folders
from pytest_vqamt.reporting.terminal import summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "The exit status is 1 where the merged cases miss a gate that the shards were run with."
    parser.add_argument(
        "folders", metavar="DIR", nargs="+", type=Path, help="what --vqamt-report named in the run of each shard"
    )
    parser.add_argument(
        "-o", "--out", metavar="OUT", required=True, type=Path, help="the folder to write the merged report into"
    )


def run(arguments: argparse.Namespace) -> int:
    """Merges, and prints the summary of the whole.

    Raises:
        VqamtError: the folders do not hold all shards of one run, each once.
    """
    report = merge_folders(arguments.folders, arguments.out)
    print("\n".join(summary(report)))
    print(f"report: {arguments.out / 'report.json'}")
    missed = [each for each in report.relations if each.all_cases and not all(held.met for held in each.gates)]
    return ExitStatus.FINDING if missed else ExitStatus.OK
