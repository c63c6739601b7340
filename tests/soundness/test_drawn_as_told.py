"""What is drawn is what the perceiver of pixels works out: where both are right, so is what scenes say of edits."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from pytest_vqamt.core.edits import Blur, Brightness, Contrast, Corrupt, Erase, Fill, Insert, Shear
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.data.pictures.source import PictureWorld
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.imaging.render import render
from pytest_vqamt.sampling.samplers import Sampler
from tests.soundness.asking import Item, cases, each_item
from tests.soundness.colour_coded import OTHER, ColourCoded, Numbers
from tests.soundness.outlines import OfPictureWorld
from tests.soundness.pixels import Bitmap, View, touched, view

SOFT_PX = 3
"""The edge of what is inserted is soft, and where it is enlarged twice, as wide as this."""

BLURRED_PX = 6
"""How far a blur that leaves everything clear reaches: three box filters of two pixels to each side."""


@cache
def pictures() -> PictureWorld:
    return PictureWorld(500)


def told(seen: View, photo: Photo) -> Numbers:
    """What each pixel shows of one photo, by the view."""
    numbers = np.zeros(seen.clear.shape, np.int64)
    for each in seen.shown:
        origin, place = each.origin
        numbers[each.pixels] = place + 1 if origin == photo else OTHER
    return numbers


def edges(numbers: Numbers, reach: int) -> Bitmap:
    """Pixels that are so near to another number, or to the border of the picture."""
    shown = np.pad(numbers, reach, constant_values=OTHER - 1).astype(np.float32)
    near = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    differs = np.asarray(cv2.dilate(shown, near) != cv2.erode(shown, near))
    return differs[reach:-reach, reach:-reach]


def blurred_edges(seen: View, picture: Picture, photo: Photo) -> Bitmap:
    """Where a pixel may be between two things: out of focus, or at the soft edge of what was inserted or sheared."""
    width, height = seen.size
    numbers = told(seen, photo)
    inserted = tuple(edit.box for edit in picture.edits if isinstance(edit, Insert))
    mixed = ~seen.clear | (edges(numbers, SOFT_PX) & touched(inserted, width, height))
    if any(isinstance(edit, Shear) for edit in picture.edits):
        mixed |= edges(numbers, SOFT_PX)
    if any(isinstance(edit, Blur) for edit in picture.edits):
        mixed |= edges(numbers, BLURRED_PX)
    return mixed


def has_pixels_of_its_own(picture: Picture) -> bool:
    """Whether every pixel shows in its colour what it is of: there is no noise, and nothing is made up."""
    return not any(
        isinstance(edit, Corrupt | Brightness | Contrast) or (isinstance(edit, Erase) and edit.fill is Fill.INPAINT)
        for edit in picture.edits
    )


def assert_drawn_as_told(picture: Picture, source: PictureWorld) -> None:
    inserted = (edit.cutout.photo for edit in picture.edits if isinstance(edit, Insert))
    coded = ColourCoded(source, tuple(dict.fromkeys((picture.photo, *inserted))))
    image = render(picture, coded)
    seen = view(picture, OfPictureWorld(source))
    assert image.size == seen.size == (picture.scene.width, picture.scene.height)
    for photo in coded.photos:
        drawn, expected = coded.numbers(image, photo), told(seen, photo)
        # A patch is no thing, and has no colour of one.
        differs = (drawn != expected) & ~((expected == 0) & (drawn == OTHER)) & ~blurred_edges(seen, picture, photo)
        assert not differs.any(), f"{np.count_nonzero(differs)} pixels of {photo.id} after {picture.edits}"


@each_item
def test_edited_pictures_are_drawn_as_told(item: Item) -> None:
    source = pictures()
    some = cases(item, source, Sampling(max_cases=40, sampler=Sampler.RANDOM))
    edited = dict.fromkeys(query.picture for case in some for query in case.queries if query.picture.edits)
    for picture in edited:
        if has_pixels_of_its_own(picture):
            assert_drawn_as_told(picture, source)
