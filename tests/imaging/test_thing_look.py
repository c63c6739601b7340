"""How a thing looks in its photo, on things that are drawn here."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import ThingLook
from pytest_vqamt.imaging.thing_look import _largest_part, measure_look

SIZE = (400, 300)
Rect = tuple[int, int, int, int]
THING: Rect = (100, 80, 229, 179)
"""130 x 100 pixels, the last ones included."""


def mask_of(*rects: Rect) -> Image.Image:
    mask = Image.new("L", SIZE)
    for rect in rects:
        ImageDraw.Draw(mask).rectangle(rect, fill=255)
    return mask


def photo_of(*rects: Rect, colour: tuple[int, int, int] = (200, 0, 0)) -> Image.Image:
    photo = Image.new("RGB", SIZE)
    for rect in rects:
        ImageDraw.Draw(photo).rectangle(rect, fill=colour)
    return photo


def chequered(rect: Rect, step: int = 10) -> Image.Image:
    """A red board with black squares on a black ground."""
    photo = photo_of(rect)
    for x in range(rect[0], rect[2] + 1, 2 * step):
        for y in range(rect[1], rect[3] + 1, 2 * step):
            ImageDraw.Draw(photo).rectangle((x, y, x + step - 1, y + step - 1), fill=(255, 255, 255))
    return photo


def look(photo: Image.Image, *rects: Rect, **others: Rect) -> ThingLook:
    found = measure_look(photo, mask_of(*rects), [(name, mask_of(rect)) for name, rect in others.items()])
    assert found is not None
    return found


def test_the_box_and_the_area_are_those_of_the_mask() -> None:
    found = look(photo_of(THING), THING)
    assert (found.box, found.area_px) == (Box(100, 80, 130, 100), 13_000)


def test_contrast_is_the_distance_of_the_colours_inside_and_outside() -> None:
    # Red of 200 on black.
    assert look(photo_of(THING), THING).contrast == pytest.approx(200, abs=3)
    assert look(photo_of(THING, colour=(3, 4, 0)), THING).contrast == pytest.approx(5, abs=0.5)


def test_contrast_leaves_out_what_stands_beside_it() -> None:
    beside: Rect = (230, 0, 399, 299)
    photo = photo_of(THING, beside)
    assert look(photo, THING, cat=beside).contrast > look(photo, THING).contrast + 20


def test_a_plain_or_blurred_thing_is_less_sharp() -> None:
    board = chequered(THING)
    blurred = board.filter(ImageFilter.GaussianBlur(8))
    assert look(photo_of(THING), THING).sharpness == 0
    assert look(board, THING).sharpness > 3 * look(blurred, THING).sharpness > 0


def test_a_thing_of_few_pixels_is_less_sharp_since_it_is_seen_enlarged() -> None:
    small: Rect = (100, 80, 112, 89)
    board, tiny = chequered(THING), chequered(THING).resize((40, 30), Image.Resampling.BOX)
    photo = Image.new("RGB", SIZE)
    photo.paste(tiny, (90, 72))
    assert look(photo, small).sharpness < look(board, THING).sharpness / 2


@pytest.mark.parametrize(
    ("rects", "largest"),
    [((THING,), 1.0), (((100, 80, 149, 179), (160, 80, 184, 179)), 2 / 3), (((0, 0, 39, 39), (40, 40, 79, 79)), 1.0)],
    ids=["one", "two of 50 and 25 columns", "two that share a corner"],
)
def test_parts(rects: tuple[Rect, ...], largest: float) -> None:
    assert look(photo_of(*rects), *rects).largest_part == pytest.approx(largest, abs=0.02)


def test_where_the_thing_goes_on_beyond_its_mask_the_outline_is_open() -> None:
    # The mask has the left 130 of 200 columns: its right side of 100 pixels is open, of 460 around it.
    photo = photo_of((100, 80, 299, 179))
    assert look(photo, THING).open_stretch == pytest.approx(100 / 460, abs=0.03)
    assert look(photo_of(THING), THING).open_stretch == 0


def test_neighbours_touch_and_share() -> None:
    # A cat touches the right side; a dog has the lower half; a bird is ten pixels away.
    found = look(
        photo_of(THING), THING, cat=(230, 80, 299, 179), dog=(100, 130, 229, 179), bird=(0, 80, 89, 179)
    ).neighbours
    by_name = {each.name: each for each in found}
    assert set(by_name) == {"cat", "dog"}
    assert by_name["cat"].touched == pytest.approx(100 / 460, abs=0.03)
    assert by_name["cat"].shared < 0.02
    assert by_name["dog"].shared == pytest.approx(0.5, abs=0.02)


def test_an_annotators_gap_of_two_pixels_is_none() -> None:
    (cat,) = look(photo_of(THING), THING, cat=(232, 80, 299, 179)).neighbours
    assert cat.touched > 0.2


def test_an_empty_mask_has_no_look() -> None:
    assert measure_look(photo_of(), mask_of(), []) is None


def test_a_thing_that_fills_its_photo_has_no_ground() -> None:
    assert look(photo_of(), (0, 0, 399, 299)).contrast == 0


def test_slivers_are_measured() -> None:
    assert look(photo_of(), (5, 5, 5, 5)).area_px == 1
    assert look(photo_of(), (0, 0, 399, 0)).sharpness == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_part_is_that_of_a_flood_fill(seed: int) -> None:
    random = np.random.default_rng(seed)
    mask = random.random(tuple(random.integers(1, 30, 2))) < random.random()
    left, largest = {(int(y), int(x)) for y, x in np.argwhere(mask)}, 0
    while left:
        part, size = [left.pop()], 0
        while part:
            y, x = part.pop()
            size += 1
            near = {(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)} & left
            left -= near
            part += near
        largest = max(largest, size)
    assert _largest_part(mask) == largest
