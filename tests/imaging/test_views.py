"""Other views of a picture: moved, padded, scaled, compressed, turned, put beside another, written on, recoloured."""

from __future__ import annotations

from io import BytesIO
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Beside, Edit, Jpeg, Pad, Recolour, Rescale, Rotate, Shift, Write
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.imaging.lettering import font
from pytest_vqamt.imaging.render import render
from pytest_vqamt.imaging.views import beside, jpeg, pad, recolour, rescale, rotate, shift, text_size_px, write
from tests.imaging.random_images import Photos, images, scene_for, values
from tests.rows import each_row


@given(images(), st.data())
def test_a_shift_moves_each_pixel_and_repeats_the_edge(image: Image.Image, data: st.DataObject) -> None:
    dx = data.draw(st.integers(1 - image.width, image.width - 1))
    dy = data.draw(st.integers(1 - image.height, image.height - 1))
    shifted, before = values(shift(image, Shift(dx=dx, dy=dy))), values(image)
    for y in range(image.height):
        for x in range(image.width):
            from_y, from_x = min(max(y - dy, 0), image.height - 1), min(max(x - dx, 0), image.width - 1)
            assert (shifted[y, x] == before[from_y, from_x]).all()


@given(images(), st.tuples(*[st.integers(0, 9)] * 4))
def test_a_padded_picture_has_the_picture_inside_one_colour(
    image: Image.Image, widths: tuple[int, int, int, int]
) -> None:
    left, top, right, bottom = widths
    padded = pad(image, Pad(left=left, top=top, right=right, bottom=bottom, colour=(7, 8, 9)))
    expected = np.full((image.height + top + bottom, image.width + left + right, 3), (7, 8, 9))
    expected[top : top + image.height, left : left + image.width] = values(image)
    assert (values(padded) == expected).all()


@given(images())
def test_turns_are_clockwise(image: Image.Image) -> None:
    for quarters in (1, 2, 3):
        turned = rotate(image, Rotate(degrees=90 * quarters))
        assert (values(turned) == np.rot90(values(image), -quarters)).all()


@given(images(), st.integers(1, 40), st.integers(1, 40))
def test_a_plain_picture_keeps_its_colour_at_any_size(image: Image.Image, width: int, height: int) -> None:
    colour = values(image)[0, 0]
    plain = Image.fromarray(np.broadcast_to(colour, values(image).shape).copy())
    scaled = rescale(plain, Rescale(width=width, height=height))
    assert scaled.size == (width, height)
    assert (values(scaled) == colour).all()


def test_scaling_down_averages() -> None:
    stripes = np.zeros((64, 64, 3), np.uint8)
    stripes[:, ::2] = 200
    scaled = values(rescale(Image.fromarray(stripes), Rescale(width=16, height=16)))
    assert (np.abs(scaled.astype(int) - 100) < 15).all()


def test_jpeg_is_the_file_that_a_server_would_get() -> None:
    image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (40, 60, 3), dtype=np.uint8))
    file = BytesIO()
    image.save(file, format="JPEG", quality=85, subsampling=2)
    assert jpeg(image, Jpeg(quality=85)).tobytes() == Image.open(file).convert("RGB").tobytes()


@given(images(least=4), images(least=4), st.integers(0, 5))
def test_two_pictures_of_one_height_stand_side_by_side(one: Image.Image, two: Image.Image, gap: int) -> None:
    second = two.resize((two.width, one.height))
    photos = Photos.of(one, second)
    picture = scene_for(one).picture.beside(scene_for(second, "1"), gap=gap)
    whole = values(render(picture, photos))
    assert (whole[:, : one.width] == values(one)).all()
    assert (whole[:, one.width : one.width + gap] == 255).all()
    assert (whole[:, one.width + gap :] == values(second)).all()
    taller = beside(one, Beside(second=scene_for(two, "1"), gap=gap), Photos.of(one, two))
    assert taller.size == (round(Beside(second=scene_for(two), gap=gap).place(scene_for(one)).x1), one.height)


@given(
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=30).filter(
        lambda text: text == " ".join(text.split()) and text
    ),
    st.integers(20, 300),
    st.integers(8, 80),
)
def test_a_written_text_stays_on_its_card(text: str, width: int, height: int) -> None:
    image = Image.new("RGB", (340, 120), (0, 90, 0))
    written = values(write(image, Write(text=text, box=Box(20, 20, width, height))))
    outside = written.copy()
    outside[20 : 20 + height, 20 : 20 + width] = (0, 90, 0)
    assert (outside == values(image)).all()
    card = written[20 : 20 + height, 20 : 20 + width]
    assert np.any(card != np.array((0, 90, 0)), axis=2).all()
    for edge in (card[0], card[-1], card[:, 0], card[:, -1]):
        assert (edge == 255).all()
    assert font(text_size_px(text, width, height)).getlength(text) <= max(width, 12 * len(text))


def test_a_word_fills_most_of_a_card_of_its_shape() -> None:
    written = values(write(Image.new("RGB", (200, 100)), Write(text="DOG", box=Box(0, 0, 200, 100))))
    dark = np.all(written < 128, axis=2)
    rows = np.nonzero(np.any(dark, axis=1))[0]
    assert rows[-1] - rows[0] > 40


def test_only_coloured_pixels_of_the_mask_are_recoloured() -> None:
    image = Image.new("RGB", (30, 20), (220, 40, 40))
    image.paste((30, 30, 30), (10, 5, 15, 10))
    photos = Photos.of(image)
    mask = np.zeros((20, 30), np.bool_)
    mask[5:15, 10:25] = True
    photos.masks["0"] = mask
    picture = scene_for(image).picture.recolour("x", "red", "blue", 240)
    after = values(render(picture, photos))
    assert np.abs(after[12, 20].astype(int) - (40, 40, 220)).max() <= 1  # HSV has 256 hues
    assert (after[5:10, 10:15] == 30).all()
    assert (after[~mask] == values(image)[~mask]).all()


@given(images(), st.integers(0, 359), st.randoms(use_true_random=False))
def test_a_recoloured_pixel_is_what_comes_of_it_by_way_of_hsv(image: Image.Image, hue: int, random: Random) -> None:
    if random.random() < 0.5:
        image = image.point(lambda level: 190 + level // 4)  # pale, so that some pixels have a hue and others have not
    levels = bytes(random.choice((0, 127, 128, 255)) for _ in range(image.width * image.height))
    mask = Image.frombytes("L", image.size, levels)
    expected = values(image).copy()
    for y, x in np.argwhere(np.asarray(mask) >= 128):
        pixel = np.array(Image.fromarray(expected[y : y + 1, x : x + 1]).convert("HSV"))
        if pixel[0, 0, 1] >= 50:
            pixel[0, 0, 0] = round(hue / 360 * 255)
        bands = [Image.fromarray(pixel[..., band]) for band in range(3)]
        expected[y, x] = values(Image.merge("HSV", bands).convert("RGB"))[0, 0]
    edit = Recolour(thing="0", old="red", new="blue", hue=hue)
    assert (values(recolour(image, edit, mask)) == expected).all()


REFUSED: tuple[tuple[Edit, str], ...] = (
    (Shift(dx=20, dy=0), "Expected a shift within 20 x 8 pixels"),
    (Pad(left=-1), "Expected margins of 0 pixels or more"),
    (Rescale(width=0, height=3), "Expected a size of at least 1 x 1 pixels"),
    (Rotate(degrees=45), "Expected a turn by 90, 180 or 270 degrees"),
    (Write(text="DOG", box=Box(10, 2, 12, 4)), "Expected a card inside the picture of 20 x 8 pixels"),
    (Write(text="\u72d7", box=Box(0, 0, 9, 4)), "Expected a text in characters of the built-in font"),
)


@each_row(("edit", "message"), REFUSED)
def test_what_cannot_be_drawn_is_refused(edit: Edit, message: str) -> None:
    image = Image.new("RGB", (20, 8))
    scene = scene_for(image)
    with pytest.raises(RenderError, match=message):
        render(Picture(photo=scene.photo, edits=(edit,), scene=scene), Photos.of(image))


def test_a_thing_is_recoloured_before_its_mask_is_moved() -> None:
    image = Image.new("RGB", (20, 8))
    picture = scene_for(image).picture
    with pytest.raises(DataError, match="with a mask"):
        render(picture.recolour("x", "red", "blue", 240), Photos.of(image))
    with pytest.raises(RenderError, match="Expected the photo as it is"):
        render(picture.mirror().recolour("x", "red", "blue", 240), Photos.of(image))
