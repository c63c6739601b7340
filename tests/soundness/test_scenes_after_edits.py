"""What is drawn is what the perceiver of pixels works out: where both are right, so is what scenes say of edits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import ceil

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Beside,
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Crop,
    Cut,
    Edit,
    Erase,
    Fill,
    Insert,
    Jpeg,
    Mask,
    Pad,
    Recolour,
    Rescale,
    Rotate,
    Shear,
    Shift,
    Store,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Thing
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.imaging.render import render
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import Sampler
from tests.soundness.asking import Item, cases, each_item_with
from tests.soundness.colour_coded import OTHER, ColourCoded, Numbers
from tests.soundness.outlines import OfPictureWorld
from tests.soundness.perceiver import GONE_SHARE, Perceiver
from tests.soundness.pixels import Bitmap, Outlines, Shown, View, touched, view

SOFT_PX = 3
"""The edge of what is inserted is soft, and where it is enlarged twice, as wide as this."""

FILTERED_PX = 2
"""How far a bicubic filter reaches, in pixels of the smaller picture."""

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
    differs = np.asarray(cv2.dilate(shown, near(reach)) != cv2.erode(shown, near(reach)))
    return differs[reach:-reach, reach:-reach]


def near(reach: int) -> NDArray[np.uint8]:
    return np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)


def edges_of_cutout(edit: Insert, outlines: Outlines, size: tuple[int, int]) -> Bitmap:
    """Pixels of a picture of this width and height that are near to an edge in the cut-out, as it was scaled.

    A line a pixel wide, such as the gap between two sails, may be lost where each pixel takes the nearest one's number,
    and still mixes with the colours around it.
    """
    photo, source, target = edit.cutout.photo, edit.cutout.thing.box, edit.box
    unedited = told(view(outlines.scene(photo).picture, outlines), photo)
    rows, columns = np.nonzero(edges(unedited, 1) & touched((source,), unedited.shape[1], unedited.shape[0]))
    y = np.floor(target.y + (rows + 0.5 - source.y) * target.h / source.h).astype(np.intp)
    x = np.floor(target.x + (columns + 0.5 - source.x) * target.w / source.w).astype(np.intp)
    width, height = size
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    found = np.zeros((height, width), np.uint8)
    found[y[inside], x[inside]] = 1
    return np.asarray(cv2.dilate(found, near(SOFT_PX)), np.bool_)


def edges_before(photo: Photo, outlines: Outlines, size: tuple[int, int]) -> Bitmap:
    """Pixels of a scaled picture of this width and height that an edge in the unedited photo is near to."""
    unedited = edges(told(view(outlines.scene(photo).picture, outlines), photo), 1)
    scaled = cv2.resize(unedited.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.dilate(scaled, near(FILTERED_PX)) > 0)


def blurred_edges(seen: View, picture: Picture, photo: Photo, outlines: Outlines) -> Bitmap:
    """Where a pixel may be between two things: out of focus, or at the soft edge of what was inserted or sheared."""
    numbers = told(seen, photo)
    mixed = ~seen.clear
    for edit in picture.edits:
        if isinstance(edit, Insert):
            soft = edges(numbers, SOFT_PX) | edges_of_cutout(edit, outlines, seen.size)
            mixed |= soft & touched((edit.box,), *seen.size)
    if any(isinstance(edit, Shear) for edit in picture.edits):
        mixed |= edges(numbers, SOFT_PX)
    if any(isinstance(edit, Blur) for edit in picture.edits):
        mixed |= edges(numbers, BLURRED_PX)
    for edit in picture.edits:
        if isinstance(edit, Rescale):
            enlarged = max(1, edit.width / outlines.scene(photo).width)
            mixed |= edges(numbers, ceil(FILTERED_PX * enlarged)) | edges_before(photo, outlines, seen.size)
    return mixed


def has_pixels_of_its_own(picture: Picture) -> bool:
    """Whether every pixel shows in its colour what it is of: there is no noise, and nothing is made up."""
    return not any(
        isinstance(edit, Corrupt | Brightness | Contrast | Jpeg | Recolour)
        or (isinstance(edit, Store) and not edit.form.keeps_pixels)
        or (isinstance(edit, Erase) and edit.fill is Fill.INPAINT)
        for edit in picture.edits
    )


def assert_drawn_as_told(picture: Picture, source: PictureWorld) -> None:
    inserted = (edit.cutout.photo for edit in picture.edits if isinstance(edit, Insert))
    beside = (edit.second.photo for edit in picture.edits if isinstance(edit, Beside))
    coded = ColourCoded(source, tuple(dict.fromkeys((picture.photo, *inserted, *beside))))
    image = render(picture, coded)
    outlines = OfPictureWorld(source)
    seen = view(picture, outlines)
    assert image.size == seen.size == (picture.scene.width, picture.scene.height)
    for photo in coded.photos:
        drawn, expected = coded.numbers(image, photo), told(seen, photo)
        # A patch is no thing, and has no colour of one.
        mixed = blurred_edges(seen, picture, photo, outlines)
        differs = (drawn != expected) & ~((expected == 0) & (drawn == OTHER)) & ~mixed
        assert not differs.any(), f"{np.count_nonzero(differs)} pixels of {photo.id} after {picture.edits}"


@each_item_with(4, many=40)
def test_edited_pictures_are_drawn_as_told(item: Item, count: int) -> None:
    source = pictures()
    some = cases(item, source, Sampling(max_cases=count, sampler=Sampler.RANDOM))
    edited = dict.fromkeys(query.picture for case in some for query in case.queries if query.picture.edits)
    for picture in edited:
        if has_pixels_of_its_own(picture):
            assert_drawn_as_told(picture, source)


HUES = {"red": 0, "green": 120, "blue": 225}


def test_most_of_a_recoloured_thing_has_the_hue_of_its_new_color() -> None:
    source = pictures()
    outlines = OfPictureWorld(source)
    item = Item(get("view.recolour"), "color")
    for case in cases(item, source, Sampling(max_cases=20, sampler=Sampler.RANDOM)):
        picture = case.queries[1].picture
        (edit,) = picture.edits
        assert isinstance(edit, Recolour)
        own = next(each.own for each in outlines.of(picture.photo) if each.thing.id == edit.thing)
        image = np.asarray(render(picture, source).convert("HSV")).astype(np.float64)
        hues, colourful = image[..., 0] * 360 / 256, own & (image[..., 1] > 100)
        told_color = next(word for word in picture.scene.thing(edit.thing).attributes if word in HUES)
        far = np.abs((hues[colourful] - HUES[told_color] + 180) % 360 - 180)
        assert np.count_nonzero(far < 20) > 0.9 * far.size > 100, picture


# What a scene says after an edit, thing by thing, is what the pixels show, whether anybody asks about it or not.

MOST_OF_BOX = 0.8
"""Of what is inserted so much of each side is shown at least; a single pixel that sticks out may be lost in scaling."""


def frame(pixels: Bitmap) -> Box:
    rows, columns = np.nonzero(pixels.any(axis=1))[0], np.nonzero(pixels.any(axis=0))[0]
    return Box.from_corners(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


def misread(picture: Picture, outlines: Outlines) -> Iterator[str]:
    """Where the picture's scene and its pixels differ."""
    seen = view(picture, outlines)
    if seen.size != (picture.scene.width, picture.scene.height):
        yield f"the picture is {seen.size} and not {picture.scene.width, picture.scene.height}"
    left = {each.thing.id: each for each in seen.shown if np.count_nonzero(each.pixels) > GONE_SHARE * each.had}
    own = {thing.id for thing in outlines.scene(picture.photo).objects}
    beside = [edit.second.photo for edit in picture.edits if isinstance(edit, Beside)]
    own |= {f"beside-{thing.id}" for photo in beside for thing in outlines.scene(photo).objects}
    hides = any(isinstance(edit, Crop | Mask) for edit in picture.edits)
    sure = {each.thing.id for each in Perceiver(outlines).sight(seen).well} if hides else set(left)
    told = {thing.id: thing for thing in picture.scene.objects}
    yield from (f"{left[name].thing.name} {name} is seen and not told of" for name in (sure & own) - set(told))
    if not hides:
        yield from (f"{told[name].name} {name} is told of and not seen" for name in (set(told) & own) - set(left))
    for name in set(told) & own & set(left):
        yield from _misplaced(left[name], told[name], picture)
    inserted = [thing for name, thing in told.items() if name not in own]
    edits = [edit for edit in picture.edits if isinstance(edit, Insert)]
    for thing, edit in zip(inserted, edits, strict=True):
        shown = next(
            each
            for each in seen.shown
            if each.origin[0] == edit.cutout.photo
            and each.thing.id not in own
            and outlines.of(each.origin[0])[each.origin[1]].thing.id == edit.cutout.thing.id
        )
        if not _fills(frame(shown.pixels), thing.box):
            yield f"what is inserted is shown in {frame(shown.pixels)}, and told to be in {thing.box}"


def _misplaced(shown: Shown, told: Thing, picture: Picture) -> Iterator[str]:
    """A cut moves a box to where its pixels are; other edits may leave less to see than the box holds."""
    seen, box = frame(shown.pixels), told.box
    exactly = all(isinstance(edit, Cut | Shift | Pad | Rotate | Beside) for edit in picture.edits)
    if any(isinstance(edit, Shear) for edit in picture.edits):
        # Rows move by parts of a pixel, and each is shown by the nearest ones.
        box = Box.from_corners(box.x - 0.5, box.y, box.x1 + 0.5, box.y1)
    if any(isinstance(edit, Rescale) for edit in picture.edits):
        box = box.grown(0.5)
    if (exactly and seen != box) or seen.intersection(box) != seen:
        yield f"{told.name} {told.id} is seen in {seen}, and told to be in {told.box}"


def _fills(shown: Box, box: Box) -> bool:
    """Whether what is shown lies in the box and is about as large."""
    return shown.intersection(box) == shown and shown.w >= MOST_OF_BOX * box.w and shown.h >= MOST_OF_BOX * box.h


@each_item_with(10, many=100)
def test_of_the_picture_world(item: Item, count: int) -> None:
    source = pictures()
    outlines = OfPictureWorld(source)
    some = cases(item, source, Sampling(max_cases=count, sampler=Sampler.RANDOM, seed=2))
    for picture in dict.fromkeys(query.picture for case in some for query in case.queries):
        found = list(misread(picture, outlines))
        assert found == [], f"{picture} of {[thing.name for thing in picture.scene.objects]}"


@pytest.mark.parametrize(
    "edit", [Erase(box=Box(0, 0, 112, 224)), Cut(start=100, stop=224), Crop(box=Box(50, 50, 100, 100))], ids=str
)
def test_scenes_that_are_left_as_they_were_are_misread(edit: Edit) -> None:
    source = pictures()
    as_they_were = (Picture(photo=scene.photo, edits=(edit,), scene=scene) for scene in map(source.scene, range(5)))
    assert any(list(misread(picture, OfPictureWorld(source))) for picture in as_they_were)
