"""Faults about places, other views and other languages: each is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.meaning import Count, Group, Located, Side
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.models.reference.faults import FAULTS
from tests.relations.spatial.gardens import IN_A_ROW, garden
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask

from typing import TYPE_CHECKING

from pytest_vqamt.core.meaning import Exists, Meaning, Property
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.translations.translated import LANGUAGES, language
from tests.making import group_of, scene_of

if TYPE_CHECKING:
    from tests.models.conftest import Ask


DOG, CAR, TREE = (Group(name=name) for name in ("dog", "car", "tree"))


def said(ask: Ask, fault: str, thing: Group, side: Side, other: Group, picture: Picture = IN_A_ROW.picture) -> str:
    return FAULTS[fault].replies()(ask(Located(group=thing, side=side, other=other), picture=picture).query)


@each_row(
    ("fault", "thing", "side", "other", "answer"),
    [
        ("left-right-blind", DOG, Side.LEFT, CAR, "yes"),
        ("left-right-blind", CAR, Side.LEFT, DOG, "yes"),
        ("left-right-blind", TREE, Side.ABOVE, DOG, "no"),
        ("ignores-side", DOG, Side.LEFT, CAR, "yes"),
        ("ignores-side", DOG, Side.RIGHT, CAR, "yes"),
        ("ignores-side", DOG, Side.BELOW, TREE, "yes"),
        ("ignores-side", TREE, Side.BELOW, DOG, "no"),
        # 30 and 50 of 200 pixels lie between neighbours, and 110 between the first and the last.
        ("near-sighted", DOG, Side.LEFT, CAR, "yes"),
        ("near-sighted", CAR, Side.LEFT, TREE, "yes"),
        ("near-sighted", DOG, Side.LEFT, TREE, "no"),
        ("near-sighted", DOG, Side.ABOVE, TREE, "yes"),
        ("near-sighted", DOG, Side.BELOW, TREE, "no"),
    ],
)
def test_a_fault_about_places(ask: Ask, fault: str, thing: Group, side: Side, other: Group, answer: str) -> None:
    assert said(ask, fault, thing, side, other) == answer


def test_near_sighted_looks_down_as_well(ask: Ask) -> None:
    far_up = garden(dog=(0, 0), car=(60, 68)).picture
    assert said(ask, "near-sighted", DOG, Side.ABOVE, CAR, far_up) == "no"


def test_near_sighted_is_right_where_there_is_nothing(ask: Ask) -> None:
    assert said(ask, "near-sighted", Group(name="cow"), Side.LEFT, Group(name="pig")) == "unknown"


def test_mirror_blind_sees_the_picture_as_it_was(ask: Ask) -> None:
    mirrored = IN_A_ROW.picture.mirror()
    assert said(ask, "mirror-blind", DOG, Side.LEFT, CAR) == "yes"
    assert said(ask, "mirror-blind", DOG, Side.LEFT, CAR, mirrored) == "yes"
    assert said(ask, "mirror-blind", DOG, Side.LEFT, CAR, mirrored.mirror()) == "yes"
    assert FAULTS["mirror-blind"].replies()(ask(Count(groups=(DOG,)), picture=mirrored).query) == "1"


# Faults about other views of a picture.

DOG, CAR, TREE = (Group(name=name) for name in ("dog", "car", "tree"))
PHOTO = IN_A_ROW.picture
DOGS, ANY_DOG = Count(groups=(DOG,)), Exists(group=DOG)
COLOR = Property(group=CAR, category="color", values=("red", "green", "blue"))
RED_CAR = scene_of("red car", "dog").picture
GREEN_CAR = RED_CAR.recolour("0", "red", "green", 120)
BLUE_DOG = RED_CAR.recolour("1", "red", "blue", 225)


def left(side: Side) -> Located:
    return Located(group=DOG, side=side, other=TREE)


@each_row(
    ("fault", "picture", "meaning", "answer"),
    [
        ("shift-sensitive", PHOTO, DOGS, "1"),
        ("shift-sensitive", PHOTO.shift(2, 0), DOGS, "2"),
        ("shift-sensitive", PHOTO.shift(2, 0), ANY_DOG, "no"),
        ("shift-sensitive", PHOTO.jpeg(90), DOGS, "1"),
        ("padding-sensitive", PHOTO.pad(top=100), DOGS, "2"),
        ("padding-sensitive", PHOTO.shift(2, 0), DOGS, "1"),
        ("scale-sensitive", PHOTO.rescale(100, 50), DOGS, "2"),
        ("scale-sensitive", PHOTO.pad(top=100), DOGS, "1"),
        ("jpeg-sensitive", PHOTO.jpeg(90), DOGS, "2"),
        ("jpeg-sensitive", PHOTO.rescale(100, 50), DOGS, "1"),
        # The dog is to the left of the tree, and higher up.
        ("rotation-blind", PHOTO.rotate(180), left(Side.LEFT), "yes"),
        ("rotation-blind", PHOTO.rotate(90), left(Side.RIGHT), "no"),
        ("rotation-blind", PHOTO.rotate(90), DOGS, "1"),
        ("quarter-turn-blind", PHOTO.rotate(90), left(Side.ABOVE), "no"),
        ("quarter-turn-blind", PHOTO.rotate(270), left(Side.BELOW), "no"),
        ("quarter-turn-blind", PHOTO.rotate(180), left(Side.LEFT), "no"),
        ("quarter-turn-blind", PHOTO.rotate(180), left(Side.RIGHT), "yes"),
        ("first-panel-only", PHOTO.beside(garden(dog=(0, 0), car=(60, 0))), DOGS, "1"),
        ("first-panel-only", PHOTO, DOGS, "1"),
        ("remembers-color", GREEN_CAR, COLOR, "red"),
        ("remembers-color", BLUE_DOG, COLOR, "red"),
        ("remembers-color", RED_CAR, COLOR, "red"),
        ("color-bound", GREEN_CAR, COLOR, "none"),
        ("color-bound", BLUE_DOG, COLOR, "red"),
        ("color-bound", BLUE_DOG, DOGS, "0"),
        ("color-bound", RED_CAR, DOGS, "1"),
    ],
)
def test_a_fault_about_views(ask: Ask, fault: str, picture: Picture, meaning: Meaning, answer: str) -> None:
    assert FAULTS[fault].replies()(ask(meaning, picture=picture).query) == answer


# Faults in other languages than English.

PICTURE = scene_of("dog", "dog", "red car").picture


def said_in(ask: Ask, fault: str, question: Question) -> str:
    return FAULTS[fault].replies()(ask(question.meaning, question.text, picture=PICTURE).query)


@each_row(
    ("fault", "cats", "dogs", "colour"),
    [("english-only", "yes", "1", "blue"), ("counts-in-english-only", "no", "3", "red")],
)
def test_it_is_wrong_in_other_languages(ask: Ask, fault: str, cats: str, dogs: str, colour: str) -> None:
    for code in LANGUAGES:
        other = language(code)
        assert said_in(ask, fault, other.exists("cat")) == cats
        assert said_in(ask, fault, other.count("dog")) == dogs
        assert said_in(ask, fault, other.choice("car", ("blue", "red"))) == colour


@each_row("fault", ["english-only", "counts-in-english-only"])
def test_it_is_right_in_english(ask: Ask, fault: str) -> None:
    assert said_in(ask, fault, simple.exists(group_of("cat"))) == "no"
    assert said_in(ask, fault, simple.count(group_of("dog"))) == "2"
