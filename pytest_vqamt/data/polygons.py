"""Polygons as a mask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image

Toggles = npt.NDArray[np.uint8]


def drawn(polygons: Iterable[Sequence[float]], width: int, height: int) -> Image.Image:
    """The pixels whose centres lie in any of the polygons: mode L, 255 there, else 0.

    A polygon is x, y of one corner after the other; the corner of the picture is (0, 0), the centre of its first pixel
    (0.5, 0.5). Where a polygon covers itself twice it has a hole. Pillow's own polygons would take in the outline,
    half a pixel on every side.
    """
    covered = np.zeros((height, width), dtype=np.uint8)
    for polygon in polygons:
        covered |= _inside(polygon, width, height)
    return Image.fromarray(covered * np.uint8(255))


def _inside(polygon: Sequence[float], width: int, height: int) -> Toggles:
    """1 where a ray from the left has crossed an odd number of edges, else 0."""
    toggles = np.zeros((height, width + 1), dtype=np.uint8)
    corners = list(zip(polygon[::2], polygon[1::2], strict=True))
    for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
        (x0, y0), (x1, y1) = sorted((one, other), key=lambda corner: corner[1])
        rows = np.arange(max(0, math.ceil(y0 - 0.5)), min(height, math.ceil(y1 - 0.5)))
        if rows.size:
            crossings = x0 + (rows + 0.5 - y0) * (x1 - x0) / (y1 - y0)
            toggles[rows, np.clip(np.ceil(crossings - 0.5), 0, width).astype(np.intp)] ^= 1
    return np.bitwise_xor.accumulate(toggles[:, :width], axis=1)
