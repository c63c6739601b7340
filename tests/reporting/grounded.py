"""Grounded rates made by hand."""

from __future__ import annotations

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.results import Gate, Grounded
from pytest_vqamt.core.tallies import Clusters, GroundedCells, SceneTally
from pytest_vqamt.stats.intervals import pass_rate_interval


def grounded(
    changed: int, unchanged: int, *others: int, gate: Gate | None = None, presumed: Grounded | None = None
) -> Grounded:
    """``changed`` and ``unchanged`` consistent cases, and inconsistent ones; guessing reaches 1/4."""
    cells = GroundedCells(
        consistent_changed=changed,
        consistent_unchanged=unchanged,
        **dict(zip(("inconsistent_changed", "inconsistent_unchanged"), others, strict=False)),
    )
    kinds = (SceneTally(0, 1, cells.cases - changed), SceneTally(1, 1, changed))
    clusters = Clusters(tuple(each for each in kinds if each.scenes))
    return Grounded(
        cells=cells,
        interval=pass_rate_interval(clusters),
        chance=Figure(cells.cases, 250_000 * cells.cases),
        clusters=clusters,
        gate=gate,
        presumed=presumed,
    )
