"""The changes of items against a baseline or another run, as cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import BaselineChange, Gate, RelationResult
from pytest_vqamt.reporting.view.format import format_p, tagged
from pytest_vqamt.reporting.view.tables import ViewTable, text_table

CHANGE_HEAD = ("shared cases", "before", "now", "change", "95 % interval", "p (Holm)")


def change_cells(change: BaselineChange, *, unadjusted_p: bool = False) -> tuple[str, ...]:
    """A cell for each column of ``CHANGE_HEAD``.

    An item that is not gated has no Holm-adjusted p-value: its own one stands in brackets with ``unadjusted_p``.
    """
    before, after, difference = change.paired.first_rate, change.paired.second_rate, change.paired.difference
    if before is None or after is None or difference is None:
        return ("0", *("-" for _ in CHANGE_HEAD[1:]))
    low, high = change.interval
    own_p = f"({format_p(change.p)})" if unadjusted_p else "-"
    return (
        str(change.paired.shared),
        f"{before:.3f}",
        f"{after:.3f}",
        f"{difference:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
        own_p if change.p_holm is None else format_p(change.p_holm),
    )


def drop_gate_cell(gate: Gate | None) -> str:
    """Whether the gate on the drop is met, and the drop that it allows."""
    return "-" if gate is None else f"{'met' if gate.met else 'MISSED'}: drop <= {gate.threshold:g}"


def changes_table(results: Sequence[RelationResult]) -> ViewTable:
    """A row for each stratum with a change since the baseline."""
    rows = [row for result in results for row in _rows(result)]
    return text_table([("relation", *CHANGE_HEAD, "gate"), *rows])


def _rows(result: RelationResult) -> Iterator[tuple[str, ...]]:
    presumed = result.presumed.change if result.presumed else None
    for tags, change in ((result.tags, result.change), ((*result.tags, "presumed"), presumed)):
        if change and (change is presumed or change.paired.shared or not presumed):
            yield tagged(result.item, tags), *change_cells(change), drop_gate_cell(change.gate)
