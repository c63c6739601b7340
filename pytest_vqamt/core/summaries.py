"""Figures of a paper that are worked out from several items of a run: of one model on one data source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from pytest_vqamt.core.codec import Json

Cell: TypeAlias = str | int | float | None
"""A text, a count, a rate or another figure; None where there is nothing to work it out from."""
Cells: TypeAlias = Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A table with a name for each column.

    Attributes:
        kind: what it is about: "entailment", "captioning", "noise".
        model, data: the name of the model and the spec of the source.
        rows: each with the same names, in the same order; the first is a text.
        totals: figures of all rows together.
    """

    kind: str
    model: str
    data: str
    rows: tuple[Cells, ...]
    totals: Cells = field(default_factory=lambda: MappingProxyType({}))


def summary_row(summary: Summary) -> dict[str, Json]:
    """One entry of ``summaries`` in ``report.json``."""
    return {
        "kind": summary.kind,
        "model": summary.model,
        "data": summary.data,
        "rows": [dict(row) for row in summary.rows],
        "totals": dict(summary.totals),
    }
