"""Images and boxes drawn by Hypothesis, a store of made photos, and a reading of boxes as pixels.

The reading is what edits are held against: it knows nothing of how they round boxes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, Scene

Values: TypeAlias = NDArray[np.uint8]


@st.composite
def images(draw: st.DrawFn, least: int = 1, most: int = 16) -> Image.Image:
    """RGB, each side from ``least`` to ``most`` pixels: noise, or a few values only."""
    height, width = draw(st.integers(least, most)), draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values if draw(st.booleans()) else values // 64 * 85)


@st.composite
def boxes(draw: st.DrawFn, most: int = 16) -> Box:
    """A box in quarters of pixels, not empty; it may lie partly or wholly outside."""
    x, y = (draw(st.integers(-4 * most // 4, 4 * most)) / 4 for _ in range(2))
    return Box(x, y, draw(st.integers(1, 4 * most)) / 4, draw(st.integers(1, 4 * most)) / 4)


@st.composite
def whole_boxes(draw: st.DrawFn, size: tuple[int, int]) -> Box:
    """A box of whole pixels inside a picture of ``size`` (width, height), not empty."""
    x, y = draw(st.integers(0, size[0] - 1)), draw(st.integers(0, size[1] - 1))
    return Box(x, y, draw(st.integers(1, size[0] - x)), draw(st.integers(1, size[1] - y)))


def touched(some: tuple[Box, ...], image: Image.Image) -> NDArray[np.bool_]:
    """HW: the pixels that one of the boxes has a part in common with."""
    found = np.zeros((image.height, image.width), np.bool_)
    xs, ys = np.arange(image.width), np.arange(image.height)
    for box in some:
        across, down = (xs < box.x1) & (xs + 1 > box.x), (ys < box.y1) & (ys + 1 > box.y)
        found |= np.outer(down, across)
    return found


def values(image: Image.Image) -> Values:
    """HWC, RGB."""
    assert image.mode == "RGB"
    return np.asarray(image)


def scene_for(image: Image.Image, photo: str = "0") -> Scene:
    """A scene with nothing in it, of the image's size."""
    return Scene(id=photo, photo=Photo(id=photo, digest=photo), width=image.width, height=image.height)


@dataclass
class Photos:
    """Photos by their ids, and one mask for all things of each."""

    images: dict[str, Image.Image]
    masks: dict[str, NDArray[np.bool_]]

    @classmethod
    def of(cls, *images: Image.Image) -> Photos:
        return cls({str(place): image for place, image in enumerate(images)}, {})

    def photo(self, photo: Photo) -> Image.Image:
        if photo.id not in self.images:
            raise DataError(f"Expected a photo of this test, but got photo={photo.id!r}")
        return self.images[photo.id].copy()

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        if photo.id not in self.masks:
            raise DataError(f"Expected a thing with a mask, but got thing_id={thing_id!r}")
        return Image.fromarray(self.masks[photo.id].astype(np.uint8) * 255)
