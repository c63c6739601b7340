"""What is asked by yes and no: of made scenes, all that can be asked, and with which answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Both, Either, groups_of, members
from pytest_vqamt.core.scene import Relationship, Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.carets_sampling import action_choice, attribute_choice
from pytest_vqamt.relations.carets_verifying import antonym_arguments, attribute_argument
from pytest_vqamt.sampling.chooser import Chooser
from tests.making import FirstOption, scene_of, thing_of
from tests.relations.carets.draws import arguments, asked, one_is, view_of

OBJECT, CONJUNCTION, DISJUNCTION, ATTRIBUTE = (
    QuestionType.OBJECT, QuestionType.CONJUNCTION, QuestionType.DISJUNCTION, QuestionType.ATTRIBUTE,
)  # fmt: skip

ALL = ("dog", "car", "bed", "pizza", "cow")
"""Of four families; the cow is never there, and in the corpus with dogs."""


def yes_no(type_: QuestionType, scene: Scene, *others: Scene, gradable: bool = True) -> tuple[set[str], set[str]]:
    """All that is asked, in short, where the answer is yes, and where it is no."""
    found = arguments(type_, view_of(scene, *others, gradable=gradable), draws=600)
    return asked(found, "yes"), asked(found, "no")


class TestObjects:
    def test_are_what_is_there_and_what_is_plausible_with_their_own_attributes(self) -> None:
        here = scene_of("brown dog", "car", exhaustive=ALL)
        farm = scene_of("spotted cow", "white dog", id="farm")
        # White dogs occur, and this one is brown; spotted cows do.
        assert yes_no(OBJECT, here, farm) == ({"dog", "brown dog", "car"}, {"cow", "spotted cow", "white dog"})

    def test_have_no_false_attribute_where_one_bearer_may_have_it(self) -> None:
        farm = scene_of("cow", "white dog", id="farm")
        assert "white dog" not in yes_no(OBJECT, scene_of("brown dog", "dog", exhaustive=ALL), farm)[1]
        assert "white dog" in yes_no(OBJECT, scene_of("brown dog", "black dog", exhaustive=ALL), farm)[1]

    def test_are_asked_about_only_where_both_answers_can_be_had(self) -> None:
        # Nothing is absent here, so that there would be no false question.
        assert yes_no(OBJECT, scene_of("dog", "car", exhaustive=ALL)) == (set(), set())
        assert yes_no(OBJECT, scene_of(exhaustive=ALL), scene_of("dog", id="farm")) == (set(), set())

    def test_with_a_related_one_are_false_by_an_absent_subject_alone(self) -> None:
        """Rule 5: never a relation that is merely not annotated."""
        here = scene_of("dog", "bed", "pizza", relationships=(one_is("on"),), exhaustive=ALL)
        yes, no = yes_no(OBJECT, here, scene_of("cow", "bed", id="farm"))
        assert {each for each in yes | no if " on " in each} == {"dog on bed", "cow on bed"}
        assert "dog on bed" in yes
        assert "cow on bed" in no

    @pytest.mark.parametrize(
        "scene",
        [
            scene_of("dog", "bed", "bed", relationships=(one_is("on"),), exhaustive=ALL),
            scene_of("dog", "bed", crowds=("bed",), relationships=(one_is("on"),), exhaustive=ALL),
        ],
        ids=["two beds", "beds"],
    )
    def test_are_related_to_nothing_of_which_there_are_two(self, scene: Scene) -> None:
        yes, no = yes_no(OBJECT, scene, scene_of("cow", "bed", id="farm"))
        assert {each for each in yes | no if " on " in each} == set()
        assert "dog" in yes

    def test_wear_and_hold_only_as_what_is_of_their_family_does(self) -> None:
        # A cow can be where a man is, and not wear what he wears; a woman could.
        here = scene_of("man", "hat", relationships=(one_is("wearing"),), exhaustive=("man", "woman", "hat", "pizza"))
        street = scene_of("woman", "hat", "pizza", id="street")
        yes, no = yes_no(OBJECT, here, street)
        assert "woman wearing hat" in no
        assert not any(each.startswith("pizza wearing") for each in no)
        assert "man wearing hat" in yes

    def test_are_no_crowds(self) -> None:
        here = scene_of("dog", "car", crowds=("car",), exhaustive=ALL)
        assert yes_no(OBJECT, here, scene_of("cow", "dog", id="farm")) == ({"dog"}, {"cow"})

    def test_are_unsure_where_it_may_be_there_without_being_annotated(self) -> None:
        farm = scene_of("cow", "white dog", id="farm")
        of_list = arguments(OBJECT, view_of(scene_of("brown dog", exhaustive=ALL), farm))
        assert {each.rests_on_absence for each in of_list} == {False}
        loose = arguments(OBJECT, view_of(scene_of("brown dog", exhaustive=("dog",)), farm))
        assert {(each.subject, each.truth, each.rests_on_absence) for each in loose} == {
            ("dog", "yes", False),
            ("dog", "no", False),  # every dog is annotated, and none is white
            ("cow", "no", True),
        }


class TestConjunction:
    HERE = scene_of("brown dog", "red car", "bed", exhaustive=ALL)
    FARM = scene_of("spotted cow", "dog", "car", "bed", id="farm")

    def test_is_true_of_two_that_are_there_and_false_of_exactly_one(self) -> None:
        """Rule 9, for its negated partner: either no A or no B."""
        for each in arguments(CONJUNCTION, view_of(self.HERE, self.FARM)):
            assert isinstance(each.asking.meaning, Both)
            there = [bool(members(group, self.HERE)) for group in each.asking.meaning.groups]
            assert sum(there) == (2 if each.truth == "yes" else 1)

    def test_names_any_two_and_puts_them_in_any_order(self) -> None:
        yes, no = yes_no(CONJUNCTION, self.HERE, self.FARM)
        assert yes == {
            *("car and dog", "brown dog and car", "dog and red car", "brown dog and red car"),
            *("bed and dog", "bed and brown dog", "bed and car", "bed and red car"),
        }
        assert {" and ".join(sorted(phrase.split()[-1] for phrase in each.split(" and "))) for each in no} == {
            "cow and dog", "car and cow", "bed and cow",
        }  # fmt: skip
        orders = {
            tuple(group.name for group in groups_of(each.asking.meaning))
            for each in arguments(CONJUNCTION, view_of(self.HERE, self.FARM))
        }
        assert {("cow", "dog"), ("dog", "cow"), ("car", "dog"), ("dog", "car")} <= orders

    def test_is_not_asked_of_a_thing_and_what_goes_by_its_name(self) -> None:
        here = scene_of("dog", "puppy", "animal", "pizza", exhaustive=("pizza",))
        yes, _ = yes_no(CONJUNCTION, here, scene_of("car", "pizza", "dog", id="street"))
        assert yes == {"dog and pizza", "pizza and puppy", "animal and pizza"}

    def test_is_not_asked_where_all_that_is_there_is_of_one_name(self) -> None:
        assert yes_no(CONJUNCTION, scene_of("dog", "dog", exhaustive=ALL), self.FARM) == (set(), set())

    def test_rests_on_the_absence_of_the_one_that_is_not_there(self) -> None:
        here = scene_of("dog", "car", exhaustive=("dog", "car"))
        found = arguments(CONJUNCTION, view_of(here, self.FARM))
        assert {(each.truth, each.rests_on_absence) for each in found} == {("yes", False), ("no", True)}


class TestDisjunction:
    HERE = scene_of("brown dog", "car", exhaustive=(*ALL, "lamp"))
    FARM = scene_of("cow", "dog", "car", "lamp", id="farm")

    def test_is_true_with_exactly_one_there_and_false_with_none(self) -> None:
        """Rule 9."""
        found = arguments(DISJUNCTION, view_of(self.HERE, self.FARM))
        assert {each.truth for each in found} == {"yes", "no"}
        for each in found:
            assert isinstance(each.asking.meaning, Either)
            there = [bool(members(group, self.HERE)) for group in each.asking.meaning.groups]
            assert sum(there) == (1 if each.truth == "yes" else 0)

    def test_names_all_that_can_be_put_together(self) -> None:
        assert yes_no(DISJUNCTION, self.HERE, self.FARM) == (
            {"cow or dog", "brown dog or cow", "car or cow", "dog or lamp", "brown dog or lamp", "car or lamp"},
            {"cow or lamp"},
        )

    def test_names_no_two_of_which_one_may_be_the_other(self) -> None:
        farm = scene_of("cow", "calf", "bull", "dog", "lamp", id="farm")
        _, no = yes_no(DISJUNCTION, scene_of("dog"), farm)
        assert no
        assert no.isdisjoint({"bull or cow", "calf or cow", "bull or calf"})

    def test_is_one_of_two_where_the_other_may_be_there(self) -> None:
        found = arguments(DISJUNCTION, view_of(scene_of("dog", exhaustive=("dog",)), self.FARM))
        assert {(each.truth, each.rests_on_absence, each.is_one_of_two) for each in found} == {
            ("yes", True, True),
            ("no", True, False),
        }
        found = arguments(DISJUNCTION, view_of(self.HERE, self.FARM))
        assert not any(each.is_one_of_two or each.rests_on_absence for each in found)


@pytest.mark.parametrize("type_", [OBJECT, CONJUNCTION, DISJUNCTION, ATTRIBUTE])
def test_every_other_one_is_true(yard: Scene, type_: QuestionType) -> None:
    farm = scene_of("cow", "dog", "cat", "white dog", "lamp", "closed car", "white car", "blue bench", id="farm")
    found = arguments(type_, view_of(yard, farm), draws=3000)
    yes = sum(each.truth == "yes" for each in found)
    # 3000 draws: a standard deviation is 0.9 points.
    assert len(found) == 3000
    assert yes / len(found) == pytest.approx(0.5, abs=0.035)


Draw = Callable[[AskableScene, Chooser], object]

LOT = scene_of("blue car", "white car", "closed car", "open door", "closed door", id="lot")


def yes_no_of_attributes(scene: Scene, *others: Scene, gradable: bool = True) -> tuple[set[str], set[str]]:
    """All that is asked, in short, where the answer is yes, and where it is no."""
    found = arguments(QuestionType.ATTRIBUTE, view_of(scene, *others, gradable=gradable), draws=600)
    return asked(found, "yes"), asked(found, "no")


def test_are_its_own_and_what_that_excludes() -> None:
    here = scene_of("red open car", "dog", exhaustive=ALL)
    yes, no = yes_no_of_attributes(here, LOT)
    assert yes == {"car: red", "open car: red", "car: open", "red car: open"}
    # Blue and white cars there are, closed is what is not open, and nothing says anything of the dog.
    assert no == {
        *("car: blue", "car: white", "open car: blue", "open car: white"),
        *("car: closed", "red car: closed"),
    }


def test_are_asked_of_a_thing_that_is_told_by_a_colour_alone_where_that_excludes_the_others() -> None:
    here = scene_of("red open car", "blue car", exhaustive=ALL)
    assert yes_no_of_attributes(here, LOT) == ({"red car: open"}, {"red car: closed"})


@pytest.mark.parametrize("other", ["car", "dark_red car", "orange car", "open car"])
def test_are_not_asked_where_the_other_one_may_be_meant(other: str) -> None:
    here = scene_of("red open car", other.replace("dark_red", "maroon"), exhaustive=ALL)
    assert yes_no_of_attributes(here, LOT) == (set(), set())


def test_never_say_what_they_ask() -> None:
    here = scene_of("red car", "blue car", exhaustive=ALL)
    assert yes_no_of_attributes(here, LOT) == (set(), set())


def test_are_asked_of_none_of_a_crowd() -> None:
    here = scene_of("red car", crowds=("car",), exhaustive=ALL)
    assert yes_no_of_attributes(here, LOT) == (set(), set())


def test_can_be_of_what_is_told_by_a_relation() -> None:
    here = scene_of("open door", "bed", relationships=(Relationship(subject="0", predicate="near", object="1"),))
    assert yes_no_of_attributes(here, LOT) == (
        {"door: open", "door near bed: open"},
        {"door: closed", "door near bed: closed"},
    )


def test_are_not_gradable_where_that_would_change() -> None:
    """Rule 7."""
    here, lot = scene_of("small car", exhaustive=ALL), scene_of("large car", id="lot")
    assert yes_no_of_attributes(here, lot) == ({"car: small"}, {"car: large"})
    assert yes_no_of_attributes(here, lot, gradable=False) == (set(), set())


def test_rest_on_its_being_the_only_one_where_another_may_be_there() -> None:
    for exhaustive, unsure in ((("car",), False), ((), True)):
        found = arguments(QuestionType.ATTRIBUTE, view_of(scene_of("red car", exhaustive=exhaustive), LOT))
        assert {each.rests_on_the_only_one for each in found} == {unsure}


def test_are_no_colours_of_what_has_no_one_colour() -> None:
    here = scene_of(thing_of("red open car", multi_coloured=True), exhaustive=ALL)
    assert yes_no_of_attributes(here, LOT) == ({"car: open"}, {"car: closed"})


@pytest.mark.parametrize("who", ["man", "girl", "child", "person", "skier"])
def test_are_no_sizes_of_people(who: str) -> None:
    """A little girl is not small for a girl."""
    here, street = scene_of(f"little {who}", "little dog"), scene_of(f"large {who}", "large dog", id="street")
    assert yes_no_of_attributes(here, street) == ({"dog: little"}, {"dog: large"})


@pytest.mark.parametrize(
    "draw", [lambda v, c: attribute_argument(v, c, True), antonym_arguments, attribute_choice, action_choice]
)
def test_data_without_any_are_told_from_a_scene_without(draw: Draw) -> None:
    without = draw(view_of(scene_of("dog", "car"), scene_of("cat", id="b")), FirstOption())
    assert without == NotApplicable(reason="the data has no attributes")
    drawn = draw(view_of(scene_of("dog", "car"), LOT), FirstOption())
    assert isinstance(drawn, NotApplicable)
    assert drawn.reason.startswith("no thing that is the only one of its kind has an attribute")
