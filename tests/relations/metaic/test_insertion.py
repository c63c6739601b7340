"""What is inserted, and where: alike for every relation and level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions.caption_reader import CaptionReading
from pytest_vqamt.relations import metaic as insertion
from pytest_vqamt.relations.metaic import (
    PlacedCutout,
    class_read,
    classes_that_fit,
    cut_outs,
    names_by_class,
    sample_placed_cutout,
)
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import FirstOption, choosers, scene_of, thing_of
from tests.relations.inserted import corpus_of, insert_of, kennel, masked
from tests.relations.metaic.backyard import backyard, cut_from, dogs
from tests.relations.metaic.rules import INTERVALS, broken

T = TypeVar("T")


def insertions(scene: Scene, corpus: Corpus, n: int = 40) -> list[PlacedCutout]:
    found = [sample_placed_cutout(scene, corpus, choose, CaptionReading.REFINED) for choose in choosers(n)]
    return [each for each in found if isinstance(each, PlacedCutout)]


def reason(scene: Scene, corpus: Corpus) -> str:
    found = sample_placed_cutout(scene, corpus, RandomChooser(Random(0)), CaptionReading.REFINED)
    assert isinstance(found, NotApplicable)
    return found.reason


def test_the_rules_hold_at_every_level() -> None:
    # S is 1600 of 20000, so what is inserted has 1280 to 2080 pixels.
    made = insertions(backyard(), dogs())
    assert len(made) > 30
    for each in made:
        for level in INTERVALS:
            assert list(broken(backyard(), insert_of(each.picture(backyard(), level)), level)) == []


def test_the_four_pictures_of_a_draw_differ_in_nothing_but_the_place() -> None:
    # Yu et al., section 3.2.2: an image for each interval, of one object in one size.
    for each in insertions(backyard(), dogs()):
        pictures = [each.picture(backyard(), level) for level in INTERVALS]
        assert {picture.photo for picture in pictures} == {backyard().photo}
        assert {(box.w, box.h) for box in each.boxes.values()} == {(each.boxes["0"].w, each.boxes["0"].h)}
        covered = [each.covered(level) for level in INTERVALS]
        assert covered == sorted(covered)
        assert len(set(covered)) == 4


def test_a_draw_is_three_choices_and_a_seed_however_many_tries_it_takes() -> None:
    asked: list[object] = []

    class Told(FirstOption):
        def one(self, options: Sequence[T]) -> T:
            asked.append(options[0])
            return super().one(options)

        def between(self, lo: int, hi: int) -> int:
            asked.append((lo, hi))
            return super().between(lo, hi)

    corpus = corpus_of([backyard(), cut_from("woman")])
    sample_placed_cutout(backyard(), corpus, Told(), CaptionReading.REFINED)
    (entry,) = corpus.cutouts["woman"]
    assert asked == ["person", "woman", entry, (0, 2**32 - 1)]


def test_classes_are_drawn_evenly() -> None:
    # Nine cats, one dog.
    cats = (cut_from("cat", name=f"cat {number}") for number in range(9))
    corpus = corpus_of([backyard(), cut_from("dog"), *cats])
    names = Counter(each.cutout.thing.name for each in insertions(backyard(), corpus, 200))
    assert names["dog"] / names.total() == pytest.approx(0.5, abs=0.12)


def test_nothing_is_cut_out_of_the_same_photo() -> None:
    there = scene_of(masked("dog", "0", Box(10, 10, 60, 45)), id="there")
    assert reason(there, corpus_of([there])) == "no thing to paste fits at each level of overlap"


class TestItDoesNotApply:
    def test_to_a_picture_of_nothing(self, bare: Scene) -> None:
        assert reason(bare, gather_corpus((bare,))) == "no thing in the picture"

    def test_where_the_largest_thing_is_small(self) -> None:
        # 20 x 20 of 200 x 100 is 0.02.
        scene = scene_of(masked("bus", "0", Box(80, 40, 20, 20)))
        assert reason(scene, dogs()) == "the largest thing takes less than 0.03 of the picture"

    def test_where_there_is_no_room(self) -> None:
        scene = scene_of(masked("bus", "0", Box(0, 0, 200, 71)))
        assert reason(scene, dogs()) == "the things take more than 0.7 of the picture"

    def test_where_one_is_far_larger_than_the_others(self) -> None:
        # Ten of 100 pixels beside one of 8000: S is about 1300, and 1.3 of it is less than 0.3 of 8000.
        small = (masked("cat", str(number), Box(110 + 8 * number, 0, 5, 20)) for number in range(10))
        scene = scene_of(masked("bus", "bus", Box(0, 0, 100, 80)), *small)
        assert reason(scene, dogs()) == "a thing as large as the others cannot cover 0.3 of the largest thing"

    def test_where_nothing_can_be_cut_out(self) -> None:
        expected = "no thing to paste is one that captions surely name or leave out"
        assert reason(backyard(), corpus_of([backyard(), scene_of("dog", id="other")])) == expected
        assert reason(backyard(crowds=("dog",)), dogs()) == expected

    def test_where_no_cut_out_is_large_enough(self) -> None:
        # At twice 24 x 12 it has 1152 pixels, and 1280 are wanted.
        tiny = corpus_of([backyard(), cut_from("dog", 24, 12)])
        assert reason(backyard(), tiny) == "no thing to paste fits at each level of overlap"


def test_where_one_cut_out_has_no_place_another_one_is_tried() -> None:
    # The first choice is always the class that comes first: a bird that is too small. There are dogs, too.
    corpus = corpus_of([backyard(), cut_from("bird", 24, 12, "nest"), cut_from("dog")])
    found = sample_placed_cutout(backyard(), corpus, FirstOption(), CaptionReading.REFINED)
    assert isinstance(found, PlacedCutout)
    assert found.cutout.thing.name == "dog"


# Which things are cut out, by class.

REFINED, STRICT = CaptionReading.REFINED, CaptionReading.STRICT


def widths(corpus: Corpus, name: str = "dog") -> list[float]:
    return [entry.w for entry in cut_outs(corpus, name)]


def big(scene: Scene) -> Scene:
    """The scene, so large that nothing in it is cut off."""
    return replace(scene, width=900, height=900)


def test_it_is_one_of_the_largest_fifth() -> None:
    # Ten, in scenes of their own: the largest fifth is two.
    corpus = corpus_of([kennel((side, side), name=f"kennel {side}") for side in range(100, 110)])
    assert widths(corpus) == [109, 108]


def test_one_that_something_of_a_class_was_before_or_behind_is_left_out() -> None:
    corpus = corpus_of([kennel((100, 100)), kennel((120, 100), name="walk", beside="cat")])
    assert widths(corpus) == [100]


def test_what_a_person_wears_comes_along() -> None:
    corpus = corpus_of([kennel((100, 100), words="man", beside="shirt")])
    assert widths(corpus, "man") == [100]


def test_nor_is_it_one_that_its_photo_cuts_off_or_hardly_shows() -> None:
    # In 900 pixels nobody overlooks a thing of 75 or more.
    scenes = [kennel((100, 90), name="cut off", at=(0, 50)), kennel((70, 70), name="small"), kennel((80, 80))]
    assert widths(corpus_of(scenes)) == [80]


def test_a_large_class_is_drawn_from_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 100 the largest fifth is 20, of which every second one is 10.
    monkeypatch.setattr(insertion, "AT_MOST", 10)
    corpus = corpus_of([kennel((width, 80), name=str(width)) for width in range(100, 200)])
    assert widths(corpus) == list(range(199, 179, -2))


def test_the_names_of_a_class_stand_together() -> None:
    people = (kennel((100, 100), words=name, name=name) for name in ("man", "girl", "dog"))
    assert names_by_class(corpus_of([*people]), REFINED) == {"dog": ("dog",), "person": ("girl", "man")}


def test_what_is_of_no_class_is_not_inserted() -> None:
    assert names_by_class(corpus_of([kennel((100, 100), words="shirt")]), REFINED) == {}


@pytest.mark.parametrize(("name", "refined"), [("dog", "dog"), ("woman", "person"), ("shirt", None)])
def test_the_class_is_that_which_a_caption_of_the_one_thing_names(name: str, refined: str | None) -> None:
    assert class_read(name, REFINED) == refined


def fitting(scene: Scene) -> set[str]:
    return set(classes_that_fit(big(scene), ("dog", "cat", "person", "scissors")))


def test_every_class_fits_a_scene_of_large_things() -> None:
    yard = scene_of(masked("dog", "0", Box(10, 10, 100, 100)), masked("man", "1", Box(200, 10, 100, 100)))
    assert fitting(yard) == {"dog", "cat", "person", "scissors"}


def test_but_none_that_a_small_thing_or_a_fragment_is_of() -> None:
    # A caption may name them or not: whether there is one dog or two afterwards is not known.
    assert fitting(scene_of(masked("dog", "0", Box(10, 10, 40, 40)))) == {"cat", "person", "scissors"}
    sliver = replace(thing_of("woman", box=Box(10, 10, 100, 100)), fragmented=True)
    assert fitting(scene_of(sliver)) == {"dog", "cat", "scissors"}


def test_nor_one_of_a_crowd() -> None:
    assert fitting(scene_of(crowds=("person",))) == {"dog", "cat", "scissors"}


def test_nor_one_whose_name_tells_no_number() -> None:
    assert fitting(scene_of(masked("scissors", "0", Box(10, 10, 100, 100)))) == {"dog", "cat", "person"}
