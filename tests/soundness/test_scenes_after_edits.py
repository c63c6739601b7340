"""What a scene says after an edit, thing by thing, is what the pixels show, whether anybody asks about it or not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Crop, Cut, Edit, Erase, Insert, Mask, Shear
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.sampling.samplers import Sampler
from tests.soundness.asking import Item, cases, each_item
from tests.soundness.outlines import OfPictureWorld
from tests.soundness.perceiver import GONE_SHARE, Perceiver
from tests.soundness.pixels import Bitmap, Outlines, Shown, view

MOST_OF_BOX = 0.8
"""Of what is inserted so much of each side is shown at least; a single pixel that sticks out may be lost in scaling."""


@cache
def pictures() -> PictureWorld:
    return PictureWorld(500)


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
    exactly = all(isinstance(edit, Cut) for edit in picture.edits)
    if any(isinstance(edit, Shear) for edit in picture.edits):
        # Rows move by parts of a pixel, and each is shown by the nearest ones.
        box = Box.from_corners(box.x - 0.5, box.y, box.x1 + 0.5, box.y1)
    if (exactly and seen != box) or seen.intersection(box) != seen:
        yield f"{told.name} {told.id} is seen in {seen}, and told to be in {told.box}"


def _fills(shown: Box, box: Box) -> bool:
    """Whether what is shown lies in the box and is about as large."""
    return shown.intersection(box) == shown and shown.w >= MOST_OF_BOX * box.w and shown.h >= MOST_OF_BOX * box.h


@each_item
def test_of_the_picture_world(item: Item) -> None:
    source = pictures()
    outlines = OfPictureWorld(source)
    some = cases(item, source, Sampling(max_cases=100, sampler=Sampler.RANDOM, seed=2))
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
