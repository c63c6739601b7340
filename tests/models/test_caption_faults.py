"""Faults in describing pictures: each is wrong about what it says, and right about all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.meaning import Count, Describe, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.models.reference.faults import FAULTS
from tests.making import scene_of

if TYPE_CHECKING:
    from tests.models.conftest import Ask

always_plural, wrong_class = (FAULTS[name].replies() for name in ("always-plural", "wrong-class"))


CAR = Cutout(
    photo=Photo(id="drive.png", digest="00000000000000c3"), thing=Thing(id="7", name="car", box=Box(0, 0, 40, 20))
)


def described(picture: Picture) -> Query:
    return Query(picture=picture, meaning=Describe(), task=Task.CAPTIONING)


def with_a_car(scene: Scene) -> Picture:
    return scene.picture.insert(CAR, (100, 0), (40, 20))


def test_what_was_inserted_is_called_something_else() -> None:
    scene = scene_of("dog", "car", "dog")
    assert wrong_class(described(scene.picture)) == "two dogs and a car"
    assert wrong_class(described(with_a_car(scene))) == "two dogs, a car and a zebra"


def test_the_wrong_name_is_that_of_nothing_there() -> None:
    assert wrong_class(described(with_a_car(scene_of("zebra", "kite")))) == "a zebra, a kite and a toaster"


def test_everything_is_in_the_plural() -> None:
    assert always_plural(described(scene_of("dog", "cat", "cat", "cat").picture)) == "two dogs and three cats"


def test_questions_are_answered_right(ask: Ask, yard: Scene) -> None:
    cars = Count(groups=(Group(name="car"),))
    assert always_plural(ask(cars).query) == "1"
    assert wrong_class(ask(cars, picture=with_a_car(yard)).query) == "2"
