"""Cases by scene as rows of ``report.json``, and back."""

from __future__ import annotations

from typing import cast

from pytest_vqamt.core.clusters import Alike, AlikeTwice, Clusters, PairedClusters
from pytest_vqamt.core.codec import Json


def clusters_row(clusters: Clusters) -> list[Json]:
    """A list ``[holds, judged, scenes]`` for each kind of scene."""
    return [list(row) for row in clusters.rows]


def clusters_of(row: Json) -> Clusters:
    """The clusters that ``clusters_row`` was made of; none where a report is older than they are.

    Raises:
        TypeError, ValueError: the row is not whole.
    """
    return Clusters(tuple(Alike(*map(int, each)) for each in cast("list[list[int]]", row or [])))


def paired_row(paired: PairedClusters | None) -> list[Json] | None:
    """A list ``[kept, lost, won, neither, scenes]`` for each kind of scene; None where there is no other run."""
    return None if paired is None else [list(row) for row in paired.rows]


def paired_of(row: Json) -> PairedClusters | None:
    """The clusters that ``paired_row`` was made of.

    Raises:
        TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    return PairedClusters(tuple(AlikeTwice(*map(int, each)) for each in cast("list[list[int]]", row)))
