"""The overview: a table with a row for each stratum of an item, with its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.core.results import Gate, GateState, RelationResult, Report
from pytest_vqamt.reporting.view.format import (
    NO_CELL,
    ColumnHead,
    TableCell,
    ViewTable,
    column_heads,
    describe_gate,
    format_change,
    format_difference,
    format_interval,
    format_limit,
    format_percent,
    format_percents,
    format_rate,
    text_cell,
)
from pytest_vqamt.reporting.view.rows import (
    ResultRow,
    case_link,
    human_rate,
    is_significant_drop,
    published_rates,
)

_GROUNDED = "grounded"
_DECLINED = "declined"
_FLAKY = "flaky"
_RESULT_HEAD = (
    "relation", "cases", "pass rate", "95 % interval", _GROUNDED, "vacuous", "violated", "unread", "errors",
    _DECLINED, _FLAKY, "gate",
)  # fmt: skip

_STATES: Mapping[GateState, str] = {
    GateState.MISSED: "missed",
    GateState.CANNOT_TELL: "cannot tell (too few cases)",
    GateState.MET: "met",
}

# Attributes of Tally; the page names them as they are called here.
_APART = ("errors", "declined", "flaky", "waived")

_ONE = {"errors": "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column of the overview."""

    name: str
    """Its head."""
    cell: Callable[[ResultRow], TableCell]
    """Makes the cell of a row."""
    is_number: bool = True
    """True if the cells are aligned to the right."""
    is_optional: bool = False
    """True if the column is left out where all its cells are "-" or "0"."""


def overview_table(report: Report, lines: Sequence[ResultRow]) -> ViewTable:
    """The table, with the columns that this report fills."""
    several_models, several_data = len(report.models) > 1, len(report.data) > 1
    filled = [
        (column, cells)
        for column in _COLUMNS
        if (column.name != "model" or several_models) and (column.name != "data" or several_data)
        # A one-element list binds the cells, which the condition and the result both need.
        for cells in [[column.cell(line) for line in lines]]
        if not column.is_optional or any(cell.text not in ("-", "0") for cell in cells)
    ]
    return ViewTable(
        heads=tuple(ColumnHead(name=column.name, is_number=column.is_number) for column, _ in filled),
        rows=tuple(zip(*(cells for _, cells in filled), strict=True)),
    )


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
        # An item without a case has a row; the empty ordinary stratum of a presumed item has none.
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
        # All columns but the name, the cases and the last, which says why.
        cells = (text_cell("0"), *[NO_CELL] * (len(_RESULT_HEAD) - 3), text_cell("not applicable"))
        return (_relation(line), *cells)
    gates = [(rate_gate, ""), *((part.gate, f"{_GROUNDED} ") for part in line.grounded)]
    texts = [
        f"{'met' if gate.met else 'MISSED'}: {what}{_sign(gate)} {format_limit(gate.threshold)}"
        for gate, what in gates
        if gate
    ]
    return (
        _relation(line),
        TableCell(
            text=str(tally.cases), key=str(tally.cases), notes=(f"{tally.waived} waived",) if tally.waived else ()
        ),
        _of_rate(tally.pass_rate),
        _interval(line),
        _of_grounded(line),
        text_cell(format_percent(tally.vacuous / tally.judged if tally.judged else None)),
        text_cell(str(tally.violations)),
        text_cell(str(tally.unread_cases)),
        text_cell(str(tally.errors)),
        text_cell(str(tally.declined)),
        text_cell(str(tally.flaky)),
        text_cell("; ".join(texts)) if texts else NO_CELL,
    )


def _sign(gate: Gate) -> str:
    return "lower end >=" if gate.on == "lower-bound" else ">="


def _of_grounded(line: ResultRow) -> TableCell:
    """The grounded rate of sure contrasts, with presumed ones as a note unless they have a row."""
    sure, *presumed = (part for part in line.grounded) if line.grounded else (None,)
    notes = tuple(f"{format_rate(part.rate)} presumed" for part in presumed if part.cells.cases)
    state = "missed" if any(part.gate and not part.gate.met for part in line.grounded) else ""
    return replace(_of_rate(sure.rate if sure else None), notes=notes, state=state)


def _pass_rate(line: ResultRow) -> TableCell:
    tally = line.counted.tally
    return _with_interval(tally.pass_rate, line.counted.interval if tally.judged else None)


def _grounded(line: ResultRow) -> TableCell:
    """The grounded rate with its interval, what guessing reaches, and presumed contrasts without a row of their own."""
    sure, *presumed = (part for part in line.grounded) if line.grounded else (None,)
    cell = _with_interval(sure.rate if sure else None, sure.interval if sure and sure.cells.cases else None)
    by_chance = sure.chance.mean if sure and sure.cells.cases else None
    notes = [*cell.notes, *([f"by guessing {format_percent(by_chance)}"] if by_chance is not None else [])]
    notes += [f"{format_percent(part.rate)} presumed" for part in presumed if part.cells.cases]
    return replace(cell, notes=tuple(notes), state=_of_grounded(line).state)


def _with_interval(rate: float | None, interval: tuple[float, float] | None) -> TableCell:
    within = (format_percents(interval),) if interval else ()
    return TableCell(text=format_percent(rate), key="" if rate is None else repr(rate), notes=within)


def _relation(line: ResultRow) -> TableCell:
    result = line.result
    link = case_link(relation=result.item, model=result.model.name, data=result.data.name)
    return TableCell(text=result.item, key=result.item, link=link, notes=line.tags)


def _gate(line: ResultRow) -> TableCell:
    worst = line.gate_state
    if worst is None:
        # Sorts rows without a gate behind those with one.
        return TableCell(text="-", key=str(len(GateState)))
    # A dict as an ordered set: two gates of one requirement are named once.
    demands: dict[GateState, dict[str, None]] = {state: {} for state in GateState}
    for gate in line.gates:
        demands[gate.state][describe_gate(gate, is_grounded=line.is_of_grounded(gate))] = None
    return TableCell(
        text="; ".join(f"{_STATES[state]}: {', '.join(each)}" for state, each in demands.items() if each),
        key=str(tuple(GateState).index(worst)),
        state=worst.value.replace(" ", "-"),
    )


def _change(line: ResultRow) -> TableCell:
    change = line.counted.change
    if change is None or change.paired.difference is None:
        return TableCell(text="-", key="")
    low, high = change.interval
    return TableCell(
        text=format_change(change.paired.first_rate, change.paired.second_rate),
        key=repr(change.paired.difference),
        notes=(
            f"{format_difference(low)} to {format_difference(high)}",
            f"was {format_rate(change.paired.first_rate)}",
        ),
        # A rise has no corrected test: its interval decides.
        state="worse" if is_significant_drop(line) else "better" if low > 0 else "",
    )


def _reference(line: ResultRow) -> TableCell:
    known, rates = human_rate(line.result), published_rates(line.result.item)
    parts = []
    if known:
        parts.append(f"humans {format_percent(known.rate)}{' (whole test)' if known.of_whole_test else ''}")
    if rates:
        parts.append(f"published models {format_percents((rates[0], rates[-1]))}")
    return TableCell(text="; ".join(parts) or "-", key=repr(known.rate) if known else "")


def _apart(line: ResultRow) -> TableCell:
    """The cases that count in no rate, and those that count for little."""
    counts = {name: int(getattr(line.counted.tally, name)) for name in (*_APART, "vacuous", "truncated")}
    named = ((count, _ONE.get(name, name) if count == 1 else name) for name, count in counts.items())
    # Vacuous and truncated cases count in the rate, so they are named and not sorted by.
    text = ", ".join(f"{count:,} {name}" for count, name in named if count)
    return TableCell(text=text or "-", key=str(sum(counts[name] for name in _APART)))


def _interval(line: ResultRow) -> TableCell:
    if not line.counted.tally.judged:
        return _of_rate(None)
    return TableCell(text=format_interval(line.counted.interval), key=repr(line.counted.interval[0]))


def _pass_all(line: ResultRow) -> TableCell:
    return _with_interval(line.counted.repeated.pass_all_rate if line.counted.repeated else None, None)


def _unread(line: ResultRow) -> TableCell:
    tally = line.counted.tally
    both = (f"{tally.unread_holds:,} consistent",) if tally.unread_holds else ()
    notes = (format_percent(tally.unread_rate), *both) if tally.unread_cases else ()
    return TableCell(text=f"{tally.unread_cases:,}", key=str(tally.unread_cases), notes=notes)


def _readable(line: ResultRow) -> TableCell:
    """The pass rate of the readable cases, if some are not."""
    tally = line.counted.tally
    return _with_interval(tally.readable_rate if tally.unread_cases else None, None)


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
    _Column(name="data", cell=lambda line: text_cell(line.result.data.name), is_number=False),
    _Column(name="gate", cell=_gate, is_number=False, is_optional=True),
    _Column(name="pass rate", cell=_pass_rate),
    _Column(name=_GROUNDED, cell=_grounded, is_optional=True),
    _Column(name="change", cell=_change, is_optional=True),
    _Column(name="cases", cell=_of_count("cases")),
    _Column(name="violated", cell=_of_count("violations")),
    _Column(name="unread", cell=_unread, is_optional=True),
    _Column(name="readable pass rate", cell=_readable, is_optional=True),
    _Column(name="pass@all", cell=_pass_all, is_optional=True),
    _Column(name="apart", cell=_apart, is_number=False, is_optional=True),
    _Column(name="reference", cell=_reference, is_number=False, is_optional=True),
)
