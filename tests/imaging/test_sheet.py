"""A contact sheet shows every picture, those of a case at one height, whatever their sizes and texts."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.contact_sheet import WIDTH_PX, Panel, Strip, sheet
from pytest_vqamt.imaging.lettering import FAINT, INK
from pytest_vqamt.imaging.outlines import STROKES, Outline, Shows

COLOURS: tuple[Colour, ...] = ((200, 30, 30), (30, 200, 30), (30, 30, 200), (200, 200, 30), (30, 200, 200))
SAID = (("1. How many dogs are there in the picture?", "2"),)


def strip(*images: Image.Image, outlines: tuple[Outline, ...] = ()) -> Strip:
    panels = tuple(Panel(image=image, outlines=outlines, note="the photo as it is", said=SAID) for image in images)
    return Strip(title="ours.test: violated", notes=("case 0123", "expected: first = second"), panels=panels)


def plain(*sizes: tuple[int, int]) -> list[Image.Image]:
    """A picture of one colour for each size, each of another."""
    return [Image.new("RGB", size, colour) for size, colour in zip(sizes, COLOURS, strict=False)]


def extent(drawn: Image.Image, colour: Colour, below: float = 0) -> Box:
    """The box around all that is of the colour, from a row on."""
    pixels = np.asarray(drawn)[int(below) :]
    rows, columns = np.nonzero((pixels == np.array(colour, dtype=np.uint8)).all(axis=-1))
    assert rows.size, f"nothing is {colour}"
    corners = (columns.min(), rows.min() + int(below), columns.max() + 1, rows.max() + int(below) + 1)
    return Box.between(*map(int, corners))


def boxes(drawn: Image.Image, count: int) -> list[Box]:
    return [extent(drawn, colour) for colour in COLOURS[:count]]


@pytest.mark.parametrize(
    "sizes",
    [
        [(64, 64), (64, 48)],
        [(640, 480), (640, 480)],
        [(4000, 3000), (64, 64)],
        [(3000, 4000), (4000, 3000), (224, 224)],
    ],
    ids=str,
)
def test_pictures_of_a_case_have_one_height_whatever_their_sizes(sizes: list[tuple[int, int]]) -> None:
    drawn = sheet([strip(*plain(*sizes))])
    assert drawn.mode == "RGB"
    assert drawn.width == WIDTH_PX
    found = boxes(drawn, len(sizes))
    assert len({(box.y, box.h) for box in found}) == 1
    assert 200 <= found[0].h <= 340
    for (width, height), box in zip(sizes, found, strict=True):
        assert box.w / box.h == pytest.approx(width / height, abs=0.01)
    assert [box.x for box in found] == sorted(box.x for box in found)


def test_five_pictures_are_wrapped_into_rows_within_the_width() -> None:
    found = boxes(sheet([strip(*plain(*[(640, 480)] * 5))]), 5)
    rows = sorted({box.y for box in found})
    assert len(rows) == 2
    assert [rows.index(box.y) for box in found] == [0, 0, 0, 1, 1]
    assert all(box.x > 0 and box.x1 < WIDTH_PX for box in found)
    assert all(not one.overlaps(other) for one in found for other in found if one is not other)


def test_narrow_pieces_stand_beside_their_picture() -> None:
    found = boxes(sheet([strip(*plain((640, 480), (120, 480), (200, 480), (320, 480)))]), 4)
    assert len({(box.y, box.h) for box in found}) == 1


def test_a_wide_strip_of_a_picture_stays_within_half_the_sheet() -> None:
    _, wide = boxes(sheet([strip(*plain((640, 480), (2000, 40)))]), 2)
    assert wide.w < WIDTH_PX / 2


def test_a_picture_of_one_pixel_is_shown() -> None:
    found = boxes(sheet([strip(*plain((1, 1), (3, 500), (500, 30)))]), 3)
    assert all(box.w >= 1 and box.h >= 1 for box in found[::2])


def test_cases_stand_below_each_other_in_their_order() -> None:
    images = plain((300, 200), (300, 200), (300, 200))
    found = boxes(sheet(strip(each) for each in images), 3)
    assert found[0].y1 < found[1].y < found[1].y1 < found[2].y


def test_a_small_picture_is_enlarged_in_blocks_and_a_larger_one_smoothly() -> None:
    def values(side: int) -> int:
        chequered = np.indices((side, side)).sum(axis=0) % 2 * 255
        image = Image.fromarray(np.repeat(chequered[..., None], 3, axis=-1).astype(np.uint8))
        drawn = np.asarray(sheet([strip(image)]))
        # Well inside the picture, which begins at the left margin below the head.
        return len(np.unique(drawn[160:260, 60:160]))

    assert values(64) == 2
    assert values(200) > 2


def test_boxes_are_outlined_where_they_are_in_the_picture() -> None:
    image = Image.new("RGB", (4000, 3000), COLOURS[3])
    image.paste(COLOURS[2], (1000, 500, 3000, 2000))
    drawn = sheet([strip(image, outlines=(Outline(box=Box(1000, 500, 2000, 1500), label="", shows=Shows.EDITED),))])
    shown = extent(drawn, COLOURS[3])
    frame = extent(drawn, STROKES[Shows.EDITED].colour, below=shown.y)
    left, top, width, height = shown.x + shown.w / 4, shown.y + shown.h / 6, shown.w / 2, shown.h / 2
    for gap in (left - frame.x, top - frame.y, frame.x1 - left - width, frame.y1 - top - height):
        assert 1 <= gap <= 6


def test_a_caption_stands_below_its_picture() -> None:
    drawn = sheet([strip(*plain((640, 480), (640, 480)))])
    for box in boxes(drawn, 2):
        column = drawn.crop((int(box.x), 0, int(box.x1), drawn.height))
        note, text = (extent(column, colour, below=box.y1) for colour in (FAINT, INK))
        assert box.y1 < note.y < text.y


def test_a_longer_answer_makes_a_higher_sheet_up_to_a_bound() -> None:
    def height(answer: str) -> int:
        (image,) = plain((640, 480))
        return sheet([Strip(title="t", notes=(), panels=(Panel(image=image, said=(("q", answer),)),))]).height

    assert height("yes") < height("word " * 50) < height("word " * 200) == height("word " * 20_000)


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=80), min_size=6, max_size=6))
def test_any_text_can_stand_on_it(texts: list[str]) -> None:
    title, note, done, asked, answer, label = texts
    outlined = (Outline(box=Box(2, 2, 9, 9), label=label, shows=Shows.ASKED),)
    panel = Panel(image=Image.new("RGB", (20, 16)), outlines=outlined, note=done, said=((asked, answer),))
    assert sheet([Strip(title=title, notes=(note,), panels=(panel, panel))]).width == WIDTH_PX


@pytest.mark.parametrize("panels", [(), (Panel(image=Image.new("RGB", (30, 30))),)], ids=["none", "a bare one"])
def test_hardly_anything_to_show_is_shown(panels: tuple[Panel, ...]) -> None:
    assert sheet([Strip(title="", notes=(), panels=panels)]).width == WIDTH_PX


def test_no_case_leaves_the_legend() -> None:
    assert sheet([]).height < 100


def test_the_pictures_of_one_case_are_let_go_before_the_next() -> None:
    made: list[ref[Image.Image]] = []

    def strips() -> Iterator[Strip]:
        for _ in range(3):
            assert all(each() is None for each in made), "a picture that was drawn is still held"
            image = Image.new("RGB", (64, 64))
            made.append(ref(image))
            yield strip(image)
            del image

    sheet(strips())
    assert len(made) == 3


def test_the_pictures_are_left_as_they_are() -> None:
    (image,) = plain((640, 480))
    before = image.tobytes()
    sheet([strip(image, outlines=(Outline(box=Box(5, 5, 90, 90), label="dog", shows=Shows.ASKED),))])
    assert image.tobytes() == before


def test_the_same_case_gives_the_same_pixels() -> None:
    assert sheet([strip(*plain((640, 480)))]).tobytes() == sheet([strip(*plain((640, 480)))]).tobytes()


def test_a_sheet_that_no_file_could_hold_is_refused() -> None:
    panel = Panel(image=Image.new("RGB", (8, 8)))
    endless = (Strip(title="", notes=(), panels=(panel,) * 400) for _ in range(10**9))
    with pytest.raises(RenderError, match=r"at most 60000 pixels in height, .*show fewer cases at once"):
        sheet(endless)
