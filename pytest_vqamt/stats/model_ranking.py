"""Several models by the mean of their pass rates over the items that all of them have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import NamedTuple

from pytest_vqamt.core.results import Behind, JudgedCases, Ranked, RankedKind, Ranking, RelationResult
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.case_arrays import CaseArrays, arrays_of
from pytest_vqamt.stats.means_by_scene import MeanByScene, difference_interval, mean_interval, means_by_scene


class _Scored(NamedTuple):
    """One model on one item; the cases are None where they are not known one by one."""

    rate: float
    judged: JudgedCases | None


_Items = dict[str, dict[str, _Scored]]
"""By item, and then by model in the order of the run."""


def rankings(results: Sequence[RelationResult]) -> tuple[Ranking, ...]:
    """A ranking for each data source, kind of cases, and set of models that share items; none where there is one model.

    An item is in one ranking alone: that of all models that have a pass rate in it.
    """
    found: dict[tuple[str, RankedKind], _Items] = {}
    for result in results:
        for kind, tally in _kinds(result):
            if (rate := tally.pass_rate) is not None:
                items = found.setdefault((result.data.spec, kind), {})
                items.setdefault(result.item, {})[result.model.name] = _Scored(rate, result.judged)
    ordered = sorted(found.items(), key=lambda each: tuple(RankedKind).index(each[0][1]))
    specs = dict.fromkeys(result.data.spec for result in results)
    return tuple(
        _ranking(spec, kind, shared)
        for spec in specs
        for (data, kind), items in ordered
        if data == spec
        for shared in _by_models(items)
    )


def _kinds(result: RelationResult) -> Iterator[tuple[RankedKind, Tally]]:
    """What of a result is ranked as what."""
    tagged = (kind for kind in (RankedKind.CONTROL, RankedKind.BASELINE) if kind.value in result.tags)
    apart = next(tagged, None)
    yield apart or RankedKind.RELATIONS, result.tally
    if result.presumed:
        yield RankedKind.PRESUMED, result.presumed.tally


def _by_models(items: _Items) -> Iterator[_Items]:
    """The items, those that the same models have together."""
    sets: dict[tuple[str, ...], _Items] = {}
    for item, scored in items.items():
        sets.setdefault(tuple(scored), {})[item] = scored
    return (shared for models, shared in sets.items() if len(models) > 1)


def _ranking(data: str, kind: RankedKind, items: _Items) -> Ranking:
    models = tuple(next(iter(items.values())))
    means = {model: fsum(scored[model].rate for scored in items.values()) / len(items) for model in models}
    first, *others = sorted(models, key=lambda model: -means[model])
    by_scene = _by_scene(items, models, presumed=kind is RankedKind.PRESUMED)

    def place(model: str) -> Ranked:
        return Ranked(
            model=model,
            mean=means[model],
            interval=mean_interval(means[model], by_scene[model]) if by_scene else None,
            best_in=sum(scored[model].rate == max(each.rate for each in scored.values()) for scored in items.values()),
            behind=behind(model) if by_scene and model != first else None,
        )

    def behind(model: str) -> Behind:
        difference = means[model] - means[first]
        return Behind(difference=difference, interval=difference_interval(difference, by_scene[model], by_scene[first]))

    return Ranking(data=data, kind=kind, items=tuple(items), places=tuple(map(place, (first, *others))))


def _by_scene(items: _Items, models: Sequence[str], *, presumed: bool) -> dict[str, MeanByScene]:
    """Empty where the cases are not known one by one."""
    cases: dict[str, list[CaseArrays]] = {model: [] for model in models}
    for scored in items.values():
        for model, (_, judged) in scored.items():
            if judged is None:
                return {}
            cases[model].append(arrays_of(judged, presumed=presumed))
    return means_by_scene(cases)
