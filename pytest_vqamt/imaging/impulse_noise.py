"""Impulse noise: single values are lost."""

from __future__ import annotations

import numpy as np
from PIL import Image

AMOUNTS = (0.03, 0.06, 0.09, 0.17, 0.27)
"""The share of values that are lost, by severity."""


def impulse_noise(image: Image.Image, severity: int, rng: np.random.Generator) -> Image.Image:
    """An RGB uint8 image in which a share of the values is 0 or 255, each as likely; a copy.

    Hendrycks and Dietterich (2019): salt and pepper, drawn for every channel of every pixel alone. A value that was 0
    or 255 may stay what it was. **Deviation**: the share is taken to the nearest 65536th.
    """
    values = np.asarray(image)
    drawn = np.frombuffer(rng.bytes(2 * values.size), "<u2").reshape(values.shape)
    salt, lost = (np.uint16(round(share * 65536)) for share in (AMOUNTS[severity - 1] / 2, AMOUNTS[severity - 1]))
    return Image.fromarray(np.where(drawn < lost, np.where(drawn < salt, np.uint8(255), np.uint8(0)), values))
