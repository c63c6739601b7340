"""Anchors: the boxes that proposals start from, the same few around each cell of the map of features."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import torch
from torch import Tensor, nn

STRIDE = 16
"""Pixels of the resized picture per cell of the map of features."""


class Anchors(nn.Module):
    """Keeps the anchors of a cell as the checkpoint has them; float32 (n, 4), x1 y1 x2 y2 around the cell's origin."""

    def __init__(self, cell: Tensor, offset: float) -> None:
        super().__init__()
        self.cell_anchors = nn.ParameterList([nn.Parameter(cell, requires_grad=False)])
        self.offset = offset

    def forward(self, rows: int, columns: int) -> Tensor:
        """The anchors of every cell, row by row, float32 (rows * columns * n, 4), in pixels of the resized picture."""
        cell: Tensor = self.cell_anchors[0]
        x = (torch.arange(columns, device=cell.device, dtype=cell.dtype) + self.offset) * STRIDE
        y = (torch.arange(rows, device=cell.device, dtype=cell.dtype) + self.offset) * STRIDE
        origins = torch.stack((x.repeat(rows), y.repeat_interleave(columns)), dim=1).repeat(1, 2)
        return (origins[:, None] + cell).view(-1, 4)


def cell_anchors(sizes: Sequence[float], ratios: Sequence[float]) -> Tensor:
    """The anchors of one cell: of each size's area those of each ratio of height to width; float32 (n, 4).

    >>> cell_anchors([64], [1.0]).tolist()
    [[-32.0, -32.0, 32.0, 32.0]]
    """
    anchors = []
    for size in sizes:
        for ratio in ratios:
            width = sqrt(size * size / ratio)
            height = ratio * width
            anchors.append((-width / 2, -height / 2, width / 2, height / 2))
    return torch.tensor(anchors, dtype=torch.float32)
