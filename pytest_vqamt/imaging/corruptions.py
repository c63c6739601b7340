"""The corruptions of Hendrycks and Dietterich (2019)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageStat

from pytest_vqamt.core.edits import Corrupt, Corruption
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.integer_filters import bands, doubled, packed, unpacked
from pytest_vqamt.imaging.pixel_edits import map_values
from pytest_vqamt.imaging.render import outwards, renders

SEVEREST = 5
"""The highest severity."""

AMOUNTS = (0.03, 0.06, 0.09, 0.17, 0.27)
"""The share of values that are lost, by severity."""

_DRAWN = 1 << 15
"""The values for which numbers are drawn at once; the generator gives the same ones in parts of whole 8 bytes."""

FACTORS = tuple(
    tuple(1 + number * step for number in range(count))
    for count, step in ((12, 0.01), (16, 0.01), (11, 0.02), (13, 0.02), (11, 0.03))
)
"""The enlargements that are averaged, by severity: what ``np.arange(1, 1.11, 0.01)`` and its like come to.

The first range has its end in it, since 1.11 - 1 is a little more than eleven times 0.01 in floating point.
"""

_SIDE_PX = 224
"""The side of the pictures that the published figures are for."""

GAINS = (0.4, 0.3, 0.2, 0.1, 0.05)
"""What is left of a value's distance from the mean, by severity."""


@renders(Corrupt, given="seed")
def corrupt(image: Image.Image, edit: Corrupt, seed: int) -> Image.Image:
    """An RGB uint8 image, corrupted as a whole or only in the pixels that ``boxes`` touch; a copy.

    Inside boxes stands what the corrupted whole has there: a zoom goes about the picture's middle, and contrast is lost
    towards the picture's mean. The same ``seed`` gives the same pixels.

    Raises:
        RenderError: the severity is not from 1 to 5.
    """
    if edit.severity not in range(1, SEVEREST + 1):
        raise RenderError(f"Expected a severity from 1 to {SEVEREST}, but got edit={edit!r}")
    corrupted = _corrupted(image, edit, seed)
    if not edit.boxes:
        return corrupted
    result = image.copy()
    for box in edit.boxes:
        if part := outwards(box, image.size):
            result.paste(corrupted.crop(part), part)
    return result


def _corrupted(image: Image.Image, edit: Corrupt, seed: int) -> Image.Image:
    rng = np.random.Generator(np.random.PCG64(seed))
    match edit.kind:
        case Corruption.IMPULSE:
            return impulse_noise(image, edit.severity, rng)
        case Corruption.ZOOM:
            return zoom_blur(image, edit.severity)
        case Corruption.SNOW:
            return snow(image, edit.severity, rng)
        case Corruption.CONTRAST:
            return low_contrast(image, edit.severity)


def impulse_noise(image: Image.Image, severity: int, rng: np.random.Generator) -> Image.Image:
    """An RGB uint8 image in which a share of the values is 0 or 255, each as likely; a copy.

    Hendrycks and Dietterich (2019): salt and pepper, drawn for every channel of every pixel alone. A value that was 0
    or 255 may stay what it was. **Deviation**: the share is taken to the nearest 65536th.
    """
    values = np.asarray(image)
    salt, lost = (np.uint16(round(share * 65536)) for share in (AMOUNTS[severity - 1] / 2, AMOUNTS[severity - 1]))
    result = values.reshape(-1).copy()
    for start in range(0, result.size, _DRAWN):
        part = result[start : start + _DRAWN]
        # 16 bits a value take a quarter of the memory of floats, and "<u2" is the same on every machine.
        drawn = np.frombuffer(rng.bytes(2 * part.size), "<u2")
        # Masks of 0 and 255, bit by bit: choosing value by value takes five times as long.
        part &= np.negative((drawn >= lost).view(np.uint8))
        part |= np.negative((drawn < salt).view(np.uint8))
    return Image.fromarray(result.reshape(values.shape))


def zoom_blur(image: Image.Image, severity: int) -> Image.Image:
    """An RGB uint8 image averaged with enlargements of itself, each about the middle and clipped to the frame; a copy.

    Hendrycks and Dietterich (2019): the mean of the picture and of all enlargements, of which the first is by 1.
    **Deviations**: any width and height, where they have a square; each enlargement is about the exact middle, where
    they clip to whole pixels first; a value between pixels is that of the nearest point of a bilinear picture of twice
    the size (a third of the time of a bilinear value for each, and as near to theirs); rounded, where they cut off.
    """
    width, height = image.size
    finer = doubled(image)
    factors = FACTORS[severity - 1][1:]
    shown = [(_seen(height, factor), _seen(width, factor)) for factor in factors]
    count = len(factors) + 2  # the picture itself, and the enlargement by 1
    blurred = Image.new("RGB", image.size)
    for start, stop in bands(height, 4 * width):
        total = packed(image.crop((0, start, width, stop))).view(np.uint8).astype(np.uint16)
        total *= np.uint16(2)
        tall, seen = np.empty((stop - start, 2 * width), np.uint32), np.empty((stop - start, width), np.uint32)
        for rows, columns in shown:
            finer.take(rows[start:stop], axis=0, out=tall, mode="clip")
            tall.take(columns, axis=1, out=seen, mode="clip")
            total += seen.view(np.uint8)
        total += np.uint16(count // 2)  # half of the count rounds
        total //= np.uint16(count)
        blurred.paste(unpacked(total.astype(np.uint8).view(np.uint32)), (0, start))
    return blurred


@lru_cache
def _seen(side: int, factor: float) -> NDArray[np.intp]:
    """The rows, or columns, of the finer picture that an enlargement shows."""
    finer = 2 * side
    margin = finer * (1 - 1 / factor) / 2
    places = Image.fromarray(np.arange(finer, dtype=np.int32)[None])
    # Pillow says which are the nearest, so that its pixels and ours are the same.
    nearest = places.resize((side, 1), Image.Resampling.NEAREST, box=(margin, 0, finer - margin, 1))
    return np.asarray(nearest).reshape(-1).astype(np.intp)


@dataclass(frozen=True, slots=True)
class Snowfall:
    """The published figures of one severity, in their order."""

    mean: float
    deviation: float
    """``mean`` and ``deviation``: of the normal noise that flakes are made of."""
    zoom: float
    """How much the noise is enlarged."""
    threshold: float
    """Below it there is no flake."""
    radius_px: int
    sigma_px: float
    """``radius_px`` and ``sigma_px``: of the motion blur."""
    kept: float
    """The share of the picture that is not whitened."""


SNOWFALLS = (
    Snowfall(0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    Snowfall(0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    Snowfall(0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    Snowfall(0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    Snowfall(0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)


def snow(image: Image.Image, severity: int, rng: np.random.Generator) -> Image.Image:
    """An RGB uint8 image, whitened where it is dark, under a layer of snow and the same layer turned round; a copy.

    Hendrycks and Dietterich (2019). **Deviations**: their figures in pixels are for 224 x 224, so the layer has as many
    pixels, in the shape of the picture, and is brought to its size: snow looks the same on a picture and on its
    enlargement. Noise is drawn only for the middle that they enlarge. Values are rounded between the steps.
    """
    fall = SNOWFALLS[severity - 1]
    layer = Image.fromarray(_layer(_layer_size(image.size), fall, rng)).resize(image.size, Image.Resampling.BILINEAR)
    snowed = _whitened(image, fall.kept)
    both = _alike(np.asarray(ImageChops.add(layer, layer.transpose(Image.Transpose.ROTATE_180))))
    _add_clipped(snowed, both)
    result = unpacked(snowed.view(np.uint32))
    result.info = image.info.copy()
    return result


def _whitened(image: Image.Image, kept: float) -> NDArray[np.uint8]:
    """The picture as kept * x + (1 - kept) * max(x, 1.5 * grey + 0.5), for values from 0 to 1; four values a pixel."""
    paler = map_values(image.convert("L"), lambda grey: (1 - kept) * (1.5 * grey + 127.5))
    mixed = packed(map_values(image, lambda value: kept * value)).view(np.uint8).copy()
    _add_clipped(mixed, _alike(np.asarray(paler)))
    return np.maximum(packed(image).view(np.uint8), mixed)


def _alike(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Each value four times: that of all bytes of a pixel."""
    return (values * np.uint32(0x01010101)).view(np.uint8)


def _add_clipped(values: NDArray[np.uint8], more: NDArray[np.uint8]) -> None:
    """Adds ``more`` to ``values``, up to 255."""
    np.minimum(values, ~more, out=values)
    values += more


def _layer_size(size: tuple[int, int]) -> tuple[int, int]:
    scale = _SIDE_PX / sqrt(size[0] * size[1])
    return max(1, round(scale * size[0])), max(1, round(scale * size[1]))


def _layer(size: tuple[int, int], fall: Snowfall, rng: np.random.Generator) -> NDArray[np.uint8]:
    """One layer of flakes, HW, of ``size`` (width, height): 0 where there is none."""
    drawn = (ceil(size[1] / fall.zoom), ceil(size[0] / fall.zoom))
    noise = Image.fromarray(rng.normal(fall.mean, fall.deviation, drawn).astype(np.float32))
    flakes = np.asarray(noise.resize(size, Image.Resampling.BILINEAR))
    flakes = np.where(flakes < fall.threshold, np.float32(0), np.minimum(flakes, np.float32(1)))
    return np.rint(255 * motion_blurred(flakes, fall, radians(rng.uniform(-135, -45)))).astype(np.uint8)


def motion_blurred(flakes: NDArray[np.float32], fall: Snowfall, angle: float) -> NDArray[np.float32]:
    """Each flake drawn out in one direction by half a Gaussian, as ImageMagick's motion blur has it; edges go on."""
    length = 2 * fall.radius_px + 1
    weights = [np.exp(-((step / fall.sigma_px) ** 2) / 2) for step in range(length)]
    height, width = flakes.shape
    around = np.pad(flakes, length, mode="edge")  # no step goes farther than the length
    total = np.zeros_like(flakes)
    for step, weight in enumerate(weights):
        # The nearest whole pixel, and the lower one of a tie.
        x, y = length + ceil(step * cos(angle) - 0.5), length + ceil(step * sin(angle) - 0.5)
        total += np.float32(weight / sum(weights)) * around[y : y + height, x : x + width]
    return total


def low_contrast(image: Image.Image, severity: int) -> Image.Image:
    """An RGB uint8 image with each value at (value - mean) * gain + mean, of its channel's mean; a copy.

    Hendrycks and Dietterich (2019). **Deviation**: rounded, where they cut off.
    """
    gain = GAINS[severity - 1]

    def nearer(mean: float) -> Callable[[int], float]:
        return lambda value: (value - mean) * gain + mean

    return map_values(image, *(nearer(mean) for mean in ImageStat.Stat(image).mean))
