"""Filters in whole numbers: the same pixels on every machine, in a fraction of Pillow's time.

Pillow computes one value at a time, and in floating point where it shears. NumPy's loops take as many values at once as
a register of the processor holds, which is most for integers of 8 and 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil, exp
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Words: TypeAlias = NDArray[np.uint32]
"""HW, uint32: the bytes of red, green, blue and a fourth without meaning. A pixel moves as one value, not as three."""

Values: TypeAlias = NDArray[np.uint8]

_BITS = 8
_ONE = 1 << _BITS
"""The sum of the weights of a filter: 255 times that, and the half that rounds, still fit into 16 bits."""

_TAILS = 4
"""The range of a Gaussian, in sigmas: beyond it no weight is 1 of 256."""

_BAND = 60_000
"""The values that are computed at once. They stay in the processor's cache, and 16 bits of each take less than 128 kB.
An array of more is given and taken by the system page by page, which can cost more than the filter."""


def packed(image: Image.Image) -> Words:
    """The pixels of an RGB image; read-only, a copy."""
    return np.frombuffer(image.tobytes("raw", "RGBX"), np.uint32).reshape(image.height, image.width)


def unpacked(words: Words) -> Image.Image:
    """The RGB image of ``words``; a copy."""
    return Image.frombytes("RGB", (words.shape[1], words.shape[0]), words.data, "raw", "RGBX")


def gaussian_blurred(image: Image.Image, sigma_px: float) -> Image.Image:
    """An RGB uint8 image, blurred by a Gaussian whose weights are 256ths; a copy.

    OpenCV blurs uint8 with weights of the same precision. Beyond a sigma of some 4 px they are too coarse. The picture
    goes on as it ends.
    """
    weights = _gaussian_weights(sigma_px)
    reach = len(weights) - 1
    width, height = image.size
    blurred = Image.new("RGB", image.size)
    for start, stop in bands(height, 3 * width):
        seen = image.crop((0, max(0, start - reach), width, min(height, stop + reach)))
        lacks = max(0, reach - start), max(0, stop + reach - height)
        values = np.pad(np.asarray(seen), (lacks, (reach, reach), (0, 0)), "edge").reshape(stop - start + 2 * reach, -1)
        down = _weighted(values, weights, values.shape[1])
        # The rows are one line here: values that mix the end of a row with the next row's start are in the margin.
        across = np.empty((stop - start, values.shape[1]), np.uint8)
        across.reshape(-1)[: down.size - 6 * reach] = _weighted(down, weights, 3)
        blurred.paste(Image.fromarray(across[:, : 3 * width].reshape(-1, width, 3)), (0, start))
    return blurred


@lru_cache
def _gaussian_weights(sigma_px: float) -> tuple[int, ...]:
    """The weights of the middle and of each distance from it in 256ths, up to the last that is not 0."""
    heights = [exp(-((distance / sigma_px) ** 2) / 2) for distance in range(ceil(_TAILS * sigma_px) + 1)]
    total = heights[0] + 2 * sum(heights[1:])
    sides = [side for height in heights[1:] if (side := round(_ONE * height / total))]
    return _ONE - 2 * sum(sides), *sides


def _weighted(values: Values, weights: tuple[int, ...], step: int) -> Values:
    """The weighted means of values ``step`` apart, in a line; it ends where the first or the last would be missing."""
    wide = values.reshape(-1).astype(np.uint16)
    middle = step * (len(weights) - 1)
    count = wide.size - 2 * middle
    total = wide[middle : middle + count] * np.uint16(weights[0])
    total += np.uint16(_ONE // 2)
    for distance, weight in enumerate(weights[1:], 1):
        before, behind = middle - distance * step, middle + distance * step
        pair = wide[before : before + count] + wide[behind : behind + count]
        pair *= np.uint16(weight)
        total += pair
    total >>= np.uint16(_BITS)
    return total.astype(np.uint8)


def sheared(image: Image.Image, factor: float) -> Image.Image:
    """An RGB uint8 image with each row moved by ``factor`` times its distance below the middle, to a 256th; a copy.

    Between pixels the mean of the two nearest of the row, black where the row does not reach.
    """
    width, height = image.size
    # Where in the picture the middle of each row's first pixel comes from, and the pixels from in there.
    comes_from = 0.5 - factor * (np.arange(height) + 0.5 - height / 2)
    firsts = np.clip(np.ceil(-comes_from), 0, width).astype(np.intp)
    lasts = np.clip(np.ceil(width - comes_from), 0, width).astype(np.intp)
    places, shares = np.divmod(np.rint(_ONE * (comes_from - 0.5)).astype(np.intp), _ONE)
    moved = Image.new("RGB", image.size)
    for start, stop in bands(height, 4 * width):
        around = np.pad(packed(image.crop((0, start, width, stop))), ((0, 0), (1, 1)), "edge")
        both = np.zeros((2, stop - start, width), np.uint32)
        rows = (each[start:stop].tolist() for each in (firsts, lasts, places + 1))
        for left, right, row, first, last, place in zip(*both, around, *rows, strict=True):
            if first < last:
                left[first:last] = row[place + first : place + last]
                right[first:last] = row[place + first + 1 : place + last + 1]
        share = shares[start:stop, None].astype(np.uint16)
        mixed, more = both.view(np.uint8).astype(np.uint16)
        mixed *= np.uint16(_ONE) - share
        more *= share
        mixed += more
        mixed += np.uint16(_ONE // 2)
        mixed >>= np.uint16(_BITS)
        moved.paste(unpacked(mixed.astype(np.uint8).view(np.uint32)), (0, start))
    moved.info = image.info.copy()
    return moved


def doubled(image: Image.Image) -> Words:
    """An RGB image twice as large: the very pixels of Pillow's bilinear filter, which rounds after each direction."""
    return _doubled_rows(_doubled_rows(packed(image).T).T)


def _doubled_rows(words: Words) -> Words:
    """Twice as many rows, each a quarter of the way from one to the next; the picture goes on as it ends."""
    words = np.ascontiguousarray(words)
    height, width = words.shape
    result = np.empty((height, 2, width), np.uint32)
    for start, stop in bands(height, 4 * width):
        around = words[np.clip(np.arange(start - 1, stop + 1), 0, height - 1)]
        values = around.view(np.uint8).astype(np.uint16)
        own = 3 * values[1:-1]
        own += np.uint16(2)  # half of the 4 that it is divided by
        for place, beside in enumerate((values[:-2], values[2:])):
            mixed = own + beside
            mixed >>= np.uint16(2)
            result[start:stop, place] = mixed.astype(np.uint8).view(np.uint32)
    return result.reshape(2 * height, width)


def bands(rows: int, values: int) -> Iterator[tuple[int, int]]:
    """The rows in turn, from the first of a band up to the first of the next, by the number of values in a row."""
    many = max(1, _BAND // values)
    return ((start, min(rows, start + many)) for start in range(0, rows, many))
