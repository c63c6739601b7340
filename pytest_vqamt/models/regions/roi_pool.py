"""RoIPool: the largest feature in each cell of a grid laid over a box, with everything rounded to whole places."""

from __future__ import annotations

import torch
from torch import Tensor


class RoIPool:
    """Pools boxes out of one map of features, as ``torchvision.ops.roi_pool`` does (Girshick, Fast R-CNN, ICCV 2015).

    The largest of a rectangle is the largest of four whose sides are powers of two and that cover it, so the largest of
    each of those is worked out once for the whole map, and every cell looks four of them up.
    """

    def __init__(self, features: Tensor, boxes: Tensor, size: int, scale: float) -> None:
        """Prepares the map for the boxes.

        Args:
            features: (channels, height, width).
            boxes: float32 (n, 4), x1 y1 x2 y2 in pixels.
            size: cells on each side of the grid.
            scale: places of the map per pixel.
        """
        channels, self._height, self._width = features.shape
        self._top, self._bottom = _bins(boxes[:, 1] * scale, boxes[:, 3] * scale, size, self._height)
        self._left, self._right = _bins(boxes[:, 0] * scale, boxes[:, 2] * scale, size, self._width)
        self._tall, self._wide = _level(self._bottom - self._top), _level(self._right - self._left)
        levels_y, self._levels_x = (1 + int(level.max()) if len(boxes) else 1 for level in (self._tall, self._wide))
        rows = _doubled(features.permute(1, 2, 0).contiguous(), levels_y, dim=0)
        self._largest = torch.stack([each for row in rows for each in _doubled(row, self._levels_x, dim=1)])
        self._largest = self._largest.view(-1, channels)

    def cells(self, start: int, stop: int) -> Tensor:
        """What is in boxes start to stop: (n, channels, size, size), channels last in memory; 0 in empty cells."""
        top, bottom, tall = (each[start:stop] for each in (self._top, self._bottom, self._tall))
        left, right, wide = (each[start:stop] for each in (self._left, self._right, self._wide))
        table = (tall[:, :, None] * self._levels_x + wide[:, None, :]) * self._height
        pooled: Tensor | None = None
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
    start, end = _rounded(start), _rounded(end)
    # In float32, as the original has it: exact arithmetic would give other cells for boxes 57 and 62 places long.
    step = ((end - start + 1).clamp(min=1) / size)[:, None]
    cell = torch.arange(size, device=start.device, dtype=start.dtype)
    first = (torch.floor(cell * step) + start[:, None]).clamp(0, side)
    after = (torch.ceil((cell + 1) * step) + start[:, None]).clamp(0, side)
    return first.long(), after.long()


def _rounded(x: Tensor) -> Tensor:
    """To whole numbers, halves away from zero."""
    whole = x.abs().floor()
    return torch.copysign(whole + (x.abs() - whole >= 0.5), x)


def _level(length: Tensor) -> Tensor:
    """The largest k such that 2 ** k is no more than the length; 0 for lengths below 1."""
    return torch.frexp(length.clamp(min=1).float()).exponent.long() - 1


def _doubled(table: Tensor, levels: int, dim: int) -> list[Tensor]:
    """The largest of 1, 2, 4, ... neighbours along ``dim``, counted from each place; towards the end, of those left."""
    found = [table]
    for level in range(levels - 1):
        last, step = found[-1], 1 << level
        longer = last.clone()
        length = table.shape[dim] - step
        near = longer.narrow(dim, 0, length)
        torch.maximum(near, last.narrow(dim, step, length), out=near)
        found.append(longer)
    return found
