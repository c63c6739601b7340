"""Shear: rows slide sideways over each other."""

from __future__ import annotations

from PIL import Image

from pytest_vqamt.core.edits import Shear


def shear(image: Image.Image, edit: Shear) -> Image.Image:
    """An RGB uint8 image with each row shifted by ``factor`` times its distance below the middle; a copy.

    With a ``factor`` above 0 what is below the middle goes to the right. The frame stays: what leaves it is lost, what
    comes in is black, as OpenCV's warpAffine has it in DeepTest. Linear between the two nearest pixels of the row.
    """
    affine = (1, -edit.factor, edit.factor * image.height / 2, 0, 1, 0)  # from where in the picture each pixel comes
    return image.transform(image.size, Image.Transform.AFFINE, affine, Image.Resampling.BILINEAR)
