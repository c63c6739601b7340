"""Faults in seeing pictures that were edited: each is wrong after the edits that it says, and right elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.meaning import Absent, Count, Entails, Exists, Group, Meaning, Unit
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.faults import load
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


DOG, CAT, CAR = Group(name="dog"), Group(name="cat"), Group(name="car")
DOGS, CATS, CARS = (Count(groups=(group,)) for group in (DOG, CAT, CAR))
IS_THERE_A_CAR = Exists(group=CAR)

_THE_CAR = Box(150, 60, 40, 20)
_SECOND_CAR = Cutout(
    photo=Photo(id="drive.png", digest="00000000000000c3"), thing=Thing(id="7", name="car", box=Box(0, 0, 40, 20))
)


def cut(picture: Picture) -> Picture:
    return picture.cut(0, 90)


def insert(picture: Picture) -> Picture:
    return picture.insert(_SECOND_CAR, (100, 0), (40, 20))


def erase(picture: Picture) -> Picture:
    return picture.erase(_THE_CAR)


def mask_but_for_the_car(picture: Picture) -> Picture:
    return picture.mask((_THE_CAR,), (0, 0, 0))


def model(fault: str) -> LoadedModel:
    return wrap_model(f"fault:{fault}", load(fault, ModelOptions()), ModelOptions())


def said(asked: LoadedModel, ask: Ask, meaning: Meaning, picture: Picture) -> str:
    [answer] = asked.ask(Task.VQA, [ask(meaning, picture=picture)])
    return answer.text


def test_counts_pieces_wrong_where_the_last_edit_is_a_cut(ask: Ask, yard: Scene) -> None:
    asked = model("counts-pieces-wrong")
    assert said(asked, ask, DOGS, cut(yard.picture)) == "4"
    assert said(asked, ask, CARS, cut(yard.picture)) == "1"
    assert said(asked, ask, IS_THERE_A_CAR, cut(yard.picture)) == "no"
    assert said(asked, ask, DOGS, cut(yard.picture).mirror()) == "3"
    assert said(asked, ask, DOGS, erase(yard.picture)) == "3"


def test_omits_inserted_whatever_is_done_to_it_next(ask: Ask, yard: Scene) -> None:
    asked = model("omits-inserted")
    assert said(asked, ask, CARS, insert(yard.picture)) == "1"
    assert said(asked, ask, CARS, insert(insert(yard.picture))) == "1"
    assert said(asked, ask, CARS, insert(yard.picture).mirror()) == "1"
    # The car is erased, and the one that was inserted is not seen.
    assert said(asked, ask, IS_THERE_A_CAR, erase(insert(yard.picture))) == "no"
    assert said(asked, ask, DOGS, insert(yard.picture)) == "3"
    assert said(asked, ask, CARS, erase(yard.picture)) == "0"


class TestSeesErased:
    def test_answers_as_if_nothing_had_been_erased(self, ask: Ask, yard: Scene) -> None:
        asked = model("sees-erased")
        assert said(asked, ask, DOGS, yard.picture) == "3"
        assert said(asked, ask, CARS, erase(yard.picture)) == "1"
        assert said(asked, ask, Absent(group=CAR), erase(yard.picture)) == "no"
        assert said(asked, ask, DOGS, erase(yard.picture)) == "3"

    def test_sees_all_else_that_was_done(self, ask: Ask, yard: Scene) -> None:
        asked = model("sees-erased")
        said(asked, ask, DOGS, yard.picture)
        assert said(asked, ask, CARS, insert(erase(yard.picture))) == "2"
        assert said(asked, ask, DOGS, cut(erase(yard.picture))) == "3"
        assert said(asked, ask, CARS, cut(erase(yard.picture))) == "0"

    def test_is_right_about_what_it_was_never_shown_whole(self, ask: Ask, yard: Scene, bare: Scene) -> None:
        asked = model("sees-erased")
        said(asked, ask, DOGS, bare.picture)
        assert said(asked, ask, CARS, erase(yard.picture)) == "0"

    def test_no_two_share_what_they_were_shown(self, ask: Ask, yard: Scene) -> None:
        said(model("sees-erased"), ask, DOGS, yard.picture)
        assert said(model("sees-erased"), ask, CARS, erase(yard.picture)) == "0"


@each_row(
    "obscured",
    [
        lambda picture: picture.blur((_THE_CAR,), sigma=3),
        mask_but_for_the_car,
        lambda picture: picture.crop(_THE_CAR),
        lambda picture: picture.crop(_THE_CAR).mirror(),
    ],
)
def test_background_dependent(ask: Ask, yard: Scene, obscured: Callable[[Picture], Picture]) -> None:
    asked = model("background-dependent")
    assert said(asked, ask, CARS, obscured(yard.picture)) == "2"
    assert said(asked, ask, IS_THERE_A_CAR, obscured(yard.picture)) == "no"
    assert said(asked, ask, Entails(units=(Unit(group=CAR),)), obscured(yard.picture)) == "contradiction"


@each_row("fault", ["counts-pieces-wrong", "omits-inserted", "sees-erased", "background-dependent"])
def test_of_other_edits_they_know_all(ask: Ask, yard: Scene, fault: str) -> None:
    asked = model(fault)
    for picture in (yard.picture, yard.picture.mirror(), yard.picture.reencode(), yard.picture.brightness(20)):
        assert [said(asked, ask, meaning, picture) for meaning in (DOGS, CATS, IS_THERE_A_CAR)] == ["3", "1", "yes"]


def test_background_dependent_is_right_where_nothing_is_obscured(ask: Ask, yard: Scene) -> None:
    asked = model("background-dependent")
    assert said(asked, ask, CARS, erase(yard.picture)) == "0"
    assert said(asked, ask, CARS, insert(yard.picture)) == "2"
    assert said(asked, ask, DOGS, cut(yard.picture)) == "3"
