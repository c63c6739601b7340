"""``vqamt bless``: keeps the cases and verdicts of a report as a baseline."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor
from pathlib import Path
from shlex import quote
from statistics import median

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.commands.power import SmallestDrop, smallest_drop_of_answers, smallest_drops
from pytest_vqamt.core.plain_text import count_noun
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.relations.catalogue import globs_of
from pytest_vqamt.reporting.baseline import ERRORS_AT_MOST, bless
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.view.format import aligned_table, describe_points, format_percent, wrapped
from pytest_vqamt.reporting.view.grounding import hardly_looks
from pytest_vqamt.reporting.view.headline import rows_of_parts
from pytest_vqamt.reporting.view.rows import result_rows

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
    for line in _warnings(replace(report, relations=tuple(relations))):
        print("\n".join(wrapped(line)))
    if drops:
        print("the smallest drop of each rate that these cases show to be one, with a chance of 80 %:")
        print("\n".join(f"    {line}" for line in _table(drops)))
        if any(each.drop is None for each in drops):
            print("\n".join(wrapped(_NONE)))
        print("to detect smaller drops, bless a report with more cases; how many says")
        print(f"    vqamt power --report {quote(str(arguments.report))}")
    for (model, of_data), right in written.right.items():
        print("\n".join(wrapped(_about_answers(f"{model} on {of_data}", right))))
    print("to compare every run with it, add to [tool.pytest.ini_options] in pyproject.toml:")
    print(f'    vqamt_baseline = "{arguments.out.as_posix()}"')
    allowed = proposed_max_drop(drops)
    print(f'    vqamt_max_drop = "{allowed:g}"')
    print("\n".join(wrapped(_about_max_drop(allowed, drops))))
    return ExitStatus.OK


_NONE = "none: even if all of its cases fell, so few would not show it, or its rate is about 0 and cannot fall"


def _warnings(report: Report) -> Iterator[str]:
    """What the gates on this baseline will not protect."""
    unread = [each for each in report.relations if (each.read_tally.unread_rate or 0.0) > report.max_unread]
    if unread:
        named = ", ".join(f"{each.item} {format_percent(each.read_tally.unread_rate)}" for each in unread)
        yield (
            f"{count_noun(len(unread), 'relation')} with more than {format_percent(report.max_unread)} of the cases "
            "unread: a gate on such a relation is missed, whatever it compares (--vqamt-max-unread, or first a prompt "
            f"or reader that gets answers that can be read): {named}"
        )
    for part, rows in rows_of_parts(report, result_rows(report)):
        looks = [row.grounded[0] for row in rows if row.grounded and row.grounded[0].cells.cases]
        if looks and hardly_looks(looks):
            cases = sum(each.cells.cases for each in looks)
            grounded = sum(each.cells.consistent_changed for each in looks)
            guessing = sum(each.chance.total for each in looks) / cases
            yield (
                f"{' on '.join(part)} hardly looks at the pictures: grounded in {format_percent(grounded / cases)} of "
                f"{count_noun(cases, 'case')} with a contrast, where guessing gives {format_percent(guessing)}. This "
                "baseline protects nothing that needs them: who does not look cannot get worse at it. See that the "
                "pictures reach the model (`vqamt probe`) before you bless it."
            )


def proposed_max_drop(drops: Sequence[SmallestDrop]) -> float:
    """The drop to allow: half the median of the smallest detectable ones, in whole points and at least one.

    A drop as large as the median is then as easy to detect as with no drop allowed. Most rates are above the limit, for
    a rate cannot fall by more than itself.
    """
    known = [each.drop for each in drops if each.drop is not None]
    if not known:
        return _MAX_DROP
    rates = sorted((each.rate for each in drops), reverse=True)
    below_most = ceil(100 * rates[len(rates) // 2]) - 1
    return max(1, min(floor(50 * median(known)), below_most)) / 100


def _about_max_drop(allowed: float, drops: Sequence[SmallestDrop]) -> str:
    """Where the proposed limit is from, and what it cannot show."""
    known = [each.drop for each in drops if each.drop is not None]
    if not known:
        return (
            "With so few cases no relation fails by itself, whatever the limit: bless a report with more. The gate on "
            "all relations together can still fail."
        )
    is_half = allowed == max(1, floor(50 * median(known))) / 100
    source = "half the median of this table" if is_half else "below most of these rates"
    most = "" if 2 * len(known) > len(drops) else f" {len(drops) - len(known)} of {len(drops)} rates show none."
    return (
        f"{allowed:g} is {source}: no drop of up to {describe_points(allowed)} fails. A larger one fails if it is "
        f'shown, and the table says how large it must be for that; else the summary says "cannot tell".{most} All '
        "relations together have a gate of their own."
    )


def _about_answers(part: str, right: Clusters) -> str:
    drop = smallest_drop_of_answers(right)
    shown = "no drop" if drop is None else f"a drop of {describe_points(ceil(100 * drop) / 100)} or more"
    return (
        f"{part}: {format_percent(right.holds / right.judged)} of {count_noun(right.judged, 'question')} are answered "
        f"as your data says. A gate on that accuracy comes with vqamt_max_drop; so many questions show {shown}."
    )


def _table(drops: Sequence[SmallestDrop]) -> Iterator[str]:
    rows = [
        (
            each.name,
            f"{each.cases:,}",
            format_percent(each.rate),
            "none" if each.drop is None else f"{100 * each.drop:.0f} points",
        )
        for each in sorted(drops, key=lambda each: each.drop or 1)
    ]
    yield from aligned_table([("relation", "cases", "rate", "smallest drop"), *rows])
