"""The pixels of other views of a picture."""

from __future__ import annotations

from io import BytesIO
from math import cos, radians, sin

import numpy as np
from PIL import Image, ImageDraw

from pytest_vqamt.core.edits import (
    MOST_TILTED,
    Beside,
    Jpeg,
    Move,
    Pad,
    Recolour,
    Redraw,
    Rescale,
    Rotate,
    Shift,
    Tilt,
    Write,
)
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.query import PhotoStore, RedrawingStore
from pytest_vqamt.imaging.lettering import font, has_all
from pytest_vqamt.imaging.render import Step, inside, renders

_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
"""Pillow turns counterclockwise."""

_CARD_MARGIN = 0.12
"""The share of a card's height that stays free above and below its text."""

_COLOURED = 50
"""The least saturation (0 to 255) of a pixel that has a hue to speak of: black, white and gray have none."""


@renders(Shift)
def shift(image: Image.Image, edit: Shift) -> Image.Image:
    """An RGB uint8 image with its content moved; the free margin repeats the nearest edge.

    Raises:
        RenderError: nothing of the content would be left.
    """
    if abs(edit.dx) >= image.width or abs(edit.dy) >= image.height:
        raise RenderError(f"Expected a shift within {image.width} x {image.height} pixels, but got edit={edit!r}")
    # The row and the column of the photo that each one of the result shows; beyond the edge, those at the edge.
    rows = np.clip(np.arange(image.height) - edit.dy, 0, image.height - 1)
    columns = np.clip(np.arange(image.width) - edit.dx, 0, image.width - 1)
    return Image.fromarray(np.asarray(image).take(rows, axis=0).take(columns, axis=1))


@renders(Pad)
def pad(image: Image.Image, edit: Pad) -> Image.Image:
    """An RGB uint8 image with a margin of one colour.

    Raises:
        RenderError: a width is negative.
    """
    if min(edit.left, edit.top, edit.right, edit.bottom) < 0:
        raise RenderError(f"Expected margins of 0 pixels or more, but got edit={edit!r}")
    size = image.width + edit.left + edit.right, image.height + edit.top + edit.bottom
    padded = Image.new("RGB", size, edit.colour)
    padded.paste(image, (edit.left, edit.top))
    return padded


@renders(Rescale)
def rescale(image: Image.Image, edit: Rescale) -> Image.Image:
    """An RGB uint8 image of the size of the edit, by a bicubic filter that averages where it makes smaller.

    Raises:
        RenderError: the size is not at least 1 x 1.
    """
    if min(edit.width, edit.height) < 1:
        raise RenderError(f"Expected a size of at least 1 x 1 pixels, but got edit={edit!r}")
    return image.resize((edit.width, edit.height), Image.Resampling.BICUBIC)


@renders(Jpeg)
def jpeg(image: Image.Image, edit: Jpeg) -> Image.Image:
    """An RGB uint8 image after a round trip through JPEG, with chroma subsampling of 4:2:0."""
    file = BytesIO()
    image.save(file, format="JPEG", quality=edit.quality, subsampling="4:2:0")
    file.seek(0)
    with Image.open(file) as reread:
        return reread.convert("RGB")


@renders(Rotate)
def rotate(image: Image.Image, edit: Rotate) -> Image.Image:
    """An RGB uint8 image turned clockwise, pixel for pixel.

    Raises:
        RenderError: the angle is not 90, 180 or 270 degrees.
    """
    if edit.degrees not in _TURNS:
        raise RenderError(f"Expected a turn by 90, 180 or 270 degrees, but got edit={edit!r}")
    return image.transpose(_TURNS[edit.degrees])


@renders(Tilt)
def tilt(image: Image.Image, edit: Tilt) -> Image.Image:
    """An RGB uint8 image turned by a few degrees about its middle, by a bicubic filter.

    Raises:
        RenderError: it is turned by more than 10 degrees, or not at all.
    """
    if not 0 < abs(edit.degrees) <= MOST_TILTED:
        raise RenderError(f"Expected a tilt by 1 to {MOST_TILTED} degrees either way, but got edit={edit!r}")
    width, height = edit.size(image.width, image.height)
    angle = radians(edit.degrees)
    across, down = cos(angle), sin(angle)
    middle = across * width / 2 + down * height / 2, across * height / 2 - down * width / 2
    # Pillow wants the place in the source of each pixel of the result.
    places = (
        across, down, image.width / 2 - middle[0],
        -down, across, image.height / 2 - middle[1],
    )  # fmt: skip
    return image.transform(
        (width, height), Image.Transform.AFFINE, places, Image.Resampling.BICUBIC, fillcolor=edit.colour
    )


@renders(Beside, given="photos")
def beside(image: Image.Image, edit: Beside, photos: PhotoStore) -> Image.Image:
    """An RGB uint8 image with a second one to its right, at its height.

    Raises:
        DataError: the second photo cannot be read.
    """
    second = photos.photo(edit.second.photo)
    width = max(1, round(second.width * image.height / second.height))
    whole = Image.new("RGB", (image.width + edit.gap + width, image.height), edit.colour)
    whole.paste(image, (0, 0))
    if second.size != (width, image.height):  # a photo of the same height is not filtered
        second = second.resize((width, image.height), Image.Resampling.BICUBIC)
    whole.paste(second, (image.width + edit.gap, 0))
    return whole


@renders(Write)
def write(image: Image.Image, edit: Write) -> Image.Image:
    """An RGB uint8 image with a card and a line of text in the middle of it, as large as fits; a copy.

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
    """The largest size of the built-in font at which a line of ``text`` fits on a card; at least 1."""
    margin = round(_CARD_MARGIN * height)
    tall = max(1, round((height - 2 * margin) / 1.2))  # ascenders and descenders take a fifth more than the size
    wide = font(tall).getlength(text)
    return max(1, min(tall, int(tall * (width - 2 * margin) / wide))) if wide else tall


@renders(Recolour, given="step")
def recolour(image: Image.Image, edit: Recolour, step: Step) -> Image.Image:
    """An RGB uint8 image with another hue on the coloured pixels of the thing's mask; a copy.

    Raises:
        RenderError: another edit came before, so that the mask is not that of the picture.
        DataError: the mask cannot be read.
    """
    if not all(isinstance(each, Recolour) for each in step.edits_before):
        raise RenderError(f"Expected the photo as it is, whose masks are known, but got edits={step.picture.edits!r}")
    mask = step.photos.mask(step.picture.photo, edit.thing)
    recoloured = image.copy()
    if box := mask.getbbox():
        hue, saturation, value = image.crop(box).convert("HSV").split()
        chosen = mask.crop(box).point(lambda level: 255 * (level >= 128))
        coloured = saturation.point(lambda level: 255 * (level >= _COLOURED))
        # Shadows, highlights and white stripes keep what they are.
        hue.paste(round(edit.hue / 360 * 255), mask=coloured)
        recoloured.paste(
            Image.merge("HSV", (hue, saturation, value)).convert("RGB"), box[:2], chosen.crop((0, 0, *hue.size))
        )
    return recoloured


@renders(Redraw, given="step")
def redraw(_image: Image.Image, edit: Redraw, step: Step) -> Image.Image:
    """The photo, drawn anew with another number of a thing's parts; RGB, uint8.

    Raises:
        RenderError: the source does not draw its photos, or another edit came before.
        DataError: the thing cannot be drawn so.
    """
    if step.place or not isinstance(step.photos, RedrawingStore):
        raise RenderError(
            f"Expected Redraw as the first edit of a photo that is drawn, but got edits={step.picture.edits!r}"
        )
    return step.photos.redrawn(step.picture.photo, edit)


@renders(Move, given="step")
def move(image: Image.Image, _edit: Move, step: Step) -> Image.Image:
    """The photo, drawn anew with things elsewhere; RGB, uint8.

    Raises:
        RenderError: the source does not draw its photos, or another edit came before.
        DataError: the thing cannot be drawn elsewhere.
    """
    edits = step.picture.edits
    behind = next((place for place, each in enumerate(edits) if not isinstance(each, Move)), len(edits))
    moves = tuple(each for each in edits[:behind] if isinstance(each, Move))
    if step.place >= len(moves) or not isinstance(step.photos, RedrawingStore):
        raise RenderError(f"Expected Move among the first edits of a photo that is drawn, but got edits={edits!r}")
    # The last of them draws all.
    return image if step.place + 1 < len(moves) else step.photos.moved(step.picture.photo, moves)
