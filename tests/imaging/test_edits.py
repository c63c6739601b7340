"""A piece of a picture is those pixels and no others."""

from __future__ import annotations

from math import floor
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Brightness,
    Colour,
    Contrast,
    Crop,
    Cut,
    Cutout,
    Erase,
    Fill,
    Insert,
    Mask,
    Mirror,
    Reencode,
    Shear,
)
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.imaging.pixel_edits import (
    brightness,
    contrast,
    crop,
    cut,
    erase,
    insert,
    map_values,
    mask,
    mirror,
    reencode,
    shear,
)
from tests.imaging.random_images import Photos, Values, boxes, images, scene_for, touched, values, whole_boxes
from tests.making import thing_of
from tests.rows import each_row


@given(images(), st.data())
def test_a_crop_is_the_rectangle_of_pixels(image: Image.Image, data: st.DataObject) -> None:
    box = data.draw(whole_boxes(image.size))
    x, y, x1, y1 = int(box.x), int(box.y), int(box.x1), int(box.y1)
    piece = crop(image, Crop(box=box))
    assert (values(piece) == values(image)[y:y1, x:x1]).all()
    after = Crop(box=box).after(scene_for(image))
    assert piece.size == (after.width, after.height)


@given(images(), st.data())
def test_pieces_side_by_side_are_the_picture(image: Image.Image, data: st.DataObject) -> None:
    sides: tuple[tuple[Literal["x", "y"], int], ...] = (("x", image.width), ("y", image.height))
    for axis, length in sides:
        at = data.draw(st.integers(1, length - 1)) if length > 1 else length
        edits = [Cut(start=0, stop=at, axis=axis)] + [Cut(start=at, stop=length, axis=axis)] * (at < length)
        joined = Image.new("RGB", image.size)
        for edit in edits:
            piece = cut(image, edit)
            assert piece.size == (edit.after(scene_for(image)).width, edit.after(scene_for(image)).height)
            joined.paste(piece, (edit.start, 0) if axis == "x" else (0, edit.start))
        assert (values(joined) == values(image)).all()


@given(images(), st.data())
def test_a_piece_of_a_piece_is_a_piece(image: Image.Image, data: st.DataObject) -> None:
    outer = data.draw(whole_boxes(image.size))
    inner = data.draw(whole_boxes((int(outer.w), int(outer.h))))
    at_once = crop(image, Crop(box=inner.moved(outer.x, outer.y)))
    assert (values(crop(crop(image, Crop(box=outer)), Crop(box=inner))) == values(at_once)).all()


@each_row("edit", [Cut(start=5, stop=5), Cut(start=6, stop=5), Cut(start=-1, stop=5), Cut(start=0, stop=9, axis="y")])
def test_a_cut_that_is_empty_or_outside_is_refused(edit: Cut) -> None:
    with pytest.raises(RenderError, match=r"Expected a piece inside the picture of 20 x 8 pixels, but got edit=Cut\("):
        cut(Image.new("RGB", (20, 8)), edit)


@each_row("box", [Box(15, 0, 6, 5), Box(-0.5, 0, 5, 5), Box(3, 3, 0.2, 2)])
def test_a_crop_that_is_empty_or_outside_is_refused(box: Box) -> None:
    with pytest.raises(RenderError, match=r"but got edit=Crop\(.*clip it to the scene's frame"):
        crop(Image.new("RGB", (20, 8)), Crop(box=box))


levels = st.integers(0, 255)


@given(images(), boxes(), st.tuples(levels, levels, levels) | st.none())
def test_every_pixel_that_the_box_touches_is_covered(image: Image.Image, box: Box, colour: Colour | None) -> None:
    before = values(image).copy()
    edit = Erase(box=box, fill=Fill.MEAN if colour else Fill.WHITE, colour=colour)
    after = values(erase(image, edit))
    covered = touched((box,), image)
    assert (after[covered] == (colour or (255, 255, 255))).all()
    assert (after[~covered] == before[~covered]).all()
    assert (values(image) == before).all()


def test_erasing_with_the_mean_needs_a_colour() -> None:
    with pytest.raises(RenderError, match=r"Expected the colour to erase with, but got edit=Erase\(.*colour=None"):
        erase(Image.new("RGB", (9, 9)), Erase(box=Box(1, 1, 2, 2), fill=Fill.MEAN))


def test_erasing_by_inpainting_needs_a_method() -> None:
    with pytest.raises(RenderError, match=r"Expected an inpainter \(telea, biharmonic, lama\), but got method=''"):
        erase(Image.new("RGB", (9, 9)), Erase(box=Box(1, 1, 2, 2), fill=Fill.INPAINT))


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
    whole = Box.from_corners(
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


@each_row("size", [(40, 30), (17, 33), (80, 60), (160, 100), (5, 4)])
@each_row("colour", [0, 60, 128, 200, 255])
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


@each_row("box", [Box(0, 0, 5, 5), Box(40, 40, 5, 5)])
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


@given(images(), st.lists(boxes(), max_size=3))
def test_what_no_kept_box_touches_is_painted(image: Image.Image, keep: list[Box]) -> None:
    before = values(image).copy()
    after = values(mask(image, Mask(keep=tuple(keep), colour=(10, 20, 30))))
    kept = touched(tuple(keep), image)
    assert (after[kept] == before[kept]).all()
    assert (after[~kept] == (10, 20, 30)).all()
    assert (values(image) == before).all()


@given(images(most=9))
def test_each_pixel_stands_as_far_from_the_other_edge(image: Image.Image) -> None:
    mirrored = mirror(image, Mirror())
    assert mirrored.size == image.size
    for x in range(image.width):
        for y in range(image.height):
            assert mirrored.getpixel((image.width - 1 - x, y)) == image.getpixel((x, y))


@given(images())
def test_mirroring_twice_changes_nothing(image: Image.Image) -> None:
    assert (values(mirror(mirror(image, Mirror()), Mirror())) == values(image)).all()


@given(images())
def test_every_bit_comes_back(image: Image.Image) -> None:
    reread = reencode(image, Reencode())
    assert reread is not image
    assert (values(reread) == values(image)).all()


@given(images(most=12), st.integers(-32, 32).map(lambda n: n / 16))
def test_each_pixel_comes_from_where_its_row_was_shifted_from(image: Image.Image, factor: float) -> None:
    before, after = values(image).astype(float), values(shear(image, Shear(factor=factor))).astype(float)
    width, height = image.size
    assert after.shape == before.shape
    for y in range(height):
        for x in range(width):
            source = x + 0.5 - factor * (y + 0.5 - height / 2)  # the middle of the pixel, before
            if not 0 <= source < width:
                assert (after[y, x] == 0).all()
                continue
            left = floor(source - 0.5)
            share = source - 0.5 - left
            both = [before[y, min(width - 1, max(0, column))] for column in (left, left + 1)]
            assert np.abs(after[y, x] - ((1 - share) * both[0] + share * both[1])).max() <= 1


@given(images())
def test_no_shear_changes_nothing(image: Image.Image) -> None:
    assert (values(shear(image, Shear(factor=0))) == values(image)).all()


@each_row("factor", [0.25, -0.4])
def test_a_thing_is_inside_the_box_that_the_scene_gives_it(factor: float) -> None:
    image = Image.new("RGB", (60, 40))
    box = Box(20, 4, 15, 10)
    image.paste((255, 255, 255), (20, 4, 35, 14))
    scene = scene_for(image)
    scene = Scene(id="0", photo=scene.photo, width=60, height=40, objects=(thing_of("cup", box=box),))
    found = Shear(factor=factor).after(scene).objects[0].box
    ys, xs = np.nonzero(values(shear(image, Shear(factor=factor)))[:, :, 0] > 127)
    assert (ys.min(), ys.max() + 1) == (found.y, found.y1)
    # A row is shifted as its middle is, half a row less than the box's edge.
    assert xs.min() == pytest.approx(found.x, abs=1)
    assert xs.max() + 1 == pytest.approx(found.x1, abs=1)


@given(images(), st.integers(-300, 300))
def test_brightness_adds_and_clips(image: Image.Image, offset: int) -> None:
    expected = np.clip(values(image).astype(int) + offset, 0, 255)
    assert (values(brightness(image, Brightness(offset=offset))) == expected).all()


@given(images(), st.floats(0, 5))
def test_contrast_multiplies_and_clips(image: Image.Image, gain: float) -> None:
    expected = np.clip(np.rint(values(image) * gain), 0, 255)
    assert (values(contrast(image, Contrast(gain=gain))) == expected).all()


@each_row("gain, value, expected", [(0.5, 5, 2), (0.5, 7, 4), (1.5, 171, 255), (2, 100, 200)])
def test_contrast_by_hand(gain: float, value: int, expected: int) -> None:
    image = Image.new("RGB", (2, 1), (value, 0, value))
    assert values(contrast(image, Contrast(gain=gain))).tolist() == [[[expected, 0, expected]] * 2]


def test_each_channel_may_have_its_own_curve() -> None:
    image = map_values(
        Image.new("RGB", (1, 1), (10, 20, 30)), lambda red: red + 1, lambda _green: -5, lambda blue: 100 * blue
    )
    assert image.getpixel((0, 0)) == (11, 0, 255)
