"""The gates of items on rates, and of all relations together; ``conclude`` adds those on items' drops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import (
    COMPARED,
    HELD,
    HOLDS,
    MAX_UNREAD,
    PRESUMED,
    BaselineTotal,
    Gate,
    Grounded,
    JudgedCases,
    RelationResult,
)
from pytest_vqamt.core.tallies import Clusters, GroundedCells, PairedClusters, PairedSceneTally, Tally
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of, may_fall, with_holm_gates
from pytest_vqamt.stats.thresholds import (
    APART,
    Drops,
    GateKind,
    GateOn,
    Threshold,
    TotalKind,
    allowed_drop_of,
    threshold_for,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_OUTCOMES = 4
"""The outcomes of a case in two runs: holds in both, in the first, in the second, in none."""


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
    # Declined without refusals: the adapter knows that its model cannot answer, which is no failure of the model.
    if threshold is None or (tally.cases and tally.declined - tally.refused == tally.cases):
        return None
    reached = tally.pass_rate if on is GateOn.POINT else interval[0]
    # A gate that judged nothing must not pass: nobody would see that it is empty.
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
    """Returns the unread rate if it is above ``max_unread``, so that the item meets no gate; else None."""
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
    # Presumed cases are gated only by a pattern that names the item, hence the tag.
    of_presumed = (
        _grounded(presumed, threshold_for(item, (*tags, "presumed"), thresholds), on, unread, version_before)
        if presumed.cells.total
        else None
    )
    threshold = threshold_for(item, tags, thresholds)
    if not sure.cells.total:
        # A bare rate is for all items that have contrasts; naming an item says that it must have some.
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
    """How many cases hold or not, by how their contrasts came out."""
    chance: Figure
    """The grounded rate that guessing would give."""
    clusters: Clusters
    """The cases by scene, for the interval."""
    paired: PairedClusters
    """The same cases in the baseline and now; empty without a baseline."""


class Totals(NamedTuple):
    """Comparisons with the baseline over all items of each model and data source, before their gates."""

    relations: tuple[BaselineTotal, ...]
    """Of all relations together."""
    accuracy: tuple[BaselineTotal, ...]
    """Of the answers to questions that come with answers."""
    gated: tuple[bool, ...]
    """True for each that has a gate, relations first. One relation alone has its own gate already."""

    def allowed(self, drops: Drops) -> tuple[float | None, ...]:
        """The drop that each gate allows; None where there is no gate, or the rate cannot fall so far."""
        both = (*self.relations, *self.accuracy)
        kinds = (*(TotalKind.RELATIONS for _ in self.relations), *(TotalKind.ACCURACY for _ in self.accuracy))
        of_kinds = [allowed_drop_of(drops, kind) for kind in kinds]
        return tuple(
            drop if has and drop is not None and may_fall(each.change, drop) else None
            for has, drop, each in zip(self.gated, of_kinds, both, strict=True)
        )

    def families(self, drops: Drops) -> int:
        """The families of tests that share the significance level: relations one by one, and these."""
        # Two families at most: this is the factor of Bonferroni's correction between them.
        return 1 + any(drop is not None for drop in self.allowed(drops))

    def with_gates(self, drops: Drops) -> Totals:
        """Returns the same with Holm-adjusted p-values and gates, on half of the significance level."""
        both = (*self.relations, *self.accuracy)
        changes = with_holm_gates([each.change for each in both], self.allowed(drops), self.families(drops))
        made = tuple(replace(each, change=change) for each, change in zip(both, changes, strict=True))
        return self._replace(relations=made[: len(self.relations)], accuracy=made[len(self.relations) :])


def baseline_totals(results: Sequence[RelationResult]) -> Totals:
    """Returns the comparisons over all items with the baseline, for each model and data source.

    The test and the interval are those of one item. Their scenes have the cases of all relations, because the cases of
    a scene are correlated. Items without single cases are left out. A question that several relations ask counts once.
    """
    judged: dict[tuple[str, str], list[JudgedCases]] = {}
    right: dict[tuple[str, str], list[JudgedCases]] = {}
    for result in results:
        part = result.model.name, result.data.name
        # Relations apart are in no figure over all relations.
        if result.judged is not None and not APART.intersection(result.tags):
            judged.setdefault(part, []).append(result.judged)
        if result.right is not None:
            right.setdefault(part, []).append(result.right)
    relations = {part: paired_over(items) for part, items in judged.items()}
    accuracy = {part: paired_over(items, each_once=True) for part, items in right.items()}
    # Of a single relation, the total is that relation's own comparison.
    several = {part: sum(_shares_cases(items) for items in some) > 1 for part, some in judged.items()}
    return Totals(
        relations=tuple(_total(part, paired) for part, paired in relations.items() if paired.shared),
        accuracy=tuple(_total(part, paired) for part, paired in accuracy.items() if paired.shared),
        gated=(
            *(several[part] for part, paired in relations.items() if paired.shared),
            *(True for paired in accuracy.values() if paired.shared),
        ),
    )


def _total(part: tuple[str, str], paired: PairedClusters) -> BaselineTotal:
    return BaselineTotal(model=part[0], data=part[1], change=change_of(paired))


def _compared(records: NDArray[np.void]) -> NDArray[np.bool_]:
    bits = records["bits"]
    compared: NDArray[np.bool_] = (bits & COMPARED > 0) & (bits & PRESUMED == 0)
    return compared


def _shares_cases(judged: JudgedCases) -> bool:
    return bool(_compared(records_of(judged)).any())


def paired_over(items: Sequence[JudgedCases], *, each_once: bool = False) -> PairedClusters:
    """The compared cases of all items, or the compared questions, which several items may ask."""
    import numpy as np

    records = np.concatenate([records_of(each) for each in items])
    records = records[_compared(records)]
    # The digest of a question is its case here: several relations ask it of the same picture.
    if each_once:
        _, first = np.unique(records["case"], return_index=True)
        records = records[first]
    bits = records["bits"]
    return paired_by_scene(records["scene"], bits & HELD > 0, bits & HOLDS > 0)


def records_of(judged: JudgedCases) -> NDArray[np.void]:
    """Returns the records with the fields "case" and "scene" (uint64, digests), and "bits" (uint8)."""
    import numpy as np

    # Big-endian, as written: the same bytes on every machine.
    return np.frombuffer(bytes(judged.records), dtype=[("case", ">u8"), ("scene", ">u8"), ("bits", "u1")])


def paired_by_scene(scenes: NDArray[np.uint64], first: NDArray[np.bool_], second: NDArray[np.bool_]) -> PairedClusters:
    """Returns the cases by scene, with the same counts as a ``SceneCounter``, by whether they hold in each run."""
    import numpy as np

    if not scenes.size:
        return PairedClusters()
    # In the order of ``PairedSceneTally``: 0 holds in both, 1 in the first, 2 in the second, 3 in none.
    kind = 2 * ~first + ~second
    names, of_scene = np.unique(scenes, return_inverse=True)
    counts = np.bincount(of_scene * _OUTCOMES + kind, minlength=_OUTCOMES * names.size).reshape(-1, _OUTCOMES)
    # Scenes with the same counts are one row: most reports have few kinds of scenes.
    alike, times = np.unique(counts, axis=0, return_counts=True)
    return PairedClusters(
        tuple(PairedSceneTally(*map(int, (*row, number))) for row, number in zip(alike, times, strict=True))
    )
