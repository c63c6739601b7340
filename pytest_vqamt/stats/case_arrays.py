"""Judged cases as arrays: what two models said of the same cases, by scene, for millions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.results import HOLDS, PRESUMED, JudgedCases
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_KINDS = 4
"""Kept, lost, won, neither."""


class CaseArrays(NamedTuple):
    """The cases of an item in the order of their names, which is the same however they came.

    Attributes:
        cases, scenes: uint64, the digest of each one's id and of its scene.
        holds: bool.
    """

    cases: NDArray[np.uint64]
    scenes: NDArray[np.uint64]
    holds: NDArray[np.bool_]


def arrays_of(judged: JudgedCases, *, presumed: bool) -> CaseArrays:
    """The presumed cases, or all others."""
    import numpy as np

    records = np.frombuffer(bytes(judged.records), dtype=[("case", ">u8"), ("scene", ">u8"), ("bits", "u1")])
    records = records[(records["bits"] & PRESUMED > 0) == presumed]
    cases = records["case"].astype(np.uint64)
    order = np.argsort(cases)
    return CaseArrays(cases[order], records["scene"].astype(np.uint64)[order], (records["bits"] & HOLDS > 0)[order])


def paired_of(first: CaseArrays, second: CaseArrays) -> PairedClusters:
    """The cases that are in both, by scene: the same as a ``Spread`` gives of them."""
    import numpy as np

    _, in_first, in_second = np.intersect1d(first.cases, second.cases, assume_unique=True, return_indices=True)
    if not in_first.size:
        return PairedClusters()
    kind = 2 * ~first.holds[in_first] + ~second.holds[in_second]
    scenes, of_scene = np.unique(first.scenes[in_first], return_inverse=True)
    counts = np.bincount(of_scene * _KINDS + kind, minlength=_KINDS * scenes.size).reshape(-1, _KINDS)
    alike, times = np.unique(counts, axis=0, return_counts=True)
    return PairedClusters(
        tuple(AlikeTwice(*map(int, (*row, scenes))) for row, scenes in zip(alike, times, strict=True))
    )
