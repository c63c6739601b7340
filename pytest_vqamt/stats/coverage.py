"""Whether models have the same pairs right (CARETS, Tables 13 to 17)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.results import Coverage, RelationResult
from pytest_vqamt.stats.papers import test_of

_ByItem = Mapping[str, Pairs]


def coverage(results: Iterable[RelationResult]) -> tuple[Coverage, ...]:
    """A table for each test and data source that several models were run on, in the order of the results.

    A variant that one of the models was not run on is left out.
    """
    found: dict[tuple[str, str, bool], dict[str, dict[str, Pairs]]] = {}
    for result in results:
        for presumed, pairs in ((False, result.pairs), (True, result.presumed.pairs if result.presumed else None)):
            if pairs is not None:
                models = found.setdefault((test_of(result.item), result.data.spec, presumed), {})
                models.setdefault(result.model.name, {})[result.item] = pairs
    return tuple(
        _table(test, data, presumed, models)
        for (test, data, presumed), models in found.items()
        if len(models) > 1 and any(pairs.tally.pairs for items in models.values() for pairs in items.values())
    )


def _table(test: str, data: str, presumed: bool, models: Mapping[str, _ByItem]) -> Coverage:
    shared = set.intersection(*(set(items) for items in models.values()))
    of = [{item: pairs for item, pairs in items.items() if item in shared} for items in models.values()]
    return Coverage(
        test=test,
        data=data,
        presumed=presumed,
        models=tuple(models),
        right=tuple(sum(pairs.right.bit_count() for pairs in items.values()) for items in of),
        shares=tuple(tuple(_share_of_pairs(ours, theirs) for theirs in of) for ours in of),
    )


def _share_of_pairs(ours: _ByItem, theirs: _ByItem) -> float | None:
    """The share of their right pairs that are right here, too; a pair without an answer here says nothing."""
    both = sum((ours[item].right & pairs.right).bit_count() for item, pairs in theirs.items())
    known = sum((pairs.right & ~ours[item].unanswered).bit_count() for item, pairs in theirs.items())
    return both / known if known else None
