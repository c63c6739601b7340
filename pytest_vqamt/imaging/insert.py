"""Insert: a thing cut out of a photo is laid over the picture."""

from __future__ import annotations

from PIL import Image, ImageChops, ImageFilter, ImageOps

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Cutout, Insert
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.query import PhotoStore
from pytest_vqamt.imaging.pixel_boxes import nearest, outwards

_FEATHER_PX = 0.7
"""The sigma of the soft edge: a pixel and a half from half seen to wholly seen."""

_FEATHER_SHARE = 0.05
"""The soft edge takes no more of the shorter side, so that small things do not fade."""

_REACH = 4
"""A Gaussian ends after so many sigmas."""


def insert(image: Image.Image, edit: Insert, photos: PhotoStore) -> Image.Image:
    """An RGB uint8 image with the cut-out scaled into ``box`` (to the nearest whole pixels) and laid over it; a copy.

    Nothing outside the box changes; what of the box lies outside the picture is lost.

    Raises:
        RenderError: the cut-out has no pixels.
        DataError: its photo or its mask cannot be read.
    """
    x0, y0, x1, y1 = nearest(edit.box)
    laid = _scaled(edit.cutout, (x1 - x0, y1 - y0), photos)
    result = image.copy()
    result.paste(laid.convert("RGB"), (x0, y0), laid.getchannel("A"))
    return result


def _scaled(cutout: Cutout, size: tuple[int, int], photos: PhotoStore) -> Image.Image:
    """The thing at ``size``, RGBA: its mask is the transparency, soft at the edge."""
    photo, mask = photos.photo(cutout.photo), photos.mask(cutout.photo, cutout.thing.id)
    pixels = outwards(cutout.thing.box, photo.size)
    if pixels is None or not mask.crop(pixels).getbbox():
        raise RenderError(
            f"Expected a thing to cut out of photo={cutout.photo.id!r}, but the mask shows no pixel inside the box of "
            f"thing={cutout.thing!r}: leave it out"
        )
    thing = photo.crop(pixels)
    thing.putalpha(mask.crop(pixels))
    box = Box(0, 0, *photo.size).common(cutout.thing.box) or cutout.thing.box
    within = (box.x - pixels[0], box.y - pixels[1], box.x1 - pixels[0], box.y1 - pixels[1])
    scale = max(size[0] / box.w, size[1] / box.h)
    # Pillow weighs colours by transparency when it scales RGBA, so that what stood around the thing does not shine
    # through. Sharper filters weigh some pixels below zero, which draws a bright line along the edge of the mask.
    scaled = thing.resize(size, Image.Resampling.BILINEAR if scale > 1 else Image.Resampling.HAMMING, box=within)
    scaled.putalpha(_feathered(scaled.getchannel("A"), max(1.0, scale)))
    return scaled


def _feathered(mask: Image.Image, scale: float) -> Image.Image:
    """The mask (L) with a soft edge that lies inside it: what stood around the thing is not shown.

    A mask that is enlarged has steps of ``scale`` pixels, and an edge as much softer.
    """
    sigma_px = min(_FEATHER_PX * scale, _FEATHER_SHARE * min(mask.size))
    reach = round(_REACH * sigma_px) + 1
    blurred = ImageOps.expand(mask, reach).filter(ImageFilter.GaussianBlur(sigma_px))
    return ImageChops.darker(mask, ImageOps.crop(blurred, reach))
