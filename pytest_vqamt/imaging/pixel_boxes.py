"""Boxes as whole pixels."""

from __future__ import annotations

from math import ceil, floor
from typing import TypeAlias

from pytest_vqamt.core.box import Box

Pixels: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom; right and bottom are the first column and row outside, as PIL has it."""

_FUZZ_PX = 1e-6
"""A box that ends so little beyond a pixel's edge ends at it: x + w is seldom exact."""


def outwards(box: Box, size: tuple[int, int]) -> Pixels | None:
    """Returns all pixels of a picture of ``size`` (width, height) that ``box`` touches, None if it touches none.

    >>> outwards(Box(1.5, 2, 2, 2), (10, 10))
    (1, 2, 4, 4)
    >>> outwards(Box(-5, 8, 20, 20), (10, 10))
    (0, 8, 10, 10)
    """
    x0, y0 = max(0, floor(box.x + _FUZZ_PX)), max(0, floor(box.y + _FUZZ_PX))
    x1, y1 = min(size[0], ceil(box.x1 - _FUZZ_PX)), min(size[1], ceil(box.y1 - _FUZZ_PX))
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def nearest(box: Box) -> Pixels:
    """Returns the box with edges moved to those between pixels; at least one pixel wide and high.

    >>> nearest(Box(1.4, 2.6, 3, 0.1))
    (1, 3, 4, 4)
    """
    x0, y0 = round(box.x), round(box.y)
    return x0, y0, max(x0 + 1, round(box.x1)), max(y0 + 1, round(box.y1))


def inside(box: Box, size: tuple[int, int]) -> Pixels | None:
    """Returns the box in whole pixels, of its rounded width and height; None if empty or not inside.

    >>> inside(Box(2, 3, 4, 5), (10, 10))
    (2, 3, 6, 8)
    >>> inside(Box(8, 3, 4, 5), (10, 10)) is None
    True
    """
    width, height = round(box.w), round(box.h)
    beyond = max(-box.x, -box.y, box.x1 - size[0], box.y1 - size[1])
    if width < 1 or height < 1 or beyond > _FUZZ_PX:
        return None
    x0, y0 = min(round(box.x), size[0] - width), min(round(box.y), size[1] - height)
    return x0, y0, x0 + width, y0 + height
