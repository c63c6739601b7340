"""Pictures as they are sent: PNG, which loses nothing."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

_COMPRESSION = 1
"""Of photos the least compression makes files 7 % larger than the usual one, in a third of the time."""


def png_of(image: Image) -> bytes:
    """The image, RGB uint8, as a PNG file: the very pixels come out of it again."""
    file = BytesIO()
    image.save(file, "PNG", compress_level=_COMPRESSION)
    return file.getvalue()
