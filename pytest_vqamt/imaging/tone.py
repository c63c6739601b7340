"""Brightness and Contrast: every value is replaced by another, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from pytest_vqamt.core.edits import Brightness, Contrast


def brightness(image: Image.Image, edit: Brightness) -> Image.Image:
    """An RGB uint8 image with ``offset`` added to every channel, clipped to 0..255; a copy."""
    return toned(image, lambda value: value + edit.offset)


def contrast(image: Image.Image, edit: Contrast) -> Image.Image:
    """An RGB uint8 image with every channel times ``gain``, rounded (halves to even), clipped to 0..255; a copy."""
    return toned(image, lambda value: value * edit.gain)


def toned(image: Image.Image, *becomes: Callable[[int], float]) -> Image.Image:
    """The image with each value put through ``becomes``: one for all channels, or one for each.

    Rounded (halves to even), clipped to 0..255; a copy.
    """
    channels = len(image.getbands())
    curves = becomes if len(becomes) == channels else becomes * channels
    return image.point([min(255, max(0, round(curve(value)))) for curve in curves for value in range(256)])
