"""Erase: a rectangle is covered."""

from __future__ import annotations

from PIL import Image

from pytest_vqamt.core.edits import Colour, Erase, Fill
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.inpainting import inpaint
from pytest_vqamt.imaging.pixel_boxes import outwards

_WHITE = (255, 255, 255)


def erase(image: Image.Image, edit: Erase) -> Image.Image:
    """An RGB uint8 image with every pixel that ``box`` touches white, of ``colour``, or inpainted; a copy.

    Raises:
        RenderError: no colour is given where one is needed, or the inpainter cannot be had.
    """
    if edit.fill is Fill.INPAINT:
        return inpaint(image, edit.box, edit.method)
    erased = image.copy()
    if covered := outwards(edit.box, image.size):
        erased.paste(_colour(edit), covered)
    return erased


def _colour(edit: Erase) -> Colour:
    if edit.fill is Fill.WHITE:
        return _WHITE
    if edit.colour is None:
        raise RenderError(f"Expected the colour to erase with, but got edit={edit!r}: give colour=corpus.mean_colour")
    return edit.colour
