"""Where there is room in a picture for one more thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import sqrt
from typing import TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations.recognisable import is_large_enough

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Place: TypeAlias = tuple[int, int]
"""Where the top left corner is, x and y in pixels."""

LARGEST_SCALE = 2.0
"""A cut-out is never enlarged more: it would be seen to be of another picture."""
_ROWS = 24
"""The grid has so many steps along the picture's shorter side."""


def size_among(peers: Sequence[Box], w: float, h: float, frame: Box) -> Size | None:
    """The size in whole pixels at which a cut-out of ``w`` x ``h`` has the mean area of its peers' boxes.

    Its aspect ratio stays, and it is enlarged at most twice. None where it would be too small to be seen for certain in
    ``frame``.
    """
    mean_area = sum(box.area for box in peers) / len(peers)
    scale = min(LARGEST_SCALE, sqrt(mean_area / (w * h))) if w * h else 0.0
    size = round(w * scale), round(h * scale)
    return size if is_large_enough(*size, frame) else None


def touching(boxes: Sequence[Box], frame: Box, size: Size) -> tuple[Place, ...]:
    """Places where a thing of ``size`` touches a box without overlapping any, inside ``frame``.

    Beside each box and above and below it, level with its end, its start or its middle. Boxes are in whole pixels.
    """
    return _free((place for box in boxes for place in _around(box, size)), boxes, frame, size)


def anywhere(boxes: Sequence[Box], frame: Box, size: Size) -> tuple[Place, ...]:
    """Places on a grid where a thing of ``size`` overlaps no box, inside ``frame``."""
    step = max(1, round(min(frame.w, frame.h) / _ROWS))
    columns, rows = range(0, int(frame.w) - size[0] + 1, step), range(0, int(frame.h) - size[1] + 1, step)

    def beside(y: int) -> list[tuple[float, float]]:
        """From where to where the boxes reach that a thing in this row could overlap."""
        return [(box.x, box.x1) for box in boxes if y < box.y1 and y + size[1] > box.y]

    free: list[Place] = []
    for taken, alike in groupby(rows, beside):
        free_columns = [x for x in columns if not any(x < x1 and x + size[0] > x0 for x0, x1 in taken)]
        free += [(x, y) for y in alike for x in free_columns]
    return tuple(free)


def _around(box: Box, size: Size) -> Iterator[Place]:
    width, height = size
    left, top, right, bottom = (int(edge) for edge in (box.x, box.y, box.x1, box.y1))
    for y in (bottom - height, top, (top + bottom - height) // 2):
        yield right, y
        yield left - width, y
    for x in (left, right - width, (left + right - width) // 2):
        yield x, top - height
        yield x, bottom


def _free(places: Iterable[Place], boxes: Sequence[Box], frame: Box, size: Size) -> tuple[Place, ...]:
    width, height = size
    edges = [(box.x, box.y, box.x1, box.y1) for box in boxes]
    return tuple(
        (x, y)
        for x, y in dict.fromkeys(places)
        if x >= 0
        and y >= 0
        and x + width <= frame.w
        and y + height <= frame.h
        and not any(x < x1 and x + width > x0 and y < y1 and y + height > y0 for x0, y0, x1, y1 in edges)
    )
