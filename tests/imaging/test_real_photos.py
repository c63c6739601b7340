"""Every edit on a few real photos: what must not change does not, and what must does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Corruption, Cutout, Fill
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.imaging.render import render
from tests.imaging.coco_photos import CocoPhotos, needs_coco
from tests.imaging.random_images import values
from tests.rows import each_row

pytestmark = needs_coco

PHOTOS = ("000000442450.jpg", "000000415748.jpg", "000000352257.jpg")


@pytest.fixture(scope="module")
def coco() -> CocoPhotos:
    return CocoPhotos()


@pytest.fixture(params=PHOTOS)
def scene(request: pytest.FixtureRequest, coco: CocoPhotos) -> Scene:
    return coco.scenes[request.param]


def largest(scene: Scene) -> Thing:
    return max(scene.objects, key=lambda thing: thing.box.area)


def within(box: Box, scene: Scene) -> NDArray[np.bool_]:
    """HW: the pixels of whose area the box has a part."""
    xs, ys = np.arange(scene.width), np.arange(scene.height)[:, None]
    found: NDArray[np.bool_] = (xs + 1 > box.x) & (xs < box.x1) & (ys + 1 > box.y) & (ys < box.y1)
    return found


EDITS: dict[str, Callable[[Picture, Box], Picture]] = {
    "white": lambda picture, box: picture.erase(box),
    "mean": lambda picture, box: picture.erase(box, Fill.MEAN, (110, 105, 100)),
    "telea": lambda picture, box: picture.erase(box, Fill.INPAINT, method="telea"),
    "impulse": lambda picture, box: picture.corrupt(Corruption.IMPULSE, 3, (box,)),
    "zoom": lambda picture, box: picture.corrupt(Corruption.ZOOM, 3, (box,)),
    "snow": lambda picture, box: picture.corrupt(Corruption.SNOW, 3, (box,)),
    "contrast": lambda picture, box: picture.corrupt(Corruption.CONTRAST, 3, (box,)),
}


@each_row("name", EDITS)
def test_an_edit_of_a_thing_changes_its_box_and_nothing_else(coco: CocoPhotos, scene: Scene, name: str) -> None:
    if name == "telea":
        pytest.importorskip("cv2")
    box = largest(scene).box
    before, after = (values(render(each, coco)) for each in (scene.picture, EDITS[name](scene.picture, box)))
    changed = (after != before).any(axis=2)
    assert not changed[~within(box, scene)].any()
    assert changed[within(box, scene)].mean() > 0.1


@each_row("sigma", [3, 6, 9])
def test_a_blur_keeps_the_thing_and_takes_the_detail_around_it(coco: CocoPhotos, scene: Scene, sigma: int) -> None:
    box = largest(scene).box
    before = values(render(scene.picture, coco)).astype(float)
    after = values(render(scene.picture.blur((box,), sigma=sigma), coco)).astype(float)
    kept = within(box, scene)
    assert (after[kept] == before[kept]).all()
    away = ~within(Box(box.x - 30, box.y - 30, box.w + 60, box.h + 60), scene)
    detail_before, detail_after = (np.abs(np.diff(each, axis=1))[away[:, 1:]].mean() for each in (before, after))
    assert detail_after < 0.5 * detail_before


def test_a_mask_shows_the_thing_alone(coco: CocoPhotos, scene: Scene) -> None:
    box = largest(scene).box
    before = values(render(scene.picture, coco))
    after = values(render(scene.picture.mask((box,), (110, 105, 100)), coco))
    kept = within(box, scene)
    assert (after[kept] == before[kept]).all()
    assert (after[~kept] == (110, 105, 100)).all()


def test_a_thing_of_another_photo_is_laid_over_a_corner(coco: CocoPhotos, scene: Scene) -> None:
    other = coco.scenes["000000269314.jpg"]
    target = Box(10, scene.height - 90, 70, 80)
    picture = scene.picture.insert(Cutout(photo=other.photo, thing=largest(other)), at=(10, target.y), size=(70, 80))
    changed = (values(render(picture, coco)) != values(render(scene.picture, coco))).any(axis=2)
    assert not changed[~within(target, scene)].any()
    assert changed[within(target, scene)].mean() == pytest.approx(np.pi / 4, abs=0.05)  # the oval in the box


def test_pieces_and_their_scenes_are_of_one_size(coco: CocoPhotos, scene: Scene) -> None:
    before = values(render(scene.picture, coco))
    middle = scene.width // 2
    left, right = (scene.picture.cut(*ends) for ends in ((0, middle), (middle, scene.width)))
    pieces = [values(render(piece, coco)) for piece in (left, right)]
    assert [piece.shape[1::-1] for piece in pieces] == [(p.scene.width, p.scene.height) for p in (left, right)]
    assert (np.concatenate(pieces, axis=1) == before).all()
