"""Summaries as tables that a person can read: the names of the cells are the heads of the columns."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vqamt.core.results import Cell, Summary


def summary_rows(summary: Summary) -> list[tuple[str, ...]]:
    """The head and a row for each line of the summary."""
    if not summary.rows:
        return []
    return [tuple(summary.rows[0]), *(tuple(map(_shown, row.values())) for row in summary.rows)]


def totals_in_words(summary: Summary) -> Iterator[str]:
    """The totals that there are, a line each."""
    for name, value in summary.totals.items():
        if value is None:
            continue
        yield f"{name}: {_shown(value)}"


def _shown(cell: Cell) -> str:
    """A count in full, a rate or another figure to three places, "-" where there is none."""
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
