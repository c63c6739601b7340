"""Outlines drawn onto an image: where they are, that they hide nothing, and that everybody can tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour, Corruption, Cutout
from pytest_vqamt.core.meaning import Count, Describe, Exists, Group, Related
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Region, Scene
from pytest_vqamt.imaging.outlines import STROKES, Outline, OutlineKind, draw_outlines, edited, outlines
from tests.core.random_scenes import boxes_within, scenes
from tests.making import group_of, thing_of
from tests.rows import each_row

GREY = (128, 128, 128)
ONE = (1.0, 1.0)


def drawn(*outlines: Outline, size: tuple[int, int] = (200, 150)) -> NDArray[np.uint8]:
    """Height x width x RGB."""
    image = Image.new("RGB", size, GREY)
    draw_outlines(image, outlines, ONE)
    return np.asarray(image)


def outline(shows: OutlineKind, box: Box = Box(60, 50, 80, 60), label: str = "") -> Outline:  # noqa: B008 - a frozen box
    return Outline(box=box, label=label, shows=shows)


def is_colour(pixels: NDArray[np.uint8], colour: Colour) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = np.all(pixels == np.array(colour, dtype=np.uint8), axis=-1, keepdims=True)
    return same[..., 0]


@each_row("shows", OutlineKind)
def test_a_frame_runs_about_its_box_and_hides_nothing_inside(shows: OutlineKind) -> None:
    pixels = drawn(outline(shows))
    assert is_colour(pixels[50:110, 60:140], GREY).all()
    rows, columns = np.nonzero(is_colour(pixels, STROKES[shows].colour))
    for gap in (60 - columns.min(), columns.max() - 139, 50 - rows.min(), rows.max() - 109):
        assert 1 <= gap <= 5


def test_what_was_edited_is_dashed_and_what_is_asked_about_is_not() -> None:
    def covered(shows: OutlineKind) -> float:
        strip = drawn(outline(shows))[110:116, 64:136]
        return float(np.mean(is_colour(strip, STROKES[shows].colour).any(axis=0)))

    assert covered(OutlineKind.ASKED) == 1
    assert 0.4 < covered(OutlineKind.EDITED) < 0.8


def test_what_is_asked_about_and_edited_is_framed_twice() -> None:
    pixels = drawn(outline(OutlineKind.ASKED), outline(OutlineKind.EDITED))
    side = pixels[70:90]
    assert is_colour(side, STROKES[OutlineKind.ASKED].colour).any(axis=1).all()
    assert is_colour(side, STROKES[OutlineKind.EDITED].colour).any()
    assert is_colour(pixels[50:110, 60:140], GREY).all()


def test_a_box_of_less_than_a_pixel_is_seen() -> None:
    pixels = drawn(outline(OutlineKind.ASKED, Box(100, 70, 0.2, 0.2)))
    assert is_colour(pixels[60:85, 90:110], STROKES[OutlineKind.ASKED].colour).sum() > 20


def test_boxes_are_scaled() -> None:
    image = Image.new("RGB", (200, 150), GREY)
    draw_outlines(image, [outline(OutlineKind.ASKED, Box(600, 1000, 800, 1200))], (0.1, 0.05))
    assert (np.asarray(image) == drawn(outline(OutlineKind.ASKED, Box(60, 50, 80, 60)))).all()


LABELS = st.sampled_from(["", "dog", "a very long label of more than thirty letters", "貓", "\x00\ud800"])
BOXES = st.builds(Box, st.floats(-9, 220), st.floats(-9, 160), st.floats(0.01, 250), st.floats(0.01, 200))


@given(
    st.lists(st.builds(Outline, box=BOXES, label=LABELS, shows=st.sampled_from(OutlineKind)), max_size=12),
    st.sampled_from([(200, 150), (30, 220), (1, 1), (9, 3), (340, 12)]),
)
def test_any_outlines_are_drawn_on_any_image(outlines: list[Outline], size: tuple[int, int]) -> None:
    assert drawn(*outlines, size=size).shape == (size[1], size[0], 3)


# Severity 1.0, for linear RGB. Machado, Oliveira and Fernandes (2009), table of their supplementary material.
MACHADO = {
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: Colour) -> NDArray[np.float64]:
    value = np.array(colour) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* of linear RGB, white D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    scaled = (to_xyz @ np.clip(light, 0, 1)) / np.array([0.9505, 1.0, 1.089])
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@each_row("sight", MACHADO)
def test_the_strong_colours_are_told_apart_by_everybody(sight: str) -> None:
    seen = [
        lab(np.array(MACHADO[sight]) @ linear(STROKES[shows].colour))
        for shows in (OutlineKind.EDITED, OutlineKind.ASKED)
    ]
    # A difference of 2.3 is just noticeable; ten times that is another colour at a glance.
    assert np.linalg.norm(seen[0] - seen[1]) > 23


@each_row("shows", [OutlineKind.EDITED, OutlineKind.ASKED])
def test_a_label_is_readable(shows: OutlineKind) -> None:
    # WCAG 2: 4.5 for text, against the white of the letters.
    luminance = float(linear(STROKES[shows].colour) @ np.array([0.2126, 0.7152, 0.0722]))
    assert 1.05 / (luminance + 0.05) >= 4.5


Painting = NDArray[np.bool_]
"""Height x width, true where the pixel shows what was edited."""

KITE = Cutout(photo=Photo(id="other", digest="f" * 16), thing=thing_of("kite"))


@dataclass
class Painted:
    """A picture, and beside it each edited box as the pixels of it that are still to be seen."""

    picture: Picture
    marks: list[tuple[str, Painting]]

    def paint(self, label: str, *boxes: Box) -> None:
        self.marks += [(label, self.pixels(box)) for box in boxes]

    def pixels(self, *boxes: Box) -> Painting:
        painting = np.zeros((self.picture.scene.height, self.picture.scene.width), dtype=np.bool_)
        for box in boxes:
            painting[int(box.y) : int(box.y1), int(box.x) : int(box.x1)] = True
        return painting

    def seen(self) -> list[tuple[str, Box]]:
        found = []
        for label, painting in self.marks:
            rows, columns = np.nonzero(painting)
            if rows.size:
                corners = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
                found.append((label, Box.from_corners(*map(int, corners))))
        return found


def edit(painted: Painted, kind: str, boxes: tuple[Box, ...]) -> None:
    """Edits the picture, and the paintings by the meaning of the edit alone."""
    picture, (box, *_) = painted.picture, boxes
    match kind:
        case "erase":
            painted.marks = [(label, each & ~painted.pixels(box)) for label, each in painted.marks]
            painted.paint("erased", box)
            painted.picture = picture.erase(box)
        case "insert":
            painted.paint("inserted kite", box)
            painted.picture = picture.insert(KITE, (box.x, box.y), (box.w, box.h))
        case "blur":
            painted.paint("kept", *boxes)
            painted.picture = picture.blur(boxes, sigma=3)
        case "mask":
            painted.marks = [(label, each & painted.pixels(*boxes)) for label, each in painted.marks]
            painted.paint("kept", *boxes)
            painted.picture = picture.mask(boxes, (0, 0, 0))
        case "corrupt":
            painted.paint("corrupted", *boxes)
            painted.picture = picture.corrupt(Corruption.SNOW, 2, boxes)
        case "cut":
            painted.marks = [(label, each[:, int(box.x) : int(box.x1)]) for label, each in painted.marks]
            painted.picture = picture.cut(int(box.x), int(box.x1))
        case "cut rows":
            painted.marks = [(label, each[int(box.y) : int(box.y1)]) for label, each in painted.marks]
            painted.picture = picture.cut(int(box.y), int(box.y1), "y")
        case "crop":
            window = (slice(int(box.y), int(box.y1)), slice(int(box.x), int(box.x1)))
            painted.marks = [(label, each[window]) for label, each in painted.marks]
            painted.picture = picture.crop(box)
        case "mirror":
            painted.marks = [(label, each[:, ::-1]) for label, each in painted.marks]
            painted.picture = picture.mirror()
        case "whole":
            painted.picture = picture.reencode().brightness(10).contrast(1.5).corrupt(Corruption.ZOOM, 1)


KINDS = ("erase", "insert", "blur", "mask", "corrupt", "cut", "cut rows", "crop", "mirror", "whole")


@given(scenes(), st.data())
def test_an_outline_is_the_frame_of_the_pixels_that_show_the_edit(scene: Scene, data: st.DataObject) -> None:
    painted = Painted(scene.picture, [])
    for kind in data.draw(st.lists(st.sampled_from(KINDS), max_size=5)):
        now = painted.picture.scene
        boxes = st.lists(boxes_within(now.width, now.height), min_size=1, max_size=2)
        edit(painted, kind, tuple(data.draw(boxes)))
    found = edited(painted.picture, scene)
    assert [(each.label, each.box) for each in found] == painted.seen()
    assert {each.shows for each in found} <= {OutlineKind.EDITED}


@given(scenes(), st.data(), st.floats(-1, 1))
def test_a_sheared_outline_is_where_the_rows_of_pixels_went(scene: Scene, data: st.DataObject, factor: float) -> None:
    box = data.draw(boxes_within(scene.width, scene.height))
    found = edited(scene.picture.erase(box).shear(factor), scene)
    # The middle of each pixel, moved with its row.
    moved = [
        (x + 0.5 + factor * (y + 0.5 - scene.height / 2), y + 0.5)
        for y in range(int(box.y), int(box.y1))
        for x in range(int(box.x), int(box.x1))
    ]
    inside = [(x, y) for x, y in moved if 0 < x < scene.width]
    if inside:
        (outline,) = found
        assert all(outline.box.x <= x <= outline.box.x1 and outline.box.y <= y <= outline.box.y1 for x, y in inside)
        # Not wider than the pixels themselves, and what half a row of shear adds at either end.
        slack = 0.5 + abs(factor) / 2 + 1e-9
        assert outline.box.x >= max(0, min(x for x, _ in moved) - slack)
        assert outline.box.x1 <= min(scene.width, max(x for x, _ in moved) + slack)


@given(scenes(), st.floats(-20, 20), st.floats(-20, 20), st.floats(0.5, 40), st.floats(0.5, 40))
def test_every_outline_lies_in_the_frame(scene: Scene, x: float, y: float, w: float, h: float) -> None:
    wild = replace(scene, objects=(*scene.objects, thing_of("dog", id="wild", box=Box(x, y, w, h))))
    picture = wild.picture.erase(Box(x, y, w, h)).insert(KITE, (y, x), (h, w)).mirror()
    for each in outlines(picture, Count(groups=(Group(name="dog"),)), wild):
        assert each.box.x >= -1e-9
        assert each.box.y >= -1e-9
        assert each.box.x1 <= scene.width + 1e-9
        assert each.box.y1 <= scene.height + 1e-9
        assert each.box.w > 0
        assert each.box.h > 0


def shown(found: tuple[Outline, ...], shows: OutlineKind) -> dict[str, list[Box]]:
    """The boxes of one kind by their labels."""
    boxes: dict[str, list[Box]] = {}
    for each in found:
        if each.shows is shows:
            boxes.setdefault(each.label, []).append(each.box)
    return boxes


class TestWhatIsAskedAbout:
    def test_things_that_a_question_names_and_all_others_thin(self, yard: Scene) -> None:
        found = outlines(yard.picture, Count(groups=(group_of("brown dog"), group_of("cat"))), yard)
        assert shown(found, OutlineKind.ASKED) == {
            "brown dog": [Box(0, 60, 20, 20), Box(30, 60, 20, 20)],
            "cat": [Box(100, 40, 20, 20)],
        }
        assert shown(found, OutlineKind.OTHER) == {
            "dog": [Box(60, 60, 20, 20)],
            "bench": [Box(95, 55, 40, 30)],
            "car": [Box(150, 60, 40, 20)],
        }
        assert shown(found, OutlineKind.EDITED) == {}

    def test_a_hypernym_shows_each_thing_by_its_own_name(self, yard: Scene) -> None:
        animal = Group(name="animal", covers=("dog", "cat"), attributes=("black",))
        assert shown(outlines(yard.picture, Exists(group=animal), yard), OutlineKind.ASKED) == {
            "black dog": [Box(60, 60, 20, 20)],
            "black cat": [Box(100, 40, 20, 20)],
        }

    def test_a_thing_that_two_groups_name_is_outlined_once(self, yard: Scene) -> None:
        found = outlines(yard.picture, Count(groups=(group_of("black cat"), group_of("cat"))), yard)
        assert shown(found, OutlineKind.ASKED) == {"black cat": [Box(100, 40, 20, 20)]}

    def test_what_it_stands_on_is_not_asked_about(self, yard: Scene) -> None:
        on_bench = Group(name="cat", related=(Related(predicate="on", to=Group(name="bench")),))
        found = outlines(yard.picture, Exists(group=on_bench), yard)
        assert shown(found, OutlineKind.ASKED) == {"cat": [Box(100, 40, 20, 20)]}

    def test_a_caption_asks_about_nothing_in_particular(self, yard: Scene) -> None:
        found = outlines(yard.picture, Describe(), yard)
        assert shown(found, OutlineKind.ASKED) == {}
        assert sum(map(len, shown(found, OutlineKind.OTHER).values())) == 6

    def test_it_is_where_it_stands_in_the_finished_picture(self, yard: Scene) -> None:
        # Columns 55 to 115 of the yard, mirrored: the third dog at 5..25 of 60, the cat at 45..60.
        found = outlines(yard.picture.cut(55, 115).mirror(), Count(groups=(group_of("dog"), group_of("cat"))), yard)
        assert shown(found, OutlineKind.ASKED) == {"dog": [Box(35, 60, 20, 20)], "cat": [Box(0, 40, 15, 20)]}
        assert shown(found, OutlineKind.OTHER) == {"bench": [Box(0, 55, 20, 30)]}

    def test_a_crowd_is_never_asked_about(self, yard: Scene) -> None:
        crowded = replace(yard, regions=(Region(name="dog", box=Box(0, 0, 50, 10)),))
        found = outlines(crowded.picture, Exists(group=group_of("dog")), crowded)
        assert len(shown(found, OutlineKind.ASKED)["dog"]) == 3
        assert shown(found, OutlineKind.OTHER)["dog (crowd)"] == [Box(0, 0, 50, 10)]


class TestWhatWasEdited:
    def test_what_was_erased_is_outlined_and_no_longer_there(self, yard: Scene) -> None:
        found = outlines(yard.picture.erase(Box(30, 60, 20, 20)), Exists(group=group_of("dog")), yard)
        assert shown(found, OutlineKind.EDITED) == {"erased": [Box(30, 60, 20, 20)]}
        assert shown(found, OutlineKind.ASKED) == {"dog": [Box(0, 60, 20, 20), Box(60, 60, 20, 20)]}

    def test_what_was_inserted_is_not_outlined_among_everything_else(self, yard: Scene) -> None:
        picture = yard.picture.insert(KITE, (10, 5), (30, 20))
        found = outlines(picture, Exists(group=group_of("dog")), yard)
        assert shown(found, OutlineKind.EDITED) == {"inserted kite": [Box(10, 5, 30, 20)]}
        assert "kite" not in shown(found, OutlineKind.OTHER)

    def test_what_was_inserted_can_be_asked_about(self, yard: Scene) -> None:
        picture = yard.picture.insert(KITE, (10, 5), (30, 20))
        found = outlines(picture, Exists(group=group_of("kite")), yard)
        assert shown(found, OutlineKind.ASKED) == {"kite": [Box(10, 5, 30, 20)]}
        assert shown(found, OutlineKind.EDITED) == {"inserted kite": [Box(10, 5, 30, 20)]}

    def test_what_covers_a_part_leaves_the_rest(self, yard: Scene) -> None:
        # Of columns 30..50, the second patch covers 40..60: 30..40 are left of the first.
        picture = yard.picture.erase(Box(30, 60, 20, 20)).erase(Box(40, 50, 20, 40))
        assert shown(edited(picture, yard), OutlineKind.EDITED) == {
            "erased": [Box(30, 60, 10, 20), Box(40, 50, 20, 40)]
        }

    def test_what_is_covered_in_two_steps_is_gone(self, yard: Scene) -> None:
        picture = yard.picture.insert(KITE, (30, 60), (20, 20)).erase(Box(30, 60, 12, 20)).erase(Box(42, 60, 8, 20))
        assert "inserted kite" not in shown(edited(picture, yard), OutlineKind.EDITED)

    def test_what_two_windows_show_is_not_what_lies_between_them(self, yard: Scene) -> None:
        windows = (Box(30, 60, 5, 20), Box(45, 60, 5, 20))
        masked = yard.picture.insert(KITE, (20, 60), (40, 20)).mask(windows, (0, 0, 0))
        assert shown(edited(masked, yard), OutlineKind.EDITED)["inserted kite"] == [Box(30, 60, 20, 20)]
        assert edited(masked.cut(36, 44), yard) == ()

    @each_row("made", [Picture.mirror, Picture.reencode])
    def test_an_edit_of_the_whole_picture_has_no_box(self, made: Callable[[Picture], Picture], yard: Scene) -> None:
        assert edited(made(yard.picture), yard) == ()

    def test_the_more_important_is_drawn_later(self, yard: Scene) -> None:
        picture = yard.picture.insert(KITE, (10, 5), (30, 20))
        order = [each.shows for each in outlines(picture, Exists(group=group_of("dog")), yard)]
        assert order == sorted(order, key=list(OutlineKind).index)
        assert set(order) == set(OutlineKind)
