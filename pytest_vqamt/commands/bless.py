"""``vqamt bless``: keeps the cases and verdicts of a report as a baseline."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import ceil, floor
from pathlib import Path
from shlex import quote
from statistics import median

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.commands.power import SmallestDrop, smallest_drops
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.relations.catalogue import globs_of
from pytest_vqamt.reporting.blessing import ERRORS_AT_MOST, BlessedFile, bless
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.view.format import aligned_table, describe_points, format_percent, rounded_up, wrapped
from pytest_vqamt.reporting.view.headline import rows_of_parts
from pytest_vqamt.reporting.view.model_figures import hardly_looks
from pytest_vqamt.reporting.view.rows import result_rows
from pytest_vqamt.stats.power import RegressionGate, pictures_to_rule_out, prospect_of_rate, ruled_out_if_unchanged
from pytest_vqamt.stats.thresholds import APART, Drops, TotalKind, allowed_drop_of, describe_drops

_FILE = Path("vqamt-baseline.jsonl.gz")
"""The file where none is named."""
_DROP = 0.1
"""The drop to allow where no drop of any relation can be detected."""

_NONE = "none: even if all of its cases fell, so few would not show it, or its rate is about 0 and cannot fall"
"""The note below a table in which some rate has no such drop."""


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
        "--exclude", metavar="GLOBS", default="", help="leave these items out, comma-separated; they have no gate"
    )
    parser.add_argument(
        "--allow-errors",
        action="store_true",
        help=f"also where more than {ERRORS_AT_MOST:.0%} of an item's cases had no answer".replace("%", "%%"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the baseline, and prints what it holds and how to use it."""
    written = bless(
        arguments.report,
        arguments.out,
        relations=globs_of(arguments.relations, "--relations"),
        excluded=globs_of(arguments.exclude, "--exclude"),
        allow_errors=arguments.allow_errors,
    )
    head = written.head
    cases = sum(each.tally.cases for each in head.items)
    models, data = (", ".join(name for name, _ in named) for named in (head.models, head.data))
    print(f"blessed {count_noun(len(head.items), 'item')}, {count_noun(cases, 'case')}, of {models} on {data}")
    print(f"{arguments.out}: {written.size_bytes:,} bytes")
    blessed = {(each.item, each.model, each.data) for each in head.items}
    report = read_report(arguments.report)
    # Only what was blessed is gated later, so that only it is reckoned with.
    relations = [each for each in report.relations if (each.item, each.model.name, each.data.name) in blessed]
    drops, totals = smallest_drops(relations), _totals(written)
    for line in _warnings(replace(report, relations=tuple(relations))):
        print("\n".join(wrapped(line)))
    if drops:
        print("the smallest drop of each rate that these cases show to be one, with a chance of 80 %:")
        print("\n".join(f"    {line}" for line in _table(totals, drops)))
        if any(each.drop is None for each in (*totals, *drops)):
            print("\n".join(wrapped(_NONE)))
        command = f"`vqamt power --report {quote(str(arguments.report))}`"
        print("\n".join(wrapped(f"{''.join(map(_small_drop, totals))}Of each relation it says {command}.")))
    print("to compare every run with it, add to [tool.pytest.ini_options] in pyproject.toml:")
    print(f'    vqamt_baseline = "{arguments.out.as_posix()}"')
    # Without a gate there is no limit to propose.
    if not drops:
        print("none of these items can have a gate on a drop: controls and relations tagged baseline have none")
        return ExitStatus.OK
    allowed = proposed_drops(drops, totals)
    print(f"    vqamt_max_drop = {_toml(allowed)}")
    print("\n".join(wrapped(_about_drops(allowed, drops, totals))))
    return ExitStatus.OK


def _totals(written: BlessedFile) -> tuple[SmallestDrop, ...]:
    """The smallest drops of all relations together and of accuracies, which have gates of their own."""
    found = [
        *((TotalKind.RELATIONS, part, clusters) for part, clusters in written.together.items()),
        *((TotalKind.ACCURACY, part, clusters) for part, clusters in written.right.items()),
    ]
    # Models and data are named only where there are several.
    several = len({part for _, part, _ in found}) > 1
    # Totals have half of the significance level (``stats.gates.Totals``).
    gate = RegressionGate(relations=max(1, len(found)), families=2)
    made = [(kind, part, clusters, prospect_of_rate(clusters, gate)) for kind, part, clusters in found]
    return tuple(
        SmallestDrop(
            name=f"{kind.value}{f', {model} on {data}' if several else ''}",
            cases=clusters.judged,
            rate=clusters.holds / clusters.judged,
            drop=prospect.smallest,
            ruled_out=ruled_out_if_unchanged(clusters),
            pictures=clusters.scenes,
            kind=kind,
            prospect=prospect,
        )
        for kind, (model, data), clusters, prospect in made
    )


def _small_drop(total: SmallestDrop) -> str:
    """A sentence on the cases that detect a small drop of a total; "" where these do, or none can."""
    if total.prospect is None or total.prospect.needed is None or total.kind is None:
        return ""
    if total.prospect.needed <= total.cases:
        return ""  # the table shows it already
    needed = count_noun(rounded_up(total.prospect.needed), total.kind.unit)
    more = ", of more pictures" if total.kind is TotalKind.RELATIONS else ""
    return f"A drop of {describe_points(total.prospect.drop)} of {total.name} takes about {needed}{more}. "


def _warnings(report: Report) -> Iterator[str]:
    """Warnings on what gates on this baseline will not protect."""
    may_be_gated = [each for each in report.relations if not APART.intersection(each.tags)]
    unread = [each for each in may_be_gated if (each.read_tally.unread_rate or 0.0) > report.max_unread]
    if unread:
        named = ", ".join(f"{each.item} {format_percent(each.read_tally.unread_rate)}" for each in unread)
        yield (
            f"{count_noun(len(unread), 'relation variant')} with more than {format_percent(report.max_unread)} of the "
            "cases unread: a gate on such a relation is missed, whatever it compares. Get answers that can be read "
            "first, by another prompt or a reader; or raise --vqamt-max-unread, or leave them out with "
            f"--exclude=GLOBS: {named}"
        )
    for part, rows in rows_of_parts(report, result_rows(report)):
        looks = [row.grounded[0] for row in rows if row.grounded and row.grounded[0].cells.cases]
        # Such a baseline would pass a model that is blind.
        if looks and hardly_looks(looks):
            cases = sum(each.cells.cases for each in looks)
            grounded = sum(each.cells.consistent_changed for each in looks)
            guessing = sum(each.chance.total for each in looks) / cases
            yield (
                f"{' on '.join(part)} hardly looks at the pictures: grounded in {format_percent(grounded / cases)} of "
                f"{count_noun(cases, 'case')} with a contrast, where guessing gives {format_percent(guessing)}. This "
                "baseline protects nothing that needs them: a model that does not look cannot get worse. See that the "
                "pictures reach the model (`vqamt probe`) before you bless it."
            )


def proposed_drops(drops: Sequence[SmallestDrop], totals: Sequence[SmallestDrop] = ()) -> Drops:
    """The drops to allow: one for relations, and one for each kind of total that can be held to less.

    Each is half of the smallest drop that can be detected (the median relation's), so that a drop of that size is as
    easy to detect as with none allowed; and no less than what unchanged answers rule out, or its gate could never be
    met. In whole points, at least one, and below most rates, as none can fall by more than itself.
    """
    of_relations = _limit(drops) or _DROP
    found = {"*": of_relations}
    for kind in TotalKind:
        of_kind = _limit([each for each in totals if each.kind is kind])
        # Totals have more cases than a relation, so that a smaller drop of them can be seen.
        if of_kind is not None and of_kind < of_relations:
            found[kind.id] = of_kind
    return found


def _limit(rates: Sequence[SmallestDrop]) -> float | None:
    known = [each.drop for each in rates if each.drop is not None]
    if not known:
        return None
    ruled_out = floor(100 * median(each.ruled_out for each in rates)) + 1
    below_most = ceil(100 * median(each.rate for each in rates)) - 1
    return max(1, min(max(floor(50 * median(known)), ruled_out), below_most)) / 100


def _toml(drops: Drops) -> str:
    texts = [f'"{describe_drops({glob: rate})}"' for glob, rate in drops.items()]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _about_drops(allowed: Drops, drops: Sequence[SmallestDrop], totals: Sequence[SmallestDrop]) -> str:
    """The reason for the proposed limits, and how many gates they leave undecided."""
    if not any(each.drop is not None for each in (*drops, *totals)):
        return "With so few cases no drop fails, whatever the limit: bless a report with more."
    own = [kind.value for kind in TotalKind if kind.id in allowed]
    of = " and of ".join(["the median relation", *([" and ".join(own)] if own else [])])
    gates = [gate for each in (*totals, *drops) if (gate := _gate_of(each, allowed))]
    unmet = [(each, limit) for each, limit in gates if each.ruled_out >= limit]
    met = len(gates) - len(unmet)
    told = f"Where nothing changes, {met} of {count_noun(len(gates), 'gate')} {'is' if met == 1 else 'are'} met"
    if unmet:
        last, limit = max(unmet, key=lambda each: pictures_to_rule_out(each[1], each[0].ruled_out, each[0].pictures))
        needed = pictures_to_rule_out(limit, last.ruled_out, last.pictures)
        told += (
            f" and {len(unmet)} cannot tell: {last.name} has cases on {count_noun(last.pictures, 'picture')}, and "
            f"takes about {needed:,}"
        )
    return f"Half of the smallest drop of {of}: a larger drop fails where it is significant. {told}."


def _gate_of(rate: SmallestDrop, allowed: Drops) -> tuple[SmallestDrop, float] | None:
    """The rate with its limit; None where it cannot fall so far, so that it has no gate."""
    limit = allowed["*"] if rate.kind is None else allowed_drop_of(allowed, rate.kind)
    return None if limit is None or rate.rate <= limit else (rate, limit)


def _table(totals: Sequence[SmallestDrop], drops: Sequence[SmallestDrop]) -> Iterator[str]:
    rows = [
        (
            each.name,
            f"{each.cases:,}",
            format_percent(each.rate),
            "none" if each.drop is None else f"{100 * each.drop:.0f} points",
        )
        for each in (*totals, *sorted(drops, key=lambda each: each.drop or 1))
    ]
    yield from aligned_table([("rate of", "cases", "rate", "smallest drop"), *rows])
