"""The picture world with each thing in a colour of its own, so that a rendered picture tells what each pixel shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.edits import Move, Redraw, things_moved_with
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.picture_world.source import PictureWorld

Numbers = NDArray[np.int64]
"""HW: 1 + the place of a thing on its photo, 0 for none, OTHER where no one thing is shown."""

OTHER = -1
_STEP = 5
"""Between the red values of two things. A colour that is off by half as much or less is still told."""


@dataclass(frozen=True, slots=True)
class ColourCoded:
    """The photos of one picture: red is the thing, green the photo, blue a check of both."""

    source: PictureWorld
    photos: tuple[Photo, ...]

    def photo(self, photo: Photo) -> Image.Image:
        return self._coded(self._labels(photo), photo)

    def _labels(self, photo: Photo) -> Numbers:
        return np.asarray(self.source.label_map(self.source.place(photo.id))).astype(np.int64)

    def _coded(self, labels: Numbers, photo: Photo) -> Image.Image:
        red, green = labels * _STEP, np.full_like(labels, self._green(photo))
        return Image.fromarray(np.stack([red, green, _check(red, green)], axis=2).astype(np.uint8))

    def redrawn(self, photo: Photo, redraw: Redraw) -> Image.Image:
        return self.photo(photo)  # the thing stays where it was: see parts_seen.py for what it looks like

    def moved(self, photo: Photo, moves: tuple[Move, ...]) -> Image.Image:
        scene, labels = self.source.scene(self.source.place(photo.id)), self._labels(photo)
        for each in moves:
            moving = things_moved_with(scene, each.thing)
            own = np.isin(labels, [number for number, thing in enumerate(scene.objects, start=1) if thing.id in moving])
            rows, columns = np.nonzero(own)
            numbers, rows, columns = labels[own], rows + each.dy, columns + each.dx
            inside = (rows >= 0) & (rows < len(labels)) & (columns >= 0) & (columns < labels.shape[1])
            labels[own] = 0
            labels[rows[inside], columns[inside]] = numbers[inside]
        return self._coded(labels, photo)

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        return self.source.mask(photo, thing_id)

    def numbers(self, image: Image.Image, photo: Photo) -> Numbers:
        """What each pixel of a rendered picture shows of ``photo``."""
        red, green, blue = np.moveaxis(np.asarray(image).astype(np.int64), 2, 0)
        numbers = (red + _STEP // 2) // _STEP
        own = np.full_like(green, self._green(photo))
        is_one = (abs(green - own) <= _STEP // 2) & (abs(blue - _check(numbers * _STEP, own)) <= _STEP // 2)
        return np.where(is_one, numbers, OTHER)

    def _green(self, photo: Photo) -> int:
        return self.photos.index(photo) * 100


def _check(red: Numbers, green: Numbers) -> Numbers:
    return (red * 37 + green * 11) % 251
