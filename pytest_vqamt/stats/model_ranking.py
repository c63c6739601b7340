"""Ranks models by their pass rate over shared items, and compares them, all together and item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.results import (
    HOLDS,
    PRESUMED,
    BaselineChange,
    GapToFirst,
    JudgedCases,
    ModelDifference,
    RankedModel,
    Ranking,
    RankingKind,
    RelationResult,
)
from pytest_vqamt.core.tallies import Clusters, PairedClusters, SceneTally, Tally
from pytest_vqamt.stats.gates import paired_by_scene, records_of
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import between_models

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Scored(NamedTuple):
    """The result of one model on one item; ``judged`` is None if single cases are not recorded."""

    tally: Tally
    judged: JudgedCases | None

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
    apart = next(tagged, None)
    yield apart or RankingKind.RELATIONS, result.tally
    if result.presumed:
        yield RankingKind.PRESUMED, result.presumed.tally


def _by_models(items: _Items) -> Iterator[_Items]:
    """Groups the items by their set of models, without those of a single model."""
    sets: dict[tuple[str, ...], _Items] = {}
    for item, scored in items.items():
        sets.setdefault(tuple(scored), {})[item] = scored
    return (shared for models, shared in sets.items() if len(models) > 1)


def _ranking(data: str, kind: RankingKind, items: _Items) -> Ranking:
    models = tuple(next(iter(items.values())))
    tallies = {model: sum((scored[model].tally for scored in items.values()), Tally()) for model in models}
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
    """Tells whether each other model has a lower pass rate; of those with the same rate none is the best."""
    return all(each.rate < scored[model].rate for name, each in scored.items() if name != model)


def _pooled(items: _Items, models: Sequence[str], *, presumed: bool) -> dict[str, CaseArrays]:
    """Returns the cases of all items for each model; nothing if single cases are not recorded."""
    import numpy as np

    cases: dict[str, list[CaseArrays]] = {model: [] for model in models}
    for scored in items.values():
        for model, (_, judged) in scored.items():
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
    """The cases of an item in the order of their ids.

    Attributes:
        cases, scenes: uint64, the digests of the case ids and of the scene ids.
        holds: bool.
    """

    cases: NDArray[np.uint64]
    scenes: NDArray[np.uint64]
    holds: NDArray[np.bool_]


def arrays_of(judged: JudgedCases, *, presumed: bool) -> CaseArrays:
    """Returns the presumed cases, or all others."""
    import numpy as np

    records = records_of(judged)
    records = records[(records["bits"] & PRESUMED > 0) == presumed]
    cases = records["case"].astype(np.uint64)
    order = np.argsort(cases)
    return CaseArrays(cases[order], records["scene"].astype(np.uint64)[order], (records["bits"] & HOLDS > 0)[order])


def paired_of(first: CaseArrays, second: CaseArrays) -> PairedClusters:
    """Returns the shared cases by scene, with the same counts as a ``Spread``."""
    import numpy as np

    _, in_first, in_second = np.intersect1d(first.cases, second.cases, assume_unique=True, return_indices=True)
    return paired_by_scene(first.scenes[in_first], first.holds[in_first], second.holds[in_second])


_CONTROL = "control"


def differences(results: Sequence[RelationResult]) -> tuple[ModelDifference, ...]:
    """Returns the differences between pairs of models, in the order of the results.

    Holm's adjustment covers all items of two models on one data source, except controls, which do not rank models.
    """
    items: dict[tuple[str, str], list[RelationResult]] = {}
    for result in results:
        items.setdefault((result.data.name, result.item), []).append(result)
    found = [pair for of_item in items.values() for pair in _of_item(of_item)]
    families: dict[tuple[str, str, str], list[int]] = {}
    for place, each in enumerate(found):
        families.setdefault((each.first.data.name, each.first.model.name, each.second.model.name), []).append(place)
    changes: dict[int, BaselineChange] = {}
    for places in families.values():
        pairs = [found[place].paired for place in places]
        made = between_models(pairs, [_CONTROL not in found[place].first.tags for place in places])
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
    second: RelationResult
    presumed: bool
    paired: PairedClusters


def _of_item(results: Sequence[RelationResult]) -> Iterator[_ModelPair]:
    for presumed in (False, True):
        cases = [
            (result, arrays_of(result.judged, presumed=presumed)) for result in results if result.judged is not None
        ]
        for (first, before), (second, after) in combinations(cases, 2):
            paired = paired_of(before, after)
            if paired.shared:
                yield _ModelPair(first, second, presumed, paired)
