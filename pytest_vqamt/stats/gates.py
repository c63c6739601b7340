"""The gates of items: thresholds on the pass rate, and limits on its drop since the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import MAX_UNREAD, Gate, Grounded
from pytest_vqamt.core.tallies import Clusters, GroundedCells, PairedClusters, Tally
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.thresholds import (
    GateKind,
    GateOn,
    Threshold,
    threshold_for,
)


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
    unread = unread_rate_above(tally, max_unread)
    return Gate(
        kind=GateKind.PASS_RATE.value,
        threshold=threshold.rate,
        on=on.value,
        met=met and unread is None,
        unread=unread,
    )


def unread_rate_above(tally: Tally, max_unread: float) -> float | None:
    """Returns the unread rate if it is above ``max_unread``: then the item meets no gate."""
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
    unread = unread_rate_above(tally, max_unread)
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
