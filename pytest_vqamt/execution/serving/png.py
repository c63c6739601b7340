"""A picture that came as a PNG file."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.execution.serving.edit_bounds import MAX_PIXELS
from pytest_vqamt.models.served.requests import PngRow

if TYPE_CHECKING:
    from PIL.Image import Image


def decoded(row: PngRow) -> Image:
    """Its image, RGB uint8. No other format is tried, and what is too large is not unpacked.

    Raises:
        DataError: it is no PNG file, broken, or too large.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(row.png), formats=["PNG"]) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise DataError(f"Expected a picture of at most {MAX_PIXELS} pixels, but got {width} x {height}")
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise DataError(f"Expected a PNG file that can be read, but got {len(row.png)} bytes: {error}") from error


def picture_of_png(row: PngRow, image: Image) -> Picture:
    """The picture of which nothing is known but its pixels."""
    photo = Photo(id=f"png-{row.key}", digest=row.key)
    return Picture(photo=photo, scene=Scene(id=photo.id, photo=photo, width=image.width, height=image.height))
