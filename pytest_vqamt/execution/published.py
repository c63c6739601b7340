"""Which relations are about published cases, and so are left out where the data has none."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.data.base import PublishedPairs, SceneSource
from pytest_vqamt.relations.base import PublishedRelation, Relation


def is_left_out(relation: Relation, source: SceneSource, wanted: Sequence[str]) -> bool:
    """Whether the relation is of published cases, of which the source has none, and no pattern names it.

    A pattern that only takes it along with others ("carets.*") does not name it.
    """
    if not isinstance(relation, PublishedRelation) or isinstance(source, PublishedPairs):
        return False
    return all(pattern.partition("[")[0] != relation.info.name for pattern in wanted)
