"""``vqamt bless``: keeps the cases and verdicts of a report as a baseline."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.reporting.baseline import ERRORS_AT_MOST, bless

_FILE = Path("vqamt-baseline.jsonl.gz")
_MAX_DROP = 0.02
"""The proposed --vqamt-max-drop: two of 100 cases."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "The file holds what was asked, answered and judged, compressed, and no pictures. It is written whole or not "
        "at all, and the same report gives the same bytes. Cases that were waived are left out."
    )
    parser.add_argument("report", metavar="REPORT", type=Path, help="the folder that --vqamt-report named")
    parser.add_argument(
        "-o", "--out", metavar="FILE", type=Path, default=_FILE, help=f"the file to write (default: {_FILE})"
    )
    parser.add_argument(
        "--relations", metavar="GLOBS", default="", help="bless only these items of the report, comma-separated"
    )
    parser.add_argument(
        "--allow-errors",
        action="store_true",
        help=f"also where more than {ERRORS_AT_MOST:.0%} of an item's cases had no answer".replace("%", "%%"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the baseline, and prints what it holds and how to use it."""
    globs = tuple(part.strip() for part in arguments.relations.split(",") if part.strip())
    written = bless(arguments.report, arguments.out, relations=globs, allow_errors=arguments.allow_errors)
    head = written.head
    cases = sum(each.tally.cases for each in head.items)
    models, data = (", ".join(name for name, _ in named) for named in (head.models, head.data))
    print(f"blessed {len(head.items)} items, {cases} cases, of {models} on {data}")
    print(f"{arguments.out}: {written.size_bytes:,} bytes")
    print("to compare every run with it, add to [tool.pytest.ini_options] in pyproject.toml:")
    print(f'    vqamt_baseline = "{arguments.out.as_posix()}"')
    print(f'    vqamt_max_drop = "{_MAX_DROP:g}"')
    print("a larger drop fails a run only if it is significant; for the smallest drop that these cases can detect, run")
    print(f"    vqamt power --report {quote(str(arguments.report))} --max-drop {_MAX_DROP:g}")
    return ExitStatus.OK
