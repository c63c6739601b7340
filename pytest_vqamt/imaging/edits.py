"""Cut and Crop: a piece of the picture becomes the picture."""

from __future__ import annotations

from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Crop, Cut
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.pixel_boxes import inside


def cut(image: Image.Image, edit: Cut) -> Image.Image:
    """The columns (axis x) or rows (axis y) from ``start`` up to ``stop`` of an RGB uint8 image.

    Raises:
        RenderError: they are none, or not all inside the picture.
    """
    if edit.axis == "x":
        return _piece(image, edit, Box.between(edit.start, 0, edit.stop, image.height))
    return _piece(image, edit, Box.between(0, edit.start, image.width, edit.stop))


def crop(image: Image.Image, edit: Crop) -> Image.Image:
    """The rectangle ``box`` of an RGB uint8 image.

    Raises:
        RenderError: it is empty, or not all inside the picture.
    """
    return _piece(image, edit, edit.box)


def _piece(image: Image.Image, edit: Cut | Crop, box: Box) -> Image.Image:
    piece = inside(box, image.size)
    if piece is None:
        raise RenderError(
            f"Expected a piece inside the picture of {image.width} x {image.height} pixels, but got edit={edit!r}: "
            "clip it to the scene's frame"
        )
    return image.crop(piece)
