"""``vqamt bless``: keeps the cases and verdicts of a report as a baseline."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import floor
from pathlib import Path
from shlex import quote
from statistics import median

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.commands.power import SmallestDrop, smallest_drops
from pytest_vqamt.core.plain_text import count_noun
from pytest_vqamt.relations.catalogue import globs_of
from pytest_vqamt.reporting.baseline import ERRORS_AT_MOST, bless
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.view.format import aligned_table, format_percent, wrapped

_FILE = Path("vqamt-baseline.jsonl.gz")
_MAX_DROP = 0.1
"""The proposed --vqamt-max-drop where no drop of any relation can be detected."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "The file holds what was asked, answered and judged, compressed, and no pictures. It is written whole or not "
        "at all, and the same report gives the same bytes. Cases that were waived are left out."
    )
    parser.add_argument("report", metavar="REPORT", type=Path, help="a report: the folder that --vqamt-report named")
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
    globs = globs_of(arguments.relations)
    written = bless(arguments.report, arguments.out, relations=globs, allow_errors=arguments.allow_errors)
    head = written.head
    cases = sum(each.tally.cases for each in head.items)
    models, data = (", ".join(name for name, _ in named) for named in (head.models, head.data))
    print(f"blessed {count_noun(len(head.items), 'item')}, {count_noun(cases, 'case')}, of {models} on {data}")
    print(f"{arguments.out}: {written.size_bytes:,} bytes")
    blessed = {(each.item, each.model, each.data) for each in head.items}
    report = read_report(arguments.report)
    relations = [each for each in report.relations if (each.item, each.model.name, each.data.name) in blessed]
    drops = smallest_drops(relations)
    if unread := sum((each.tally.unread_rate or 0.0) > report.max_unread for each in relations):
        print(
            f"{count_noun(unread, 'relation')} with more than {format_percent(report.max_unread)} of the cases unread: "
            "a gate on such a relation is missed, whatever it compares (--vqamt-max-unread)"
        )
    if drops:
        print("the smallest drop of each pass rate that these cases show to be one, with a chance of 80 %:")
        print("\n".join(f"    {line}" for line in _table(drops)))
        print("to detect smaller drops, bless a report with more cases; how many says")
        print(f"    vqamt power --report {quote(str(arguments.report))}")
    print("to compare every run with it, add to [tool.pytest.ini_options] in pyproject.toml:")
    print(f'    vqamt_baseline = "{arguments.out.as_posix()}"')
    allowed = proposed_max_drop(drops)
    print(f'    vqamt_max_drop = "{allowed:g}"')
    print("\n".join(wrapped(_about_max_drop(allowed, _median_drop(drops)))))
    return ExitStatus.OK


def proposed_max_drop(drops: Sequence[SmallestDrop]) -> float:
    """The drop to allow: half the median of the smallest detectable ones, in whole points and at least one.

    A drop as large as the median is then as easy to detect as with no drop allowed.
    """
    median_drop = _median_drop(drops)
    return _MAX_DROP if median_drop is None else max(1, floor(50 * median_drop)) / 100


def _median_drop(drops: Sequence[SmallestDrop]) -> float | None:
    known = [each.drop for each in drops if each.drop is not None]
    return median(known) if known else None


def _about_max_drop(allowed: float, median_drop: float | None) -> str:
    """Where the proposed limit is from, and what it cannot show."""
    if median_drop is None:
        return "With so few cases no drop fails, whatever the limit: bless a report with more."
    return (
        f"{allowed:g} is half the median of this table: no drop of up to {100 * allowed:g} points fails. A larger one "
        'fails if it is shown, and the table says how large it must be for that; else the summary says "cannot tell".'
    )


def _table(drops: Sequence[SmallestDrop]) -> Iterator[str]:
    several = len({(each.result.model.name, each.result.data.name) for each in drops}) > 1
    rows = [
        (
            result.id_in_baseline if several else result.item,
            f"{result.clusters.judged:,}",
            format_percent(result.clusters.holds / result.clusters.judged),
            "none" if each.drop is None else f"{100 * each.drop:.0f} points",
        )
        for each in sorted(drops, key=lambda each: each.drop or 1)
        for result in (each.result,)
    ]
    yield from aligned_table([("relation", "cases", "pass rate", "smallest drop"), *rows])
