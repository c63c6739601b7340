"""Reencode: through a file and back."""

from __future__ import annotations

from io import BytesIO

from PIL import Image


def reencode(image: Image.Image) -> Image.Image:
    """An RGB uint8 image as it comes back from a PNG file: the same, bit for bit; a copy."""
    file = BytesIO()
    image.save(file, format="PNG", compress_level=1)
    file.seek(0)
    with Image.open(file) as reread:
        return reread.convert("RGB")
