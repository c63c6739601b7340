"""A thing is laid over the picture inside its box, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Cutout, Insert
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.scene import Photo, Thing
from pytest_vqamt.imaging.edits import insert
from tests.imaging.random_images import Photos, Values, boxes, images, touched, values

PHOTO = Photo(id="0", digest="0")


def of(box: Box) -> Cutout:
    return Cutout(photo=PHOTO, thing=Thing(id="1", name="cup", box=box, has_mask=True))


def noise(height: int, width: int, seed: int = 0) -> Values:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def disc(height: int, width: int, radius: float) -> NDArray[np.bool_]:
    """HW, about the middle."""
    ys, xs = np.mgrid[:height, :width]
    found: NDArray[np.bool_] = (ys - (height - 1) / 2) ** 2 + (xs - (width - 1) / 2) ** 2 <= radius**2
    return found


@given(images(least=8), images(least=2), boxes(), st.integers(0, 2**32 - 1), st.data())
def test_nothing_outside_the_box_changes(
    image: Image.Image, photo: Image.Image, box: Box, seed: int, data: st.DataObject
) -> None:
    mask = np.random.default_rng(seed).random((photo.height, photo.width)) < 0.7
    thing = Box(0, 0, photo.width, photo.height)
    assume(mask.any())
    before = values(image).copy()
    after = values(insert(image, Insert(cutout=of(thing), box=box), Photos({"0": photo}, {"0": mask})))
    whole = Box.between(
        round(box.x), round(box.y), max(round(box.x) + 1, round(box.x1)), max(round(box.y) + 1, round(box.y1))
    )
    outside = ~touched((whole,), image)
    assert (after[outside] == before[outside]).all()
    assert (values(image) == before).all()


def test_at_its_own_size_the_inside_of_a_thing_is_its_pixels() -> None:
    photo, picture = noise(60, 80, 1), noise(50, 70, 2)
    mask = np.zeros((60, 80), np.bool_)
    mask[10:40, 20:60] = disc(30, 40, 14)
    photos = Photos({"0": Image.fromarray(photo)}, {"0": mask})
    after = values(
        insert(Image.fromarray(picture), Insert(cutout=of(Box(20, 10, 40, 30)), box=Box(5, 7, 40, 30)), photos)
    )
    within, without = disc(30, 40, 14 - 3), ~disc(30, 40, 14)  # the edge is soft for less than three pixels
    there = after[7:37, 5:45]
    assert (there[within] == photo[10:40, 20:60][within]).all()
    assert (there[without] == picture[7:37, 5:45][without]).all()
    edge = ~within & ~without
    assert (there[edge] != picture[7:37, 5:45][edge]).any(axis=1).mean() > 0.9


@pytest.mark.parametrize("size", [(40, 30), (17, 33), (80, 60), (160, 100), (5, 4)])
@pytest.mark.parametrize("colour", [0, 60, 128, 200, 255])
def test_what_stood_around_a_thing_never_shines_through(size: tuple[int, int], colour: int) -> None:
    """A thing of one colour before the opposite one, laid over a third: only mixtures of the first and the third."""
    mask = disc(64, 64, 30)
    photo = np.full((64, 64, 3), 255 - colour if colour != 128 else 0, np.uint8)
    photo[mask] = colour
    picture = Image.new("RGB", (200, 150), (100, 100, 100))
    photos = Photos({"0": Image.fromarray(photo)}, {"0": mask})
    edit = Insert(cutout=of(Box(1.3, 1.6, 61, 60.8)), box=Box(20, 20, *size))
    after = values(insert(picture, edit, photos)).astype(int)
    assert after.min() >= min(100, colour) - 4
    assert after.max() <= max(100, colour) + 4
    assert abs(after[20 + size[1] // 2, 20 + size[0] // 2] - colour).max() <= 1


def test_a_thing_fills_its_new_box() -> None:
    mask = np.ones((20, 20), np.bool_)
    photos = Photos({"0": Image.new("RGB", (20, 20), (255, 0, 0))}, {"0": mask})
    after = values(
        insert(Image.new("RGB", (100, 80)), Insert(cutout=of(Box(0, 0, 20, 20)), box=Box(10, 20, 60, 30)), photos)
    )
    ys, xs = np.nonzero(after[:, :, 0] > 64)
    assert (xs.min(), xs.max() + 1, ys.min(), ys.max() + 1) == (10, 70, 20, 50)


@given(st.integers(-30, 60), st.integers(-20, 50), st.sampled_from([(20, 16), (33, 40)]))
def test_what_lies_beyond_the_picture_is_lost_and_the_rest_unchanged(x: int, y: int, size: tuple[int, int]) -> None:
    photos = Photos({"0": Image.fromarray(noise(24, 30, 3))}, {"0": disc(24, 30, 12)})
    picture = noise(50, 60, 4)
    after = values(insert(Image.fromarray(picture), Insert(cutout=of(Box(0, 0, 30, 24)), box=Box(x, y, *size)), photos))
    wider = np.pad(picture, ((50, 50), (50, 50), (0, 0)))
    on_wider = Insert(cutout=of(Box(0, 0, 30, 24)), box=Box(x + 50, y + 50, *size))
    assert (after == values(insert(Image.fromarray(wider), on_wider, photos))[50:100, 50:110]).all()


@pytest.mark.parametrize("box", [Box(0, 0, 5, 5), Box(40, 40, 5, 5)])
def test_a_thing_without_pixels_is_refused(box: Box) -> None:
    mask = np.zeros((20, 20), np.bool_)
    mask[10, 10] = True
    photos = Photos({"0": Image.new("RGB", (20, 20))}, {"0": mask})
    with pytest.raises(RenderError, match=r"Expected a thing to cut out of photo='0', but the mask shows no pixel"):
        insert(Image.new("RGB", (9, 9)), Insert(cutout=of(box), box=Box(0, 0, 4, 4)), photos)


def test_a_thing_without_a_mask_is_the_stores_error() -> None:
    with pytest.raises(DataError, match="Expected a thing with a mask, but got thing_id='1'"):
        insert(
            Image.new("RGB", (9, 9)),
            Insert(cutout=of(Box(0, 0, 5, 5)), box=Box(0, 0, 4, 4)),
            Photos.of(Image.new("RGB", (20, 20))),
        )


def test_the_edge_is_soft_and_softer_the_more_a_thing_is_enlarged() -> None:
    photos = Photos({"0": Image.new("RGB", (40, 40), (255, 255, 255))}, {"0": np.ones((40, 40), np.bool_)})

    def profile(side: int) -> list[int]:
        """The values from the left edge of the thing inwards."""
        edit = Insert(cutout=of(Box(0, 0, 40, 40)), box=Box(20, 20, side, side))
        row = values(insert(Image.new("RGB", (200, 200)), edit, photos))[20 + side // 2, :, 0]
        return [int(value) for value in row[20 : 20 + side // 2]]

    as_it_is, enlarged = profile(40), profile(120)
    for found in (as_it_is, enlarged):
        assert found == sorted(found)
        assert 0.4 * 255 < found[0] < 0.85 * 255
        assert found[-1] == 255
    assert as_it_is.index(255) <= 3
    assert 2 * as_it_is.index(255) < enlarged.index(255) <= 3 * 3
