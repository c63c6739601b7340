"""The mean colour of a source's photos: what masks and patches are painted in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PIL import Image

from pytest_vqamt.core.edits import Colour

_LOOKED_AT = 100
"""Photos that the mean is taken over; of a larger source, this many at equal distances."""


def spread(count: int) -> range:
    """The indices, of ``count`` from 0 on, that the mean is taken over."""
    return range(0, count, max(1, -(-count // _LOOKED_AT)))


def mean_colour(images: Iterable[Image.Image]) -> Colour:
    """The mean over all pixels of ``images`` (RGB uint8, each image weighing the same), rounded; gray without any."""
    means = [np.asarray(image).reshape(-1, 3).mean(axis=0) for image in images]
    if not means:
        return (128, 128, 128)
    red, green, blue = np.mean(means, axis=0).round().astype(int).tolist()
    return (red, green, blue)
