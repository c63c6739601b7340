"""``vqamt power``: computes the cases needed to detect a drop, and the smallest detectable drop."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.results import Grounded, RelationResult
from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.view.format import aligned_table, describe_points, format_percent, format_rate, tagged
from pytest_vqamt.stats.power import (
    MOST_SCENES,
    EffectAssumptions,
    Prospect,
    RegressionGate,
    assumed_discordance,
    assumptions_from,
    power,
    ruled_out_if_unchanged,
    scenes_needed,
    smallest_drop,
)
from pytest_vqamt.stats.thresholds import TotalKind

_DROPS = "0.02,0.05,0.1,0.2"
_RATE, _ICC, _POWER, _RELATIONS = "0.85", "0.3", "0.8", "30"
_MOST_CASES_A_SCENE = 100
"""With more, the outcomes of a scene take too long to enumerate."""


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
        "--differ",
        metavar="SHARE",
        help="the share of cases that come out otherwise by chance, half of them in either direction (default: RATE x "
        "(1 - RATE), half as many as if the two runs had nothing in common; with --report of a run against a baseline, "
        "as many as there)",
    )
    parser.add_argument("--cases-per-scene", metavar="N", help="cases of one picture (default: 1)")
    parser.add_argument(
        "--icc",
        metavar="SHARE",
        help="how much alike what becomes of the cases of one scene is, as a correlation: from 0, each for itself, to "
        f"1, all the same (default: {_ICC}; with --report, as much as there)",
    )
    parser.add_argument(
        "--comparisons",
        metavar="N",
        help=f"how many are gated together (default: {_RELATIONS}; with --report, its own, and its grounded rates)",
    )
    parser.add_argument("--power", metavar="SHARE", default=_POWER, help="how surely it is to be seen (default: 0.8)")
    parser.add_argument(
        "--max-drop", metavar="R", default="0", help="the drop that --vqamt-max-drop lets pass (default: 0)"
    )
    parser.add_argument("--report", metavar="DIR", type=Path, help="a report of one's own, for each of its relations")
    parser.add_argument(
        "--grounded", action="store_true", help="with --report, the drop of the grounded rate of each relation"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")


def run(arguments: argparse.Namespace) -> int:
    """Prints the tables."""
    if arguments.grounded and arguments.report is None:
        raise OptionError(
            "Expected --grounded with --report DIR, which has the grounded rates, but got no --report: name one, or "
            "give the grounded rate as --rate"
        )
    if arguments.report is None:
        of_cases = _design(arguments)
        row, lines = (row_of_cases(of_cases), ()) if arguments.json else ({}, lines_of_cases(of_cases))
    else:
        of_report = _report_power(arguments)
        row, lines = (row_of_report(of_report), ()) if arguments.json else ({}, lines_of_report(of_report))
    print(json.dumps(row, ensure_ascii=False, indent=1) if arguments.json else "\n".join(lines))
    return ExitStatus.OK


def _design(arguments: argparse.Namespace) -> DesignPower:
    rate = _share("--rate", arguments.rate or _RATE)
    drops = arguments.drop or ([] if arguments.cases else [_DROPS])
    demand = _demand(arguments, _RELATIONS)
    return DesignPower(
        rate=rate,
        differ=assumed_discordance(rate) if arguments.differ is None else _share("--differ", arguments.differ),
        cases_a_scene=_whole("--cases-per-scene", arguments.cases_per_scene or "1", _MOST_CASES_A_SCENE),
        icc=_share("--icc", arguments.icc or _ICC),
        demand=demand,
        power=_chance(arguments.power),
        drops=_drops(drops, demand),
        cases=tuple(_whole("--cases", each) for each in _listed(arguments.cases or [])),
    )


def _report_power(arguments: argparse.Namespace) -> ReportPower:
    for option, given in (
        ("--rate", arguments.rate),
        ("--cases", arguments.cases),
        ("--cases-per-scene", arguments.cases_per_scene),
    ):
        if given is not None:
            raise OptionError(f"Expected {option} or --report, which has its own, but got both: leave one off")
    demand = _demand(arguments, "1")
    return ReportPower(
        folder=arguments.report,
        relations=None if arguments.comparisons is None else demand.relations,
        max_drop=demand.max_drop,
        power=_chance(arguments.power),
        differ=None if arguments.differ is None else _share("--differ", arguments.differ),
        icc=None if arguments.icc is None else _share("--icc", arguments.icc),
        drops=_drops(arguments.drop or ["0.05"], demand),
        grounded=arguments.grounded,
    )


def _demand(arguments: argparse.Namespace, relations: str) -> RegressionGate:
    together = _whole("--comparisons", arguments.comparisons or relations)
    return _gate_of(together, _share("--max-drop", arguments.max_drop))


def _gate_of(together: int, max_drop: float = 0.0) -> RegressionGate:
    """The gate on one of several rates. With others, the gate on all together takes half of the significance level."""
    return RegressionGate(relations=max(1, together), max_drop=max_drop, families=2 if together > 1 else 1)


def _drops(texts: Sequence[str], demand: RegressionGate) -> tuple[float, ...]:
    drops = tuple(_share("--drop", each) for each in _listed(texts))
    for drop in drops:
        if drop <= demand.max_drop:
            raise OptionError(
                f"Expected drops above --max-drop={demand.max_drop:g}, which the gate lets pass however many cases "
                f"there are, but got --drop={drop:g}"
            )
    return drops


def _listed(texts: Sequence[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",")]


def _chance(text: str) -> float:
    chance = _share("--power", text)
    if not 0 < chance < 1:
        raise OptionError(f"Expected a chance between 0 and 1, but got --power={text!r}")
    return chance


def _share(option: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise OptionError(f"Expected a share from 0 to 1, as 0.05 for 5 percent points, but got {option}={text!r}")
    return share


def _whole(option: str, text: str, most: int = MOST_SCENES) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most):
        raise OptionError(f"Expected a whole number from 1 to {most:,}, but got {option}={text!r}")
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignPower:
    """A design: the cases needed for ``drops``, and the drops detectable with ``cases``."""

    rate: float
    differ: float
    cases_a_scene: int
    icc: float
    demand: RegressionGate
    power: float
    drops: tuple[float, ...]
    cases: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.differ > 2 * (1 - self.rate) or self.differ > 2 * self.rate:
            raise OptionError(
                f"Expected a share of at most {2 * min(self.rate, 1 - self.rate):g} that differs by chance, half of it "
                f"in either direction, at a pass rate of {self.rate:g}, but got --differ={self.differ:g}"
            )
        for drop in self.drops:
            if drop > self.largest_drop:
                raise OptionError(
                    f"Expected a drop of at most {self.largest_drop:g}, from a pass rate of {self.rate:g} of which "
                    f"{self.differ / 2:g} is lost by chance already, but got --drop={drop:g}"
                )

    @property
    def largest_drop(self) -> float:
        return self.rate - self.differ / 2

    def prospect(self, drop: float) -> EffectAssumptions:
        return EffectAssumptions(drop=drop, differ=self.differ, sizes=((self.cases_a_scene, 1.0),), icc=self.icc)


def lines_of_cases(design: DesignPower) -> Iterator[str]:
    """Yields the assumptions, and a table for the drops and one for the cases."""
    yield from _assumptions(design)
    if design.drops:
        yield ""
        yield from aligned_table([("drop", "cases", "scenes"), *(_needed(design, drop) for drop in design.drops)])
    if design.cases:
        yield ""
        yield from aligned_table(
            [("cases", "scenes", "smallest drop"), *(_seen(design, cases) for cases in design.cases)]
        )


def row_of_cases(design: DesignPower) -> dict[str, Json]:
    """The same as one JSON object; ``power`` of a drop is that of the cases needed."""
    needed: list[Json] = []
    for drop in design.drops:
        scenes = scenes_needed(design.prospect(drop), design.demand, design.power)
        needed.append(
            {
                "drop": drop,
                "cases": None if scenes is None else scenes * design.cases_a_scene,
                "scenes": scenes,
                "power": None if scenes is None else power(scenes, design.prospect(drop), design.demand),
            }
        )
    return {
        "rate": design.rate,
        "differ": design.differ,
        "cases_per_scene": design.cases_a_scene,
        "icc": design.icc if design.cases_a_scene > 1 else None,
        "relations": design.demand.relations,
        "max_drop": design.demand.max_drop,
        "power": design.power,
        "needed": needed,
        "seen": [
            {"cases": cases, "scenes": _scenes(design, cases), "drop": _smallest(design, cases)}
            for cases in design.cases
        ],
    }


def _assumptions(design: DesignPower) -> Iterator[str]:
    yield (
        f"the gate is missed by a drop above {describe_points(design.demand.max_drop)} that is significant among "
        f"{count_noun(design.demand.relations, 'relation')}; a drop counts as seen where that has a chance of "
        f"{format_percent(design.power)}"
    )
    spread = "one a scene"
    if design.cases_a_scene > 1:
        spread = f"{design.cases_a_scene} a scene, alike by {design.icc:g}"
    yield (
        f"{format_rate(design.rate)} of the cases held before, {format_rate(design.differ)} come out otherwise by "
        f"chance; they are {spread}"
    )


def _needed(design: DesignPower, drop: float) -> tuple[str, ...]:
    scenes = scenes_needed(design.prospect(drop), design.demand, design.power)
    if scenes is None:
        return describe_points(drop), f"over {MOST_SCENES * design.cases_a_scene:,}", f"over {MOST_SCENES:,}"
    return describe_points(drop), f"{scenes * design.cases_a_scene:,}", f"{scenes:,}"


def _seen(design: DesignPower, cases: int) -> tuple[str, ...]:
    drop = _smallest(design, cases)
    return f"{cases:,}", f"{_scenes(design, cases):,}", "none" if drop is None else f"{100 * drop:.1f} points"


def _scenes(design: DesignPower, cases: int) -> int:
    return max(1, cases // design.cases_a_scene)


def _smallest(design: DesignPower, cases: int) -> float | None:
    return smallest_drop(_scenes(design, cases), design.prospect(0.0), design.demand, design.power, design.largest_drop)


_NOT_GATED = frozenset({"control", "baseline"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPower:
    """The power of a report; None takes the value of the report."""

    folder: Path
    relations: int | None
    max_drop: float
    power: float
    differ: float | None
    icc: float | None
    drops: tuple[float, ...]
    grounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """The results of one relation; None for drops that no number of cases can detect.

    ``rated`` has the cases by scene: the relation's own, or those with a contrast.
    """

    result: RelationResult
    rated: RelationResult | Grounded
    prospect: EffectAssumptions
    smallest: float | None
    needed: tuple[int | None, ...]


def lines_of_report(query: ReportPower) -> Iterator[str]:
    """Yields the assumptions, and a table of the relations that would be gated."""
    results, demand = _gated(query)
    is_of_relations = demand.relations in (query.relations, len(results))
    many = "" if is_of_relations else "pass rates and grounded rates"
    yield (
        f"the gate is missed by a drop above {describe_points(demand.max_drop)} that is significant among "
        f"{count_noun(demand.relations, 'relation', many)}; a drop counts as seen where that has a chance of "
        f"{format_percent(query.power)}"
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
    items = (_item(query, demand, result) for result in results)
    yield from aligned_table(
        [
            (*head, *(f"cases for {describe_points(drop)}" for drop in query.drops)),
            *(_cells(item, several) for item in items),
        ]
    )


def row_of_report(query: ReportPower) -> dict[str, Json]:
    """The same as one JSON object."""
    results, demand = _gated(query)
    return {
        "report": str(query.folder),
        "grounded": query.grounded,
        "relations": demand.relations,
        "max_drop": demand.max_drop,
        "power": query.power,
        "items": [_row(_item(query, demand, result), query.drops) for result in results],
    }


def _gated(query: ReportPower) -> tuple[list[RelationResult], RegressionGate]:
    """The relations with a rate of the kind that is meant, and the gate on all rates of the report together."""
    with_pass_rate, with_grounded_rate = _rated(read_report(query.folder).relations)
    results = with_grounded_rate if query.grounded else with_pass_rate
    if not results:
        what, how = ("cases with a contrast", "above 0 in --vqamt-contrast") if query.grounded else ("judged cases", "")
        raise DataError(
            f"Expected a report with {what} by scene, but got none in {str(query.folder)!r}: make it anew with "
            f"--vqamt-report{f' and a share {how}' if how else ''}"
        )
    together = query.relations or len(with_pass_rate) + len(with_grounded_rate)
    return results, _gate_of(together, query.max_drop)


def _rated(results: Sequence[RelationResult]) -> tuple[list[RelationResult], list[RelationResult]]:
    """The relations whose pass rates are gated, and those whose grounded rates are."""
    gated = [each for each in results if not _NOT_GATED.intersection(each.tags)]
    return [each for each in gated if each.clusters.judged], [
        each for each in gated if each.grounded and each.grounded.clusters.judged and not each.directional
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestDrop:
    """The smallest drop of a rate that is detected with a chance of 0.8; None if none is."""

    name: str
    """Of the relation, with "grounded" in brackets for its grounded rate."""
    cases: int
    rate: float
    drop: float | None
    ruled_out: float
    """The drop that a run with the same answers rules out."""
    kind: TotalKind | None = None
    """None of a relation."""
    prospect: Prospect | None = None
    """Of a total: what more cases would show."""


def smallest_drops(results: Sequence[RelationResult]) -> tuple[SmallestDrop, ...]:
    """The smallest detectable drop of each gated rate of ``results``, all gated together and no drop allowed."""
    with_pass_rate, with_grounded_rate = _rated(results)
    demand = _gate_of(len(with_pass_rate) + len(with_grounded_rate))
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
            drop=_smallest_of(of.clusters, _prospect(of), demand, float(_POWER)),
            ruled_out=ruled_out_if_unchanged(of.clusters),
        )
        for each, of, tags in rated
    )


def _prospect(
    rated: RelationResult | Grounded, *, differ: float | None = None, icc: float | None = None
) -> EffectAssumptions:
    paired = None if rated.change is None else rated.change.paired
    return assumptions_from(rated.clusters, paired, differ=differ, icc=icc)


def _largest(clusters: Clusters, prospect: EffectAssumptions) -> float:
    """The largest drop that there can be beside the noise."""
    return min(clusters.holds / clusters.judged, 1 - prospect.differ / 2) - prospect.differ / 2


def _smallest_of(
    clusters: Clusters, prospect: EffectAssumptions, demand: RegressionGate, target: float
) -> float | None:
    rate = clusters.holds / clusters.judged
    return smallest_drop(clusters.scenes, prospect, demand, target, rate) if rate > 0 else None


def _item(query: ReportPower, demand: RegressionGate, result: RelationResult) -> _Item:
    rated = result.grounded if query.grounded and result.grounded else result
    prospect = _prospect(rated, differ=query.differ, icc=query.icc)
    largest = _largest(rated.clusters, prospect)
    needed: list[int | None] = []
    for drop in query.drops:
        scenes = scenes_needed(replace(prospect, drop=drop), demand, query.power) if drop <= largest else None
        needed.append(None if scenes is None else round(scenes * prospect.cases_a_scene))
    return _Item(
        result=result,
        rated=rated,
        prospect=prospect,
        smallest=_smallest_of(rated.clusters, prospect, demand, query.power),
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
        "-" if clusters.judged == clusters.scenes else f"{item.prospect.icc:z.2f}",
        "none" if item.smallest is None else f"{100 * item.smallest:.1f} points",
        *("-" if cases is None else f"{cases:,}" for cases in item.needed),
    )


def _row(item: _Item, drops: Sequence[float]) -> dict[str, Json]:
    result, clusters = item.result, item.rated.clusters
    return {
        "id": result.item,
        "model": result.model.name,
        "data": result.data.name,
        "cases": clusters.judged,
        "scenes": clusters.scenes,
        "grounded_rate" if item.rated is not result else "pass_rate": clusters.holds / clusters.judged,
        "differ": item.prospect.differ,
        "icc": None if clusters.judged == clusters.scenes else item.prospect.icc,
        "smallest_drop": item.smallest,
        "needed": [{"drop": drop, "cases": cases} for drop, cases in zip(drops, item.needed, strict=True)],
    }
