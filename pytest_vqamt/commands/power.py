"""``vqamt power``: computes the cases needed to detect a drop, and the smallest detectable drop."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.results import Grounded, RelationResult
from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.core.text import count_noun, number_of
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.view.format import aligned_table, describe_points, format_percent, format_rate, tagged
from pytest_vqamt.stats.power import (
    DETECTED,
    MOST_SCENES,
    EffectAssumptions,
    Prospect,
    RegressionGate,
    assumed_discordance,
    assumptions_from,
    largest_drop,
    ruled_out_if_unchanged,
    scenes_needed,
    smallest_drop,
)
from pytest_vqamt.stats.thresholds import APART, TotalKind

_DROPS = "0.02,0.05,0.1,0.2"
"""The drops that a table has where none is given."""
_RATE = "0.85"
"""The pass rate before, where none is given."""
_RELATIONS = 30
"""The relations that are gated together, where no report has its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "The gate is that of --vqamt-baseline: a drop of the pass rate, on the same cases, that is larger than "
        "--vqamt-max-drop and significant after Holm's correction for so many relations. All shares are from 0 to 1. "
        "With --report, each relation has the pass rate, or with --grounded the grounded rate, the scenes and the "
        "spread that it has there. See docs/explanation/statistics.md for what is assumed."
    )
    parser.add_argument(
        "--drop", metavar="D[,D...]", action="append", help=f"drops to be seen (default: {_DROPS}; with --report, 0.05)"
    )
    parser.add_argument("--cases", metavar="N[,N...]", action="append", help="the smallest drop seen with N cases")
    parser.add_argument("--rate", metavar="RATE", help=f"the pass or grounded rate before (default: {_RATE})")
    parser.add_argument(
        "--max-drop", metavar="R", default="0", help="the drop that --vqamt-max-drop lets pass (default: 0)"
    )
    parser.add_argument("--report", metavar="DIR", type=Path, help="a report of one's own, for each of its relations")
    parser.add_argument(
        "--grounded", action="store_true", help="with --report, the drop of the grounded rate of each relation"
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the tables."""
    # Without a report --rate is the rate, whichever it is: --grounded would change nothing.
    if arguments.grounded and arguments.report is None:
        raise OptionError(
            "Expected --grounded with --report DIR, which has the grounded rates, but got no --report: name one, or "
            "give the grounded rate as --rate"
        )
    report = arguments.report is not None
    print("\n".join(_lines_of_report(_report_power(arguments)) if report else _lines_of_cases(_design(arguments))))
    return ExitStatus.OK


def _design(arguments: argparse.Namespace) -> DesignPower:
    rate = _share("--rate", arguments.rate or _RATE)
    # With --cases alone only the table of detectable drops is printed.
    drops = arguments.drop or ([] if arguments.cases else [_DROPS])
    gate = _gate_of(_RELATIONS, _share("--max-drop", arguments.max_drop))
    return DesignPower(
        rate=rate,
        gate=gate,
        drops=_drops(drops, gate.max_drop),
        cases=tuple(_whole("--cases", each) for each in _listed(arguments.cases or [])),
    )


def _report_power(arguments: argparse.Namespace) -> ReportPower:
    # The report has a rate and a number of cases for each relation.
    for option, given in (("--rate", arguments.rate), ("--cases", arguments.cases)):
        if given is not None:
            raise OptionError(f"Expected {option} or --report, which has its own, but got both: leave one off")
    max_drop = _share("--max-drop", arguments.max_drop)
    return ReportPower(
        folder=arguments.report,
        max_drop=max_drop,
        drops=_drops(arguments.drop or ["0.05"], max_drop),
        grounded=arguments.grounded,
    )


def _gate_of(together: int, max_drop: float = 0.0) -> RegressionGate:
    """The gate on one of several rates. With others, the gate on all together takes half of the significance level."""
    # As ``Totals.families``: a single relation has no total to share its level with.
    return RegressionGate(relations=max(1, together), max_drop=max_drop, families=2 if together > 1 else 1)


def _drops(texts: Sequence[str], max_drop: float) -> tuple[float, ...]:
    drops = tuple(_share("--drop", each) for each in _listed(texts))
    for drop in drops:
        # No number of cases could be computed for it.
        if drop <= max_drop:
            raise OptionError(
                f"Expected drops above --max-drop={max_drop:g}, which the gate lets pass however many cases "
                f"there are, but got --drop={drop:g}"
            )
    return drops


def _listed(texts: Sequence[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",")]


def _share(option: str, text: str) -> float:
    try:
        share = number_of(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise OptionError(f"Expected a share from 0 to 1, as 0.05 for 5 percent points, but got {option}={text!r}")
    return share


def _whole(option: str, text: str) -> int:
    # `int` takes "٣" and texts of any length, which take it long.
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= MOST_SCENES):
        raise OptionError(f"Expected a whole number from 1 to {MOST_SCENES:,}, but got {option}={text!r}")
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignPower:
    """A run that is planned, with one case a scene."""

    rate: float
    """The pass rate before, from 0 to 1."""
    gate: RegressionGate
    """The gate that a drop must miss."""
    drops: tuple[float, ...]
    """The drops that need a number of cases; empty for no such table."""
    cases: tuple[int, ...]
    """The numbers of cases that need a drop; empty for no such table."""

    def __post_init__(self) -> None:
        for drop in self.drops:
            # The rate cannot fall by more than what noise leaves of it.
            if drop > self.largest_drop:
                raise OptionError(
                    f"Expected a drop of at most {self.largest_drop:g}, from a pass rate of {self.rate:g} of which "
                    f"{self.differ / 2:g} is lost by chance already, but got --drop={drop:g}"
                )

    @property
    def differ(self) -> float:
        """The share of cases that come out otherwise by chance, half of them in either direction."""
        return assumed_discordance(self.rate)

    @property
    def largest_drop(self) -> float:
        return largest_drop(self.rate, self.differ)


def _lines_of_cases(design: DesignPower) -> Iterator[str]:
    """The assumptions, and a table for the drops and one for the cases."""
    yield (
        f"the gate is missed by a drop above {describe_points(design.gate.max_drop)} that is significant among "
        f"{design.gate.relations} relations; a drop counts as seen where that has a chance of "
        f"{format_percent(DETECTED)}"
    )
    yield (
        f"{format_rate(design.rate)} of the cases held before, {format_rate(design.differ)} come out otherwise by "
        "chance; they are one a scene"
    )
    if design.drops:
        yield ""
        yield from aligned_table([("drop", "cases"), *(_needed(design, drop) for drop in design.drops)])
    if design.cases:
        yield ""
        yield from aligned_table([("cases", "smallest drop"), *(_seen(design, cases) for cases in design.cases)])


def _needed(design: DesignPower, drop: float) -> tuple[str, ...]:
    cases = scenes_needed(EffectAssumptions(drop=drop, differ=design.differ), design.gate, DETECTED)
    return describe_points(drop), f"over {MOST_SCENES:,}" if cases is None else f"{cases:,}"


def _seen(design: DesignPower, cases: int) -> tuple[str, ...]:
    assumed = EffectAssumptions(drop=0.0, differ=design.differ)
    drop = smallest_drop(cases, assumed, design.gate, DETECTED, design.largest_drop)
    return f"{cases:,}", "none" if drop is None else f"{100 * drop:.1f} points"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPower:
    """The options of the table of a report."""

    folder: Path
    """The report."""
    max_drop: float
    """The drop that the gate lets pass."""
    drops: tuple[float, ...]
    """The columns of the table, one per drop."""
    grounded: bool
    """True for grounded rates in place of pass rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A row of the table."""

    result: RelationResult
    """The relation's result in the report."""
    rated: RelationResult | Grounded
    """Where its cases by scene are: the result itself, or its grounded rate."""
    prospect: EffectAssumptions
    """The noise, the sizes of scenes and their correlation, as the report has them."""
    smallest: float | None
    """The smallest drop that as many scenes detect; None if they detect none."""
    needed: tuple[int | None, ...]
    """The cases for each drop; None if no number detects it."""


def _lines_of_report(query: ReportPower) -> Iterator[str]:
    """The assumptions, and a table of the relations that would be gated."""
    results, gate = _gated(query)
    many = "" if gate.relations == len(results) else "pass rates and grounded rates"
    yield (
        f"the gate is missed by a drop above {describe_points(gate.max_drop)} that is significant among "
        f"{count_noun(gate.relations, 'relation', many)}; a drop counts as seen where that has a chance of "
        f"{format_percent(DETECTED)}"
    )
    yield ""
    head = (
        "relation",
        "cases",
        "scenes",
        "grounded" if query.grounded else "pass rate",
        "differ",
        "alike",
        "smallest drop",
    )
    several = len({(result.model.name, result.data.name) for result in results}) > 1
    items = (_item(query, gate, result) for result in results)
    yield from aligned_table(
        [
            (*head, *(f"cases for {describe_points(drop)}" for drop in query.drops)),
            *(_cells(item, several) for item in items),
        ]
    )


def _gated(query: ReportPower) -> tuple[list[RelationResult], RegressionGate]:
    """The relations with a rate of the kind that is meant, and the gate on all rates of the report together."""
    with_pass_rate, with_grounded_rate = _rated(read_report(query.folder).relations)
    results = with_grounded_rate if query.grounded else with_pass_rate
    # Nothing was judged, or no case has a contrast.
    if not results:
        what, how = ("cases with a contrast", "above 0 in --vqamt-contrast") if query.grounded else ("judged cases", "")
        raise DataError(
            f"Expected a report with {what} by scene, but got none in {str(query.folder)!r}: make it anew with "
            f"--vqamt-report{f' and a share {how}' if how else ''}"
        )
    return results, _gate_of(len(with_pass_rate) + len(with_grounded_rate), query.max_drop)


def _rated(results: Sequence[RelationResult]) -> tuple[list[RelationResult], list[RelationResult]]:
    """The relations whose pass rates are gated, and those whose grounded rates are."""
    gated = [each for each in results if not APART.intersection(each.tags)]
    # A directional relation is its own contrast: its pass rate is its grounded rate.
    return [each for each in gated if each.clusters.judged], [
        each for each in gated if each.grounded and each.grounded.clusters.judged and not each.directional
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestDrop:
    """The smallest drop of one rate that its cases detect with a chance of 0.8."""

    name: str
    """The relation variant, with "grounded" in brackets for its grounded rate."""
    cases: int
    """How many cases the rate is of."""
    rate: float
    """The rate, from 0 to 1."""
    drop: float | None
    """From 0 to 1."""
    ruled_out: float
    """The drop that a run with the same answers rules out."""
    pictures: int
    """How many pictures the cases are on."""
    kind: TotalKind | None = None
    """The kind of a total; None for a relation."""
    prospect: Prospect | None = None
    """The prospect of a total; None for a relation."""


def smallest_drops(results: Sequence[RelationResult]) -> tuple[SmallestDrop, ...]:
    """The smallest detectable drop of each gated rate of ``results``, all gated together and no drop allowed."""
    with_pass_rate, with_grounded_rate = _rated(results)
    gate = _gate_of(len(with_pass_rate) + len(with_grounded_rate))
    several = len({(each.model.name, each.data.name) for each in results}) > 1
    rated: list[tuple[RelationResult, RelationResult | Grounded, tuple[str, ...]]] = [
        *((each, each, ()) for each in with_pass_rate),
        *((each, each.grounded, ("grounded",)) for each in with_grounded_rate if each.grounded),
    ]
    return tuple(
        SmallestDrop(
            name=tagged(f"{each.item}-{each.model.name}-{each.data.name}" if several else each.item, tags),
            cases=of.clusters.judged,
            rate=of.clusters.holds / of.clusters.judged,
            drop=_smallest_of(of.clusters, _prospect(of), gate),
            ruled_out=ruled_out_if_unchanged(of.clusters),
            pictures=of.clusters.scenes,
        )
        for each, of, tags in rated
    )


def _prospect(rated: RelationResult | Grounded) -> EffectAssumptions:
    return assumptions_from(rated.clusters, None if rated.change is None else rated.change.paired)


def _smallest_of(clusters: Clusters, prospect: EffectAssumptions, gate: RegressionGate) -> float | None:
    rate = clusters.holds / clusters.judged
    return smallest_drop(clusters.scenes, prospect, gate, DETECTED, rate) if rate > 0 else None


def _item(query: ReportPower, gate: RegressionGate, result: RelationResult) -> _Item:
    rated = result.grounded if query.grounded and result.grounded else result
    prospect = _prospect(rated)
    # A drop that is not possible has "-" in its column.
    largest = largest_drop(rated.clusters.holds / rated.clusters.judged, prospect.differ)
    needed: list[int | None] = []
    for drop in query.drops:
        scenes = scenes_needed(replace(prospect, drop=drop), gate, DETECTED) if drop <= largest else None
        needed.append(None if scenes is None else round(scenes * prospect.cases_a_scene))
    return _Item(
        result=result,
        rated=rated,
        prospect=prospect,
        smallest=_smallest_of(rated.clusters, prospect, gate),
        needed=tuple(needed),
    )


def _cells(item: _Item, several: bool) -> tuple[str, ...]:
    result, clusters = item.result, item.rated.clusters
    return (
        result.id_in_baseline if several else result.item,
        f"{clusters.judged:,}",
        f"{clusters.scenes:,}",
        format_rate(clusters.holds / clusters.judged),
        format_rate(item.prospect.differ),
        # One case a scene: there is no correlation to speak of.
        "-" if clusters.judged == clusters.scenes else f"{item.prospect.icc:z.2f}",
        "none" if item.smallest is None else f"{100 * item.smallest:.1f} points",
        *("-" if cases is None else f"{cases:,}" for cases in item.needed),
    )
