"""The overview: a table with a row for each stratum of an item, with its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.core.results import Gate, RelationResult, Report
from pytest_vqamt.reporting.view.format import (
    describe_gate,
    format_difference,
    format_interval,
    format_percent,
    format_rate,
)
from pytest_vqamt.reporting.view.rows import (
    ResultRow,
    case_link,
    drop_gate_status,
    human_rate,
    is_significant_drop,
    published_rates,
)
from pytest_vqamt.reporting.view.tables import NO_CELL, ColumnHead, TableCell, ViewTable, column_heads, text_cell
from pytest_vqamt.stats.paired import ChangeStatus

_STATUSES: Mapping[ChangeStatus | None, str] = {
    ChangeStatus.NO_WORSE: "shown to be no worse",
    ChangeStatus.UNCERTAIN: "too few cases to tell",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column; an optional one is left out if all its cells are empty or zero."""

    name: str
    cell: Callable[[ResultRow], TableCell]
    is_number: bool = True
    is_optional: bool = False


def overview_table(report: Report, lines: Sequence[ResultRow]) -> ViewTable:
    """The table, with the columns that this report fills."""
    several_models, several_data = len(report.models) > 1, len(report.data) > 1
    filled = [
        (column, cells)
        for column in _COLUMNS
        if (column.name != "model" or several_models) and (column.name != "data" or several_data)
        for cells in [[column.cell(line) for line in lines]]
        if not column.is_optional or any(cell.text not in ("-", "0") for cell in cells)
    ]
    return ViewTable(
        heads=tuple(ColumnHead(name=column.name, is_number=column.is_number) for column, _ in filled),
        rows=tuple(zip(*(cells for _, cells in filled), strict=True)),
    )


_GROUNDED = "grounded"
_DECLINED = "declined"
_FLAKY = "flaky"
_RESULT_HEAD = (
    "relation", "cases", "pass rate", "95 % interval", _GROUNDED, "vacuous", "unparsed", "errors", _DECLINED, _FLAKY,
    "gate",
)  # fmt: skip


def results_table(results: Sequence[RelationResult]) -> ViewTable:
    """The narrow table of the terminal: a row for each stratum, also of items without a case.

    The column of grounded rates is left out if no case has a contrast, that of declined cases if there are none, and
    that of flaky ones if each query was asked once.
    """
    filled = {
        _GROUNDED: any(result.grounded for result in results),
        _DECLINED: any(result.declined for result in results),
        _FLAKY: any(stratum.repeated for result in results for stratum in result.strata),
    }
    lines = (
        ResultRow(result=result, counted=stratum, model=0)
        for result in results
        for stratum in result.strata
        if stratum.tally.cases or result.presumed is None
    )
    shown = [place for place, name in enumerate(_RESULT_HEAD) if filled.get(name, True)]
    return ViewTable(
        heads=column_heads(*(_RESULT_HEAD[place] for place in shown)),
        rows=tuple(tuple(row[place] for place in shown) for row in map(_narrow_row, lines)),
    )


def _narrow_row(line: ResultRow) -> tuple[TableCell, ...]:
    tally, rate_gate = line.counted.tally, line.counted.gate
    if not tally.cases:
        cells = (text_cell("0"), *[NO_CELL] * (len(_RESULT_HEAD) - 3), text_cell("not applicable"))
        return (_relation(line), *cells)
    gates = [(rate_gate, ""), *((part.gate, f"{_GROUNDED} ") for part in line.grounded)]
    texts = [
        f"{'met' if gate.met else 'MISSED'}: {what}{_sign(gate)} {gate.threshold:g}" for gate, what in gates if gate
    ]
    return (
        _relation(line),
        TableCell(
            text=str(tally.cases), key=str(tally.cases), notes=(f"{tally.waived} waived",) if tally.waived else ()
        ),
        _of_rate(tally.pass_rate),
        _interval(line),
        _of_grounded(line),
        text_cell(f"{tally.vacuous / tally.judged:.0%}") if tally.judged else NO_CELL,
        text_cell(str(tally.unparsed)),
        text_cell(str(tally.errors)),
        text_cell(str(tally.declined)),
        text_cell(str(tally.flaky)),
        text_cell("; ".join(texts)) if texts else NO_CELL,
    )


def _sign(gate: Gate) -> str:
    return "lower end >=" if gate.on == "lower-bound" else ">="


def _of_grounded(line: ResultRow) -> TableCell:
    """The grounded rate of sure contrasts; of presumed ones, which it says, if they have no row of their own."""
    sure, *presumed = (part for part in line.grounded) if line.grounded else (None,)
    notes = tuple(f"{format_rate(part.rate)} presumed" for part in presumed if part.cells.cases)
    state = "missed" if any(part.gate and not part.gate.met for part in line.grounded) else ""
    return replace(_of_rate(sure.rate if sure else None), notes=notes, state=state)


def _grounded_interval(line: ResultRow) -> TableCell:
    sure = line.grounded[0] if line.grounded else None
    if not sure or not sure.cells.cases:
        return _of_rate(None)
    return TableCell(text=format_interval(sure.interval), key=repr(sure.interval[0]))


def _by_chance(line: ResultRow) -> TableCell:
    return _of_rate(line.grounded[0].chance.mean if line.grounded else None)


def _relation(line: ResultRow) -> TableCell:
    result = line.result
    link = case_link(relation=result.item, model=result.model.name, data=result.data.spec)
    return TableCell(text=result.item, key=result.item, link=link, notes=line.tags)


def _gate(line: ResultRow) -> TableCell:
    gates = line.gates
    if not gates:
        return TableCell(text="-", key="2")
    text = "; ".join(
        f"{word}: {', '.join(describe_gate(held) for held in gates if held.met is met)}"
        for word, met in (("missed", False), ("met", True))
        if any(held.met is met for held in gates)
    )
    known = drop_gate_status(line)
    return TableCell(
        text=text,
        key="0" if line.is_missed else "1",
        state="missed" if line.is_missed else "met",
        notes=(_STATUSES[known],) if known in _STATUSES else (),
    )


def _change(line: ResultRow) -> TableCell:
    change = line.counted.change
    if change is None or change.paired.difference is None:
        return TableCell(text="-", key="")
    low, high = change.interval
    return TableCell(
        text=f"{format_difference(change.paired.difference)} ({format_difference(low)} to {format_difference(high)})",
        key=repr(change.paired.difference),
        state="worse" if is_significant_drop(line) else "better" if low > 0 else "",
    )


def _before(line: ResultRow) -> TableCell:
    change = line.counted.change
    return _of_rate(change.paired.first_rate if change else None)


def _humans(line: ResultRow) -> TableCell:
    known = human_rate(line.result)
    if known is None:
        return _of_rate(None)
    return TableCell(
        text=format_rate(known.rate), key=repr(known.rate), notes=("whole test",) if known.of_whole_test else ()
    )


def _published(line: ResultRow) -> TableCell:
    rates = published_rates(line.result.item)
    return TableCell(text=format_interval((rates[0], rates[-1])), key=repr(rates[0])) if rates else _of_rate(None)


def _interval(line: ResultRow) -> TableCell:
    if not line.counted.tally.judged:
        return _of_rate(None)
    return TableCell(text=format_interval(line.counted.interval), key=repr(line.counted.interval[0]))


def _pass_all(line: ResultRow) -> TableCell:
    return _of_rate(line.counted.repeated.pass_all_rate if line.counted.repeated else None)


def _unread(line: ResultRow) -> TableCell:
    rate = line.counted.tally.unread_rate
    return TableCell(text=format_percent(rate) if rate else "0", key=repr(rate or 0.0))


def _readable(line: ResultRow) -> TableCell:
    """The pass rate of the readable cases, if some are not."""
    tally = line.counted.tally
    return _of_rate(tally.readable_rate if tally.unread_cases else None)


def _of_rate(value: float | None) -> TableCell:
    return TableCell(text=format_rate(value), key="" if value is None else repr(value))


def _of_count(name: str) -> Callable[[ResultRow], TableCell]:
    def cell(line: ResultRow) -> TableCell:
        count: int = getattr(line.counted.tally, name)
        return TableCell(text=f"{count:,}" if count else "0", key=str(count))

    return cell


_COLUMNS: tuple[_Column, ...] = (
    _Column(name="relation", cell=_relation, is_number=False),
    _Column(name="model", cell=lambda line: text_cell(line.result.model.name), is_number=False),
    _Column(name="data", cell=lambda line: text_cell(line.result.data.spec), is_number=False),
    _Column(name="gate", cell=_gate, is_number=False),
    _Column(name="pass rate", cell=lambda line: _of_rate(line.counted.tally.pass_rate)),
    _Column(name="95 % interval", cell=_interval),
    _Column(name=_GROUNDED, cell=_of_grounded, is_optional=True),
    _Column(name="grounded 95 %", cell=_grounded_interval, is_optional=True),
    _Column(name="by guessing", cell=_by_chance, is_optional=True),
    _Column(name="baseline", cell=_before, is_optional=True),
    _Column(name="change", cell=_change, is_optional=True),
    _Column(name="cases", cell=_of_count("cases")),
    _Column(name="violated", cell=_of_count("violated")),
    _Column(name="unparsed", cell=_of_count("unparsed")),
    _Column(name="unread", cell=_unread, is_optional=True),
    _Column(name="readable pass rate", cell=_readable, is_optional=True),
    _Column(name="vacuous", cell=_of_count("vacuous")),
    _Column(name="errors", cell=_of_count("errors")),
    _Column(name=_DECLINED, cell=_of_count("declined"), is_optional=True),
    _Column(name="refused", cell=_of_count("refused"), is_optional=True),
    _Column(name=_FLAKY, cell=_of_count("flaky"), is_optional=True),
    _Column(name="pass@all", cell=_pass_all, is_optional=True),
    _Column(name="waived", cell=_of_count("waived"), is_optional=True),
    _Column(name="truncated", cell=_of_count("truncated"), is_optional=True),
    _Column(name="human reference", cell=_humans, is_optional=True),
    _Column(name="published models", cell=_published, is_optional=True),
)
