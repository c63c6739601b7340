"""Pictures that came as PNG files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.served.protocol import PngRow
from pytest_vqamt.serving.limits import MAX_PIXELS

if TYPE_CHECKING:
    from PIL.Image import Image


class PngFile:
    """A PNG file that is unpacked when it is first looked at.

    Attributes:
        picture: that of which nothing is known but its pixels.
    """

    def __init__(self, row: PngRow) -> None:
        """Reads the header alone.

        Raises:
            DataError: it is no PNG file, or too large.
        """
        self._row = row
        with _opened(row) as image:
            width, height = image.size
        if width * height > MAX_PIXELS:
            raise DataError(f"Expected a picture of at most {MAX_PIXELS} pixels, but got {width} x {height}")
        photo = Photo(id=f"png-{row.key}", digest=row.key)
        self.picture = Picture(photo=photo, scene=Scene(id=photo.id, photo=photo, width=width, height=height))
        self._image: Image | None = None

    def image(self, _picture: Picture) -> Image:
        """Its pixels, RGB uint8, a copy each time.

        Raises:
            DataError: it is broken.
        """
        if self._image is None:
            with _opened(self._row) as image:
                self._image = image.convert("RGB")
        return self._image.copy()


@contextmanager
def _opened(row: PngRow) -> Iterator[Image]:
    """The file, of which no more than the header has been read. No other format is tried."""
    from PIL import Image

    try:
        with Image.open(BytesIO(row.png), formats=["PNG"]) as image:
            yield image
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"Expected a PNG file that can be read, but got {len(row.png)} bytes: {error}") from error
