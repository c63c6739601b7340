"""What may not be what its name says is not asked by name: a duck of wood, a toy dog, a roasted goose."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.carets.ontological import Ontological
from tests.making import scene_of
from tests.relations.carets.draws import arguments, asked, cases, one_is, view_of

ALL = ("duck", "dog", "car", "lamp")
POND = scene_of("duck", "black duck", "white duck", "dog", "lamp", "car", "sitting duck", id="pond")

each_likeness = pytest.mark.parametrize(
    "thing",
    [
        "wooden duck",
        "wooden fish",  # an animal, or food
        "plastic tree",
        "stone lion",
        "glass apple",
        "leather man",
        # Colours that are mostly a material.
        "bronze horse",
        "golden dog",
        "gold pig",
        "silver man",
        "copper apple",
        # Said to be none.
        "toy dog",
        "stuffed bear",
        # On a plate.
        "roasted duck",
        "grilled goose",
    ],
)


@each_likeness
def test_it_is_not_among_the_names_that_can_be_asked(thing: str) -> None:
    assert view_of(scene_of(thing)).names == ()


@each_likeness
def test_nor_is_another_one_of_its_name(thing: str) -> None:
    """Whether the two are of one kind nobody knows."""
    assert view_of(scene_of(thing, thing.split()[-1])).names == ()


@pytest.mark.parametrize(
    "thing",
    [
        "wooden chair",
        "metal car",
        "silver car",
        "gold ring",
        "copper pan",
        "brown duck",
        "cooked pizza",  # cooked or not, a pizza it is
        "ripe apple",
    ],
)
def test_other_things_are_what_they_are_called(thing: str) -> None:
    assert view_of(scene_of(thing)).names == (thing.split()[-1],)


@pytest.mark.parametrize("type_", QuestionType)
def test_no_question_names_it(type_: QuestionType) -> None:
    scene = scene_of("black sitting wooden duck", "red car", "dog", exhaustive=ALL)
    assert not any("duck" in each for each in asked(arguments(type_, view_of(scene, POND))))


@pytest.mark.parametrize("type_", [QuestionType.OBJECT, QuestionType.ATTRIBUTE, QuestionType.ATTRIBUTE_CHOICE])
def test_nothing_is_related_to_one(type_: QuestionType) -> None:
    """Is there a cup on the duck, which is of wood?"""
    scene = scene_of("red open cup", "wooden duck", relationships=(one_is("on"),), exhaustive=ALL)
    cups = scene_of("blue cup", "closed cup", "lamp", "duck", "lamp", id="cups")
    found = asked(arguments(type_, view_of(scene, cups)))
    assert found
    assert not any("duck" in each for each in found)


def test_no_class_is_said_to_be_there_for_it() -> None:
    for variant in ("hypernym", "object_choice"):
        scene = scene_of("wooden duck", "red car", relationships=(one_is("on"),))
        found = cases(Ontological(), scene, POND, variant=variant)
        assert not any("animal" in query.text or "bird" in query.text for case in found for query in case.queries)


def test_no_class_is_said_to_be_absent_beside_it() -> None:
    assert view_of(scene_of("wooden duck")).classes_absent("dog") == ()
    assert view_of(scene_of("wooden chair")).classes_absent("dog") == ("animal",)


@pytest.mark.parametrize("other", ["wooden duck", "roasted duck", "toy cow", "bronze man"])
def test_nothing_else_is_the_only_one_of_a_class_beside_it(other: str) -> None:
    scene: Scene = scene_of("black dog", other)
    assert not view_of(scene).is_unique_in_class(scene.objects[0], "animal")
    assert not view_of(scene).is_unique_in_class(scene.objects[0], "animal", "black")


def test_it_is_never_absent() -> None:
    scene = scene_of("wooden duck", "car")
    assert "duck" not in {name for name, _ in view_of(scene, scene_of("car", "duck", id="b")).absent("car")}
