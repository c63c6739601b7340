"""Comparisons with a baseline over all relations of a run, and of the accuracy on questions that have answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import COMPARED, HELD, HOLDS, PRESUMED, BaselineTotal, JudgedCases, RelationResult
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally
from pytest_vqamt.stats.paired import change_of, may_fall, with_holm_gates
from pytest_vqamt.stats.thresholds import APART, Drops, TotalKind, allowed_drop_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Totals(NamedTuple):
    """Comparisons with the baseline over all items of each model and data source, before their gates.

    Attributes:
        relations: of all relations together.
        accuracy: of the answers to questions that come with answers.
        gated: for each of both, whether it has a gate. One relation alone has its own.
    """

    relations: tuple[BaselineTotal, ...]
    accuracy: tuple[BaselineTotal, ...]
    gated: tuple[bool, ...]

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
        if result.judged is not None and not APART.intersection(result.tags):
            judged.setdefault(part, []).append(result.judged)
        if result.right is not None:
            right.setdefault(part, []).append(result.right)
    relations = {part: paired_over(items) for part, items in judged.items()}
    accuracy = {part: paired_over(items, each_once=True) for part, items in right.items()}
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
    if each_once:
        _, first = np.unique(records["case"], return_index=True)
        records = records[first]
    bits = records["bits"]
    return paired_by_scene(records["scene"], bits & HELD > 0, bits & HOLDS > 0)


def records_of(judged: JudgedCases) -> NDArray[np.void]:
    """Returns the records with the fields "case" and "scene" (uint64, digests), and "bits" (uint8)."""
    import numpy as np

    return np.frombuffer(bytes(judged.records), dtype=[("case", ">u8"), ("scene", ">u8"), ("bits", "u1")])


_OUTCOMES = 4


def paired_by_scene(scenes: NDArray[np.uint64], first: NDArray[np.bool_], second: NDArray[np.bool_]) -> PairedClusters:
    """Returns the cases by scene, with the same counts as a ``SceneCounter``, by whether they hold in each run."""
    import numpy as np

    if not scenes.size:
        return PairedClusters()
    kind = 2 * ~first + ~second
    names, of_scene = np.unique(scenes, return_inverse=True)
    counts = np.bincount(of_scene * _OUTCOMES + kind, minlength=_OUTCOMES * names.size).reshape(-1, _OUTCOMES)
    alike, times = np.unique(counts, axis=0, return_counts=True)
    return PairedClusters(
        tuple(PairedSceneTally(*map(int, (*row, number))) for row, number in zip(alike, times, strict=True))
    )
