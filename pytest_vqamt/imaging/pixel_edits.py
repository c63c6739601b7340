"""The pixels of every edit except blur and corruption."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFilter, ImageOps

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Blur,
    Brightness,
    Colour,
    Contrast,
    Crop,
    Cut,
    Cutout,
    Erase,
    Fill,
    Insert,
    Mask,
    Mirror,
    Reencode,
    Shear,
)
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.query import PhotoStore
from pytest_vqamt.imaging.inpainting import inpaint
from pytest_vqamt.imaging.integer_filters import gaussian_blurred, sheared
from pytest_vqamt.imaging.render import Pixels, inside, nearest, outwards, renders

_WHITE = (255, 255, 255)

_FEATHER_PX = 0.7
"""The sigma of the soft edge: a pixel and a half from half seen to wholly seen."""

_FEATHER_SHARE = 0.05
"""The soft edge takes no more of the shorter side, so that small things do not fade."""

_REACH = 4
"""The range of a Gaussian, in sigmas: beyond it there is less than half of 1 of 255."""

_PREVIEW_PX = 150
_PREVIEW_GROUND = (150, 170, 150)

_SHRUNK = (1, 2, 4)
"""The fractions of the size at which a picture may be blurred."""
_SIGMA_PX = 3
"""From this sigma on a picture is blurred at half its size, and from twice that at a quarter; below it, in integers."""
_SIDE_PX = 100
"""No picture is made smaller than this for it: near the edges there is more to be wrong about."""


@renders(Cut)
def cut(image: Image.Image, edit: Cut) -> Image.Image:
    """The columns (axis x) or rows (axis y) from ``start`` up to ``stop`` of an RGB uint8 image.

    Raises:
        RenderError: the piece is empty, or not entirely inside the picture.
    """
    if edit.axis == "x":
        return _piece(image, edit, Box.from_corners(edit.start, 0, edit.stop, image.height))
    return _piece(image, edit, Box.from_corners(0, edit.start, image.width, edit.stop))


@renders(Crop)
def crop(image: Image.Image, edit: Crop) -> Image.Image:
    """The rectangle ``box`` of an RGB uint8 image.

    Raises:
        RenderError: the rectangle is empty, or not entirely inside the picture.
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


@renders(Erase)
def erase(image: Image.Image, edit: Erase) -> Image.Image:
    """An RGB uint8 image with all pixels that ``box`` touches white, in ``colour``, or inpainted; a copy.

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


@renders(Insert, given="photos")
def insert(image: Image.Image, edit: Insert, photos: PhotoStore) -> Image.Image:
    """An RGB uint8 image with the cut-out scaled into ``box`` (in whole pixels) and pasted over it; a copy.

    Nothing outside the box changes; the part of the box outside the picture is lost.

    Raises:
        RenderError: the cut-out has no pixels.
        DataError: its photo or its mask cannot be read.
    """
    x0, y0, x1, y1 = nearest(edit.box)  # not outwards, which would enlarge the thing
    laid = scaled_cutout(edit.cutout, (x1 - x0, y1 - y0), photos)
    result = image.copy()
    result.paste(laid.convert("RGB"), (x0, y0), laid.getchannel("A"))
    return result


def scaled_cutout(cutout: Cutout, size: tuple[int, int], photos: PhotoStore) -> Image.Image:
    """The thing at ``size``, RGBA, with its mask as transparency, soft at the edge.

    Raises:
        RenderError: the cut-out has no pixels.
        DataError: its photo or its mask cannot be read.
    """
    photo, mask = photos.photo(cutout.photo), photos.mask(cutout.photo, cutout.thing.id)
    pixels = outwards(cutout.thing.box, photo.size)
    if pixels is None or not mask.crop(pixels).getbbox():
        raise RenderError(
            f"Expected a thing to cut out of photo={cutout.photo.id!r}, but the mask shows no pixel inside the box of "
            f"thing={cutout.thing!r}: leave it out"
        )
    thing = photo.crop(pixels)
    thing.putalpha(mask.crop(pixels))
    # The box itself within those whole pixels, so that a thing of a few pixels keeps its place to a fraction of one.
    box = Box(0, 0, *photo.size).intersection(cutout.thing.box) or cutout.thing.box
    within = (box.x - pixels[0], box.y - pixels[1], box.x1 - pixels[0], box.y1 - pixels[1])
    scale = max(size[0] / box.w, size[1] / box.h)
    # Pillow weighs colours by transparency when it scales RGBA, so that what stood around the thing does not shine
    # through. Sharper filters weigh some pixels below zero, which draws a bright line along the edge of the mask.
    scaled = thing.resize(size, Image.Resampling.BILINEAR if scale > 1 else Image.Resampling.HAMMING, box=within)
    scaled.putalpha(_feathered(scaled.getchannel("A"), max(1.0, scale)))
    return scaled


def cutout_preview(cutout: Cutout, photos: PhotoStore) -> Image.Image:
    """The cut-out on a plain ground, RGB, uint8, its longer side 150 px long.

    Raises:
        RenderError: the cut-out has no pixels.
        DataError: its photo or its mask cannot be read.
    """
    box = cutout.thing.box
    scale = _PREVIEW_PX / max(box.w, box.h)
    thing = scaled_cutout(cutout, (max(1, round(box.w * scale)), max(1, round(box.h * scale))), photos)
    preview = Image.new("RGB", thing.size, _PREVIEW_GROUND)
    preview.paste(thing.convert("RGB"), mask=thing.getchannel("A"))
    return preview


def _feathered(mask: Image.Image, scale: float) -> Image.Image:
    """The mask (L) with a soft edge inside it, so that no surroundings of the thing are shown.

    A mask that is enlarged has steps of ``scale`` pixels, and an edge as much softer.
    """
    sigma_px = min(_FEATHER_PX * scale, _FEATHER_SHARE * min(mask.size))
    reach = round(_REACH * sigma_px) + 1
    # Expanded by black first: at the edge of the image Pillow would repeat the mask, which stayed hard there.
    blurred = ImageOps.expand(mask, reach).filter(ImageFilter.GaussianBlur(sigma_px))
    return ImageChops.darker(mask, ImageOps.crop(blurred, reach))


@renders(Mask)
def mask(image: Image.Image, edit: Mask) -> Image.Image:
    """An RGB uint8 image in ``colour`` with the pixels that the kept boxes touch as they were; a copy."""
    masked = Image.new("RGB", image.size, edit.colour)
    for box in edit.keep:
        if kept := outwards(box, image.size):
            masked.paste(image.crop(kept), kept)
    return masked


@renders(Mirror)
def mirror(image: Image.Image, _edit: Mirror) -> Image.Image:
    """An RGB uint8 image with its columns in the opposite order; a copy."""
    return ImageOps.mirror(image)


@renders(Reencode)
def reencode(image: Image.Image, _edit: Reencode) -> Image.Image:
    """An RGB uint8 image after a round trip through TIFF: the same, bit for bit; a copy.

    PNG would take ten times as long, most of it for compression.
    """
    file = BytesIO()
    image.save(file, format="TIFF")
    file.seek(0)
    with Image.open(file) as reread:
        return reread.convert("RGB")


@renders(Shear)
def shear(image: Image.Image, edit: Shear) -> Image.Image:
    """An RGB uint8 image with each row shifted by ``factor`` times its distance below the middle; a copy.

    A positive ``factor`` shifts the lower half to the right. The frame stays: pixels that leave it are lost, new ones
    are black, as with OpenCV's warpAffine in DeepTest. Linear between the two nearest pixels of the row.
    """
    return sheared(image, edit.factor)


@renders(Brightness)
def brightness(image: Image.Image, edit: Brightness) -> Image.Image:
    """An RGB uint8 image with ``offset`` added to every channel, clipped to 0..255; a copy."""
    return map_values(image, lambda value: value + edit.offset)


@renders(Contrast)
def contrast(image: Image.Image, edit: Contrast) -> Image.Image:
    """An RGB uint8 image times ``gain``, rounded (halves to even), clipped to 0..255; a copy."""
    return map_values(image, lambda value: value * edit.gain)


def map_values(image: Image.Image, *becomes: Callable[[int], float]) -> Image.Image:
    """The image with ``becomes`` applied to each value: one function for all channels, or one for each.

    Rounded (halves to even), clipped to 0..255; a copy.
    """
    tables = [min(255, max(0, round(curve(value)))) for curve in becomes for value in range(256)]
    return image.point(tables * (len(image.getbands()) // len(becomes)))


@renders(Blur)
def blur(image: Image.Image, edit: Blur) -> Image.Image:
    """An RGB uint8 image, blurred by a Gaussian of ``sigma_px`` except for the kept boxes; a copy.

    As Yang et al. (2021) obscure faces, which CARETS follows: a mask with an edge of the same sigma blends picture and
    copy.

    **Deviation**: they soften the edge both ways. Here every pixel that a kept box touches stays as it was, and the
    softening lies outside: at a distance of d pixels the picture has the weight exp(-(d / sigma)^2 / 2). From a sigma
    of 3 px on, Pillow approximates the Gaussian by three box filters, at a fraction of the size.
    """
    if edit.sigma_px == 0:
        return image.copy()
    blurred = _all_blurred(image, edit.sigma_px)
    if near := _near(edit, image.size):  # the weights are only worked out where they are not 0
        blurred.paste(image.crop(near), near, Image.fromarray(_weight_of_picture(edit, image.size, near)))
    return blurred


def _all_blurred(image: Image.Image, sigma_px: float) -> Image.Image:
    """Blurs the whole image.

    Shrinking by n averages n x n pixels (variance (n^2 - 1) / 12 along an axis), enlarging draws straight lines between
    their middles (n^2 / 6); the Gaussian makes up for the rest.
    """
    least_px = min(image.size)
    times = max(n for n in _SHRUNK if (sigma_px >= _SIGMA_PX * n / 2 and least_px >= _SIDE_PX * n) or n == 1)
    if times == 1 and sigma_px < _SIGMA_PX and least_px >= _SIDE_PX:
        return gaussian_blurred(image, sigma_px)
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
    """The rectangle of all pixels with some weight of the unblurred picture."""
    if not edit.keep:
        return None
    kept, reach_px = Box.enclosing(edit.keep), _REACH * edit.sigma_px
    more_px = 2 * reach_px
    return outwards(Box(kept.x - reach_px, kept.y - reach_px, kept.w + more_px, kept.h + more_px), size)


def _weight_of_picture(edit: Blur, size: tuple[int, int], near: Pixels) -> NDArray[np.uint8]:
    """The weight of the unblurred picture: HW of ``near``, 255 in the kept boxes, 0 far from them."""
    weight = np.zeros((near[3] - near[1], near[2] - near[0]), np.uint8)
    for box in edit.keep:
        if kept := outwards(box, size):
            x0, y0, x1, y1 = kept
            columns = _falling(np.arange(near[0], near[2]), x0, x1, edit.sigma_px)
            rows = _falling(np.arange(near[1], near[3]), y0, y1, edit.sigma_px)
            np.maximum(weight, np.rint(np.multiply.outer(255 * rows, columns)).astype(np.uint8), out=weight)
    return weight


def _falling(at: NDArray[np.int_], start: int, stop: int, sigma_px: float) -> NDArray[np.float32]:
    """1 from ``start`` up to ``stop``, and Gaussian tails on both sides."""
    distance_px = np.maximum(np.maximum(start - at, at - (stop - 1)), 0)
    return np.exp(-((distance_px / sigma_px) ** 2) / 2).astype(np.float32)
