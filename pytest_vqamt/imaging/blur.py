"""Blur: everything but some boxes loses its detail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Blur
from pytest_vqamt.imaging.whole_pixels import Pixels, outwards

_REACH = 4
"""In sigmas: beyond it a Gaussian is less than half of 1 of 255."""


def blur(image: Image.Image, edit: Blur) -> Image.Image:
    """An RGB uint8 image, blurred by a Gaussian of ``sigma_px`` but for the kept boxes; a copy.

    As Yang et al. (2021) obscure faces, which CARETS follows: the picture and its blurred copy are blended by a mask
    whose edge is softened with the same sigma.

    **Deviation**: they soften the edge both ways. Here every pixel that a kept box touches stays as it was, and the
    softening lies outside: at a distance of d pixels the picture has the weight exp(-(d / sigma)^2 / 2). Pillow
    approximates the Gaussian by three box filters.
    """
    if edit.sigma_px == 0:
        return image.copy()
    gaussian = ImageFilter.GaussianBlur(edit.sigma_px)
    # One channel at a time is faster, and the same: Pillow blurs a fourth, unused one of an RGB image.
    blurred = Image.merge("RGB", [channel.filter(gaussian) for channel in image.split()])
    if near := _near(edit, image.size):
        blurred.paste(image.crop(near), near, Image.fromarray(_weight_of_picture(edit, image.size, near)))
    return blurred


def _near(edit: Blur, size: tuple[int, int]) -> Pixels | None:
    """The rectangle outside of which nothing of the picture itself is seen."""
    if not edit.keep:
        return None
    kept, reach_px = Box.around(edit.keep), _REACH * edit.sigma_px
    more_px = 2 * reach_px
    return outwards(Box(kept.x - reach_px, kept.y - reach_px, kept.w + more_px, kept.h + more_px), size)


def _weight_of_picture(edit: Blur, size: tuple[int, int], near: Pixels) -> NDArray[np.uint8]:
    """How much of the picture itself is seen: HW of ``near``, 255 in the kept boxes, 0 far from them."""
    weight = np.zeros((near[3] - near[1], near[2] - near[0]), np.uint8)
    for box in edit.keep:
        if kept := outwards(box, size):
            x0, y0, x1, y1 = kept
            columns = _falling(np.arange(near[0], near[2]), x0, x1, edit.sigma_px)
            rows = _falling(np.arange(near[1], near[3]), y0, y1, edit.sigma_px)
            np.maximum(weight, np.rint(np.multiply.outer(255 * rows, columns)).astype(np.uint8), out=weight)
    return weight


def _falling(at: NDArray[np.int_], start: int, stop: int, sigma_px: float) -> NDArray[np.float32]:
    """1 from ``start`` up to ``stop``, and falling off on both sides as a Gaussian does from its middle."""
    distance_px = np.maximum(np.maximum(start - at, at - (stop - 1)), 0)
    return np.exp(-((distance_px / sigma_px) ** 2) / 2).astype(np.float32)
