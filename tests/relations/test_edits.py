"""What stands where a thing was erased."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus, CutoutEntry, gather_corpus
from pytest_vqamt.core.edits import Colour, Erase, Fill
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.imaging import inpainting
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import edits
from pytest_vqamt.relations.edits import (
    AXES,
    ERASE,
    INPAINT,
    Axis,
    Eraser,
    InsertedThing,
    Place,
    Size,
    colour_words,
    cut_spans,
    make_eraser,
    occupied_boxes,
    pixel_box,
    places_anywhere,
    places_touching,
    rectangular_names,
    removable,
    sample_insertion,
    size_like_peers,
)
from pytest_vqamt.relations.soundness import object_names
from tests.making import HEIGHT, WIDTH, choosers, scene_of, thing_of
from tests.relations.inserted import corpus_of, insert_of, kennel, masked

SCENE = scene_of("dog", "cat")
CORPUS = gather_corpus((SCENE,))


def made(erase: str, inpaint: str = "telea", colour: Colour | None = None) -> Eraser:
    found = make_eraser(erase, inpaint, gather_corpus((SCENE,), measure=lambda: colour))
    assert isinstance(found, Eraser)
    return found


def patch(with_: Eraser, box: Box = Box(0.5, 10, 14, 15), scene: Scene = SCENE) -> Erase:  # noqa: B008 - a frozen box
    [edit] = with_.erase(scene.picture, box).edits
    assert isinstance(edit, Erase)
    return edit


def test_the_paper_paints_white() -> None:
    assert ERASE.default == "white"
    assert patch(made("white")) == Erase(box=Box(0, 10, 15, 15))


def test_the_mean_colour_of_the_data() -> None:
    assert patch(made("mean", colour=(120, 130, 90))) == Erase(
        box=Box(0, 10, 15, 15), fill=Fill.MEAN, colour=(120, 130, 90)
    )


def test_data_without_photos_has_no_mean_colour() -> None:
    assert make_eraser("mean", "telea", CORPUS) == NotApplicable(
        reason="the data has no photos to take a mean colour from"
    )


@pytest.mark.parametrize("method", ["telea", "biharmonic"])
def test_an_inpainter_by_its_name(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: True)
    assert patch(made("inpaint", method)) == Erase(box=Box(0, 10, 15, 15), fill=Fill.INPAINT, method=method)


def test_what_must_be_installed_first_is_the_reason_for_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: False)
    found = make_eraser("inpaint", "telea", CORPUS)
    assert isinstance(found, NotApplicable)
    assert "pip install 'pytest-vqamt[inpaint]'" in found.reason
    # It is not needed for the others.
    assert isinstance(make_eraser("white", "telea", CORPUS), Eraser)


def test_a_checkpoint_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"big-lama\.pt"):
        make_eraser("inpaint", f"lama:{tmp_path / 'big-lama.pt'}", CORPUS)


def test_a_patch_ends_at_the_frame() -> None:
    assert patch(made("white"), Box(190.5, 90, 20, 20)).box == Box(190, 90, 10, 10)


def test_a_patch_may_be_taken_for_something_white_and_flat() -> None:
    white = made("white")
    assert white.excluded_words == ("white", "gray")
    assert {"box", "book", "paper", "sign"} <= white.excluded_names == rectangular_names()
    assert not {"dog", "car", "person", "ball"} & rectangular_names()


def test_an_inpainted_patch_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: True)
    found = made("inpaint")
    assert (found.excluded_words, found.excluded_names) == ((), frozenset())


def test_a_patch_of_the_mean_colour_goes_by_several_words() -> None:
    assert made("mean", colour=(110, 100, 90)).excluded_words == colour_words((110, 100, 90))


@pytest.mark.parametrize(
    ("colour", "words"),
    [
        ((250, 250, 250), {"white"}),
        ((135, 135, 135), {"gray"}),
        ((120, 95, 70), {"brown", "gray"}),
        ((60, 120, 70), {"green", "gray"}),
        ((25, 25, 25), {"black", "gray"}),
    ],
)
def test_the_words_for_a_colour_hold_what_people_call_it(colour: Colour, words: set[str]) -> None:
    assert words <= set(colour_words(colour)) <= set(COLOURS)


def test_the_settings_are_those_that_users_may_type() -> None:
    assert ERASE.values == ("white", "mean", "inpaint")
    assert INPAINT.values == ("telea", "biharmonic", "lama:PATH")
    assert all(setting.takes(setting.default) for setting in (ERASE, INPAINT))
    assert INPAINT.takes("lama:/models/big-lama.pt")


MANY = 200
"""Draws that show, of a few possibilities, every one."""
YARD = scene_of(masked("dog", "0", Box(60, 40, 30, 30)), "car", exhaustive=("dog", "car", "cat", "frisbee", "puppy"))


def inserted(corpus: Corpus, scene: Scene = YARD, names: tuple[str, ...] = ("dog",)) -> list[InsertedThing]:
    found = [sample_insertion(scene, corpus, choose, names) for choose in choosers(MANY)]
    return [each for each in found if isinstance(each, InsertedThing)]


def reasons(corpus: Corpus, scene: Scene = YARD, names: tuple[str, ...] = ("dog",)) -> set[str]:
    found = [sample_insertion(scene, corpus, choose, names) for choose in choosers(20)]
    return {each.reason for each in found if isinstance(each, NotApplicable)}


class TestTheCutOut:
    def test_is_one_of_the_largest_fifth(self) -> None:
        # Ten elsewhere, of 20 x 20 to 29 x 29: the fifth is two.
        found = inserted(corpus_of([YARD, kennel(*((side, side) for side in range(20, 30)))]))
        assert {each.thing.box.w for each in found} == {28, 29}

    def test_is_of_another_photo_however_large_those_of_this_one_are(self) -> None:
        here = scene_of(*(masked("dog", str(n), Box(40 * n, 0, 38, 60)) for n in range(3)))
        found = inserted(corpus_of([here, kennel((30, 30))]), here)
        assert {each.source.id for each in found} == {"kennel"}

    def test_is_not_out_of_another_scene_of_the_same_photo(self) -> None:
        again = replace(kennel((32, 32)), photo=YARD.photo)
        assert reasons(corpus_of([YARD, again])) == {"the thing to paste is from the very same photo"}

    def test_another_that_looks_like_one_of_this_photo_is_another(self) -> None:
        # Of the same id and size; of three elsewhere the fifth is one.
        alike = replace(YARD, id="alike", photo=replace(YARD.photo, id="alike", digest="alike"))
        found = inserted(corpus_of([YARD, alike, kennel((20, 20), (40, 10))]))
        assert {each.source.id for each in found} == {"alike"}

    def test_in_the_picture_world_they_are_the_largest_of_all_that_are_in_other_photos(
        self, world: PictureWorld, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(edits, "AT_MOST", 7)
        corpus, checked = world.corpus, 0
        for index in range(len(world)):
            scene = world.scene(index)
            for name in object_names(scene):
                every = corpus.cutouts[name]
                elsewhere = [entry for entry in every if corpus.scene(entry.index).photo != scene.photo]
                fifth = elsewhere[: ceil(len(elsewhere) / 5)]
                assert edits._pool(scene, corpus, name) == fifth[:: ceil(len(fifth) / 7) or 1]
                checked += every[0].index == index
        assert checked  # some have the very largest in their own photo

    def test_there_is_none_where_the_class_is_nowhere_else(self) -> None:
        assert reasons(corpus_of([YARD, scene_of(masked("cat", "0", Box(0, 0, 30, 30)), id="other")])) == {
            "no other photo has a thing of the same kind that can be cut out and pasted"
        }

    def test_nor_where_nothing_can_be_cut_out(self) -> None:
        assert reasons(corpus_of([scene_of("dog"), scene_of("dog", id="other")]), scene_of("dog")) != set()

    def test_is_of_a_name_that_was_asked_for(self) -> None:
        drive = scene_of(masked("dog", "0", Box(60, 40, 30, 30)), masked("car", "1", Box(0, 0, 40, 30)))
        corpus = corpus_of([drive, kennel((30, 30)), kennel((30, 30), name="garage", words="red car")])
        assert {each.thing.name for each in inserted(corpus, drive, ("dog", "car"))} == {"dog", "car"}
        assert {each.thing.name for each in inserted(corpus, drive, ("car",))} == {"car"}

    def test_suits(self) -> None:
        corpus = corpus_of([YARD, kennel((30, 30)), kennel((31, 31), name="walk", beside="frisbee")])

        def bare(entry: CutoutEntry, name: str) -> bool:
            assert name == "dog"
            return not entry.alongside

        # Both dogs elsewhere are not a fifth of a handful: the largest one is, which has a frisbee.
        assert isinstance(sample_insertion(YARD, corpus, next(iter(choosers(1))), ("dog",), bare), NotApplicable)

    def test_a_large_pool_is_drawn_from_evenly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # A hundred elsewhere, from 20 to 119 pixels wide: the largest fifth begins at 100, and ten are every second.
        monkeypatch.setattr(edits, "AT_MOST", 10)
        found = inserted(corpus_of([YARD, kennel(*((width, 60) for width in range(20, 120)))]))
        assert {each.thing.box.w for each in found} == set(range(101, 120, 2))


class TestThePlace:
    CORPUS = corpus_of([YARD, kennel((60, 30))])

    def test_half_of_them_touch_a_box(self) -> None:
        found = inserted(self.CORPUS)
        share = Counter(each.placed for each in found)
        assert set(share) == {"touching", "anywhere"}
        assert share["touching"] / len(found) == pytest.approx(0.5, abs=0.1)

    def test_the_size_is_that_of_its_kind_in_this_picture(self) -> None:
        # 30 x 30 here, so 900 pixels at 2 to 1: 42.4 x 21.2.
        assert {(box.w, box.h) for box in (insert_of(each.picture).box for each in inserted(self.CORPUS))} == {(42, 21)}

    def test_one_kind_will_do_where_there_is_no_room_of_the_other(self) -> None:
        # 50 pixels in 24 steps are 2 each, so the one free square, from 25 on, is not on the grid.
        scene = replace(scene_of(masked("dog", "0", Box(0, 0, 25, 25))), width=50, height=50)
        full = replace(scene, regions=(Region(name="tree", box=Box(0, 25, 50, 25)),))
        found = inserted(corpus_of([full, kennel((25, 25))]), full)
        assert {(each.placed, insert_of(each.picture).box) for each in found} == {("touching", Box(25, 0, 25, 25))}

    def test_no_room(self) -> None:
        scene = replace(scene_of(masked("dog", "0", Box(0, 0, 40, 40))), width=50, height=50)
        assert reasons(corpus_of([scene, kennel((40, 40))]), scene) == {"no room for one more thing"}

    def test_too_small(self) -> None:
        scene = scene_of(masked("dog", "0", Box(0, 0, 10, 10)))
        assert reasons(corpus_of([scene, kennel((40, 40))]), scene) == {"the inserted thing would be too small"}


class TestWhatElseStaysTheSame:
    def keeps_count_of(self, name: str, beside: str) -> bool:
        corpus = corpus_of([YARD, kennel((30, 30), beside=beside)])
        return inserted(corpus)[0].keeps_count_of(name, YARD)

    def test_other_classes_do(self) -> None:
        assert self.keeps_count_of("car", "")

    def test_the_same_and_its_kinds_do_not(self) -> None:
        assert not self.keeps_count_of("dog", "")
        assert not self.keeps_count_of("puppy", "")

    def test_nor_what_overlapped_it_where_it_was_cut_out(self) -> None:
        assert self.keeps_count_of("frisbee", "")
        assert not self.keeps_count_of("frisbee", "frisbee")
        assert not self.keeps_count_of("dog", "puppy")

    def test_nor_what_may_be_taken_for_part_of_it(self) -> None:
        # As the part of an airplane that stood before another may be taken for a boat.
        assert self.keeps_count_of("car", "shirt")
        assert not self.keeps_count_of("car", "bus")

    def test_nor_what_looks_like_it_in_part_where_it_is_not_all_there(self) -> None:
        assert self.keeps_count_of("cat", "")
        assert not self.keeps_count_of("cat", "shirt")
        cut_off = inserted(corpus_of([YARD, kennel((30, 30), at=(0, 10))]))[0]
        assert cut_off.keeps_count_of("car", YARD)
        assert not cut_off.keeps_count_of("cat", YARD)

    def test_a_person_is_all_there_in_clothes(self) -> None:
        street = replace(YARD, exhaustive=frozenset({"man", "robot", "shirt", "dog"}))
        dressed = kennel((30, 30), words="man", beside="shirt")
        scene = replace(street, objects=(masked("man", "0", Box(60, 40, 30, 30)), *street.objects[1:]))
        found = inserted(corpus_of([scene, dressed]), scene, ("man",))[0]
        assert found.keeps_count_of("robot", scene)
        behind = inserted(corpus_of([scene, kennel((30, 30), words="man", beside="dog")]), scene, ("man",))[0]
        assert not behind.keeps_count_of("robot", scene)

    def test_it_is_presumed_where_its_own_scene_does_not_list_the_name(self) -> None:
        scenes = [YARD, replace(kennel((30, 30)), exhaustive=frozenset({"dog"}))]
        found = inserted(corpus_of(scenes))[0]
        assert found.is_presumed((Group(name="dog"), Group(name="car")))
        assert not found.is_presumed((Group(name="dog"),))


@pytest.mark.parametrize(("at", "whole"), [((10, 10), True), ((0.5, 10), False), ((10, 870), False), ((1, 1), True)])
def test_a_thing_that_its_photo_cuts_off_is_not_whole(at: tuple[float, float], whole: bool) -> None:
    # The photo is 900 pixels wide and high, the thing 30.
    found = inserted(corpus_of([YARD, kennel((30, 30), at=at)]))[0]
    assert found.is_whole is whole


def test_the_facts_say_what_and_where() -> None:
    found = inserted(corpus_of([YARD, kennel((30, 30))]))[0]
    assert dict(found.facts) == {"inserted": "dog", "placed": found.placed}


def test_in_the_picture_world_what_is_inserted_is_large_of_its_class_and_covers_nothing(world: PictureWorld) -> None:
    corpus, checked = world.corpus, 0
    for index in range(len(world)):
        scene = world.scene(index)
        for choose in choosers(5):
            found = sample_insertion(scene, corpus, choose, object_names(scene))
            if isinstance(found, NotApplicable):
                continue
            checked += 1
            edit = insert_of(found.picture)
            assert not any(edit.box.overlaps(thing.box) for thing in scene.objects)
            assert edit.box.share_inside(scene.frame) == 1
            assert all(type(edge) is int for edge in (edit.box.x, edit.box.y, edit.box.w, edit.box.h))
            name, own = edit.cutout.thing.name, edit.cutout.thing.box
            scale = edit.box.w / own.w, edit.box.h / own.h
            assert max(scale) <= 2 + 0.5 / min(own.w, own.h)
            assert edit.box.w / edit.box.h == pytest.approx(own.w / own.h, rel=0.1)
            areas = areas_elsewhere(world, name, scene)
            assert own.area >= areas[ceil(len(areas) / 5) - 1]
            assert edit.cutout.photo != scene.photo
            assert found.picture.scene.count(name) == scene.count(name) + 1
    assert checked > 200


def areas_elsewhere(world: PictureWorld, name: str, scene: Scene) -> list[float]:
    """The areas of all things of the name in other scenes, the largest first."""
    others = (world.scene(index) for index in range(len(world)))
    areas = [
        thing.box.area for other in others if other.id != scene.id for thing in other.objects if thing.name == name
    ]
    return sorted(areas, reverse=True)


def scene_with(*boxes: Box, crowds: tuple[Box, ...] = ()) -> Scene:
    things = (thing_of("dog", id=str(number), box=box) for number, box in enumerate(boxes))
    return replace(scene_of(*things), regions=tuple(Region(name="person", box=box) for box in crowds))


def on(axis: Axis, *boxes: Box, crowds: tuple[Box, ...] = ()) -> list[tuple[int, int]]:
    return [(piece.start, piece.stop) for piece in cut_spans(scene_with(*boxes, crowds=crowds), axis)]


def columns(start: float, stop: float) -> Box:
    """A box of these columns."""
    return Box.from_corners(start, 10, stop, 20)


def test_the_papers_figure_6() -> None:
    # Two animals far apart: the cut is in the middle of what neither covers. 200 pixels wide.
    assert on("x", columns(10, 60), columns(100, 150)) == [(0, 80), (80, 200)]


def test_the_gap_is_halved_and_an_odd_pixel_goes_to_the_right() -> None:
    assert on("x", columns(0, 10), columns(15, 20)) == [(0, 12), (12, 200)]
    assert on("x", columns(0, 10), columns(11, 20)) == [(0, 10), (10, 200)]


def test_boxes_that_overlap_or_touch_stay_together() -> None:
    assert on("x", columns(0, 10), columns(10, 20), columns(15, 30)) == [(0, 200)]


def test_boxes_are_rounded_outwards() -> None:
    # Of the gap from 10.2 to 11.9 no whole pixel is left; of that from 10.2 to 12 there is one.
    assert on("x", columns(0, 10.2), columns(11.9, 20)) == [(0, 200)]
    assert on("x", columns(0, 10.2), columns(12, 20)) == [(0, 11), (11, 200)]


def test_a_box_inside_another_changes_nothing() -> None:
    assert on("x", columns(0, 50), columns(10, 20), columns(60, 80)) == [(0, 55), (55, 200)]


def test_either_axis() -> None:
    boxes = Box(0, 0, 30, 30), Box(10, 60, 30, 30)
    assert on("x", *boxes) == [(0, 200)]
    assert on("y", *boxes) == [(0, 45), (45, 100)]


def test_a_crowd_is_not_split() -> None:
    assert on("x", columns(0, 10), columns(50, 60), crowds=(columns(5, 55),)) == [(0, 200)]


def test_what_holds_only_a_crowd_stays_with_the_next_piece() -> None:
    # Gaps from 10 to 20, 30 to 40: the crowd in between goes with the thing to its right.
    assert on("x", columns(0, 10), columns(40, 50), crowds=(columns(20, 30),)) == [(0, 15), (15, 200)]


def test_or_with_the_last_where_there_is_no_next() -> None:
    boxes = columns(20, 30), columns(40, 50)
    assert on("x", *boxes, crowds=(columns(0, 10), columns(60, 70))) == [(0, 35), (35, 200)]
    assert on("x", columns(20, 30), crowds=(columns(0, 10), columns(60, 70))) == [(0, 200)]


def test_of_nothing_there_is_no_piece() -> None:
    assert on("x") == []
    assert on("x", crowds=(columns(0, 10), columns(20, 30))) == []


PLACES = st.one_of(
    st.integers(-20, WIDTH + 20).map(float), st.floats(-20, WIDTH + 20, width=32), st.just(10.0), st.just(11.0)
)
SIZES = st.one_of(st.integers(1, 60).map(float), st.floats(0.25, 60, width=32))
BOXES = st.builds(Box, PLACES, PLACES, SIZES, SIZES)


@st.composite
def cluttered(draw: st.DrawFn) -> Scene:
    things = draw(st.lists(BOXES, max_size=7))
    return scene_with(*things, crowds=tuple(draw(st.lists(BOXES, max_size=2))))


AXIS: SearchStrategy[Axis] = st.sampled_from(AXES)


def extent(box: Box, axis: Axis) -> tuple[float, float]:
    size = WIDTH if axis == "x" else HEIGHT
    start, stop = (box.x, box.x1) if axis == "x" else (box.y, box.y1)
    return max(start, 0), min(stop, size)


def in_frame(box: Box) -> bool:
    return box.x < WIDTH - 1e-3 and box.x1 > 1e-3 and box.y < HEIGHT - 1e-3 and box.y1 > 1e-3


@given(cluttered(), AXIS)
def test_pieces_tile_the_picture(scene: Scene, axis: Axis) -> None:
    found = cut_spans(scene, axis)
    if found:
        assert found[0].start == 0
        assert found[-1].stop == (WIDTH if axis == "x" else HEIGHT)
    assert all(before.stop == after.start for before, after in pairwise(found))
    assert all(piece.stop > piece.start for piece in found)
    assert all(type(edge) is int for piece in found for edge in (piece.start, piece.stop))


@given(cluttered(), AXIS)
def test_no_cut_splits_a_box(scene: Scene, axis: Axis) -> None:
    boxes = [box for box in (*(t.box for t in scene.objects), *(r.box for r in scene.regions)) if in_frame(box)]
    for cut in (piece.start for piece in cut_spans(scene, axis)[1:]):
        for start, stop in (extent(box, axis) for box in boxes):
            assert cut <= start + 1e-5 or cut >= stop - 1e-5


@given(cluttered(), AXIS)
def test_every_piece_holds_a_thing_and_every_thing_is_whole_in_one_piece(scene: Scene, axis: Axis) -> None:
    extents = [extent(thing.box, axis) for thing in scene.objects if in_frame(thing.box)]
    found = cut_spans(scene, axis)
    held = [[piece.start <= a + 1e-5 and b <= piece.stop + 1e-5 for a, b in extents] for piece in found]
    assert all(any(row) for row in held)
    assert all(any(column) for column in zip(*held, strict=True))


@given(cluttered(), AXIS)
def test_there_are_as_many_pieces_as_groups_of_covered_pixels_with_a_thing(scene: Scene, axis: Axis) -> None:
    size = WIDTH if axis == "x" else HEIGHT
    crowds = painted([region.box for region in scene.regions], axis, size)
    things = painted([thing.box for thing in scene.objects], axis, size)
    runs = "".join("t" if t else "c" if c else "." for t, c in zip(things, crowds, strict=True)).split(".")
    assert len(cut_spans(scene, axis)) == sum("t" in run for run in runs)


def painted(boxes: list[Box], axis: Axis, size: int) -> list[bool]:
    """Whether each column (or row) of the picture is touched by a box that is in the frame."""
    extents = [extent(box, axis) for box in boxes if in_frame(box)]
    return [any(start < at + 1 - 1e-6 and stop > at + 1e-6 for start, stop in extents) for at in range(size)]


def scene_with_of_removing(*boxes: Box, crowd: Box | None = None) -> Scene:
    scene = scene_of(*(thing_of("dog", id=str(number), box=box) for number, box in enumerate(boxes)))
    return replace(scene, regions=(Region(name="person", box=crowd),) if crowd else ())


def ids(scene: Scene) -> list[str]:
    return [thing.id for thing in removable(scene)]


def test_those_whose_boxes_overlap_no_other() -> None:
    assert ids(scene_with_of_removing(Box(0, 0, 10, 10), Box(5, 5, 10, 10), Box(50, 0, 10, 10))) == ["2"]


def test_boxes_may_touch() -> None:
    assert ids(scene_with_of_removing(Box(0, 0, 10, 10), Box(10, 0, 10, 10))) == ["0", "1"]


def test_but_not_within_a_pixel() -> None:
    # They are 0.2 pixels apart, and both cover the column from 10 to 11.
    assert ids(scene_with_of_removing(Box(0, 0, 10.4, 10), Box(10.6, 0, 10, 10))) == []


def test_a_thing_inside_another_protects_both() -> None:
    assert ids(scene_with_of_removing(Box(0, 0, 50, 50), Box(10, 10, 5, 5))) == []


def test_a_crowd_is_in_the_way() -> None:
    assert ids(scene_with_of_removing(Box(0, 0, 10, 10), Box(50, 0, 10, 10), crowd=Box(5, 5, 20, 20))) == ["1"]


def test_what_lies_mostly_outside_the_frame_would_not_be_gone() -> None:
    assert ids(scene_with_of_removing(Box(-15, 0, 20, 10), Box(-5, 40, 20, 10), Box(300, 0, 10, 10))) == ["1"]


def test_what_fills_the_frame_would_leave_nothing_to_see() -> None:
    assert ids(scene_with_of_removing(Box(-1, -1, 202, 102))) == []


BOXES_OF_REMOVING = st.builds(Box, st.floats(-20, 200), st.floats(-20, 100), st.floats(0.5, 80), st.floats(0.5, 60))


@given(st.lists(BOXES_OF_REMOVING, max_size=8), st.none() | BOXES_OF_REMOVING)
def test_what_is_erased_overlapped_nothing_and_leaves_all_else_there(boxes: list[Box], crowd: Box | None) -> None:
    scene = scene_with_of_removing(*boxes, crowd=crowd)
    for thing in removable(scene):
        others = [other.box for other in scene.objects if other.id != thing.id]
        assert not any(thing.box.overlaps(box) for box in (*others, *(region.box for region in scene.regions)))
        after = scene.picture.erase(thing.box).scene
        assert after.objects == tuple(other for other in scene.objects if other.id != thing.id)
        assert after.regions == scene.regions


def test_in_the_picture_world_no_pixel_of_another_thing_is_under_the_patch(world: PictureWorld) -> None:
    erased = 0
    for index in range(len(world)):
        scene, labels = world.scene(index), world.label_map(index)
        numbers = {thing.id: number for number, thing in enumerate(scene.objects, start=1)}
        for thing in removable(scene):
            box = thing.box
            seen = set(labels.crop((int(box.x), int(box.y), int(box.x1), int(box.y1))).tobytes())
            assert seen <= {0, numbers[thing.id]}
            erased += 1
    assert erased > 60


FRAME = Box(0, 0, 200, 100)


class TestSize:
    def test_is_the_mean_area_of_its_peers_in_the_shape_of_the_cut_out(self) -> None:
        # Areas of 1600 and 4800: 3200 on the mean, which is 80 x 40.
        assert size_like_peers([Box(0, 0, 40, 40), Box(0, 0, 60, 80)], 50, 25, FRAME) == (80, 40)

    def test_is_smaller_than_the_cut_out_where_the_peers_are(self) -> None:
        assert size_like_peers([Box(0, 0, 40, 40)], 400, 400, FRAME) == (40, 40)

    def test_is_never_more_than_twice_the_cut_outs(self) -> None:
        assert size_like_peers([Box(0, 0, 100, 100)], 20, 15, FRAME) == (40, 30)

    @pytest.mark.parametrize(
        ("area", "w", "h", "size"),
        [
            (484, 30, 30, None),  # 22 x 22: its longer side is under 24 pixels
            (576, 30, 30, (24, 24)),
            (588, 84, 28, (42, 14)),
            (500, 900, 70, None),  # 80 x 6: its shorter side is under 8 pixels
        ],
    )
    def test_is_none_where_the_thing_could_be_overlooked(self, area: int, w: int, h: int, size: Size | None) -> None:
        assert size_like_peers([Box(0, 0, area, 1)], w, h, FRAME) == size

    @pytest.mark.parametrize(("side", "seen"), [(49, False), (50, True)])
    def test_in_a_large_picture_more_is_needed(self, side: int, seen: bool) -> None:
        # A twelfth of 600 pixels is 50.
        assert (size_like_peers([Box(0, 0, side, side)], 80, 80, Box(0, 0, 600, 400)) is not None) is seen

    def test_of_an_empty_cut_out_is_none(self) -> None:
        assert size_like_peers([Box(0, 0, 50, 50)], 0, 10, FRAME) is None


def test_a_thing_touches_a_box_on_each_side_at_three_heights() -> None:
    box = Box(80, 40, 40, 20)
    found = set(places_touching([box], FRAME, (20, 10)))
    assert found == {
        *((120, y) for y in (40, 45, 50)),  # to the right of it: level with its top, its middle, its bottom
        *((60, y) for y in (40, 45, 50)),  # to the left
        *((x, 30) for x in (80, 90, 100)),  # above
        *((x, 60) for x in (80, 90, 100)),  # below
    }


def test_where_another_box_is_in_the_way_it_cannot_be() -> None:
    box, right = Box(80, 40, 40, 20), Box(125, 0, 10, 100)
    assert all(x != 120 for x, _ in places_touching([box, right], FRAME, (20, 10)) if x > 100)
    assert (120, 40) not in places_touching([box, right], FRAME, (20, 10))
    assert (120, 40) in places_touching([box, right], FRAME, (5, 10))


def test_a_box_at_the_edge_has_no_room_beyond() -> None:
    assert all(x >= 0 for x, _ in places_touching([Box(0, 0, 20, 20)], FRAME, (20, 20)))
    assert (0, 20) in places_touching([Box(0, 0, 20, 20)], FRAME, (20, 20))


def test_anywhere_is_on_a_grid_from_the_upper_left() -> None:
    # 100 pixels in 24 steps: 4 pixels each.
    found = places_anywhere([], FRAME, (190, 90))
    assert found == ((0, 0), (4, 0), (8, 0), (0, 4), (4, 4), (8, 4), (0, 8), (4, 8), (8, 8))


def test_what_is_larger_than_the_picture_has_no_room() -> None:
    assert places_anywhere([], FRAME, (201, 10)) == ()
    assert places_touching([Box(0, 0, 10, 10)], FRAME, (201, 10)) == ()


def test_what_just_fits_does() -> None:
    assert places_anywhere([], FRAME, (200, 100)) == ((0, 0),)


def edges() -> st.SearchStrategy[Box]:
    return st.builds(Box, st.integers(0, 190), st.integers(0, 90), st.integers(1, 120), st.integers(1, 60))


@given(
    st.sampled_from([places_touching, places_anywhere]),
    st.lists(edges(), max_size=6),
    st.tuples(st.integers(1, 90), st.integers(1, 60)),
)
def test_what_is_inserted_overlaps_no_box_and_lies_inside(
    places: Callable[[Sequence[Box], Box, Size], tuple[Place, ...]], boxes: list[Box], size: Size
) -> None:
    clipped = [inside for box in boxes if (inside := box.intersection(FRAME))]
    found = places(clipped, FRAME, size)
    assert len(set(found)) == len(found)
    for x, y in found:
        added = Box(x, y, *size)
        assert added.share_inside(FRAME) == 1
        assert not any(added.overlaps(box) for box in boxes)


@given(st.lists(edges(), max_size=6), st.tuples(st.integers(1, 90), st.integers(1, 60)))
def test_anywhere_misses_no_free_place_of_the_grid(boxes: list[Box], size: Size) -> None:
    free = [
        (x, y)
        for y in range(0, 100 - size[1] + 1, 4)
        for x in range(0, 200 - size[0] + 1, 4)
        if not any(Box(x, y, *size).overlaps(box) for box in boxes)
    ]
    assert places_anywhere(boxes, FRAME, size) == tuple(free)


@given(st.lists(edges(), min_size=1, max_size=5), st.tuples(st.integers(1, 60), st.integers(1, 40)))
def test_what_touches_shares_an_edge_with_a_box(boxes: list[Box], size: Size) -> None:
    for x, y in places_touching(boxes, FRAME, size):
        # Grown by a pixel it overlaps a box.
        assert any(Box(x - 1, y - 1, size[0] + 2, size[1] + 2).overlaps(box) for box in boxes)
        assert any(
            Box(x - 1, y, size[0] + 2, size[1]).overlaps(box) or Box(x, y - 1, size[0], size[1] + 2).overlaps(box)
            for box in boxes
        )


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (Box(10, 20, 5, 5), Box(10, 20, 5, 5)),
        (Box(10.9, 20.1, 5, 5), Box(10, 20, 6, 6)),
        (Box(-3.5, 95, 10, 10), Box(0, 95, 7, 5)),
        (Box(0.1, 0.2, 9.9, 9.8), Box(0, 0, 10, 10)),  # 0.1 + 9.9 is a little more than 10
        (Box(300, 0, 10, 10), None),
    ],
)
def test_a_box_covers_every_pixel_that_it_touches(box: Box, expected: Box | None) -> None:
    assert pixel_box(box, scene_of()) == expected


def test_what_is_taken_is_under_things_and_crowds() -> None:
    dog, cat = thing_of("dog", id="d", box=Box(0.5, 0, 9, 9)), thing_of("cat", id="c", box=Box(50, 0, 10, 10))
    scene = scene_of(dog, cat, crowds=("person",))
    assert occupied_boxes(scene) == (Box(0, 0, 10, 9), Box(50, 0, 10, 10), Box(0, 50, 50, 50))
