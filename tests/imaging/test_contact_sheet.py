"""A case becomes a strip: one panel for each picture and what is asked about it."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.edits import Colour, Corruption, Cutout, Fill
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.core.meaning import Absent, Count, Describe, Exists, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging import contact_sheet
from pytest_vqamt.imaging.contact_sheet import WIDTH_PX, Panel, Strip, case_strip, sheet
from pytest_vqamt.imaging.lettering import FAINT, INK
from pytest_vqamt.imaging.outlines import STROKES, Outline, OutlineKind
from pytest_vqamt.imaging.render import render
from tests.imaging.coco_photos import CocoPhotos, needs_coco
from tests.making import group_of
from tests.rows import each_row

DOG = Exists(group=group_of("dog"))


def case_of(*asked: tuple[Picture, str, Meaning], task: Task = Task.VQA) -> Case:
    return Case(
        relation="ours.test",
        variant="",
        scene="yard",
        queries=tuple(
            Query(picture=picture, text=text, meaning=meaning, task=task) for picture, text, meaning in asked
        ),
        expected="as the test says",
    )


def strip_of(case: Case, yard: Scene) -> Strip:
    return case_strip(
        case,
        [f"answer {number}" for number in range(1, len(case.queries) + 1)],
        title="ours.test",
        notes=("expected: as the test says",),
        image_of=lambda picture: Image.new("RGB", (picture.scene.width, picture.scene.height)),
        scene_of={yard.photo.id: yard}.__getitem__,
    )


def test_a_picture_is_told_with_its_edits_its_text_and_its_answer(yard: Scene) -> None:
    erased = yard.picture.erase(Box(0, 60, 20, 20)).mirror()
    strip = strip_of(case_of((yard.picture, "Is there a dog?", DOG), (erased, "Is there a dog?", DOG)), yard)
    assert (strip.title, strip.notes) == ("ours.test", ("expected: as the test says",))
    assert [(panel.note, panel.said) for panel in strip.panels] == [
        ("the photo as it is", (("1. Is there a dog?", "answer 1"),)),
        ("erased (white), mirrored", (("2. Is there a dog?", "answer 2"),)),
    ]
    assert [sum(each.shows is OutlineKind.ASKED for each in panel.outlines) for panel in strip.panels] == [3, 2]
    assert [each.box for each in strip.panels[1].outlines if each.shows is OutlineKind.EDITED] == [Box(180, 60, 20, 20)]


def test_texts_about_the_same_things_of_one_picture_share_a_panel(yard: Scene) -> None:
    cutting = yard.picture.cut(0, 100)
    case = case_of(
        (yard.picture, "Is there a dog?", DOG),
        (cutting, "Is there a dog?", DOG),
        (yard.picture, "Is there no dog?", Absent(group=group_of("dog"))),
    )
    assert [panel.said for panel in strip_of(case, yard).panels] == [
        (("1. Is there a dog?", "answer 1"), ("3. Is there no dog?", "answer 3")),
        (("2. Is there a dog?", "answer 2"),),
    ]


def test_texts_about_other_things_have_panels_of_their_own(yard: Scene) -> None:
    dogs, cats = Count(groups=(group_of("dog"),)), Count(groups=(group_of("cat"),))
    case = case_of((yard.picture, "How many dogs?", dogs), (yard.picture, "How many cats?", cats))
    assert len(strip_of(case, yard).panels) == 2


def test_a_caption_has_no_text_and_a_second_trial_says_so(yard: Scene) -> None:
    case = case_of((yard.picture, "", Describe()), task=Task.CAPTIONING)
    again = replace(case, queries=(*case.queries, replace(case.queries[0], trial=1)))
    assert strip_of(again, yard).panels[0].said == (
        ("1. (captioning)", "answer 1"),
        ("2. (captioning) (asked again)", "answer 2"),
    )


@needs_coco
def test_every_edit_of_a_real_photo_can_be_looked_at() -> None:
    photos = CocoPhotos()
    # The one with the most things, so that labels have little room.
    scene = max(photos.scenes.values(), key=lambda each: len(each.objects))
    thing, other = scene.objects[:2]
    picture, keep = scene.picture, (thing.box, other.box)
    made = (
        picture,
        picture.erase(thing.box, Fill.MEAN, (120, 110, 100)),
        picture.cut(0, scene.width // 3),
        picture.cut(0, scene.height // 3, "y"),
        picture.crop(Box(10, 10, 200, 150)),
        picture.insert(Cutout(photo=scene.photo, thing=thing), (20, 20), (thing.box.w, thing.box.h)),
        picture.blur(keep, sigma=6),
        picture.mask(keep, (90, 90, 90)),
        picture.corrupt(Corruption.CONTRAST, 3, keep).mirror(),
        picture.shear(0.2).brightness(20),
    )
    meaning = Count(groups=(group_of(thing.name.replace(" ", "_")),))
    case = case_of(*((each, f"How many? {number}", meaning) for number, each in enumerate(made)))
    strip = case_strip(
        case,
        [f"{number} of them" for number in range(len(made))],
        title="ours.test",
        notes=(),
        image_of=lambda each: render(each, photos),
        scene_of=photos.scenes.__getitem__,
    )
    assert len(strip.panels) == len(made)
    for panel, each in zip(strip.panels, made, strict=True):
        assert panel.image.size == (each.scene.width, each.scene.height)
    assert sheet([strip]).width == 1200


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
    return Box.from_corners(*map(int, corners))


def boxes(drawn: Image.Image, count: int) -> list[Box]:
    return [extent(drawn, colour) for colour in COLOURS[:count]]


@each_row(
    "sizes",
    [
        [(64, 64), (64, 48)],
        [(640, 480), (640, 480)],
        [(1600, 1200), (64, 64)],
        [(900, 1200), (1200, 900), (224, 224)],
    ],
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
    image = Image.new("RGB", (1600, 1200), COLOURS[3])
    image.paste(COLOURS[2], (400, 200, 1200, 800))
    drawn = sheet([strip(image, outlines=(Outline(box=Box(400, 200, 800, 600), label="", shows=OutlineKind.EDITED),))])
    shown = extent(drawn, COLOURS[3])
    frame = extent(drawn, STROKES[OutlineKind.EDITED].colour, below=shown.y)
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


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=80), min_size=6, max_size=6))
def test_any_text_can_stand_on_it(texts: list[str]) -> None:
    title, note, done, asked, answer, label = texts
    outlined = (Outline(box=Box(2, 2, 9, 9), label=label, shows=OutlineKind.ASKED),)
    panel = Panel(image=Image.new("RGB", (20, 16)), outlines=outlined, note=done, said=((asked, answer),))
    assert sheet([Strip(title=title, notes=(note,), panels=(panel, panel))]).width == WIDTH_PX


@each_row("panels", [(), (Panel(image=Image.new("RGB", (30, 30))),)])
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
    sheet([strip(image, outlines=(Outline(box=Box(5, 5, 90, 90), label="dog", shows=OutlineKind.ASKED),))])
    assert image.tobytes() == before


def test_the_same_case_gives_the_same_pixels() -> None:
    assert sheet([strip(*plain((640, 480)))]).tobytes() == sheet([strip(*plain((640, 480)))]).tobytes()


def test_a_sheet_that_no_file_could_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_sheet, "_MOST_HEIGHT_PX", 2000)
    panel = Panel(image=Image.new("RGB", (8, 8)))
    endless = (Strip(title="", notes=(), panels=(panel,) * 9) for _ in range(10**9))
    with pytest.raises(RenderError, match=r"at most 2000 pixels in height, .*show fewer cases at once"):
        sheet(endless)
