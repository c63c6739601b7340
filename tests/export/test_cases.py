"""A label is certain only where the annotations leave no doubt; worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Side,
    Unit,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.export.cases import is_certain
from tests.making import group_of, scene_of, thing_of

DOG, CAT, COW, TREE, CAR = (Group(name=name) for name in ("dog", "cat", "cow", "tree", "car"))
BROWN_DOG, RED_CAR, RED_CAT = (group_of(words) for words in ("brown dog", "red car", "red cat"))


def certain(meaning: Meaning, scene: Scene) -> bool:
    return is_certain(Query(picture=scene.picture, text="asked", meaning=meaning))


@pytest.mark.parametrize(
    "meaning",
    [
        Count(groups=(DOG,)),
        Count(groups=(DOG, COW)),
        Count(groups=(BROWN_DOG,)),  # the third dog is black
        Exists(group=COW),
        Absent(group=COW),
        Both(groups=(DOG, COW)),
        NotBoth(groups=(DOG, TREE, COW)),  # no cow, whatever there is of trees
        Either(groups=(TREE, DOG)),
        Neither(groups=(TREE, DOG)),
        Has(group=CAT, attribute="black"),
        Has(group=CAT, attribute="white"),  # it is black
        Located(group=CAT, side=Side.LEFT, other=CAR),
        Choice(what=CAT, options=("black", "white")),
        Entails(units=(Unit(group=DOG), Unit(group=CAT))),
        Entails(units=(Unit(group=TREE), Unit(group=COW))),  # contradicted by the cow, whatever there is of trees
        Exists(group=Group(name="animal", covers=("dog", "cat"))),
        Describe(),
        Annotated(answers=(("red", 0.7), ("pink", 0.3))),
        Annotated(answers=(("yes", 1.0),), options=("yes", "no")),
    ],
    ids=repr,
)
def test_where_every_instance_is_annotated_absence_is_known(yard: Scene, meaning: Meaning) -> None:
    assert certain(meaning, yard)


@pytest.mark.parametrize(
    "meaning",
    [
        Count(groups=(TREE,)),
        Count(groups=(DOG, TREE)),
        Exists(group=TREE),
        Absent(group=TREE),
        Both(groups=(DOG, TREE)),
        Either(groups=(COW, TREE)),
        Neither(groups=(COW, TREE)),
        Entails(units=(Unit(group=DOG), Unit(group=TREE))),
        Count(groups=(group_of("sitting dog"),)),  # the brown dog of which no pose is told may sit
        Exists(group=group_of("striped cat")),
        Has(group=CAT, attribute="striped"),
        Has(group=DOG, attribute="brown"),  # which one?
        Located(group=DOG, side=Side.LEFT, other=CAT),
        Located(group=CAT, side=Side.ABOVE, other=CAR),  # no gap lies between them
        Choice(what=DOG, options=("brown", "white")),
        Choice(what=CAT, options=("red", "white")),  # neither
        Exists(group=Group(name="cat", related=(Related(predicate="under", to=Group(name="bench")),))),
        Annotated(answers=(("red", 0.5), ("pink", 0.5))),
        Annotated(answers=()),
    ],
    ids=repr,
)
def test_what_may_be_there_unannotated_is_open(yard: Scene, meaning: Meaning) -> None:
    assert not certain(meaning, yard)


def test_what_is_annotated_is_there_in_any_scene(yard: Scene) -> None:
    partial = replace(yard, exhaustive=frozenset())
    assert certain(Exists(group=BROWN_DOG), partial)
    assert certain(Absent(group=DOG), partial)
    assert certain(Both(groups=(DOG, CAT)), partial)
    assert certain(Either(groups=(COW, CAT)), partial)
    for open_there in (Count(groups=(DOG,)), Exists(group=COW), Has(group=CAT, attribute="black"), Describe()):
        assert not certain(open_there, partial)


def test_of_a_crowd_the_number_is_open(yard: Scene) -> None:
    crowded = replace(yard, regions=(Region(name="dog", box=Box(0, 0, 50, 50)),))
    assert not certain(Count(groups=(DOG,)), crowded)
    assert not certain(Describe(), crowded)
    assert certain(Exists(group=DOG), crowded)
    assert certain(Count(groups=(CAT,)), crowded)


def test_of_what_no_one_colour_describes_no_colour_is_excluded() -> None:
    one = scene_of("red car", exhaustive=["car"])
    assert certain(Exists(group=group_of("green car")), one)
    painted = scene_of(thing_of("red car", multi_coloured=True), exhaustive=["car"])
    assert not certain(Exists(group=group_of("green car")), painted)
    assert not certain(Exists(group=group_of("yellow car")), scene_of("red orange car", exhaustive=["car"]))


def test_a_scene_in_which_nothing_is_annotated_is_not_said_to_be_empty() -> None:
    assert not certain(Describe(), scene_of())
