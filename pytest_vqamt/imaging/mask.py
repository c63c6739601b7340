"""Mask: everything but some boxes is painted over."""

from __future__ import annotations

from PIL import Image

from pytest_vqamt.core.edits import Mask
from pytest_vqamt.imaging.pixel_boxes import outwards


def mask(image: Image.Image, edit: Mask) -> Image.Image:
    """An RGB uint8 image in ``colour``, with the pixels that the kept boxes touch as they were; a hard edge, a copy."""
    masked = Image.new("RGB", image.size, edit.colour)
    for box in edit.keep:
        if kept := outwards(box, image.size):
            masked.paste(image.crop(kept), kept)
    return masked
