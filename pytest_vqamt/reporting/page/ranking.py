"""Several models: which is better on the whole, and on which relations any two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_vqamt.core.results import Difference, Ranked, RankedKind, Ranking, Report
from pytest_vqamt.reporting.page.figures import counted, rate, signed, span
from pytest_vqamt.reporting.page.links import chosen
from pytest_vqamt.reporting.view.overview import Cell, ColumnHead, Overview
from pytest_vqamt.stats.paired import SIGNIFICANT

_OVER: Mapping[RankedKind, str] = MappingProxyType(
    {
        RankedKind.RELATIONS: "",
        RankedKind.PRESUMED: ", presumed cases",
        RankedKind.BASELINE: ", relations tagged baseline",
        RankedKind.CONTROL: ", controls",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioned:
    """A table with what stands above it."""

    caption: str
    table: Overview


def rankings(report: Report) -> tuple[Captioned, ...]:
    """A table for each ranking of the report."""
    return tuple(map(_ranking, report.ranking))


def differences(report: Report) -> tuple[Captioned, ...]:
    """A table for every two models on each data source, the surest differences first."""
    pairs: dict[tuple[str, tuple[str, str]], list[Difference]] = {}
    for each in report.differences:
        pairs.setdefault((each.data, each.models), []).append(each)
    return tuple(_differences(data, models, found) for (data, models), found in pairs.items())


def best(report: Report) -> Iterator[str]:
    """Who is first in each ranking over relations, and how far ahead of the second."""
    for ranking in report.ranking:
        if ranking.kind is not RankedKind.RELATIONS:
            continue
        first, second = ranking.places[:2]
        told = (
            f"On {ranking.data}, {first.model} has the highest mean of {counted(len(ranking.items), 'pass rate')}, "
            f"{rate(first.mean)}; {second.model} has {rate(second.mean)}"
        )
        if second.behind:
            low, high = second.behind.interval
            told += f" ({signed(second.behind.difference)}, {signed(low)} to {signed(high)})"
        yield f"{told}."


def _ranking(ranking: Ranking) -> Captioned:
    heads = ("model", "mean pass rate", "95 % interval", "behind the first", "best in")
    return Captioned(
        caption=(
            f"{ranking.data}{_OVER[ranking.kind]}: mean of {counted(len(ranking.items), 'pass rate')}, each relation "
            "variant counting alike"
        ),
        table=Overview(
            heads=tuple(ColumnHead(name=name, is_number=bool(place)) for place, name in enumerate(heads)),
            rows=tuple(map(_place, ranking.places)),
        ),
    )


def _place(ranked: Ranked) -> tuple[Cell, ...]:
    behind = ranked.behind
    return (
        Cell(text=ranked.model, key=ranked.model, link=chosen(model=ranked.model)),
        Cell(text=rate(ranked.mean), key=repr(ranked.mean)),
        Cell(text="-", key="")
        if ranked.interval is None
        else Cell(text=span(ranked.interval), key=repr(ranked.interval[0])),
        Cell(text="-", key="")
        if behind is None
        else Cell(text=_between(behind.difference, behind.interval), key=repr(behind.difference)),
        Cell(text=f"{ranked.best_in:,}", key=str(ranked.best_in)),
    )


def _differences(data: str, models: tuple[str, str], found: list[Difference]) -> Captioned:
    first, second = models
    heads = (
        "relation",
        first,
        second,
        "difference",
        "p after Holm",
        "first alone holds",
        "second alone holds",
        "cases",
    )
    ordered = sorted(found, key=lambda each: (_p(each), each.p))
    surely = sum(_p(each) < SIGNIFICANT for each in found)
    tested = sum(each.p_holm is not None for each in found)
    return Captioned(
        caption=(
            f"{second} against {first} on {data}: they differ beyond chance in {surely:,} of "
            f"{counted(tested, 'relation variant')}"
        ),
        table=Overview(
            heads=tuple(ColumnHead(name=name, is_number=bool(place)) for place, name in enumerate(heads)),
            rows=tuple(_difference(each) for each in ordered),
        ),
    )


def _difference(each: Difference) -> tuple[Cell, ...]:
    paired = each.paired
    apart = paired.difference or 0.0
    surely = _p(each) < SIGNIFICANT
    return (
        Cell(
            text=each.item,
            key=each.item,
            link=chosen(relation=each.item, data=each.data),
            notes=("presumed",) if each.presumed else (),
        ),
        Cell(text=rate(paired.before), key=repr(paired.before)),
        Cell(text=rate(paired.after), key=repr(paired.after)),
        Cell(
            text=_between(apart, each.interval),
            key=repr(apart),
            state=("worse" if apart < 0 else "better") if surely else "",
        ),
        Cell(
            text="-" if each.p_holm is None else f"{each.p_holm:.2g}",
            key="" if each.p_holm is None else repr(each.p_holm),
        ),
        Cell(text=f"{paired.lost:,}", key=str(paired.lost)),
        Cell(text=f"{paired.won:,}", key=str(paired.won)),
        Cell(text=f"{paired.shared:,}", key=str(paired.shared)),
    )


def _p(each: Difference) -> float:
    """Of a control, which is not tested, 1."""
    return 1.0 if each.p_holm is None else each.p_holm


def _between(difference: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{signed(difference)} ({signed(low)} to {signed(high)})"
