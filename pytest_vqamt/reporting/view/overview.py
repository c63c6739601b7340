"""The table of the overview: a row for each line of the report, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.page.figures import demanded, rate, signed, span
from pytest_vqamt.reporting.page.links import chosen
from pytest_vqamt.reporting.page.papers import people, published_rates
from pytest_vqamt.reporting.page.since import is_worse, stands
from pytest_vqamt.reporting.view.lines import Line
from pytest_vqamt.stats.paired import Standing

_STANDINGS: Mapping[Standing | None, str] = MappingProxyType(
    {Standing.NO_WORSE: "shown to be no worse", Standing.UNCERTAIN: "too few cases to tell"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is shown; ``key`` is what its column is sorted by, a number written out or a text.

    ``link`` chooses its cases, ``notes`` stand beside it, ``state`` is "missed", "met", "worse" or "better".
    """

    text: str
    key: str
    link: str = ""
    notes: tuple[str, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column; an optional one is left out where none of its cells has anything to say."""

    name: str
    cell: Callable[[Line], Cell]
    is_number: bool = True
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHead:
    """The head of a column; numbers stand to the right."""

    name: str
    is_number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The table; its rows have a cell for each head."""

    heads: tuple[ColumnHead, ...]
    rows: tuple[tuple[Cell, ...], ...]


def overview(report: Report, lines: Sequence[Line]) -> Overview:
    """The table, with those columns that have something to say of this report."""
    several_models, several_data = len(report.models) > 1, len(report.data) > 1
    filled = [
        (column, cells)
        for column in _COLUMNS
        if (column.name != "model" or several_models) and (column.name != "data" or several_data)
        for cells in [[column.cell(line) for line in lines]]
        if not column.is_optional or any(cell.text not in ("-", "0") for cell in cells)
    ]
    return Overview(
        heads=tuple(ColumnHead(name=column.name, is_number=column.is_number) for column, _ in filled),
        rows=tuple(zip(*(cells for _, cells in filled), strict=True)),
    )


def _relation(line: Line) -> Cell:
    result = line.result
    link = chosen(relation=result.item, model=result.model.name, data=result.data.spec)
    return Cell(text=result.item, key=result.item, link=link, notes=line.tags)


def _gate(line: Line) -> Cell:
    gates = line.gates
    if not gates:
        return Cell(text="-", key="2")
    told = "; ".join(
        f"{word}: {', '.join(demanded(held) for held in gates if held.met is met)}"
        for word, met in (("missed", False), ("met", True))
        if any(held.met is met for held in gates)
    )
    known = stands(line)
    return Cell(
        text=told,
        key="0" if line.is_missed else "1",
        state="missed" if line.is_missed else "met",
        notes=(_STANDINGS[known],) if known in _STANDINGS else (),
    )


def _change(line: Line) -> Cell:
    change = line.counted.change
    if change is None or change.paired.difference is None:
        return Cell(text="-", key="")
    low, high = change.interval
    return Cell(
        text=f"{signed(change.paired.difference)} ({signed(low)} to {signed(high)})",
        key=repr(change.paired.difference),
        state="worse" if is_worse(line) else "better" if low > 0 else "",
    )


def _before(line: Line) -> Cell:
    change = line.counted.change
    return _of_rate(change.paired.before if change else None)


def _people(line: Line) -> Cell:
    known = people(line.result)
    if known is None:
        return _of_rate(None)
    return Cell(text=rate(known.rate), key=repr(known.rate), notes=("whole test",) if known.of_whole_test else ())


def _published(line: Line) -> Cell:
    rates = published_rates(line.result.item)
    return Cell(text=span((rates[0], rates[-1])), key=repr(rates[0])) if rates else _of_rate(None)


def _interval(line: Line) -> Cell:
    if not line.counted.tally.judged:
        return _of_rate(None)
    return Cell(text=span(line.counted.interval), key=repr(line.counted.interval[0]))


def _of_rate(value: float | None) -> Cell:
    return Cell(text=rate(value), key="" if value is None else repr(value))


def _of_count(name: str) -> Callable[[Line], Cell]:
    def cell(line: Line) -> Cell:
        count: int = getattr(line.counted.tally, name)
        return Cell(text=f"{count:,}" if count else "0", key=str(count))

    return cell


def _of_text(text: str) -> Cell:
    return Cell(text=text, key=text)


_COLUMNS: tuple[_Column, ...] = (
    _Column(name="relation", cell=_relation, is_number=False),
    _Column(name="model", cell=lambda line: _of_text(line.result.model.name), is_number=False),
    _Column(name="data", cell=lambda line: _of_text(line.result.data.spec), is_number=False),
    _Column(name="gate", cell=_gate, is_number=False),
    _Column(name="pass rate", cell=lambda line: _of_rate(line.counted.tally.pass_rate)),
    _Column(name="95 % interval", cell=_interval),
    _Column(name="baseline", cell=_before, is_optional=True),
    _Column(name="change", cell=_change, is_optional=True),
    _Column(name="cases", cell=_of_count("cases")),
    _Column(name="violated", cell=_of_count("violated")),
    _Column(name="unparsed", cell=_of_count("unparsed")),
    _Column(name="vacuous", cell=_of_count("vacuous")),
    _Column(name="errors", cell=_of_count("errors")),
    _Column(name="waived", cell=_of_count("waived"), is_optional=True),
    _Column(name="truncated", cell=_of_count("truncated"), is_optional=True),
    _Column(name="people", cell=_people, is_optional=True),
    _Column(name="published models", cell=_published, is_optional=True),
)
