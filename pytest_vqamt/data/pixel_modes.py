"""Images of any kind of pixels as RGB, 8 bits a channel."""

from __future__ import annotations

import numpy as np
from PIL import Image

_WHITE = (255, 255, 255, 255)
_SIXTEEN_BITS = 65535


def to_rgb(image: Image.Image) -> Image.Image:
    """``image`` as RGB uint8, itself where it is. What is transparent lets white through; 16 bits are scaled to 8.

    Raises:
        ValueError: its kind of pixels has no meaning as RGB, or it lacks the palette that its pixels point into.
    """
    if image.mode == "P" and image.palette is None:
        raise ValueError("it has no palette")
    if image.mode.startswith("I") or image.mode == "F":
        return _from_numbers(image).convert("RGB")
    if "transparency" in image.info or image.mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        return _on_white(image)
    return image if image.mode == "RGB" else image.convert("RGB")  # convert would copy, in half the time of decoding


def _on_white(image: Image.Image) -> Image.Image:
    seen = image if image.mode == "RGBA" else image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", seen.size, _WHITE), seen).convert("RGB")


def _from_numbers(image: Image.Image) -> Image.Image:
    """Wide numbers as grey: 16 bits, or floats from 0 to 1, are scaled by their range, others by what occurs."""
    values = np.asarray(image).astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError("some of its pixels are no finite numbers")
    low, high = values.min(), values.max()
    top = 1.0 if image.mode == "F" else float(_SIXTEEN_BITS)
    if low < 0 or high > top:
        values, top = values - low, high - low
    return Image.fromarray(np.rint(values / top * 255).astype(np.uint8))
