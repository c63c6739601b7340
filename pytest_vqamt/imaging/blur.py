"""The blur edit."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Blur
from pytest_vqamt.imaging.pixel_boxes import Pixels, outwards
from pytest_vqamt.imaging.render import renders

_SHRUNK = (1, 2, 4)
_SIGMA_PX = 3
"""From this sigma on a picture is blurred at half its size, and from twice that at a quarter."""
_SIDE_PX = 100
"""No picture is made smaller than this for it: near the edges there is more to be wrong about."""


@renders(Blur)
def blur(image: Image.Image, edit: Blur) -> Image.Image:
    """Returns an RGB uint8 image, blurred by a Gaussian of ``sigma_px`` except for the kept boxes; a copy.

    As Yang et al. (2021) obscure faces, which CARETS follows: a mask with an edge of the same sigma blends picture and
    copy.

    **Deviation**: they soften the edge both ways. Here every pixel that a kept box touches stays as it was, and the
    softening lies outside: at a distance of d pixels the picture has the weight exp(-(d / sigma)^2 / 2). Pillow
    approximates the Gaussian by three box filters; where that leaves no fine detail, at a fraction of the size.
    """
    if edit.sigma_px == 0:
        return image.copy()
    blurred = _all_blurred(image, edit.sigma_px)
    if near := _near(edit, image.size):
        blurred.paste(image.crop(near), near, Image.fromarray(_weight_of_picture(edit, image.size, near)))
    return blurred


def _all_blurred(image: Image.Image, sigma_px: float) -> Image.Image:
    """Blurs the whole image.

    Shrinking by n averages n x n pixels (variance (n^2 - 1) / 12 along an axis), enlarging draws straight lines between
    their middles (n^2 / 6); the Gaussian makes up for the rest.
    """
    times = max(n for n in _SHRUNK if (sigma_px >= _SIGMA_PX * n / 2 and min(image.size) >= _SIDE_PX * n) or n == 1)
    rest_px = sqrt(sigma_px**2 - (times**2 - 1) / 12 - times**2 / 6) / times if times > 1 else sigma_px
    gaussian = ImageFilter.GaussianBlur(rest_px)
    small = image.reduce(times)
    # One channel at a time is faster, and the same: Pillow blurs a fourth, unused one of an RGB image.
    blurred = Image.merge("RGB", [channel.filter(gaussian) for channel in small.split()])
    if times == 1:
        return blurred
    width, height = image.size
    return blurred.resize(image.size, Image.Resampling.BILINEAR, box=(0, 0, width / times, height / times))


def _near(edit: Blur, size: tuple[int, int]) -> Pixels | None:
    """Returns the rectangle of all pixels with some weight of the unblurred picture."""
    if not edit.keep:
        return None
    kept, reach_px = Box.enclosing(edit.keep), _REACH * edit.sigma_px
    more_px = 2 * reach_px
    return outwards(Box(kept.x - reach_px, kept.y - reach_px, kept.w + more_px, kept.h + more_px), size)


def _weight_of_picture(edit: Blur, size: tuple[int, int], near: Pixels) -> NDArray[np.uint8]:
    """Returns the weight of the unblurred picture: HW of ``near``, 255 in the kept boxes, 0 far from them."""
    weight = np.zeros((near[3] - near[1], near[2] - near[0]), np.uint8)
    for box in edit.keep:
        if kept := outwards(box, size):
            x0, y0, x1, y1 = kept
            columns = _falling(np.arange(near[0], near[2]), x0, x1, edit.sigma_px)
            rows = _falling(np.arange(near[1], near[3]), y0, y1, edit.sigma_px)
            np.maximum(weight, np.rint(np.multiply.outer(255 * rows, columns)).astype(np.uint8), out=weight)
    return weight


def _falling(at: NDArray[np.int_], start: int, stop: int, sigma_px: float) -> NDArray[np.float32]:
    """Returns 1 from ``start`` up to ``stop``, and Gaussian tails on both sides."""
    distance_px = np.maximum(np.maximum(start - at, at - (stop - 1)), 0)
    return np.exp(-((distance_px / sigma_px) ** 2) / 2).astype(np.float32)
