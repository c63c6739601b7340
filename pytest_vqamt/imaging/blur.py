"""Blur: everything but some boxes loses its detail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pytest_vqamt.core.edits import Blur
from pytest_vqamt.imaging.whole_pixels import outwards


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
    return Image.composite(image, blurred, Image.fromarray(_weight_of_picture(edit, image.size)))


def _weight_of_picture(edit: Blur, size: tuple[int, int]) -> NDArray[np.uint8]:
    """How much of the picture itself is seen: HW, 255 in the kept boxes, 0 far from them."""
    width, height = size
    weight = np.zeros((height, width), np.uint8)
    for box in edit.keep:
        if kept := outwards(box, size):
            x0, y0, x1, y1 = kept
            columns = _falling(x0, x1, width, edit.sigma_px)
            rows = _falling(y0, y1, height, edit.sigma_px)
            np.maximum(weight, np.rint(np.multiply.outer(255 * rows, columns)).astype(np.uint8), out=weight)
    return weight


def _falling(start: int, stop: int, length: int, sigma_px: float) -> NDArray[np.float32]:
    """1 from ``start`` up to ``stop``, and falling off on both sides as a Gaussian does from its middle."""
    at = np.arange(length)
    distance_px = np.maximum(np.maximum(start - at, at - (stop - 1)), 0)
    return np.exp(-((distance_px / sigma_px) ** 2) / 2).astype(np.float32)
