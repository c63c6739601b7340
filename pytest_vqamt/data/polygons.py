"""Polygons as a mask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PIL import Image, ImageDraw

_FINER = 2
"""Pillow paints the outline too: drawn this much finer, it takes in no pixel whose centre the polygon leaves out."""


def drawn(polygons: Iterable[Sequence[float]], width: int, height: int) -> Image.Image:
    """The pixels whose centres lie in any of the polygons: mode L, 255 there, else 0.

    A polygon is x, y of one corner after the other; the corner of the picture is (0, 0), the centre of its first pixel
    (0.5, 0.5).
    """
    mask = Image.new("L", (width * _FINER, height * _FINER), 0)
    pen = ImageDraw.Draw(mask)
    for polygon in polygons:
        pen.polygon([each * _FINER for each in polygon], fill=255)
    return mask.resize((width, height), Image.Resampling.NEAREST)  # nearest to the centre of each pixel
