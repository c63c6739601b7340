"""Operations on boxes, float32 (n, 4), x1 y1 x2 y2 in pixels with width x2 - x1, and pooling of regions."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import torch
from torch import Tensor

from pytest_vqamt.models.region_models.regions import REGIONS

_LARGEST_GROWTH = log(1000 / 16)
"""The logarithm of how many times wider or higher a change may make a box: no exponential overflows."""

_BLOCK = 128
"""The number of boxes that are compared with all others at once."""

_LAST_RESORT = (0.8, 0.9)
"""IoUs that are tried where those of the configuration leave fewer than 36 regions."""


def apply_deltas(boxes: Tensor, deltas: Tensor, scales: Sequence[float]) -> Tensor:
    """Moves and resizes each box by its deltas.

    Args:
        boxes: (n, 4).
        deltas: (n, 4): shifts of the centre in widths and heights, then logarithms of the growth of both.
        scales: what the four deltas are divided by first.
    """
    shift_x, shift_y, grow_x, grow_y = (deltas[:, k] / scale for k, scale in enumerate(scales))
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    centre_x = shift_x * width + (boxes[:, 0] + 0.5 * width)
    centre_y = shift_y * height + (boxes[:, 1] + 0.5 * height)
    half_width = 0.5 * (grow_x.clamp(max=_LARGEST_GROWTH).exp() * width)
    half_height = 0.5 * (grow_y.clamp(max=_LARGEST_GROWTH).exp() * height)
    return torch.stack(
        (centre_x - half_width, centre_y - half_height, centre_x + half_width, centre_y + half_height), dim=1
    )


def clip_boxes(boxes: Tensor, width: int, height: int) -> Tensor:
    """Clips each box to a picture of ``width`` x ``height`` pixels; the rest may be empty."""
    return torch.stack(
        (
            boxes[:, 0].clamp(0, width),
            boxes[:, 1].clamp(0, height),
            boxes[:, 2].clamp(0, width),
            boxes[:, 3].clamp(0, height),
        ),
        dim=1,
    )


def has_sides_above(boxes: Tensor, least: float) -> Tensor:
    """True for each box with both sides longer than ``least``: bool (n,)."""
    return ((boxes[:, 2:] - boxes[:, :2]) > least).all(dim=1)


def nms(boxes: Tensor, scores: Tensor, overlap: float, limit: int | None = None) -> Tensor:
    """Non-maximum suppression: the indices of the boxes that stay, best first, int64 (at most ``limit``,).

    A box goes if its intersection over union with a better one that stays is more than ``overlap``, strictly. Of equal
    scores the first is the better. Areas are (x2 - x1)(y2 - y1); a box without area overlaps with none.
    """
    left = torch.sort(scores, descending=True, stable=True).indices
    kept: list[Tensor] = []
    # Block by block: all pairs of 6,000 boxes would take 144 MB, and 300 are wanted.
    while len(left) and (limit is None or sum(map(len, kept)) < limit):
        block, left = left[:_BLOCK], left[_BLOCK:]
        stays = block[_nms_survivors(_iou(boxes[block], boxes[block]) > overlap)]
        kept.append(stays)
        # NaN, of boxes without area, is not more than the limit: they stay.
        left = left[~(_iou(boxes[stays], boxes[left]) > overlap).any(dim=0)]
    found = torch.cat(kept) if kept else left
    return found[:limit]


def _nms_survivors(overlapping: Tensor) -> Tensor:
    """True for each box that stays, of boxes from best to worst with these overlapping pairs: bool (n,).

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
    shared = _shared_length(some[:, 0::2], others[:, 0::2]).mul_(_shared_length(some[:, 1::2], others[:, 1::2]))
    union = (_areas(some)[:, None] + _areas(others)).sub_(shared)
    return shared.div_(union)


def _shared_length(some: Tensor, others: Tensor) -> Tensor:
    """The length that each of the intervals (n, 2) shares with each of the others (m, 2): (n, m)."""
    end = torch.minimum(some[:, 1, None], others[:, 1].contiguous())
    start = torch.maximum(some[:, 0, None], others[:, 0].contiguous())
    return end.sub_(start).clamp_(min=0)


def _areas(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


class RoIPool:
    """Pools boxes out of one map of features, as ``torchvision.ops.roi_pool`` does (Girshick, Fast R-CNN, ICCV 2015).

    The largest of a rectangle is the largest of four whose sides are powers of two and that cover it, so the largest of
    each of those is worked out once for the whole map, and every cell looks four of them up.
    """

    def __init__(self, features: Tensor, boxes: Tensor, size: int, scale: float) -> None:
        """Prepares a map (channels, height, width) for boxes, float32 (n, 4), x1 y1 x2 y2 in pixels.

        ``size`` is the number of cells on each side of the grid, ``scale`` that of places of the map per pixel.
        """
        channels, self._height, self._width = features.shape
        self._top, self._bottom = _bins(boxes[:, 1] * scale, boxes[:, 3] * scale, size, self._height)
        self._left, self._right = _bins(boxes[:, 0] * scale, boxes[:, 2] * scale, size, self._width)
        self._tall, self._wide = _log2_floor(self._bottom - self._top), _log2_floor(self._right - self._left)
        levels_y, self._levels_x = (1 + int(level.max()) if len(boxes) else 1 for level in (self._tall, self._wide))
        rows = _running_maxima(features.permute(1, 2, 0).contiguous(), levels_y, dim=0)
        self._largest = torch.stack([each for row in rows for each in _running_maxima(row, self._levels_x, dim=1)])
        self._largest = self._largest.view(-1, channels)

    def cells(self, start: int, stop: int) -> Tensor:
        """The pooled boxes start to stop: (n, channels, size, size), channels last in memory; 0 in empty cells."""
        top, bottom, tall = (each[start:stop] for each in (self._top, self._bottom, self._tall))
        left, right, wide = (each[start:stop] for each in (self._left, self._right, self._wide))
        table = (tall[:, :, None] * self._levels_x + wide[:, None, :]) * self._height
        pooled: Tensor | None = None
        # Two overlapping powers of two cover each side: 5 = 4 from the start and 4 up to the end.
        for y in (top, bottom - (1 << tall)):
            for x in (left, right - (1 << wide)):
                place = (table + y[:, :, None]) * self._width + x[:, None, :]
                place = place.flatten().clamp_(0, len(self._largest) - 1)  # of an empty cell it is nowhere
                found = self._largest.index_select(0, place)
                pooled = found if pooled is None else torch.maximum(pooled, found, out=pooled)
        assert pooled is not None
        pooled = pooled.view(*top.shape, left.shape[1], self._largest.shape[1])
        pooled[(bottom <= top)[:, :, None] | (right <= left)[:, None, :]] = 0
        return pooled.permute(0, 3, 1, 2)


def _bins(start: Tensor, end: Tensor, size: int, side: int) -> tuple[Tensor, Tensor]:
    """The first place and the one after the last of each cell along one side of each box: int64 (n, size), twice."""
    start, end = _round_half_away(start), _round_half_away(end)
    # In float32, as the original has it: exact arithmetic would give other cells for boxes 57 and 62 places long.
    step = ((end - start + 1).clamp(min=1) / size)[:, None]
    cell = torch.arange(size, device=start.device, dtype=start.dtype)
    first = (torch.floor(cell * step) + start[:, None]).clamp(0, side)
    after = (torch.ceil((cell + 1) * step) + start[:, None]).clamp(0, side)
    return first.long(), after.long()


def _round_half_away(x: Tensor) -> Tensor:
    """Rounds to whole numbers, halves away from zero."""
    whole = x.abs().floor()
    return torch.copysign(whole + (x.abs() - whole >= 0.5), x)


def _log2_floor(length: Tensor) -> Tensor:
    """The largest k such that 2 ** k is no more than the length; 0 for lengths below 1."""
    return torch.frexp(length.clamp(min=1).float()).exponent.long() - 1


def _running_maxima(table: Tensor, levels: int, dim: int) -> list[Tensor]:
    """For 1, 2, 4, ... the maximum of so many values along ``dim`` from each place on, fewer near the end."""
    found = [table]
    for level in range(levels - 1):
        last, step = found[-1], 1 << level
        longer = last.clone()
        length = table.shape[dim] - step
        near = longer.narrow(dim, 0, length)
        torch.maximum(near, last.narrow(dim, step, length), out=near)
        found.append(longer)
    return found


def select_regions(boxes: Tensor, scores: Tensor, overlaps: Sequence[float]) -> Tensor:
    """Selects the best candidates: int64 (36,), or all of them where there are fewer.

    Overlapping candidates are dropped at the first of ``overlaps`` that leaves 36, whatever their classes.

    **Deviation**: where none does, as in plain, tiny or blurred pictures, the original fails, or gives the regions of
    the picture before. Here more and more overlap is allowed, at last any.
    """
    for overlap in (*overlaps, *(each for each in _LAST_RESORT if each > max(overlaps))):
        kept = nms(boxes, scores, overlap, limit=REGIONS)
        if len(kept) == REGIONS:
            return kept
    return scores.argsort(descending=True, stable=True)[:REGIONS]
