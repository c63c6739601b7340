"""Tables that terminal, Markdown and HTML lay out, and the cells of changes against a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.results import BaselineChange, Gate, GateState, RelationResult
from pytest_vqamt.reporting.view.format import (
    aligned_table,
    describe_points,
    format_change,
    format_difference,
    format_p,
    format_percent,
    format_rate,
    tagged,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A cell of a table.

    Attributes:
        key: the sort key, a number as text or a text.
        link: selects the cell's cases on the HTML page.
        notes: shown beside the text.
        state: "missed", "cannot-tell", "met", "worse", "better" or "".
    """

    text: str
    key: str
    link: str = ""
    notes: tuple[str, ...] = ()
    state: str = ""


class Unit(StrEnum):
    """What the cells of a column are, as its head says it in a file."""

    TEXT = ""
    COUNT = "count"
    PERCENT = "%"
    POINTS = "points"
    SCORE = "0 to 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHead:
    """The head of a column; columns of numbers are aligned to the right."""

    name: str
    is_number: bool
    unit: Unit = Unit.TEXT
    """Named in the tables of the papers alone."""
    parts: tuple[str, ...] = ("",)
    """The numbers of a cell by name; "" is the one that the column is named after. A CSV has a column for each."""
    alone: str = ""
    """The name in a CSV, if it is another."""

    @property
    def bare(self) -> str:
        """The name without the unit."""
        return self.name.removesuffix(f" ({self.unit.value})")

    @property
    def of_parts(self) -> Iterator[str]:
        """A name for each part, with the unit."""
        for part in self.parts:
            name = f"{self.alone or self.bare}, {part}" if part else self.alone or self.bare
            yield f"{name} ({self.unit.value})" if self.unit else name


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTable:
    """A table whose rows have a cell for each head.

    In the tables of the papers, a first cell that begins with two spaces is part of the row above.
    """

    heads: tuple[ColumnHead, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()

    @property
    def head_texts(self) -> tuple[str, ...]:
        return tuple(head.name for head in self.heads)

    @property
    def row_texts(self) -> tuple[tuple[str, ...], ...]:
        """The texts of the cells, with their notes in brackets."""
        return tuple(tuple(tagged(cell.text, cell.notes) for cell in row) for row in self.rows)

    @property
    def lines(self) -> Iterator[str]:
        """The lines for a terminal, without the caption and the notes."""
        return aligned_table([self.head_texts, *self.row_texts])


NO_CELL = TableCell(text="-", key="")


def column_heads(*names: str) -> tuple[ColumnHead, ...]:
    """The heads of a column of texts and of columns of numbers."""
    return tuple(ColumnHead(name=name, is_number=place > 0) for place, name in enumerate(names))


def share_cell(share: float | None) -> TableCell:
    """A share in percent, with all its places for a sort key."""
    return TableCell(text=format_rate(share), key="" if share is None else f"{100 * share:.6g}")


def text_cell(text: str) -> TableCell:
    """A cell that is sorted by its text, a rate as a number."""
    return TableCell(text=text, key=text.removesuffix(" %").lstrip("<>") if text.endswith(" %") else text)


def text_table(
    rows: Sequence[Sequence[str]], *, caption: str = "", notes: Sequence[str] = (), units: Sequence[Unit] = ()
) -> ViewTable:
    """A table of texts, of which the first row is the head."""
    head, *lines = rows
    return unit_table(head, [list(map(text_cell, line)) for line in lines], units, caption=caption, notes=notes)


def unit_table(
    head: Sequence[str],
    rows: Sequence[Sequence[TableCell]],
    units: Sequence[Unit] = (),
    *,
    caption: str = "",
    notes: Sequence[str] = (),
) -> ViewTable:
    """A table of cells whose columns have ``units``; without these, texts."""
    heads = column_heads(*head)
    return ViewTable(
        heads=tuple(replace(each, unit=unit) for each, unit in zip(heads, units, strict=True)) if units else heads,
        rows=tuple(map(tuple, rows)),
        caption=caption,
        notes=tuple(notes),
    )


CHANGE_HEAD = ("shared cases", "before", "now", "points", "95 % interval", "p (Holm)")


def change_cells(change: BaselineChange, *, unadjusted_p: bool = False, two_sided: bool = False) -> tuple[str, ...]:
    """A cell for each column of ``CHANGE_HEAD``.

    An item that is not gated has no Holm-adjusted p-value: its own one, which may be ``two_sided``, stands in brackets
    with ``unadjusted_p``.
    """
    before, after, difference = change.paired.first_rate, change.paired.second_rate, change.paired.difference
    if before is None or after is None or difference is None:
        return ("0", *("-" for _ in CHANGE_HEAD[1:]))
    low, high = change.interval
    own_p = f"({format_p(change.p_two_sided if two_sided else change.p)})" if unadjusted_p else "-"
    return (
        str(change.paired.shared),
        format_rate(before),
        format_rate(after),
        format_change(before, after),
        f"{format_difference(low)} to {format_difference(high)}",
        own_p if change.p_holm is None else format_p(change.p_holm),
    )


def drop_gate_cell(gate: Gate | None) -> str:
    """The state of the gate on the drop, and the drop that it allows."""
    if gate is not None and gate.unread is not None and not gate.dropped:
        return f"MISSED: {format_percent(gate.unread)} unread"
    if gate is None:
        return "-"
    state = "MISSED" if gate.state is GateState.MISSED else gate.state.value
    return f"{state}: drop <= {describe_points(gate.threshold)}"


def changes_table(results: Sequence[RelationResult]) -> ViewTable:
    """A row for each stratum with a change since the baseline."""
    rows = [row for result in results for row in _rows(result)]
    return text_table([("relation", *CHANGE_HEAD, "gate"), *rows])


def _rows(result: RelationResult) -> Iterator[tuple[str, ...]]:
    presumed = result.presumed.change if result.presumed else None
    grounded = result.grounded.change if result.grounded and result.grounded.cells.total else None
    for tags, change in (
        (result.tags, result.change),
        ((*result.tags, "presumed"), presumed),
        ((*result.tags, "grounded"), grounded),
    ):
        if change and (change is presumed or change.paired.shared or not (presumed or change is grounded)):
            yield tagged(result.item, tags), *change_cells(change), drop_gate_cell(change.gate)
