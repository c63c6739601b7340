"""Faults about other views of a picture: each is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.meaning import Count, Exists, Group, Located, Meaning, Property, Side
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.models.reference.faults import FAULTS
from tests.making import scene_of
from tests.relations.spatial.gardens import IN_A_ROW, garden
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask

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
