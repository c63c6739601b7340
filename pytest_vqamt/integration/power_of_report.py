"""What ``vqamt power --report`` says of the relations of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.text import table
from pytest_vqamt.stats.power import Demand, Prospect, prospect_of, scenes_needed, smallest_drop

_NOT_GATED = frozenset({"control", "baseline"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAsked:
    """The question; what is None is as the report has it."""

    folder: Path
    relations: int | None
    max_drop: float
    power: float
    differ: float | None
    icc: float | None
    drops: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """What is said of one relation: None of a drop that no number of cases shows."""

    result: RelationResult
    prospect: Prospect
    smallest: float | None
    needed: tuple[int | None, ...]


def lines_of_report(asked: ReportAsked) -> Iterator[str]:
    """What is asked, and a table of the relations that would be gated."""
    results = _gated(asked)
    demand = _demand_of_report(asked, results)
    yield (
        f"the gate is missed by a drop above {demand.max_drop:g} that is significant among {demand.relations} "
        f"relations; a drop counts as seen where that has a chance of {asked.power:g}"
    )
    yield ""
    head = ("relation", "cases", "scenes", "pass rate", "differ", "alike", "smallest drop")
    several = len({(result.model.name, result.data.spec) for result in results}) > 1
    items = (_item(asked, demand, result) for result in results)
    yield from table(
        [(*head, *(f"cases for {drop:g}" for drop in asked.drops)), *(_cells(item, several) for item in items)]
    )


def row_of_report(asked: ReportAsked) -> dict[str, Json]:
    """The same as one JSON object."""
    results = _gated(asked)
    demand = _demand_of_report(asked, results)
    return {
        "report": str(asked.folder),
        "relations": demand.relations,
        "max_drop": demand.max_drop,
        "power": asked.power,
        "items": [_row(_item(asked, demand, result), asked.drops) for result in results],
    }


def _gated(asked: ReportAsked) -> list[RelationResult]:
    results = [
        result
        for result in read_report(asked.folder).relations
        if result.clusters.judged and not _NOT_GATED.intersection(result.tags)
    ]
    if not results:
        raise DataError(
            f"Expected a report with judged cases by scene, but got none in {str(asked.folder)!r}: make it anew with "
            "--vqamt-report"
        )
    return results


def _demand_of_report(asked: ReportAsked, results: Sequence[RelationResult]) -> Demand:
    return Demand(relations=asked.relations or len(results), max_drop=asked.max_drop)


def _item(asked: ReportAsked, demand: Demand, result: RelationResult) -> _Item:
    clusters = result.clusters
    paired = None if result.change is None else result.change.paired
    prospect = prospect_of(clusters, paired, differ=asked.differ, icc=asked.icc)
    largest = min(clusters.holds / clusters.judged, 1 - prospect.differ / 2) - prospect.differ / 2
    needed: list[int | None] = []
    for drop in asked.drops:
        scenes = scenes_needed(replace(prospect, drop=drop), demand, asked.power) if drop <= largest else None
        needed.append(None if scenes is None else round(scenes * prospect.cases_a_scene))
    return _Item(
        result=result,
        prospect=prospect,
        smallest=smallest_drop(clusters.scenes, prospect, demand, asked.power, largest) if largest > 0 else None,
        needed=tuple(needed),
    )


def _cells(item: _Item, several: bool) -> tuple[str, ...]:
    result, clusters = item.result, item.result.clusters
    return (
        f"{result.item}-{result.model.name}-{result.data.spec}" if several else result.item,
        f"{clusters.judged:,}",
        f"{clusters.scenes:,}",
        f"{clusters.holds / clusters.judged:.3f}",
        f"{item.prospect.differ:.3f}",
        "-" if clusters.judged == clusters.scenes else f"{item.prospect.icc:.2f}",
        "none" if item.smallest is None else f"{item.smallest:.4f}",
        *("-" if cases is None else f"{cases:,}" for cases in item.needed),
    )


def _row(item: _Item, drops: Sequence[float]) -> dict[str, Json]:
    result, clusters = item.result, item.result.clusters
    return {
        "id": result.item,
        "model": result.model.name,
        "data": result.data.spec,
        "cases": clusters.judged,
        "scenes": clusters.scenes,
        "pass_rate": clusters.holds / clusters.judged,
        "differ": item.prospect.differ,
        "icc": None if clusters.judged == clusters.scenes else item.prospect.icc,
        "smallest_drop": item.smallest,
        "needed": [{"drop": drop, "cases": cases} for drop, cases in zip(drops, item.needed, strict=True)],
    }
