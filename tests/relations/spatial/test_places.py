"""Which things have a place to ask about: the preconditions that keep these relations sound, each by itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Located, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.lexical_knowledge import default_knowledge
from pytest_vqamt.relations.spatial import ALL_SIDES, Antisymmetric, Inverse, Mirror, Transitive, places, rows
from tests.making import scene_of, thing_of
from tests.relations.spatial.gardens import IN_A_ROW, asked, cases, garden
from tests.rows import each_row

MIRROR, INVERSE = Mirror(), Inverse()
RELATIONS: tuple[tuple[Relation, str], ...] = (
    (MIRROR, "opposite"), (MIRROR, "swap"), (INVERSE, ""), (Antisymmetric(), ""), (Transitive(), ""),
)  # fmt: skip


def found(scene: Scene) -> set[tuple[str, str, str]]:
    """The sure places, in words."""
    view = askable_scene_of(scene, gather_corpus((scene,)), default_knowledge())
    return {(each.thing.name, each.side.value, each.other.name) for each in places(view, ALL_SIDES)}


def test_places_are_those_of_the_boxes() -> None:
    assert found(IN_A_ROW) == {
        ("dog", "left", "car"), ("car", "right", "dog"), ("dog", "left", "tree"), ("tree", "right", "dog"),
        ("car", "left", "tree"), ("tree", "right", "car"), ("dog", "above", "tree"), ("tree", "below", "dog"),
        ("car", "above", "tree"), ("tree", "below", "car"),
    }  # fmt: skip


@each_row(
    ("scene", "why"),
    [
        (garden(dog=(0, 0), car=(35.9, 10)), "5.9 of 200 px are less than 3 %"),
        (garden(dog=(0, 0), car=(20, 10)), "they share columns and rows, like a rider and a horse"),
        (garden(dog=(0, 0), car=(0, 0)), "the one is within the other"),
        (garden(bird=(0, 0), duck=(100, 0)), "a duck is a bird"),
        (garden(man=(0, 0), person=(100, 0)), "a man is a person"),
        (garden(dog=(0, 0), car=(100, 0), crowds=("car",)), "there is a crowd of cars"),
        (garden(dog=(0, 0), mirror=(100, 0)), "a mirror shows dogs again"),
        (garden(dog=(0, 0), grass=(100, 0)), "grass has no place of its own"),
        (garden(dog=(0, 0), letters=(100, 0)), "a mirror makes writing unreadable"),
        (scene_of("dog", "dog", thing_of("car", id="9", box=Box(150, 0, 40, 40))), "there are two dogs"),
    ],
)
def test_what_has_no_sure_place_is_not_asked_about(scene: Scene, why: str) -> None:
    for relation, variant in RELATIONS:
        assert cases(relation, scene, variant, n=20) == [], why


def test_a_thing_that_is_hard_to_see_is_not_asked_about() -> None:
    small = replace(IN_A_ROW.objects[0], box=Box(0, 0, 8, 8))
    in_parts = replace(IN_A_ROW.objects[0], fragmented=True)
    for each in (small, in_parts):
        assert not any("dog" in place for place in found(replace(IN_A_ROW, objects=(each, *IN_A_ROW.objects[1:]))))


@each_row("name", ["left shoe", "right hand", "top shelf", "front wheel"])
def test_a_name_that_tells_the_hand_or_the_place_is_not_asked_about(name: str) -> None:
    scene = scene_of(
        replace(thing_of("shoe", id="0", box=Box(0, 0, 40, 40)), name=name),
        thing_of("car", id="1", box=Box(100, 0, 40, 40)),
    )
    assert found(scene) == set()


def test_a_gap_of_3_percent_is_enough() -> None:
    assert found(garden(dog=(0, 0), car=(36, 10))) == {("dog", "left", "car"), ("car", "right", "dog")}


def test_rows_go_in_one_direction() -> None:
    view = askable_scene_of(IN_A_ROW, gather_corpus((IN_A_ROW,)), default_knowledge())
    in_words = {(one.thing.name, one.other.name, two.other.name, one.side.value) for one, two in rows(view)}
    assert in_words == {("dog", "car", "tree", "left"), ("tree", "car", "dog", "right")}


@each_row("variant", ["opposite", "swap"])
def test_a_mirror_is_asked_about_left_and_right_only(variant: str) -> None:
    assert {case.fact("side") for case in cases(MIRROR, IN_A_ROW, variant)} == {"left", "right"}
    assert {case.fact("side") for case in cases(INVERSE, IN_A_ROW)} == {"left", "right", "above", "below"}


def test_every_wording_says_that_the_picture_is_meant() -> None:
    texts = asked(cases(INVERSE, IN_A_ROW, n=600))
    assert len(texts) > 50
    assert [text for text in texts if not re.search(r"\b(?:picture|image)\b", text)] == []
    assert [text for text in texts if re.search(r"\b(?:its|his|her|near|front|behind|above|under)\b", text)] == []


def test_yes_and_no_are_asked_alike() -> None:
    truths = [case.fact("truth") for case in cases(INVERSE, IN_A_ROW, n=400)]
    assert 150 < truths.count("yes") < 250


def test_only_what_rests_on_another_thing_is_presumed() -> None:
    unlisted = garden(exhaustive=(), dog=(0, 0), car=(60, 20), tree=(140, 60))
    assert all(case.is_presumed for case in cases(MIRROR, unlisted, "opposite"))
    assert not any(case.is_presumed for case in cases(MIRROR, IN_A_ROW, "opposite"))
    for relation, variant in RELATIONS[1:]:
        assert not any(case.is_presumed for case in cases(relation, unlisted, variant))


@pytest.mark.parametrize(("relation", "variant"), RELATIONS, ids=lambda each: str(getattr(each, "info", each)))
def test_the_truth_comes_from_boxes_and_from_no_annotated_relationship(relation: Relation, variant: str) -> None:
    world = PictureWorld(40)
    for index in range(40):
        scene = replace(world.scene(index), relationships=())
        for case in cases(relation, scene, variant, n=3):
            for query in case.queries:
                assert isinstance(query.meaning, Located)
                assert truth(query.meaning, query.picture.scene) is not None
