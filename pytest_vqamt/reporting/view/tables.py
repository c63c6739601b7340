"""Tables that terminal, Markdown and HTML lay out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.reporting.view.format import aligned_table, tagged


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


def text_cell(text: str) -> TableCell:
    """A cell that is sorted by its text."""
    return TableCell(text=text, key=text)


def text_table(rows: Sequence[Sequence[str]], *, caption: str = "", notes: Sequence[str] = ()) -> ViewTable:
    """A table of texts, of which the first row is the head."""
    head, *lines = rows
    return ViewTable(
        heads=column_heads(*head),
        rows=tuple(tuple(map(text_cell, line)) for line in lines),
        caption=caption,
        notes=tuple(notes),
    )
