"""What a scene is after each edit, worked out by hand on the yard of conftest.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import encode, registered_types
from pytest_vqamt.core.edits import (
    Beside,
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Corruption,
    Crop,
    Cut,
    Cutout,
    Edit,
    Erase,
    FileForm,
    Fill,
    Insert,
    Jpeg,
    Mask,
    Mirror,
    Move,
    Pad,
    Recolour,
    Redraw,
    Reencode,
    Rescale,
    Rotate,
    Shear,
    Shift,
    Store,
    Tilt,
    Write,
    edit_from_row,
)
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Inscription, Photo, Region, Relationship, Scene
from pytest_vqamt.picture_world.source import PictureWorld
from tests.making import scene_of, thing_of
from tests.rows import each_row


@pytest.fixture
def told_yard(yard: Scene) -> Scene:
    """The yard with a caption, a crowd of people at its right, and the cat to the left of the car."""
    return replace(
        yard,
        captions=("Three dogs, a cat on a bench and a car.",),
        regions=(Region(name="person", box=Box(160, 0, 40, 40)),),
        relationships=(*yard.relationships, Relationship(subject="c1", predicate="left of", object="v1")),
    )


def boxes(scene: Scene) -> dict[str, Box]:
    return {thing.id: thing.box for thing in scene.objects}


NO_BOXES: Any = ("all",)
BLUR = Blur(keep=(Box(0, 0, 9, 9),), sigma_px=3.0)

CUP = Cutout(
    photo=Photo(id="kitchen.png", digest="c" * 16),
    thing=replace(thing_of("blue cup", id="17", box=Box(3, 4, 6, 8)), has_mask=True, synset="cup.n.01"),
)


class TestErase:
    def test_what_is_covered_is_gone_with_its_relationships_and_the_captions(self, told_yard: Scene) -> None:
        after = Erase(box=Box(100, 40, 20, 20)).after(told_yard)
        # A quarter of the bench's height and half its width are covered: it stays where it is.
        assert boxes(after) == {
            "d1": Box(0, 60, 20, 20),
            "d2": Box(30, 60, 20, 20),
            "d3": Box(60, 60, 20, 20),
            "b1": Box(95, 55, 40, 30),
            "v1": Box(150, 60, 40, 20),
        }
        assert (after.relationships, after.captions) == ((), ())
        assert after.regions == told_yard.regions
        assert (after.width, after.height) == (200, 100)

    def test_half_a_thing_is_still_there_and_less_is_not(self, yard: Scene) -> None:
        assert "d1" in boxes(Erase(box=Box(0, 60, 10, 20)).after(yard))
        assert "d1" not in boxes(Erase(box=Box(0, 60, 11, 20)).after(yard))

    def test_a_crowd_goes_as_a_thing_does(self, told_yard: Scene) -> None:
        assert Erase(box=Box(160, 0, 40, 20)).after(told_yard).regions == told_yard.regions
        assert Erase(box=Box(160, 0, 40, 21)).after(told_yard).regions == ()

    @pytest.mark.parametrize("fill", Fill)
    def test_what_stands_in_its_place_does_not_matter(self, yard: Scene, fill: Fill) -> None:
        box = Box(0, 60, 20, 20)
        assert Erase(box=box, fill=fill, colour=(1, 2, 3)).after(yard) == Erase(box=box).after(yard)


class TestCutAndCrop:
    def test_a_piece_has_what_is_inside_moved_to_its_origin(self, told_yard: Scene) -> None:
        after = Cut(start=55, stop=140).after(told_yard)
        assert (after.width, after.height) == (85, 100)
        assert boxes(after) == {"d3": Box(5, 60, 20, 20), "c1": Box(45, 40, 20, 20), "b1": Box(40, 55, 40, 30)}
        assert after.relationships == (Relationship(subject="c1", predicate="on", object="b1"),)
        assert (after.regions, after.captions) == ((), ())

    def test_a_thing_on_the_line_is_clipped(self, told_yard: Scene) -> None:
        after = Cut(start=170, stop=200).after(told_yard)
        assert boxes(after) == {"v1": Box(0, 60, 20, 20)}
        assert after.regions == (Region(name="person", box=Box(0, 0, 30, 40)),)

    def test_a_piece_along_the_other_axis(self, yard: Scene) -> None:
        after = Cut(start=0, stop=58, axis="y").after(yard)
        assert (after.width, after.height) == (200, 58)
        assert boxes(after) == {"c1": Box(100, 40, 20, 18), "b1": Box(95, 55, 40, 3)}

    def test_touching_the_edge_is_not_being_inside(self, yard: Scene) -> None:
        assert boxes(Cut(start=20, stop=30).after(yard)) == {}

    def test_a_crop_does_both_axes(self, yard: Scene) -> None:
        after = Crop(box=Box(90, 50, 20, 20)).after(yard)
        assert (after.width, after.height) == (20, 20)
        assert boxes(after) == {"c1": Box(10, 0, 10, 10), "b1": Box(5, 5, 15, 15)}


class TestInsert:
    def test_one_thing_is_added_behind_the_rest(self, told_yard: Scene) -> None:
        after = Insert(cutout=CUP, box=Box(10, 5, 12, 16)).after(told_yard)
        assert after.objects[:-1] == told_yard.objects
        added = after.objects[-1]
        assert (added.name, added.attributes, added.box) == ("cup", ("blue",), Box(10, 5, 12, 16))
        assert (added.synset, added.has_mask) == ("cup.n.01", False)
        assert (after.relationships, after.regions) == (told_yard.relationships, told_yard.regions)
        assert after.captions == ()

    def test_each_inserted_thing_has_an_id_of_its_own(self, yard: Scene) -> None:
        insert = Insert(cutout=CUP, box=Box(10, 5, 12, 16))
        after = insert.after(insert.after(insert.after(yard)))
        assert after.count("cup") == 3
        assert len(boxes(after)) == len(after.objects) == 9


class TestMask:
    def test_what_is_painted_over_is_gone_and_what_is_half_seen_is_clipped(self, told_yard: Scene) -> None:
        after = Mask(keep=(Box(0, 50, 40, 50), Box(100, 40, 10, 20)), colour=(0, 0, 0)).after(told_yard)
        # The cat's left half is seen, and of the bench 10 x 5 pixels beneath it.
        assert boxes(after) == {
            "d1": Box(0, 60, 20, 20),
            "d2": Box(30, 60, 10, 20),
            "c1": Box(100, 40, 10, 20),
            "b1": Box(100, 55, 10, 5),
        }
        assert (after.width, after.height) == (200, 100)
        assert (after.regions, after.captions) == ((), ())
        assert after.relationships == (Relationship(subject="c1", predicate="on", object="b1"),)

    def test_a_thing_seen_through_two_holes_reaches_from_one_to_the_other(self) -> None:
        scene = scene_of(thing_of("train", box=Box(10, 10, 100, 20)))
        after = Mask(keep=(Box(0, 0, 20, 100), Box(90, 20, 10, 80)), colour=(0, 0, 0)).after(scene)
        assert boxes(after) == {"0": Box(10, 10, 90, 20)}

    def test_with_nothing_kept_nothing_is_seen(self, yard: Scene) -> None:
        assert Mask(keep=(), colour=(9, 9, 9)).after(yard).objects == ()


class TestMirror:
    def test_left_becomes_right(self, told_yard: Scene) -> None:
        after = Mirror().after(told_yard)
        assert boxes(after) == {
            "d1": Box(180, 60, 20, 20),
            "d2": Box(150, 60, 20, 20),
            "d3": Box(120, 60, 20, 20),
            "c1": Box(80, 40, 20, 20),
            "b1": Box(65, 55, 40, 30),
            "v1": Box(10, 60, 40, 20),
        }
        assert after.regions == (Region(name="person", box=Box(0, 0, 40, 40)),)
        assert [r.predicate for r in after.relationships] == ["on", "right of"]
        assert after.captions == ()

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("left of", "right of"),
            ("right of", "left of"),
            ("to the left of", "to the right of"),
            ("to the right of", "to the left of"),
            ("on", "on"),
            ("near", "near"),
        ],
    )
    def test_sides_are_exchanged_in_relationships(self, before: str, after: str) -> None:
        relationship = Relationship(subject="0", predicate=before, object="1")
        scene = scene_of("dog", "cat", relationships=(relationship,))
        assert Mirror().after(scene).relationships == (replace(relationship, predicate=after),)


class TestShear:
    def test_below_the_middle_goes_right_and_above_it_left(self) -> None:
        # The middle is at 50. At factor 0.5 the rows from 60 to 80 move right by 5 to 15, those from 20 to 30 left by
        # 15 to 10.
        scene = scene_of(
            thing_of("dog", id="low", box=Box(40, 60, 20, 20)), thing_of("cat", id="high", box=Box(40, 20, 10, 10))
        )
        after = Shear(factor=0.5).after(scene)
        assert boxes(after) == {"low": Box(45, 60, 30, 20), "high": Box(25, 20, 15, 10)}
        assert (after.width, after.height) == (200, 100)

    def test_the_frame_stays_and_clips(self) -> None:
        scene = scene_of(
            thing_of("dog", id="half out", box=Box(180, 70, 20, 20)),
            thing_of("cat", id="out", box=Box(190, 90, 10, 10)),
        )
        # Rows 70 to 90 move right by 10 to 20, rows 90 to 100 by 20 to 25: past the frame of 200.
        assert boxes(Shear(factor=0.5).after(scene)) == {"half out": Box(190, 70, 10, 20)}


@pytest.mark.parametrize(
    "edit",
    [
        Blur(keep=(), sigma_px=9),
        Blur(keep=(Box(0, 0, 5, 5),), sigma_px=3),
        Corrupt(kind=Corruption.SNOW, severity=3),
        Corrupt(kind=Corruption.ZOOM, severity=1, boxes=(Box(0, 0, 5, 5),)),
        Brightness(offset=-40),
        Contrast(gain=1.5),
        Reencode(),
        Store(form=FileForm.ALPHA),
    ],
    ids=repr,
)
def test_an_edit_that_only_makes_it_harder_to_see_changes_nothing_of_what_is_there(
    told_yard: Scene, edit: Edit
) -> None:
    assert edit.after(told_yard) == told_yard


class TestViews:
    def test_a_turn_renames_sides_and_nothing_else(self, told_yard: Scene) -> None:
        predicates = {
            degrees: [r.predicate for r in Rotate(degrees=degrees).after(told_yard).relationships]
            for degrees in (90, 180, 270)
        }
        assert predicates == {90: ["on", "above"], 180: ["on", "right of"], 270: ["on", "below"]}

    def test_a_written_word_is_an_inscription_and_covers_nothing(self, told_yard: Scene) -> None:
        box = Box(0, 0, 60, 20)
        after = Write(text="DOG", box=box).after(told_yard)
        assert after == replace(told_yard, inscriptions=(Inscription(text="DOG", box=box),))

    def test_a_recoloured_thing_has_another_colour_and_its_other_attributes(self, yard: Scene) -> None:
        cars = scene_of("big red car", "red car")
        after = Recolour(thing=cars.objects[0].id, old="red", new="blue", hue=240).after(cars)
        assert [set(thing.attributes) for thing in after.objects] == [{"big", "blue"}, {"red"}]


BOX = Box(10, 20, 40, 60)
KITE = Cutout(photo=Photo(id="other", digest="f" * 16), thing=thing_of("red teddy_bear"))

WORDS: tuple[tuple[Edit, str], ...] = (
    (Erase(box=BOX), "erased (white)"),
    (Erase(box=BOX, fill=Fill.MEAN, colour=(1, 2, 3)), "erased (mean colour)"),
    (Erase(box=BOX, fill=Fill.INPAINT, method="telea"), "erased (inpainted by telea)"),
    (Erase(box=BOX, fill=Fill.INPAINT), "erased (inpainted)"),
    (Cut(start=120, stop=320), "cut x 120..320"),
    (Cut(start=0, stop=90, axis="y"), "cut y 0..90"),
    (Crop(box=BOX), "cropped to x 10..50, y 20..80"),
    (Insert(cutout=KITE, box=BOX), "inserted teddy bear"),
    (Blur(keep=(BOX, BOX), sigma_px=6), "blurred but for 2 boxes, sigma 6"),
    (Blur(keep=(BOX,), sigma_px=2.5), "blurred but for 1 box, sigma 2.5"),
    (Blur(keep=(), sigma_px=3.0), "blurred, sigma 3"),
    (Mask(keep=(BOX, BOX, BOX), colour=(0, 0, 0)), "masked but for 3 boxes"),
    (Mask(keep=(), colour=(0, 0, 0)), "masked"),
    (Mirror(), "mirrored"),
    (Corrupt(kind=Corruption.SNOW, severity=3), "corrupted (snow, severity 3)"),
    (Corrupt(kind=Corruption.ZOOM, severity=1, boxes=(BOX,)), "corrupted in 1 box (zoom, severity 1)"),
    (Brightness(offset=-20), "brightness -20"),
    (Brightness(offset=20), "brightness +20"),
    (Contrast(gain=1.5), "contrast x 1.5"),
    (Shear(factor=0.1), "sheared by 0.1"),
    (Reencode(), "re-encoded"),
    (Shift(dx=2, dy=-3), "shifted by +2, -3 pixels"),
    (Pad(left=8), "padded"),
    (Rescale(width=320, height=240), "scaled to 320 x 240"),
    (Jpeg(quality=90), "saved as JPEG of quality 90"),
    (Rotate(degrees=270), "turned by 270 degrees"),
    (Tilt(degrees=-3), "tilted by -3 degrees"),
    (Beside(second=scene_of("dog")), f"put beside {scene_of('dog').id}"),
    (Write(text="DOG", box=BOX), "given a card with the words 'DOG'"),
    (Recolour(thing="d1", old="red", new="blue", hue=240), "recoloured from red to blue"),
    (Redraw(thing="0", part="leg", number=5), "redrawn with 5 of its parts (leg)"),
    (Move(thing="0", dx=12, dy=-5), "one thing moved by +12, -5 pixels"),
    (Store(form=FileForm.PALETTE), "reduced to palette and stored as palette"),
    (Store(form=FileForm.GRAYSCALE, plain=True), "reduced to grayscale and stored as RGB"),
    (Store(form=FileForm.JPEG, quality=90, plain=True), "reduced to jpeg of quality 90 and stored as RGB"),
    (Store(form=FileForm.PNG, orientation=6), "reduced to png and stored as png, turned by EXIF 6"),
)


@pytest.mark.parametrize(("edit", "words"), WORDS, ids=[words for _, words in WORDS])
def test_what_was_done(edit: Edit, words: str) -> None:
    assert edit.words == words


def test_no_edit_is_without_words() -> None:
    assert {type(edit) for edit, _ in WORDS} == set(registered_types(Edit))


def test_an_edit_of_a_users_own_goes_by_its_name() -> None:
    class Sepia(Edit):
        pass

    assert Sepia().words == "sepia"


@each_row(
    ("edit", "message"),
    [
        (lambda picture: picture.brightness(10.5), "Expected int for offset of an edit Brightness, but got 10.5"),
        (lambda picture: picture.jpeg(101), "Expected a JPEG quality from 1 to 100"),
        (lambda picture: picture.edit(Write(text="a" * 501, box=Box(0, 0, 5, 5))), "Expected a text of at most 500"),
        (lambda picture: picture.rescale(9000, 6000), "Expected a picture of at most 50000000 pixels, but got 9000 x"),
        (lambda picture: picture.mask((), (300, 0, 0)), "Expected a colour of three whole numbers from 0 to 255"),
        (lambda picture: picture.erase(Box(0, 0, -5, 5)), "Expected boxes of no negative size in an edit Erase"),
        (lambda picture: picture.edit(replace(BLUR, keep=NO_BOXES)), "Expected boxes of no negative size"),
        (lambda picture: picture.edit(Rescale(width=True, height=9)), "Expected int for width of an edit Rescale"),
    ],
)
def test_an_edit_that_could_not_be_read_back_is_not_made(edit: Callable[[Picture], Picture], message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        edit(PictureWorld(2).scene(0).picture)


def test_a_form_of_file_is_written_as_before_it_had_a_quality_and_an_orientation() -> None:
    assert encode(Store(form=FileForm.ALPHA)) == {"is": "Store", "form": "alpha"}
    assert encode(Store(form=FileForm.PALETTE, plain=True)) == {"is": "Store", "form": "palette", "plain": True}
    assert edit_from_row({"is": "Store", "form": "grayscale"}) == Store(form=FileForm.GRAYSCALE)
    turned = Store(form=FileForm.JPEG, quality=90, orientation=6)
    assert edit_from_row(encode(turned)) == turned
