"""The regions that are kept of all candidates: 36 where there are so many."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from pytest_vqamt.models.region_models.regions import REGIONS
from pytest_vqamt.models.regions.nms import nms

_LAST_RESORT = (0.8, 0.9)


def selected(boxes: Tensor, scores: Tensor, overlaps: Sequence[float]) -> Tensor:
    """Which candidates are kept, best first: int64 (36,), or all of them where there are fewer.

    Overlapping candidates are dropped at the first of ``overlaps`` that leaves 36, whatever their classes.

    **Deviation**: where none does, as in plain, tiny or blurred pictures, the original fails, or gives the regions of
    the picture before. Here more and more overlap is allowed, at last any.
    """
    for overlap in (*overlaps, *(each for each in _LAST_RESORT if each > max(overlaps))):
        kept = nms(boxes, scores, overlap, limit=REGIONS)
        if len(kept) == REGIONS:
            return kept
    return scores.argsort(descending=True, stable=True)[:REGIONS]
