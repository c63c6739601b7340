"""Low contrast: every value comes near the mean."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageStat

from pytest_vqamt.imaging.tone import toned

GAINS = (0.4, 0.3, 0.2, 0.1, 0.05)
"""What is left of a value's distance from the mean, by severity."""


def low_contrast(image: Image.Image, severity: int) -> Image.Image:
    """An RGB uint8 image with each value at (value - mean) * gain + mean, of its channel's mean; a copy.

    Hendrycks and Dietterich (2019). **Deviation**: rounded, where they cut off.
    """
    gain = GAINS[severity - 1]

    def nearer(mean: float) -> Callable[[int], float]:
        return lambda value: (value - mean) * gain + mean

    return toned(image, *(nearer(mean) for mean in ImageStat.Stat(image).mean))
