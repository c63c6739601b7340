"""Pass rates by the facts that the papers break their figures down by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.page.figures import percent, rate
from pytest_vqamt.reporting.page.lanes import MARKS
from pytest_vqamt.reporting.view.lines import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a model reaches on the cases with a value of a fact."""

    mark: int
    model: str
    rate: str
    shown: str
    judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of a fact, with what each model reaches; None for one that had no such case."""

    text: str
    parts: tuple[Part | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """The rates of one relation variant by the values of one fact."""

    item: str
    tags: tuple[str, ...]
    data: str
    fact: str
    models: tuple[str, ...]
    values: tuple[Value, ...]


def breakdowns(lines: Sequence[Line]) -> tuple[Breakdown, ...]:
    """A breakdown for each fact of each relation variant and data source of which there are two values or more."""
    places: dict[tuple[str, bool, str], list[Line]] = {}
    for line in lines:
        places.setdefault((*line.place, line.result.data.spec), []).append(line)
    made = (
        _breakdown(same, fact)
        for same in places.values()
        for fact in dict.fromkeys(fact for line in same for fact in line.counted.breakdown)
    )
    return tuple(each for each in made if len(each.values) > 1)


def _breakdown(lines: Sequence[Line], fact: str) -> Breakdown:
    first = lines[0]
    values = {value for line in lines for value in line.counted.breakdown.get(fact, {})}
    return Breakdown(
        item=first.result.item,
        tags=first.tags,
        data=first.result.data.spec,
        fact=fact.replace("_", " "),
        models=tuple(line.result.model.name for line in lines),
        values=tuple(
            Value(
                text=value,
                parts=tuple(_part(line, line.counted.breakdown.get(fact, {}).get(value)) for line in lines),
            )
            for value in sorted(values, key=_in_order)
        ),
    )


def _part(line: Line, tally: Tally | None) -> Part | None:
    if tally is None or tally.pass_rate is None:
        return None
    return Part(
        mark=line.model % MARKS,
        model=line.result.model.name,
        rate=percent(tally.pass_rate),
        shown=rate(tally.pass_rate),
        judged=tally.judged,
    )


def _in_order(value: str) -> tuple[int, float, str]:
    """Numbers by their size, before texts."""
    try:
        number = float(value)
    except ValueError:
        return 1, 0.0, value
    return (0, number, value) if isfinite(number) else (1, 0.0, value)
