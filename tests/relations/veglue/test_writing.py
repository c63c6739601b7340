"""Hypotheses written from a scene: what they speak of, and what is left of them without one of the things."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Entails, Group, Label, Related, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions.hypotheses import IN_A_ROW
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.lexical_knowledge import load_knowledge
from pytest_vqamt.relations.soundness import disjoint
from pytest_vqamt.relations.veglue_statements import (
    PublishedStatement,
    StatementUnit,
    StatementWriter,
    WrittenStatement,
    sample_statement,
    statement_writer,
)
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import choosers, scene_of, thing_of
from tests.relations.veglue.rooms import RIFLE, ROOM

KNOWN = load_knowledge("bundled", "bundled")
MAN, CUP, TABLE, DOG = ROOM.objects


def writer(scene: Scene, *, gradable: bool = False) -> StatementWriter:
    return statement_writer(scene, gather_corpus((scene,)), KNOWN, gradable=gradable)


def written(
    scene: Scene, first: Thing, *, draws: int = 300, least: int = 1, saying: str = ""
) -> list[WrittenStatement]:
    one = writer(scene)
    others = [other for other in one.things if other.id != first.id]
    return [one.about(first, others, choose, least=least, saying=saying) for choose in choosers(draws)]


pytestmark = pytest.mark.usefixtures("small_things_are_salient")


def test_it_speaks_of_the_thing_and_of_others_as_it_comes() -> None:
    found = written(ROOM, MAN)
    assert all(MAN in each.things for each in found)
    assert {thing.name for each in found for thing in each.things} == {"man", "cup", "table", "dog"}
    assert set(Counter(len(each.things) for each in found)) == {1, 2, 3, 4}
    assert max(len(each.said) for each in found) == 3
    assert all(truth(each.hypothesis.meaning, ROOM) is Label.ENTAILMENT for each in found)
    shapes = Counter(dict(each.facts)["shape"] for each in found)
    assert min(shapes.values()) > 20
    assert set(shapes) == {"name", "attribute", "relation"}


def test_of_each_thing_its_own_is_said() -> None:
    texts = {each.hypothesis.text for each in written(ROOM, MAN, draws=2000)}
    for text in (
        "There is a standing man.",
        "A man is standing.",
        "A man is holding a red cup.",
        "There is a man holding a cup in the picture.",
        "A dog is near a table and a man is standing.",
    ):
        assert text in texts
    assert not [text for text in texts if "red man" in text or "standing cup" in text]


def test_it_may_have_to_speak_of_two() -> None:
    assert min(len(each.things) for each in written(ROOM, CUP, least=2)) == 2
    assert max(len(each.things) for each in written(ROOM, CUP, least=2)) > 2


def test_it_may_have_to_say_an_attribute() -> None:
    for each in written(ROOM, CUP, saying="red"):
        group = next(it for it in _groups(each) if it.name == "cup")
        assert group.attributes == ("red",)


def _groups(statement: WrittenStatement) -> list[Group]:
    return [group for each in statement.said for group in (each.group, *(it.to for it in each.group.related))]


def test_what_cannot_be_told_by_itself_is_said_of_none_unless_the_picture_stays() -> None:
    scene = scene_of("small_dog", "tall tree", exhaustive=("dog", "tree"))
    scene = replace(
        scene, objects=(thing_of("small dog", id="d"), thing_of("tall tree", id="t", box=Box(50, 0, 20, 60)))
    )
    dog, _ = scene.objects
    assert {group.attributes for each in written(scene, dog) for group in _groups(each)} == {()}
    one = writer(scene, gradable=True)
    said = {group.attributes for choose in choosers(80) for group in _groups(one.about(dog, one.things, choose))}
    assert said == {(), ("small",), ("tall",)}


def test_nobody_speaks_of_what_is_not_surely_seen_or_has_no_edge() -> None:
    scene = scene_of(
        thing_of("dog", id="large", box=Box(0, 0, 30, 30)),
        thing_of("cat", id="small", box=Box(40, 0, 4, 4)),
        thing_of("head", id="part", box=Box(50, 0, 30, 30)),
        thing_of("water", id="stuff", box=Box(90, 0, 30, 30)),
        thing_of("sky", id="everywhere", box=Box(90, 40, 30, 30)),
        thing_of("thingamajig", id="unknown", box=Box(130, 0, 30, 30)),
        thing_of("background", id="nothing", box=Box(130, 40, 30, 30)),
        thing_of("car", id="in a crowd", box=Box(160, 0, 30, 30)),
        crowds=("car",),
    )
    assert [thing.id for thing in writer(scene).things] == ["large"]


def test_no_thing_goes_by_the_names_of_two_units() -> None:
    scene = scene_of("dog", "puppy", "car", "teddy_bear", "bear")
    dog = scene.objects[0]
    for each in written(scene, dog):
        names = [thing.name for thing in each.things]
        assert len(set(names)) == len(names)
        assert {"dog", "puppy"} - set(names)
        assert {"bear", "teddy bear"} - set(names)


# ---- without one of the things

HOLDING = Group(name="man", related=(Related(predicate="holding", to=Group(name="cup", attributes=("red",))),))
OF_TWO = WrittenStatement(
    said=(StatementUnit(group=HOLDING, thing=MAN, beside=CUP), StatementUnit(group=Group(name="dog"), thing=DOG)),
    wording=IN_A_ROW,
)


@pytest.mark.parametrize(
    ("gone", "text"),
    [
        (None, "A man is holding a red cup and there is a dog."),
        # What is said of the man mentions the cup, so it is dropped; the cup is a unit of its own, so it stays.
        (CUP, "There is a man and a dog."),
        (MAN, "There is a red cup and a dog."),
        (DOG, "A man is holding a red cup."),
        (TABLE, "A man is holding a red cup and there is a dog."),
    ],
)
def test_a_thing_goes_with_its_unit_and_with_what_others_say_of_it(gone: Thing | None, text: str) -> None:
    left = OF_TWO.without(gone) if gone else OF_TWO
    assert left is not None
    assert left.hypothesis.text == text
    assert gone is None or gone not in left.things


def test_nothing_is_left_of_one_unit() -> None:
    assert WrittenStatement(said=OF_TWO.said[1:], wording=0).without(DOG) is None


def test_the_paper_s_units_are_counted_and_named() -> None:
    assert dict(OF_TWO.facts) == {"shape": "relation", "units": 3, "wording": IN_A_ROW}
    assert OF_TWO.names == {"man", "cup", "dog"}
    assert [thing.id for thing in OF_TWO.things] == ["man", "cup", "dog"]


def test_another_group_in_the_same_wording() -> None:
    changed = OF_TWO.changed(CUP, lambda group: replace(group, attributes=("blue",)))
    assert changed.text == "A man is holding a blue cup and there is a dog."
    assert isinstance(changed.meaning, Entails)
    assert truth(changed.meaning, ROOM) is Label.CONTRADICTION


# ---- any of them


def test_published_ones_come_first() -> None:
    corpus = gather_corpus((RIFLE,))
    for choose in choosers(5):
        assert isinstance(sample_statement(RIFLE, corpus, KNOWN, choose), PublishedStatement)
        assert isinstance(sample_statement(ROOM, gather_corpus((ROOM,)), KNOWN, choose), WrittenStatement)
        assert sample_statement(scene_of(), corpus, KNOWN, choose) is None
        contradicted = replace(RIFLE, hypotheses=(replace(RIFLE.hypotheses[0], label="contradiction"),))
        assert sample_statement(contradicted, corpus, KNOWN, choose) is None


@cache
def many() -> PictureWorld:
    return PictureWorld(100)


def test_in_the_picture_world_all_is_entailed_and_names_are_apart() -> None:
    world = many()
    for number in range(500):
        scene = world.scene(number % len(world))
        statement = sample_statement(scene, world.corpus, KNOWN, RandomChooser(Random(number)))
        if statement is not None:
            assert truth(statement.hypothesis.meaning, scene) is Label.ENTAILMENT, statement.hypothesis.text
            names = [thing.name for thing in statement.things]
            assert all(disjoint(a, b, scene) for a in names for b in names if a != b)
            assert len(set(names)) == len(names)
