"""The end of a run: what is computed over all of its items, once the cases of each are counted.

A session, ``vqamt.run`` and ``vqamt merge`` end here, and ``vqamt compare`` takes its gates from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import (
    HOLDS,
    PRESUMED,
    BaselineChange,
    BaselineUse,
    GapToFirst,
    Gate,
    JudgedCases,
    ModelDifference,
    Noise,
    RankedModel,
    Ranking,
    RankingKind,
    RelationResult,
    Report,
    StratumResult,
)
from pytest_vqamt.core.tallies import Clusters, PairedClusters, SceneTally, Tally
from pytest_vqamt.stats.binomial import upper_quantile
from pytest_vqamt.stats.gates import baseline_totals, paired_by_scene, records_of, unread_rate_above
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.model_tables import summaries
from pytest_vqamt.stats.paired import SIGNIFICANT, between_models, may_fall, with_holm_gates
from pytest_vqamt.stats.papers import coverage_tables
from pytest_vqamt.stats.thresholds import APART, NEVER_GATED, Drops, GateKind, allowed_drop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Stratum = TypeVar("Stratum", bound=StratumResult)

FLOOR = "control.repeat"
"""The relation that asks each query twice. Its rate of violations is the noise floor of a run that asks once."""


class _Scored(NamedTuple):
    """The result of one model on one item."""

    tally: Tally
    """The counts of its ordinary, or of its presumed cases."""
    judged: JudgedCases | None
    """None if single cases are not recorded, as in a run of one model without a baseline."""

    @property
    def rate(self) -> float:
        return self.tally.pass_rate or 0.0


_Items = dict[str, dict[str, _Scored]]
"""Results by item, then by model in the order of the run."""


def rankings(results: Sequence[RelationResult]) -> tuple[Ranking, ...]:
    """Returns a ranking for each data source, kind of cases, and set of two or more models that share items.

    Each item is in one ranking: that of all models with a pass rate on it.
    """
    found: dict[tuple[str, RankingKind], _Items] = {}
    for result in results:
        for kind, tally in _kinds(result):
            # A model without a judged case on an item has no rate there: the item is ranked among the others.
            if tally.judged:
                items = found.setdefault((result.data.name, kind), {})
                items.setdefault(result.item, {})[result.model.name] = _Scored(tally, result.judged)
    ordered = sorted(found.items(), key=lambda each: tuple(RankingKind).index(each[0][1]))
    specs = dict.fromkeys(result.data.name for result in results)
    return tuple(
        _ranking(spec, kind, shared)
        for spec in specs
        for (data, kind), items in ordered
        if data == spec
        for shared in _by_models(items)
    )


def _kinds(result: RelationResult) -> Iterator[tuple[RankingKind, Tally]]:
    tagged = (kind for kind in (RankingKind.CONTROL, RankingKind.BASELINE) if kind.value in result.tags)
    # Controls, and the relations that papers compare theirs with, rank on their own.
    apart = next(tagged, None)
    yield apart or RankingKind.RELATIONS, result.tally
    if result.presumed:
        yield RankingKind.PRESUMED, result.presumed.tally


def _by_models(items: _Items) -> Iterator[_Items]:
    """Groups the items by their set of models, without those of a single model."""
    sets: dict[tuple[str, ...], _Items] = {}
    for item, scored in items.items():
        sets.setdefault(tuple(scored), {})[item] = scored
    # One model alone has nothing to be ranked with.
    return (shared for models, shared in sets.items() if len(models) > 1)


def _ranking(data: str, kind: RankingKind, items: _Items) -> Ranking:
    models = tuple(next(iter(items.values())))
    tallies = {model: sum((scored[model].tally for scored in items.values()), Tally()) for model in models}
    # Pooled over cases, not averaged over items: an item of few cases counts little.
    rates = {model: tally.pass_rate or 0.0 for model, tally in tallies.items()}
    first, *others = sorted(models, key=lambda model: -rates[model])
    pooled = _pooled(items, models, presumed=kind is RankingKind.PRESUMED)

    def place(model: str) -> RankedModel:
        return RankedModel(
            model=model,
            mean=rates[model],
            interval=pass_rate_interval(_clusters(pooled[model])) if pooled else None,
            best_in=sum(_is_best(model, scored) for scored in items.values()),
            behind=behind(model) if pooled and model != first else None,
        )

    def behind(model: str) -> GapToFirst | None:
        paired = paired_of(pooled[first], pooled[model])
        (change,) = between_models([paired], [True])
        if paired.difference is None:
            return None
        # The first is found from the data, so each comparison with it stands for those of all pairs (Bonferroni).
        p = min(1.0, change.p_two_sided * pairs)
        return GapToFirst(difference=paired.difference, interval=change.interval, p=p)

    pairs = comb(len(models), 2)
    return Ranking(data=data, kind=kind, items=tuple(items), places=tuple(map(place, (first, *others))))


def _is_best(model: str, scored: dict[str, _Scored]) -> bool:
    """True if each other model has a lower pass rate; of models with one rate none is the best."""
    return all(each.rate < scored[model].rate for name, each in scored.items() if name != model)


def _pooled(items: _Items, models: Sequence[str], *, presumed: bool) -> dict[str, CaseArrays]:
    """Returns the cases of all items for each model; nothing if single cases are not recorded."""
    import numpy as np

    cases: dict[str, list[CaseArrays]] = {model: [] for model in models}
    for scored in items.values():
        for model, (_, judged) in scored.items():
            # One item without single cases, as of an older report, is enough: the pool would lack its cases.
            if judged is None:
                return {}
            cases[model].append(arrays_of(judged, presumed=presumed))
    return {
        model: CaseArrays(*(np.concatenate(arrays) for arrays in zip(*of_items, strict=True)))
        for model, of_items in cases.items()
    }


def _clusters(cases: CaseArrays) -> Clusters:
    """Returns the cases by scene."""
    import numpy as np

    _, of_scene = np.unique(cases.scenes, return_inverse=True)
    counts = np.stack([np.bincount(of_scene, weights=cases.holds), np.bincount(of_scene)], axis=1).astype(np.int64)
    alike, times = np.unique(counts, axis=0, return_counts=True)
    return Clusters(tuple(SceneTally(*map(int, (*row, number))) for row, number in zip(alike, times, strict=True)))


class CaseArrays(NamedTuple):
    """The cases of an item in the order of their ids."""

    cases: NDArray[np.uint64]
    """The digests of the case ids, sorted."""
    scenes: NDArray[np.uint64]
    """The digests of the scene ids, one for each case."""
    holds: NDArray[np.bool_]
    """True where the case holds."""


def arrays_of(judged: JudgedCases, *, presumed: bool) -> CaseArrays:
    """Returns the presumed cases, or all others."""
    import numpy as np

    records = records_of(judged)
    records = records[(records["bits"] & PRESUMED > 0) == presumed]
    cases = records["case"].astype(np.uint64)
    # Sorted, so that two runs can be matched by case id.
    order = np.argsort(cases)
    return CaseArrays(cases[order], records["scene"].astype(np.uint64)[order], (records["bits"] & HOLDS > 0)[order])


def paired_of(first: CaseArrays, second: CaseArrays) -> PairedClusters:
    """Returns the shared cases by scene, with the same counts as a ``Spread``."""
    import numpy as np

    _, in_first, in_second = np.intersect1d(first.cases, second.cases, assume_unique=True, return_indices=True)
    return paired_by_scene(first.scenes[in_first], first.holds[in_first], second.holds[in_second])


def differences(results: Sequence[RelationResult]) -> tuple[ModelDifference, ...]:
    """Returns the differences between pairs of models, in the order of the results.

    Holm's adjustment covers all items of two models on one data source, except controls, which do not rank models.
    """
    items: dict[tuple[str, str], list[RelationResult]] = {}
    for result in results:
        items.setdefault((result.data.name, result.item), []).append(result)
    found = [pair for of_item in items.values() for pair in _of_item(of_item)]
    # One family for each pair of models: who compares two models looks at all of their items.
    families: dict[tuple[str, str, str], list[int]] = {}
    for place, each in enumerate(found):
        families.setdefault((each.first.data.name, each.first.model.name, each.second.model.name), []).append(place)
    changes: dict[int, BaselineChange] = {}
    for places in families.values():
        pairs = [found[place].paired for place in places]
        # Controls get their p-value, but do not make the others' stricter.
        made = between_models(pairs, [NEVER_GATED not in found[place].first.tags for place in places])
        changes |= dict(zip(places, made, strict=True))
    return tuple(
        ModelDifference(
            item=each.first.item,
            data=each.first.data.name,
            presumed=each.presumed,
            models=(each.first.model.name, each.second.model.name),
            paired=each.paired,
            interval=changes[place].interval,
            p=changes[place].p_two_sided,
            p_holm=changes[place].p_holm,
        )
        for place, each in enumerate(found)
    )


class _ModelPair(NamedTuple):
    """An item on two models, with the cases that both have judged."""

    first: RelationResult
    """The result of the model that comes first in the report."""
    second: RelationResult
    """The result of the other model."""
    presumed: bool
    """True if these are presumed cases."""
    paired: PairedClusters
    """The shared cases by scene, by the outcome on each model."""


def _of_item(results: Sequence[RelationResult]) -> Iterator[_ModelPair]:
    for presumed in (False, True):
        cases = [
            (result, arrays_of(result.judged, presumed=presumed)) for result in results if result.judged is not None
        ]
        for (first, before), (second, after) in combinations(cases, 2):
            paired = paired_of(before, after)
            if paired.shared:
                yield _ModelPair(first, second, presumed, paired)


def with_noise(results: Sequence[RelationResult]) -> tuple[RelationResult, ...]:
    """Returns the results with the violations that the noise of their models would cause.

    In a run that asks each query several times, they are expected from the answers to the same queries in the item. In
    one that asks once, as many as ``control.repeat`` has on the same model and data: right for two queries, and too few
    for more, so that noise is not blamed for what it does not do. Where ``control.repeat`` is never violated, the
    noise is not known to cause any. Controls are not compared.
    """
    floors = {
        (result.model.name, result.data.name): 1 - result.pass_rate
        for result in results
        if result.item == FLOOR and result.pass_rate is not None
    }
    return tuple(
        result if NEVER_GATED in result.tags else _with_noise(result, floors.get((result.model.name, result.data.name)))
        for result in results
    )


def _with_noise(result: RelationResult, floor: float | None) -> RelationResult:
    presumed = _of_stratum(result.presumed, floor) if result.presumed else None
    return replace(_of_stratum(result, floor), presumed=presumed)


def _of_stratum(stratum: Stratum, floor: float | None) -> Stratum:
    tally, repeated = stratum.tally, stratum.repeated
    if repeated is not None:
        # Asked several times: each case has its own chance of noise.
        share = (repeated.noise.mean or 0.0) if tally.judged else 0.0
    else:
        share = floor or 0.0
    # Asked once and never violated in ``control.repeat``: no noise is known.
    if not tally.judged or (repeated is None and not share):
        return replace(stratum, noise=None)
    violations = tally.judged - tally.holds
    most = upper_quantile(tally.judged, min(share, 1.0), SIGNIFICANT)
    return replace(stratum, noise=Noise(expected=share * tally.judged, explains=0 < violations <= most))


class Concluded(NamedTuple):
    """A run that has ended: its items and its baseline."""

    relations: tuple[RelationResult, ...]
    """The items in the order of the run, with noise and gates on drops."""
    baseline: BaselineUse | None
    """The baseline, with what is compared over all items; None without one."""


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
    # Totals first: whether they are gated decides the significance level of each relation's gate.
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
    """The id of the relation variant, by which ``drops`` name it."""
    change: BaselineChange
    """The change, without an adjusted p-value or a gate."""
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
    # All at once: Holm's correction covers everything that is gated.
    held = with_holm_gates([each.change for each in found], gated, families)
    return tuple(
        change if drop is None or not each.may_have_gate else _missed_if_unread(change, each.read, drop, max_unread)
        for each, drop, change in zip(found, allowed, held, strict=True)
    )


def _missed_if_unread(change: BaselineChange, tally: Tally, allowed: float, max_unread: float) -> BaselineChange:
    unread = unread_rate_above(tally, max_unread)
    if unread is None:
        return change
    # With no judged case left there is no gate yet: the item must miss one all the same.
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
