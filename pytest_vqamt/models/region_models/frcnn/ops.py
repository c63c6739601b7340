"""Boxes as the detector moves them about: float32 (n, 4), x1 y1 x2 y2 in pixels, width x2 - x1."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import torch
from torch import Tensor

_LARGEST_GROWTH = log(1000 / 16)
"""The logarithm of how many times wider or higher a change may make a box: no exponential overflows."""


def changed(boxes: Tensor, deltas: Tensor, scales: Sequence[float]) -> Tensor:
    """Each box moved and resized as its deltas say.

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


def clipped(boxes: Tensor, width: int, height: int) -> Tensor:
    """The part of each box that lies in a picture of ``width`` x ``height`` pixels; it may be empty."""
    return torch.stack(
        (
            boxes[:, 0].clamp(0, width),
            boxes[:, 1].clamp(0, height),
            boxes[:, 2].clamp(0, width),
            boxes[:, 3].clamp(0, height),
        ),
        dim=1,
    )


def with_sides_above(boxes: Tensor, least: float) -> Tensor:
    """Which boxes have two sides longer than ``least``: bool (n,)."""
    return ((boxes[:, 2:] - boxes[:, :2]) > least).all(dim=1)
