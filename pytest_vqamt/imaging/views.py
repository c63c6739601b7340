"""The pixels of other views of a picture."""

from __future__ import annotations

from functools import cache, lru_cache
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from pytest_vqamt.core.edits import Beside, Jpeg, Pad, Recolour, Rescale, Rotate, Shift, Write
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.query import PhotoStore
from pytest_vqamt.imaging.lettering import font, has_all
from pytest_vqamt.imaging.pixel_boxes import inside

_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
"""Pillow turns counterclockwise."""


def shift(image: Image.Image, edit: Shift) -> Image.Image:
    """Returns an RGB uint8 image with its content moved; the free margin repeats the nearest edge.

    Raises:
        RenderError: nothing of the content would be left.
    """
    if abs(edit.dx) >= image.width or abs(edit.dy) >= image.height:
        raise RenderError(f"Expected a shift within {image.width} x {image.height} pixels, but got edit={edit!r}")
    rows = np.clip(np.arange(image.height) - edit.dy, 0, image.height - 1)
    columns = np.clip(np.arange(image.width) - edit.dx, 0, image.width - 1)
    return Image.fromarray(np.asarray(image).take(rows, axis=0).take(columns, axis=1))


def pad(image: Image.Image, edit: Pad) -> Image.Image:
    """Returns an RGB uint8 image with a margin of one colour.

    Raises:
        RenderError: a width is negative.
    """
    if min(edit.left, edit.top, edit.right, edit.bottom) < 0:
        raise RenderError(f"Expected margins of 0 pixels or more, but got edit={edit!r}")
    size = image.width + edit.left + edit.right, image.height + edit.top + edit.bottom
    padded = Image.new("RGB", size, edit.colour)
    padded.paste(image, (edit.left, edit.top))
    return padded


def rescale(image: Image.Image, edit: Rescale) -> Image.Image:
    """Returns an RGB uint8 image of the size of the edit, by a bicubic filter that averages where it makes smaller.

    Raises:
        RenderError: the size is not at least 1 x 1.
    """
    if min(edit.width, edit.height) < 1:
        raise RenderError(f"Expected a size of at least 1 x 1 pixels, but got edit={edit!r}")
    return image.resize((edit.width, edit.height), Image.Resampling.BICUBIC)


def jpeg(image: Image.Image, edit: Jpeg) -> Image.Image:
    """Returns an RGB uint8 image after a round trip through JPEG, with chroma subsampling of 4:2:0."""
    file = BytesIO()
    image.save(file, format="JPEG", quality=edit.quality, subsampling="4:2:0")
    file.seek(0)
    with Image.open(file) as reread:
        return reread.convert("RGB")


def rotate(image: Image.Image, edit: Rotate) -> Image.Image:
    """Returns an RGB uint8 image turned clockwise, pixel for pixel.

    Raises:
        RenderError: the angle is not 90, 180 or 270 degrees.
    """
    if edit.degrees not in _TURNS:
        raise RenderError(f"Expected a turn by 90, 180 or 270 degrees, but got edit={edit!r}")
    return image.transpose(_TURNS[edit.degrees])


def beside(image: Image.Image, edit: Beside, photos: PhotoStore) -> Image.Image:
    """Returns an RGB uint8 image with a second one to its right, at its height.

    Raises:
        DataError: the second photo cannot be read.
    """
    second = photos.photo(edit.second.photo)
    width = max(1, round(second.width * image.height / second.height))
    whole = Image.new("RGB", (image.width + edit.gap + width, image.height), edit.colour)
    whole.paste(image, (0, 0))
    if second.size != (width, image.height):
        second = second.resize((width, image.height), Image.Resampling.BICUBIC)
    whole.paste(second, (image.width + edit.gap, 0))
    return whole


_CARD_MARGIN = 0.12
"""The share of a card's height that stays free above and below its text."""


def write(image: Image.Image, edit: Write) -> Image.Image:
    """Returns an RGB uint8 image with a card and a line of text in the middle of it, as large as fits; a copy.

    Raises:
        RenderError: the card is empty or not inside the picture, or the font lacks a character of the text.
    """
    card = inside(edit.box, image.size)
    if card is None:
        raise RenderError(
            f"Expected a card inside the picture of {image.width} x {image.height} pixels, but got edit={edit!r}"
        )
    if not has_all(edit.text):
        raise RenderError(f"Expected a text in characters of the built-in font, but got edit={edit!r}")
    left, top, right, bottom = card
    written = image.copy()
    draw = ImageDraw.Draw(written)
    draw.rectangle((left, top, right - 1, bottom - 1), fill=edit.card)
    size_px = text_size_px(edit.text, right - left, bottom - top)
    middle = (left + right) / 2, (top + bottom) / 2
    draw.text(middle, edit.text, fill=edit.ink, font=font(size_px), anchor="mm")
    return written


def text_size_px(text: str, width: int, height: int) -> int:
    """Returns the largest size of the built-in font at which a line of ``text`` fits on a card; at least 1."""
    margin = round(_CARD_MARGIN * height)
    tall = max(1, round((height - 2 * margin) / 1.2))
    wide = font(tall).getlength(text)
    return max(1, min(tall, int(tall * (width - 2 * margin) / wide))) if wide else tall


_COLOURED = 50
"""The least saturation (0 to 255) of a pixel that has a hue to speak of: black, white and gray have none."""


def recolour(image: Image.Image, edit: Recolour, mask: Image.Image) -> Image.Image:
    """Returns an RGB uint8 image with another hue on the coloured pixels of the thing's mask (L); a copy.

    Each pixel of the mask is what comes of it by way of Pillow's HSV. What comes of a coloured one is looked up, as it
    depends on nothing but its largest and its smallest channel.
    """
    recoloured = image.copy()
    if box := mask.getbbox():
        patch = image.crop(box)
        bands = red, green, blue = [np.asarray(band) for band in patch.split()]
        value = np.maximum(np.maximum(red, green), blue)
        saturation = _saturations().take(_pairs(value, np.minimum(np.minimum(red, green), blue)))
        chosen = np.asarray(mask.crop(box)) >= 128
        pixels = _of_hue(round(edit.hue / 360 * 255)).take(_pairs(saturation, value))
        if (gray := np.flatnonzero(chosen & (saturation < _COLOURED))).size:
            line = Image.fromarray(np.dstack([band.take(gray)[None] for band in bands]))
            pixels.put(gray, _packed(line.convert("HSV").convert("RGB")))
        whole = Image.frombuffer("RGBX", patch.size, pixels, "raw", "RGBX", 0, 1).convert("RGB")
        recoloured.paste(whole, box[:2], Image.fromarray(chosen))
    return recoloured


def _pairs(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.uint16]:
    return np.asarray((first.astype(np.uint16) << 8) | second, np.uint16)


def _packed(image: Image.Image) -> NDArray[np.uint32]:
    """Returns the pixels of an RGB image, each as its bytes R, G, B and 255."""
    return np.array(image.convert("RGBA")).view(np.uint32)[..., 0]


@cache
def _saturations() -> NDArray[np.uint8]:
    """Returns Pillow's saturation for each pair of a largest and a smallest channel."""
    largest, smallest = np.indices((256, 256), np.uint8)
    return np.array(Image.fromarray(np.dstack((largest, smallest, smallest))).convert("HSV"))[..., 1].copy()


@lru_cache(maxsize=32)
def _of_hue(hue: int) -> NDArray[np.uint32]:
    """Returns the packed pixel of this hue (0 to 255) for each pair of a saturation and a value."""
    saturation, value = (Image.fromarray(each) for each in np.indices((256, 256), np.uint8))
    return _packed(Image.merge("HSV", (Image.new("L", (256, 256), hue), saturation, value)).convert("RGB"))
