"""Ranks models by their mean pass rate over shared items, and compares them item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import fsum, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.results import (
    HOLDS,
    PRESUMED,
    GapToFirst,
    JudgedCases,
    ModelDifference,
    RankedModel,
    Ranking,
    RankingKind,
    RelationResult,
)
from pytest_vqamt.core.tallies import PairedClusters, Tally
from pytest_vqamt.stats.intervals import CONFIDENCE, students_t, wilson
from pytest_vqamt.stats.paired import holm, paired_by_scene, paired_interval, records_of, two_sided_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Scored(NamedTuple):
    """The result of one model on one item; ``judged`` is None if single cases are not recorded."""

    rate: float
    judged: JudgedCases | None


_Items = dict[str, dict[str, _Scored]]
"""Results by item, then by model in the order of the run."""


def rankings(results: Sequence[RelationResult]) -> tuple[Ranking, ...]:
    """Returns a ranking for each data source, kind of cases, and set of two or more models that share items.

    Each item is in one ranking: that of all models with a pass rate on it.
    """
    found: dict[tuple[str, RankingKind], _Items] = {}
    for result in results:
        for kind, tally in _kinds(result):
            if (rate := tally.pass_rate) is not None:
                items = found.setdefault((result.data.name, kind), {})
                items.setdefault(result.item, {})[result.model.name] = _Scored(rate, result.judged)
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
    means = {model: fsum(scored[model].rate for scored in items.values()) / len(items) for model in models}
    first, *others = sorted(models, key=lambda model: -means[model])
    by_scene = _by_scene(items, models, presumed=kind is RankingKind.PRESUMED)

    def place(model: str) -> RankedModel:
        return RankedModel(
            model=model,
            mean=means[model],
            interval=mean_interval(means[model], by_scene[model]) if by_scene else None,
            best_in=sum(scored[model].rate == max(each.rate for each in scored.values()) for scored in items.values()),
            behind=behind(model) if by_scene and model != first else None,
        )

    def behind(model: str) -> GapToFirst:
        difference = means[model] - means[first]
        return GapToFirst(
            difference=difference, interval=difference_interval(difference, by_scene[model], by_scene[first])
        )

    return Ranking(data=data, kind=kind, items=tuple(items), places=tuple(map(place, (first, *others))))


def _by_scene(items: _Items, models: Sequence[str], *, presumed: bool) -> dict[str, MeanByScene]:
    """Returns no mean at all if single cases are not recorded."""
    cases: dict[str, list[CaseArrays]] = {model: [] for model in models}
    for scored in items.values():
        for model, (_, judged) in scored.items():
            if judged is None:
                return {}
            cases[model].append(arrays_of(judged, presumed=presumed))
    return means_by_scene(cases)


# One picture gives cases of many relations, so the pass rates of a model are correlated, and so are those of two models
# with the same cases. The mean is a smooth function of sums over scenes; its variance is that of the scenes'
# contributions to its error (Woodruff, Journal of the American Statistical Association 66, 1971):
#
#     error_s = (1/k) sum over the k items of (holds in s - pass rate x judged in s) / judged in all
#     variance = S / (S - 1) x sum over the S scenes of error_s squared
#
# The errors of a difference of two means are those of one model less those of the other, so what is hard for both
# cancels. As in ``stats.intervals``, the prior is half a scene that holds and half a scene that is violated: if hardly
# any case differs, the real scenes show too little variance. Every item has this prior, but they count for the square
# root of k items: measured intervals are too narrow if they count for one, and too wide if for all k
# (docs/explanation/statistics.md).


_PRIOR_SCENES_OF_MEAN = 0.5
"""So many that hold, and so many that are violated."""


class MeanByScene(NamedTuple):
    """The contributions of each scene to the error of a mean, and of the prior to its variance."""

    errors: NDArray[np.float64]
    prior_variance: float

    @property
    def scenes(self) -> int:
        return self.errors.size

    @property
    def variance(self) -> float:
        """The variance of the mean, for two or more scenes."""
        squares = fsum(error * error for error in self.errors.tolist())
        return squares * self.scenes / (self.scenes - 1) + self.prior_variance


def means_by_scene(items: Mapping[str, Sequence[CaseArrays]]) -> dict[str, MeanByScene]:
    """Returns the mean of each model over its items, each with at least one case."""
    import numpy as np

    known = np.unique(np.concatenate([each.scenes for of_model in items.values() for each in of_model]))
    return {model: _summed(of_model, known) for model, of_model in items.items()}


def mean_interval(mean: float, by_scene: MeanByScene) -> tuple[float, float]:
    """Returns the 95 % interval of a mean pass rate: Wilson's with the effective sample size."""
    if by_scene.scenes == 1:
        return 0.0, 1.0
    real = sqrt(_PRIOR_SCENES_OF_MEAN / by_scene.prior_variance)
    middle = (mean * real + _PRIOR_SCENES_OF_MEAN) / (real + 2 * _PRIOR_SCENES_OF_MEAN)
    for_few = (NormalDist().inv_cdf((1 + CONFIDENCE) / 2) / students_t(by_scene.scenes - 1)) ** 2
    cases = middle * (1 - middle) / by_scene.variance * for_few
    return wilson(mean * cases, cases)


def difference_interval(difference: float, model: MeanByScene, other: MeanByScene) -> tuple[float, float]:
    """Returns Student's 95 % interval of the mean of ``model`` less that of ``other``."""
    if model.scenes == 1:
        return -1.0, 1.0
    variance = model._replace(errors=model.errors - other.errors).variance
    half = students_t(model.scenes - 1) * sqrt(variance)
    return max(-1.0, difference - half), min(1.0, difference + half)


def _summed(items: Sequence[CaseArrays], known: NDArray[np.uint64]) -> MeanByScene:
    import numpy as np

    weights = [1 / each.holds.size / len(items) for each in items]
    errors = [weight * (each.holds - each.holds.mean()) for weight, each in zip(weights, items, strict=True)]
    places = np.searchsorted(known, np.concatenate([each.scenes for each in items]))
    return MeanByScene(
        errors=np.asarray(np.bincount(places, weights=np.concatenate(errors), minlength=known.size), dtype=np.float64),
        prior_variance=_PRIOR_SCENES_OF_MEAN
        * fsum((weight * _mean_scene_size(each)) ** 2 for weight, each in zip(weights, items, strict=True))
        / sqrt(len(items)),
    )


def _mean_scene_size(cases: CaseArrays) -> float:
    """Returns the size of the scene of an average case."""
    import numpy as np

    _, sizes = np.unique(cases.scenes, return_counts=True)
    return float((sizes * sizes).sum() / sizes.sum())


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
