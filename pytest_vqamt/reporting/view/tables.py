"""Tables that terminal, Markdown and HTML lay out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A cell of a table.

    Attributes:
        key: the sort key, a number as text or a text.
        link: selects the cell's cases on the HTML page.
        notes: shown beside the text.
        state: "missed", "met", "worse", "better" or "".
    """

    text: str
    key: str
    link: str = ""
    notes: tuple[str, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHead:
    """The head of a column; columns of numbers are aligned to the right."""

    name: str
    is_number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTable:
    """A table whose rows have a cell for each head."""

    heads: tuple[ColumnHead, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    caption: str = ""

    @property
    def head_texts(self) -> tuple[str, ...]:
        return tuple(head.name for head in self.heads)

    @property
    def row_texts(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(cell.text for cell in row) for row in self.rows)


NO_CELL = TableCell(text="-", key="")
