"""One more instance of a class that is in the picture: which, how large, and where."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import ceil

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import edits
from pytest_vqamt.relations.edits import Inserted, insert_one
from pytest_vqamt.relations.soundness import things_in
from tests.making import choosers, scene_of
from tests.relations.inserted import corpus_of, insert_of, kennel, masked

MANY = 200
"""Draws that show, of a few possibilities, every one."""
YARD = scene_of(masked("dog", "0", Box(60, 40, 30, 30)), "car", exhaustive=("dog", "car", "cat", "frisbee", "puppy"))


def inserted(corpus: Corpus, scene: Scene = YARD, names: tuple[str, ...] = ("dog",)) -> list[Inserted]:
    found = [insert_one(scene, corpus, choose, names) for choose in choosers(MANY)]
    return [each for each in found if isinstance(each, Inserted)]


def reasons(corpus: Corpus, scene: Scene = YARD, names: tuple[str, ...] = ("dog",)) -> set[str]:
    found = [insert_one(scene, corpus, choose, names) for choose in choosers(20)]
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
        assert reasons(corpus_of([YARD, again])) == {"the cut-out is from the very same photo"}

    def test_another_that_looks_like_one_of_this_photo_is_another(self) -> None:
        # Of the same id and size; of three elsewhere the fifth is one.
        alike = replace(YARD, id="alike", photo=replace(YARD.photo, id="alike", digest="alike"))
        found = inserted(corpus_of([YARD, alike, kennel((20, 20), (40, 10))]))
        assert {each.source.id for each in found} == {"alike"}

    def test_in_the_picture_world_they_are_the_largest_of_all_that_are_in_other_photos(
        self, world: PictureWorld, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(edits, "_AT_MOST", 7)
        corpus, checked = world.corpus, 0
        for index in range(len(world)):
            scene = world.scene(index)
            for name in things_in(scene):
                every = corpus.cutouts[name]
                elsewhere = [entry for entry in every if corpus.scene(entry.index).photo != scene.photo]
                fifth = elsewhere[: ceil(len(elsewhere) / 5)]
                assert edits._pool(scene, corpus, name) == fifth[:: ceil(len(fifth) / 7) or 1]
                checked += every[0].index == index
        assert checked  # some have the very largest in their own photo

    def test_there_is_none_where_the_class_is_nowhere_else(self) -> None:
        assert reasons(corpus_of([YARD, scene_of(masked("cat", "0", Box(0, 0, 30, 30)), id="other")])) == {
            "no cut-out of another instance of a class in the picture"
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
        assert isinstance(insert_one(YARD, corpus, next(iter(choosers(1))), ("dog",), bare), NotApplicable)

    def test_a_large_pool_is_drawn_from_evenly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # A hundred elsewhere, from 20 to 119 pixels wide: the largest fifth begins at 100, and ten are every second.
        monkeypatch.setattr(edits, "_AT_MOST", 10)
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
        assert reasons(corpus_of([scene, kennel((40, 40))]), scene) == {"what would be inserted is too small"}


class TestWhatElseStaysTheSame:
    def leaves(self, name: str, beside: str) -> bool:
        corpus = corpus_of([YARD, kennel((30, 30), beside=beside)])
        return inserted(corpus)[0].leaves(name, YARD)

    def test_other_classes_do(self) -> None:
        assert self.leaves("car", "")

    def test_the_same_and_its_kinds_do_not(self) -> None:
        assert not self.leaves("dog", "")
        assert not self.leaves("puppy", "")

    def test_nor_what_overlapped_it_where_it_was_cut_out(self) -> None:
        assert self.leaves("frisbee", "")
        assert not self.leaves("frisbee", "frisbee")
        assert not self.leaves("dog", "puppy")

    def test_nor_what_may_be_taken_for_part_of_it(self) -> None:
        # As the part of an airplane that stood before another may be taken for a boat.
        assert self.leaves("car", "shirt")
        assert not self.leaves("car", "bus")

    def test_nor_what_looks_like_it_in_part_where_it_is_not_all_there(self) -> None:
        assert self.leaves("cat", "")
        assert not self.leaves("cat", "shirt")
        cut_off = inserted(corpus_of([YARD, kennel((30, 30), at=(0, 10))]))[0]
        assert cut_off.leaves("car", YARD)
        assert not cut_off.leaves("cat", YARD)

    def test_a_person_is_all_there_in_clothes(self) -> None:
        street = replace(YARD, exhaustive=frozenset({"man", "robot", "shirt", "dog"}))
        dressed = kennel((30, 30), words="man", beside="shirt")
        scene = replace(street, objects=(masked("man", "0", Box(60, 40, 30, 30)), *street.objects[1:]))
        found = inserted(corpus_of([scene, dressed]), scene, ("man",))[0]
        assert found.leaves("robot", scene)
        behind = inserted(corpus_of([scene, kennel((30, 30), words="man", beside="dog")]), scene, ("man",))[0]
        assert not behind.leaves("robot", scene)

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
            found = insert_one(scene, corpus, choose, things_in(scene))
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
