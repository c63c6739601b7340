"""The gates of items: thresholds on the pass rate, and limits on its drop since the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.results import MAX_UNREAD, BaselineChange, Gate, Grounded, RelationResult
from pytest_vqamt.core.tallies import Clusters, GroundedCells, PairedClusters, Tally
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of, may_fall, with_holm_gates
from pytest_vqamt.stats.thresholds import (
    NEVER_GATED,
    Drops,
    GateKind,
    GateOn,
    Threshold,
    allowed_drop,
    threshold_for,
)
from pytest_vqamt.stats.totals import baseline_totals


def gate(
    item: str,
    tags: Sequence[str],
    tally: Tally,
    interval: tuple[float, float],
    thresholds: Sequence[Threshold],
    on: GateOn,
    max_unread: float = MAX_UNREAD,
) -> Gate | None:
    """Returns the gate of an item, or None without a threshold.

    An item misses its gate without judged cases, and if its unread rate is above ``max_unread``. An item whose cases
    the model's adapter has all declined has no gate. ``interval`` is that of the pass rate.
    """
    threshold = threshold_for(item, tags, thresholds)
    if threshold is None or (tally.cases and tally.declined - tally.refused == tally.cases):
        return None
    reached = tally.pass_rate if on is GateOn.POINT else interval[0]
    met = tally.judged > 0 and reached is not None and reached >= threshold.rate
    unread = _too_high(tally, max_unread)
    return Gate(
        kind=GateKind.PASS_RATE.value,
        threshold=threshold.rate,
        on=on.value,
        met=met and unread is None,
        unread=unread,
    )


def _too_high(tally: Tally, max_unread: float) -> float | None:
    """The unread rate if it is above ``max_unread``."""
    rate = tally.unread_rate
    return rate if rate is not None and rate > max_unread else None


def grounded_result(
    item: str,
    tags: Sequence[str],
    sure: GroundedCounts,
    presumed: GroundedCounts,
    thresholds: Sequence[Threshold],
    on: GateOn,
    *,
    tally: Tally,
    max_unread: float,
    version_before: int | None,
) -> Grounded | None:
    """Returns the grounded rate of an item with its interval, gate and change; None without a case and without a gate.

    A bare rate gates the items with contrasts; a pattern that names an item also gates it without any, and is missed.
    No gate is met if the unread rate of ``tally``, that of the item (``RelationResult.read_tally``), is above
    ``max_unread``.
    ``version_before`` is that of the relation in the baseline; None where the rate is not compared with one.
    """
    unread = _too_high(tally, max_unread)
    of_presumed = (
        _grounded(presumed, threshold_for(item, (*tags, "presumed"), thresholds), on, unread, version_before)
        if presumed.cells.total
        else None
    )
    threshold = threshold_for(item, tags, thresholds)
    if not sure.cells.total:
        if of_presumed is not None or threshold is None or not threshold.names_relations:
            threshold = None
        if of_presumed is None and threshold is None:
            return None
    return replace(_grounded(sure, threshold, on, unread, version_before), presumed=of_presumed)


def _grounded(
    counts: GroundedCounts,
    threshold: Threshold | None,
    on: GateOn,
    unread: float | None,
    version_before: int | None,
) -> Grounded:
    cells, within = counts.cells, pass_rate_interval(counts.clusters)
    held = None
    if threshold is not None:
        reached = cells.rate if on is GateOn.POINT else within[0]
        met = cells.cases > 0 and reached is not None and reached >= threshold.rate and unread is None
        held = Gate(kind=GateKind.GROUNDED_RATE.value, threshold=threshold.rate, on=on.value, met=met, unread=unread)
    return Grounded(
        cells=cells,
        interval=within,
        chance=counts.chance,
        clusters=counts.clusters,
        gate=held,
        change=change_of(counts.paired, version_before=version_before) if version_before else None,
    )


class GroundedCounts(NamedTuple):
    """The counts of an item's cases with a contrast."""

    cells: GroundedCells
    chance: Figure
    clusters: Clusters
    paired: PairedClusters


def with_baseline_gates(
    results: Sequence[RelationResult], drops: Drops, max_unread: float = MAX_UNREAD
) -> tuple[RelationResult, ...]:
    """Returns the results in the same order, with Holm-adjusted p-values and gates for those in the baseline.

    Every item that shares judged cases with the baseline is gated on its pass rate, and on its grounded rate where both
    have contrasts, except controls and relations tagged "baseline", and rates that cannot fall by more than ``drops``
    allows. Presumed cases are compared but not gated. An item whose unread rate is above ``max_unread`` misses the
    gate, also if it has no judged case left to compare. Where all relations together, or accuracies, are gated too
    (``baseline_totals``), they have half of the significance level, so that at most one in twenty runs of an unchanged
    model fails.
    """
    found = [
        (place, is_grounded, change)
        for place, result in enumerate(results)
        for is_grounded, change in ((False, result.change), (True, result.grounded.change if result.grounded else None))
        if change is not None
    ]
    may_be = [not {NEVER_GATED, "baseline"}.intersection(results[place].tags) for place, _, _ in found]
    allowed = [allowed_drop(drops, results[place].item) for place, _, _ in found]
    gated = [
        drop if may and may_fall(change, drop) else None
        for may, drop, (_, _, change) in zip(may_be, allowed, found, strict=True)
    ]
    held = with_holm_gates([change for _, _, change in found], gated, baseline_totals(results).families(drops))
    made = {
        (place, is_grounded): missed_if_unread(change, results[place].read_tally, drop, max_unread) if may else change
        for may, drop, (place, is_grounded, _), change in zip(may_be, allowed, found, held, strict=True)
    }
    return tuple(
        replace(
            result,
            change=made.get((place, False)),
            grounded=replace(result.grounded, change=made.get((place, True))) if result.grounded else None,
        )
        for place, result in enumerate(results)
    )


def missed_if_unread(change: BaselineChange, tally: Tally, max_drop: float, max_unread: float) -> BaselineChange:
    """The change with a missed gate if the unread rate of ``tally`` is above ``max_unread``."""
    unread = _too_high(tally, max_unread)
    if unread is None:
        return change
    held = change.gate or Gate(kind=GateKind.DROP.value, threshold=max_drop, on="holm", met=False)
    return replace(change, gate=replace(held, met=False, unread=unread, uncertain=False))
