"""Which blessed items a run has asked, and which of its items nobody has blessed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.results import BaselineUse, RelationResult
from pytest_vqamt.execution.baseline import Baseline


def use_of(
    baseline: Baseline,
    results: Sequence[RelationResult],
    asked: Collection[str],
    wanted: Sequence[str],
    excluded: Sequence[str],
) -> BaselineUse:
    """What the run was held against; ``asked`` are the ids of the blessed items that it has asked, or tried to.

    Those that the user's own globs leave out, ``wanted`` (all, where there is none) and ``excluded``, are not missed.
    """

    def is_missed(item: str) -> bool:
        taken = not wanted or any(matches(pattern, item) for pattern in wanted)
        return taken and not any(matches(pattern, item) for pattern in excluded)

    return BaselineUse(
        file=baseline.file.name,
        digest=baseline.digest,
        models=baseline.head.models,
        missing=tuple(each.id for each in baseline.head.items if each.id not in asked and is_missed(each.item)),
        new=tuple(
            f"{result.item}-{result.model.name}-{result.data.spec}"
            for result in results
            if result.all_cases and result.change is None
        ),
    )
