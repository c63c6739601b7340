"""Mirror: left and right are exchanged."""

from __future__ import annotations

from PIL import Image, ImageOps


def mirror(image: Image.Image) -> Image.Image:
    """An RGB uint8 image with its columns in the opposite order; a copy."""
    return ImageOps.mirror(image)
