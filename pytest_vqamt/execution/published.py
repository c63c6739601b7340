"""Which relations are about published cases, and on which data they run."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.data.base import PublishedPairs, SceneSource
from pytest_vqamt.relations.base import PublishedRelation, Relation


def is_left_out(relation: Relation, source: SceneSource, wanted: Sequence[str]) -> bool:
    """Whether the relation is not run on the source, as the patterns ``wanted`` by the user are.

    Where the source has published pairs and no pattern is given, relations of published cases alone are run on it:
    whoever takes such a set asks for its figures, and each other relation would put more questions to the model. Where
    it has none, a relation of published cases is left out unless a pattern names it; one that only takes it along with
    others ("carets.*") does not.
    """
    if isinstance(source, PublishedPairs):
        return not wanted and not isinstance(relation, PublishedRelation)
    if not isinstance(relation, PublishedRelation):
        return False
    return all(pattern.partition("[")[0] != relation.info.name for pattern in wanted)
