"""Reencode: through a file and back."""

from __future__ import annotations

from io import BytesIO

from PIL import Image


def reencode(image: Image.Image) -> Image.Image:
    """An RGB uint8 image as it comes back from a TIFF file: the same, bit for bit; a copy.

    Any lossless format would do. PNG takes ten times as long, most of it to compress what is read back at once.
    """
    file = BytesIO()
    image.save(file, format="TIFF")
    file.seek(0)
    with Image.open(file) as reread:
        return reread.convert("RGB")
