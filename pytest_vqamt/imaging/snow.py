"""Snow: whitened, with flakes that fall in two directions."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops

from pytest_vqamt.imaging.tone import toned

_SIDE_PX = 224
"""The side of the pictures that the published figures are for."""


@dataclass(frozen=True, slots=True)
class Snowfall:
    """The published figures of one severity, in their order.

    Attributes:
        mean, deviation: of the normal noise that flakes are made of.
        zoom: how much the noise is enlarged.
        threshold: below it there is no flake.
        radius_px, sigma_px: of the motion blur.
        kept: the share of the picture that is not whitened.
    """

    mean: float
    deviation: float
    zoom: float
    threshold: float
    radius_px: int
    sigma_px: float
    kept: float


SNOWFALLS = (
    Snowfall(0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    Snowfall(0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    Snowfall(0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    Snowfall(0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    Snowfall(0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)


def snow(image: Image.Image, severity: int, rng: np.random.Generator) -> Image.Image:
    """An RGB uint8 image, whitened where it is dark, under two layers of snow, one the other turned round; a copy.

    Hendrycks and Dietterich (2019). **Deviations**: their figures in pixels are for 224 x 224, so the layer has as many
    pixels, in the shape of the picture, and is brought to its size: snow looks the same on a picture and on its
    enlargement. Noise is drawn only for the middle that they enlarge. Values are rounded between the steps.
    """
    fall = SNOWFALLS[severity - 1]
    layer = Image.fromarray(_layer(_layer_size(image.size), fall, rng)).resize(image.size, Image.Resampling.BILINEAR)
    both = ImageChops.add(layer, layer.transpose(Image.Transpose.ROTATE_180))
    return ImageChops.add(_whitened(image, fall.kept), Image.merge("RGB", (both, both, both)))


def _whitened(image: Image.Image, kept: float) -> Image.Image:
    """The picture as kept * x + (1 - kept) * max(x, 1.5 * grey + 0.5), for values from 0 to 1."""
    paler = toned(image.convert("L"), lambda grey: (1 - kept) * (1.5 * grey + 127.5))
    mixed = ImageChops.add(toned(image, lambda value: kept * value), Image.merge("RGB", (paler, paler, paler)))
    return ImageChops.lighter(image, mixed)


def _layer_size(size: tuple[int, int]) -> tuple[int, int]:
    scale = _SIDE_PX / sqrt(size[0] * size[1])
    return max(1, round(scale * size[0])), max(1, round(scale * size[1]))


def _layer(size: tuple[int, int], fall: Snowfall, rng: np.random.Generator) -> NDArray[np.uint8]:
    """One layer of flakes, HW, of ``size`` (width, height): 0 where there is none."""
    drawn = (ceil(size[1] / fall.zoom), ceil(size[0] / fall.zoom))
    noise = Image.fromarray(rng.normal(fall.mean, fall.deviation, drawn).astype(np.float32))
    flakes = np.asarray(noise.resize(size, Image.Resampling.BILINEAR))
    flakes = np.where(flakes < fall.threshold, np.float32(0), np.minimum(flakes, np.float32(1)))
    return np.rint(255 * drawn_out(flakes, fall, radians(rng.uniform(-135, -45)))).astype(np.uint8)


def drawn_out(flakes: NDArray[np.float32], fall: Snowfall, angle: float) -> NDArray[np.float32]:
    """Each flake drawn out in one direction by half a Gaussian, as ImageMagick's motion blur has it; edges go on."""
    length = 2 * fall.radius_px + 1
    weights = [np.exp(-((step / fall.sigma_px) ** 2) / 2) for step in range(length)]
    height, width = flakes.shape
    around = np.pad(flakes, length, mode="edge")
    total = np.zeros_like(flakes)
    for step, weight in enumerate(weights):
        x, y = length + ceil(step * cos(angle) - 0.5), length + ceil(step * sin(angle) - 0.5)
        total += np.float32(weight / sum(weights)) * around[y : y + height, x : x + width]
    return total
