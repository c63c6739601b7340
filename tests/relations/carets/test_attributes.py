"""Whether a thing has an attribute: of made scenes, all that can be asked, and with which answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.scene import Relationship, Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import View
from pytest_vqamt.relations.carets.choosing import action_choice, attribute_choice
from pytest_vqamt.relations.carets.verifying import attribute, with_antonym
from pytest_vqamt.sampling.chooser import Chooser
from tests.making import FirstOption, scene_of, thing_of
from tests.relations.carets.draws import arguments, asked, view_of

ALL = ("dog", "car", "bed", "pizza", "cow")
Draw = Callable[[View, Chooser], object]

LOT = scene_of("blue car", "white car", "closed car", "open door", "closed door", id="lot")


def yes_no(scene: Scene, *others: Scene, gradable: bool = True) -> tuple[set[str], set[str]]:
    """All that is asked, in short, where the answer is yes, and where it is no."""
    found = arguments(QuestionType.ATTRIBUTE, view_of(scene, *others, gradable=gradable), draws=600)
    return asked(found, "yes"), asked(found, "no")


def test_are_its_own_and_what_that_excludes() -> None:
    here = scene_of("red open car", "dog", exhaustive=ALL)
    yes, no = yes_no(here, LOT)
    assert yes == {"car: red", "open car: red", "car: open", "red car: open"}
    # Blue and white cars there are, closed is what is not open, and nothing says anything of the dog.
    assert no == {
        *("car: blue", "car: white", "open car: blue", "open car: white"),
        *("car: closed", "red car: closed"),
    }


def test_are_asked_of_a_thing_that_is_told_by_a_colour_alone_where_that_excludes_the_others() -> None:
    here = scene_of("red open car", "blue car", exhaustive=ALL)
    assert yes_no(here, LOT) == ({"red car: open"}, {"red car: closed"})


@pytest.mark.parametrize("other", ["car", "dark_red car", "orange car", "open car"])
def test_are_not_asked_where_the_other_one_may_be_meant(other: str) -> None:
    here = scene_of("red open car", other.replace("dark_red", "maroon"), exhaustive=ALL)
    assert yes_no(here, LOT) == (set(), set())


def test_never_say_what_they_ask() -> None:
    here = scene_of("red car", "blue car", exhaustive=ALL)
    assert yes_no(here, LOT) == (set(), set())


def test_are_asked_of_none_of_a_crowd() -> None:
    here = scene_of("red car", crowds=("car",), exhaustive=ALL)
    assert yes_no(here, LOT) == (set(), set())


def test_can_be_of_what_is_told_by_a_relation() -> None:
    here = scene_of("open door", "bed", relationships=(Relationship(subject="0", predicate="near", object="1"),))
    assert yes_no(here, LOT) == (
        {"door: open", "door near bed: open"},
        {"door: closed", "door near bed: closed"},
    )


def test_are_not_gradable_where_that_would_change() -> None:
    """Rule 7."""
    here, lot = scene_of("small car", exhaustive=ALL), scene_of("large car", id="lot")
    assert yes_no(here, lot) == ({"car: small"}, {"car: large"})
    assert yes_no(here, lot, gradable=False) == (set(), set())


def test_rest_on_its_being_the_only_one_where_another_may_be_there() -> None:
    for exhaustive, unsure in ((("car",), False), ((), True)):
        found = arguments(QuestionType.ATTRIBUTE, view_of(scene_of("red car", exhaustive=exhaustive), LOT))
        assert {each.rests_on_the_only_one for each in found} == {unsure}


def test_are_no_colours_of_what_has_no_one_colour() -> None:
    here = scene_of(thing_of("red open car", multi_coloured=True), exhaustive=ALL)
    assert yes_no(here, LOT) == ({"car: open"}, {"car: closed"})


@pytest.mark.parametrize("who", ["man", "girl", "child", "person", "skier"])
def test_are_no_sizes_of_people(who: str) -> None:
    """A little girl is not small for a girl."""
    here, street = scene_of(f"little {who}", "little dog"), scene_of(f"large {who}", "large dog", id="street")
    assert yes_no(here, street) == ({"dog: little"}, {"dog: large"})


@pytest.mark.parametrize("draw", [lambda v, c: attribute(v, c, True), with_antonym, attribute_choice, action_choice])
def test_data_without_any_are_told_from_a_scene_without(draw: Draw) -> None:
    without = draw(view_of(scene_of("dog", "car"), scene_of("cat", id="b")), FirstOption())
    assert without == NotApplicable(reason="the data has no attributes")
    drawn = draw(view_of(scene_of("dog", "car"), LOT), FirstOption())
    assert isinstance(drawn, NotApplicable)
    assert drawn.reason.startswith("no thing that is the only one of its kind, with an attribute")
