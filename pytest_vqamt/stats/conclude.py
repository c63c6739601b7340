"""The end of a run: what is computed over all of its items, once the cases of each are counted.

A session, ``vqamt.run`` and ``vqamt merge`` end here, and ``vqamt compare`` takes its gates from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import BaselineChange, BaselineUse, Gate, RelationResult, Report
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.gates import unread_rate_above
from pytest_vqamt.stats.model_ranking import differences, rankings
from pytest_vqamt.stats.model_tables import summaries
from pytest_vqamt.stats.noise import with_noise
from pytest_vqamt.stats.paired import may_fall, with_holm_gates
from pytest_vqamt.stats.papers import coverage_tables
from pytest_vqamt.stats.thresholds import APART, Drops, GateKind, allowed_drop
from pytest_vqamt.stats.totals import baseline_totals


class Concluded(NamedTuple):
    """The items of a run with noise and gates on drops, and its baseline with what is compared over all items."""

    relations: tuple[RelationResult, ...]
    baseline: BaselineUse | None


def conclude(results: Sequence[RelationResult], use: BaselineUse | None, max_unread: float) -> Concluded:
    """Returns the results in the same order.

    Args:
        results: all items of the run.
        use: the baseline of the run, with ``max_drop``; ``new``, ``totals`` and ``accuracy`` are made here.
        max_unread: the unread rate above which an item meets no gate.
    """
    relations = with_noise(results)
    if use is None:
        return Concluded(relations, None)
    totals = baseline_totals(relations)
    relations = with_baseline_gates(relations, use.max_drop, max_unread, totals.families(use.max_drop))
    totals = totals.with_gates(use.max_drop)
    new = tuple(result.id_in_baseline for result in relations if result.all_cases and result.change is None)
    return Concluded(relations, replace(use, new=new, totals=totals.relations, accuracy=totals.accuracy))


def with_tables(report: Report) -> Report:
    """Returns the report with the tables that are computed from its items alone."""
    relations = report.relations
    return replace(
        report,
        coverage=coverage_tables(relations),
        summaries=summaries(relations),
        ranking=rankings(relations),
        differences=differences(relations),
    )


class GatedChange(NamedTuple):
    """A change of a rate since the baseline, before the gates of all are known."""

    item: str
    change: BaselineChange
    read: Tally
    """The cases by which the unread rate of the item is judged (``RelationResult.read_tally``)."""
    may_have_gate: bool
    """False of controls, relations tagged "baseline" and presumed cases: they are compared and never gated."""


def with_gates_on_drops(
    found: Sequence[GatedChange], drops: Drops, max_unread: float, families: int
) -> tuple[BaselineChange, ...]:
    """Returns the changes in the same order, with Holm-adjusted p-values and gates.

    What ``drops`` does not name has no gate, nor has a rate that cannot fall by more than it allows. A rate whose item
    is unread above ``max_unread`` misses its gate, also if no judged case is left to compare. ``families`` are as in
    ``with_holm_gates``.
    """
    allowed = [allowed_drop(drops, each.item) for each in found]
    gated = [
        drop if each.may_have_gate and drop is not None and may_fall(each.change, drop) else None
        for each, drop in zip(found, allowed, strict=True)
    ]
    held = with_holm_gates([each.change for each in found], gated, families)
    return tuple(
        change if drop is None or not each.may_have_gate else _missed_if_unread(change, each.read, drop, max_unread)
        for each, drop, change in zip(found, allowed, held, strict=True)
    )


def _missed_if_unread(change: BaselineChange, tally: Tally, allowed: float, max_unread: float) -> BaselineChange:
    unread = unread_rate_above(tally, max_unread)
    if unread is None:
        return change
    held = change.gate or Gate(kind=GateKind.DROP.value, threshold=allowed, on="holm", met=False)
    return replace(change, gate=replace(held, met=False, unread=unread, uncertain=False))


def with_baseline_gates(
    results: Sequence[RelationResult], drops: Drops, max_unread: float, families: int = 1
) -> tuple[RelationResult, ...]:
    """Returns the results in the same order, with Holm-adjusted p-values and gates for those in the baseline.

    Every item that shares judged cases with the baseline is gated on its pass rate, and on its grounded rate where both
    have contrasts (``with_gates_on_drops``). Where all relations together, or accuracies, are gated too, they have half
    of the significance level, so that at most one in twenty runs of an unchanged model fails.
    """
    may_have_gate = [not APART.intersection(result.tags) for result in results]
    found = [
        (place, is_grounded, GatedChange(result.item, change, result.read_tally, may_have_gate[place]))
        for place, result in enumerate(results)
        for is_grounded, change in ((False, result.change), (True, result.grounded.change if result.grounded else None))
        if change is not None
    ]
    gated = with_gates_on_drops([each for *_, each in found], drops, max_unread, families)
    made = {(place, is_grounded): change for (place, is_grounded, _), change in zip(found, gated, strict=True)}
    return tuple(
        replace(
            result,
            change=made.get((place, False)),
            grounded=replace(result.grounded, change=made.get((place, True))) if result.grounded else None,
        )
        for place, result in enumerate(results)
    )
