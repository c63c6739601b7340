"""Polygons and runs as masks: a pixel is covered if its centre is inside."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from pytest_vqamt.core.box import Box

_SLIVER = 0.3
"""A mask that covers less of its box shows only a part of the thing, or one that its outline does not identify."""


def is_fragmented(segmentation: Segmentation, box: Box) -> bool:
    """Whether a mask is in several pieces, or covers little of its box, so that it is hard to recognise alone."""
    if isinstance(segmentation, Polygons):
        return len(segmentation.outlines) > 1 or sum(map(_area, segmentation.outlines)) < _SLIVER * box.area
    return sum(segmentation.lengths[1::2]) < _SLIVER * box.area


def _area(outline: array[float]) -> float:
    """The area inside an outline, by the shoelace formula."""
    xs, ys = outline[0::2], outline[1::2]
    ahead = zip(xs, ys, [*xs[1:], xs[0]], [*ys[1:], ys[0]], strict=True)
    return abs(sum(x * next_y - next_x * y for x, y, next_x, next_y in ahead)) / 2


Toggles = npt.NDArray[np.uint8]


def polygon_mask(polygons: Iterable[Sequence[float]], width: int, height: int) -> Image.Image:
    """A mask of the pixels whose centres lie in any of the polygons: mode L, 255 inside, else 0.

    A polygon is ``x0, y0, x1, y1, ...``; the corner of the picture is (0, 0), the centre of its first pixel (0.5, 0.5).
    Where a polygon overlaps itself it has a hole. Pillow's own polygons include the outline, half a pixel on every
    side.
    """
    covered = np.zeros((height, width), dtype=np.uint8)
    for polygon in polygons:
        covered |= _inside(polygon, width, height)
    return Image.fromarray(covered * np.uint8(255))


def _inside(polygon: Sequence[float], width: int, height: int) -> Toggles:
    """1 where a ray from the left crosses an odd number of edges, else 0."""
    toggles = np.zeros((height, width + 1), dtype=np.uint8)
    corners = list(zip(polygon[::2], polygon[1::2], strict=True))
    for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
        (x0, y0), (x1, y1) = sorted((one, other), key=lambda corner: corner[1])
        rows = np.arange(max(0, math.ceil(y0 - 0.5)), min(height, math.ceil(y1 - 0.5)))
        if rows.size:
            crossings = x0 + (rows + 0.5 - y0) * (x1 - x0) / (y1 - y0)
            toggles[rows, np.clip(np.ceil(crossings - 0.5), 0, width).astype(np.intp)] ^= 1
    return np.bitwise_xor.accumulate(toggles[:, :width], axis=1)


@dataclass(frozen=True, slots=True)
class Polygons:
    """Outlines ``x0, y0, x1, y1, ...`` in pixels; the mask is their union."""

    outlines: tuple[array[float], ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """Lengths of runs of pixels, down the columns from the left: outside, inside, outside, ..."""

    lengths: array[int]


Segmentation: TypeAlias = Polygons | Runs
