"""Non-maximum suppression: of boxes that overlap too much, the one with the best score stays."""

from __future__ import annotations

import torch
from torch import Tensor

_BLOCK = 128
"""How many boxes are held against each other at once."""


def nms(boxes: Tensor, scores: Tensor, overlap: float, limit: int | None = None) -> Tensor:
    """Which boxes stay, best first: int64 (at most ``limit``,).

    A box goes if its intersection over union with a better one that stays is more than ``overlap``, strictly. Of equal
    scores the first is the better. Areas are (x2 - x1)(y2 - y1); a box without area overlaps with none.

    Args:
        boxes: float32 (n, 4), x1 y1 x2 y2.
        scores: float32 (n,).
        overlap: from 0 to 1.
        limit: how many to look for; None for all.
    """
    left = torch.sort(scores, descending=True, stable=True).indices
    kept: list[Tensor] = []
    while len(left) and (limit is None or sum(map(len, kept)) < limit):
        block, left = left[:_BLOCK], left[_BLOCK:]
        stays = block[_standing(_iou(boxes[block], boxes[block]) > overlap)]
        kept.append(stays)
        left = left[~(_iou(boxes[stays], boxes[left]) > overlap).any(dim=0)]
    found = torch.cat(kept) if kept else left
    return found[:limit]


def _standing(overlapping: Tensor) -> Tensor:
    """Which boxes stay, of boxes from best to worst whose pairs overlap so: bool (n,).

    Box j stays unless some box i < j that stays overlaps with it. Whatever we start from, the first k boxes are right
    after k rounds, so what a round leaves unchanged is the answer.
    """
    better = overlapping.triu(diagonal=1)
    stays = torch.ones(len(better), dtype=torch.bool, device=better.device)
    while True:
        updated = ~(better & stays[:, None]).any(dim=0)
        if torch.equal(updated, stays):
            return stays
        stays = updated


def _iou(some: Tensor, others: Tensor) -> Tensor:
    """Intersection over union of each of ``some`` (n, 4) with each of ``others`` (m, 4): (n, m); NaN of empty ones."""
    shared = _shared(some[:, 0::2], others[:, 0::2]).mul_(_shared(some[:, 1::2], others[:, 1::2]))
    union = (_areas(some)[:, None] + _areas(others)).sub_(shared)
    return shared.div_(union)


def _shared(some: Tensor, others: Tensor) -> Tensor:
    """The length that each of the intervals (n, 2) shares with each of the others (m, 2): (n, m)."""
    end = torch.minimum(some[:, 1, None], others[:, 1].contiguous())
    start = torch.maximum(some[:, 0, None], others[:, 0].contiguous())
    return end.sub_(start).clamp_(min=0)


def _areas(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
