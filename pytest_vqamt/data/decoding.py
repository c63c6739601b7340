"""The bytes of an image file as an RGB picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from PIL import Image, ImageOps, UnidentifiedImageError

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.jpeg_and_png import without_end
from pytest_vqamt.data.messages import reason, shown, shown_path
from pytest_vqamt.data.pixel_modes import to_rgb
from pytest_vqamt.data.strict_pillow import strict

T = TypeVar("T")

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "PPM")
"""What may be read. Pillow knows more, some of which runs other programs."""

_ORIENTATION = 0x0112
_QUARTER_TURNS = (5, 6, 7, 8)
_TIFF_WIDTH, _TIFF_HEIGHT = 256, 257
_FIRST_BYTES = 8


def decode(data: bytes, file: str) -> Image.Image:
    """The image, RGB uint8, turned as its EXIF says: the first frame, on white where it is transparent.

    Raises:
        DataError: the bytes are no image, a broken one, or one of more pixels than Pillow allows; it names ``file``.
    """
    return _read(BytesIO(without_end(data)), file, _decoded)


def size_px(file: Path) -> tuple[int, int]:
    """Width and height of the image as ``decode`` gives it; no pixel is decoded.

    Raises:
        DataError: the file is no image, or one of more pixels than Pillow allows.
    """
    if not os.path.isfile(file):  # noqa: PTH113 - Path's raises; to open a pipe would be to wait for ever
        raise DataError(f"Expected a photo, but {shown_path(file)} is no file: put the photo itself there")
    return _read(file, str(file), _size)


def _read(source: BytesIO | Path, file: str, take: Callable[[Image.Image], T]) -> T:
    try:
        with strict(), Image.open(source, formats=FORMATS) as image:
            most = Image.MAX_IMAGE_PIXELS
            if most is not None and image.width * image.height > most:
                raise Image.DecompressionBombError(f"{image.width} x {image.height} px are more than {most}")
            return take(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(
            f"Expected a photo of a sane size, but {shown_path(file)} has too many pixels ({reason(error)}): "
            "scale it down, or fetch it again"
        ) from error
    except UnidentifiedImageError as error:
        raise DataError(
            f"Expected a photo ({', '.join(FORMATS)}), but {shown_path(file)} is no image, or a broken one "
            f"(it begins with {shown(_first_bytes(source))}): put the photo itself there"
        ) from error
    except Exception as error:  # Pillow's readers raise whatever a broken file makes them stumble over
        no_file = isinstance(error, OSError) and error.errno is not None
        wrong, advice = ("cannot be read", "make it readable") if no_file else ("is broken", "fetch it again")
        raise DataError(f"Expected a photo, but {shown_path(file)} {wrong} ({reason(error)}): {advice}") from error


def _first_bytes(source: BytesIO | Path) -> bytes:
    if isinstance(source, BytesIO):
        return source.getvalue()[:_FIRST_BYTES]
    with source.open("rb") as file:
        return file.read(_FIRST_BYTES)


def _decoded(image: Image.Image) -> Image.Image:
    turned = image.format != "TIFF" and _orientation(image) != 1  # Pillow's reader of TIFF turns it
    image.load()
    return to_rgb(ImageOps.exif_transpose(image) if turned else image)


def _size(image: Image.Image) -> tuple[int, int]:
    width, height = image.size
    if image.format == "TIFF":  # some versions of Pillow say the size before it is turned, some after
        tags = image.getexif()
        width, height = tags[_TIFF_WIDTH], tags[_TIFF_HEIGHT]
    return (height, width) if _orientation(image) in _QUARTER_TURNS else (width, height)


def _orientation(image: Image.Image) -> int:
    """How the camera was held, from 1 to 8 as EXIF numbers it; 1, upright, where the file does not say.

    To look behind the pixels of a PNG, Pillow would decode them, so what stands there is left alone, as browsers do.
    """
    if image.format == "PNG" and "exif" not in image.info:
        return 1
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # a viewer shows a photo whose EXIF is broken upright, and so did annotators see it
        return 1
    return found if found in range(1, 9) else 1
