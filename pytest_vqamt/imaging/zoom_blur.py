"""Zoom blur: the camera moves towards the middle while the shutter is open."""

from __future__ import annotations

import numpy as np
from PIL import Image

FACTORS = tuple(
    tuple(1 + number * step for number in range(count))
    for count, step in ((12, 0.01), (16, 0.01), (11, 0.02), (13, 0.02), (11, 0.03))
)
"""The enlargements that are averaged, by severity: what ``np.arange(1, 1.11, 0.01)`` and its like come to.

The first range has its end in it, since 1.11 - 1 is a little more than eleven times 0.01 in floating point.
"""

_FINER = 2


def zoom_blur(image: Image.Image, severity: int) -> Image.Image:
    """An RGB uint8 image averaged with enlargements of itself, each about the middle and clipped to the frame; a copy.

    Hendrycks and Dietterich (2019): the mean of the picture and of all enlargements, of which the first is by 1.
    **Deviations**: any width and height, where they have a square; each enlargement is about the exact middle, where
    they clip to whole pixels first; a value between pixels is that of the nearest point of a bilinear picture of twice
    the size (a third of the time of a bilinear value for each, and as near to theirs); rounded, where they cut off.
    """
    width, height = image.size
    finer = image.resize((_FINER * width, _FINER * height), Image.Resampling.BILINEAR)
    factors = FACTORS[severity - 1]
    total = 2 * np.asarray(image).astype(np.uint16)  # itself, and the enlargement by 1
    for factor in factors[1:]:
        left, top = (side * (1 - 1 / factor) / 2 for side in finer.size)
        seen = (left, top, finer.width - left, finer.height - top)
        total += np.asarray(finer.resize(image.size, Image.Resampling.NEAREST, box=seen))
    count = len(factors) + 1
    return Image.fromarray(((total + count // 2) // count).astype(np.uint8))
