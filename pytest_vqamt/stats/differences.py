"""Where the models of one run differ: every two of them on the cases that both have judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from pytest_vqamt.core.results import Difference, RelationResult
from pytest_vqamt.core.tallies import PairedClusters
from pytest_vqamt.stats.case_arrays import arrays_of, paired_of
from pytest_vqamt.stats.holm import holm
from pytest_vqamt.stats.paired import paired_interval, two_sided_p

_CONTROL = "control"


def differences(results: Sequence[RelationResult]) -> tuple[Difference, ...]:
    """The differences in the order of the results, which is that of the run; none where there is one model.

    Holm's correction is for all items of two models on one data source, but controls, which tell nothing of which is
    the better one.
    """
    items: dict[tuple[str, str], list[RelationResult]] = {}
    for result in results:
        items.setdefault((result.data.spec, result.item), []).append(result)
    found = [
        (_CONTROL in of_item[0].tags, difference) for of_item in items.values() for difference in _of_item(of_item)
    ]
    families: dict[tuple[str, tuple[str, str]], list[int]] = {}
    for place, (control, difference) in enumerate(found):
        if not control:
            families.setdefault((difference.data, difference.models), []).append(place)
    corrected = {
        place: p
        for places in families.values()
        for place, p in zip(places, holm([found[place][1].p for place in places]), strict=True)
    }
    return tuple(replace(difference, p_holm=corrected.get(place)) for place, (_, difference) in enumerate(found))


def _of_item(results: Sequence[RelationResult]) -> Iterator[Difference]:
    for presumed in (False, True):
        cases = [
            (result, arrays_of(result.judged, presumed=presumed)) for result in results if result.judged is not None
        ]
        for (first, before), (second, after) in combinations(cases, 2):
            paired = paired_of(before, after)
            if paired.shared:
                yield _difference(first, second, paired, presumed=presumed)


def _difference(first: RelationResult, second: RelationResult, paired: PairedClusters, *, presumed: bool) -> Difference:
    return Difference(
        item=first.item,
        data=first.data.spec,
        presumed=presumed,
        models=(first.model.name, second.model.name),
        paired=paired,
        interval=paired_interval(paired),
        p=two_sided_p(paired),
        p_holm=None,
    )
