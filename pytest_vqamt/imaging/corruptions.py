"""Corrupt: the picture becomes harder to see."""

from __future__ import annotations

import numpy as np
from PIL import Image

from pytest_vqamt.core.edits import Corrupt, Corruption
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.impulse_noise import impulse_noise
from pytest_vqamt.imaging.low_contrast import low_contrast
from pytest_vqamt.imaging.pixel_boxes import outwards
from pytest_vqamt.imaging.snow import snow
from pytest_vqamt.imaging.zoom_blur import zoom_blur

SEVEREST = 5


def corrupt(image: Image.Image, edit: Corrupt, seed: int) -> Image.Image:
    """An RGB uint8 image, corrupted as a whole or only in the pixels that ``boxes`` touch; a copy.

    Inside boxes stands what the corrupted whole has there: a zoom goes about the picture's middle, and contrast is lost
    towards the picture's mean. The same ``seed`` gives the same pixels.

    Raises:
        RenderError: the severity is none of 1 to 5.
    """
    if edit.severity not in range(1, SEVEREST + 1):
        raise RenderError(f"Expected a severity from 1 to {SEVEREST}, but got edit={edit!r}")
    corrupted = _corrupted(image, edit, seed)
    if not edit.boxes:
        return corrupted
    result = image.copy()
    for box in edit.boxes:
        if part := outwards(box, image.size):
            result.paste(corrupted.crop(part), part)
    return result


def _corrupted(image: Image.Image, edit: Corrupt, seed: int) -> Image.Image:
    rng = np.random.Generator(np.random.PCG64(seed))
    match edit.kind:
        case Corruption.IMPULSE:
            return impulse_noise(image, edit.severity, rng)
        case Corruption.ZOOM:
            return zoom_blur(image, edit.severity)
        case Corruption.SNOW:
            return snow(image, edit.severity, rng)
        case Corruption.CONTRAST:
            return low_contrast(image, edit.severity)
