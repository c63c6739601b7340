"""What is asked with choices: of made scenes, all that can be asked; and that exactly one choice is right."""

from __future__ import annotations

from itertools import combinations

import pytest

from pytest_vqamt.core.meaning import Choice, truth
from pytest_vqamt.core.scene import Relationship, Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.carets_arguments import Argument
from tests.making import scene_of, thing_of
from tests.relations.carets.draws import KNOWN, arguments, asked, one_is, short, view_of
from tests.rows import each_row

OBJECT, ATTRIBUTE, ACTION = (
    QuestionType.OBJECT_CHOICE, QuestionType.ATTRIBUTE_CHOICE, QuestionType.ACTION_CHOICE,
)  # fmt: skip


def of(type_: QuestionType, scene: Scene, *others: Scene) -> set[str]:
    return asked(arguments(type_, view_of(scene, *others), draws=400))


def options(found: list[Argument]) -> set[tuple[str, ...]]:
    """The choices that were offered, in the order that they were offered in."""
    return {each.asking.meaning.options for each in found if isinstance(each.asking.meaning, Choice)}


class TestObjects:
    ZOO = scene_of("cat", "horse", "cat", id="zoo")

    def test_are_told_by_the_class_with_an_attribute_or_a_related_thing(self) -> None:
        here = scene_of("black dog", "bed", relationships=(one_is("on"),))
        found = of(OBJECT, here, self.ZOO)
        about_dogs = {each for each in found if "dog" in each}
        assert about_dogs == {
            f"{what}: {choices}"
            for what in ("black animal", "animal on bed")
            for choices in ("cat, dog", "dog, horse", "cat, dog, horse")
        }

    def test_are_offered_beside_names_that_occur(self) -> None:
        assert of(OBJECT, scene_of("black dog"), scene_of("sheep", id="zoo")) == {"black animal: dog, sheep"}

    @each_row("other", ["black cow", "cow", "dark cow", "black teddy_bear", "teddy_bear", "black puppy"])
    def test_are_not_asked_about_where_another_one_answers_to_the_phrase(self, other: str) -> None:
        """Rule 6: "the black animal" with a cow and a horse."""
        assert of(OBJECT, scene_of("black dog", other), self.ZOO) == set()

    def test_are_asked_about_where_every_other_one_of_the_class_surely_is_not_meant(self) -> None:
        # The teddy bear is white, as is the cow, which is therefore not told by that.
        found = of(OBJECT, scene_of("black dog", "white cow", "white teddy_bear"), scene_of("cat", id="zoo"))
        assert {each for each in found if "animal" in each} == {
            "black animal: cat, dog", "black animal: cow, dog", "black animal: cat, cow, dog",
        }  # fmt: skip

    def test_are_not_asked_about_beside_a_crowd_of_the_class(self) -> None:
        assert of(OBJECT, scene_of("black dog", crowds=("sheep",)), self.ZOO) == set()

    def test_are_not_told_by_what_depends_on_the_class(self) -> None:
        """Rule 7: a small elephant is no small animal."""
        assert of(OBJECT, scene_of("small dog"), self.ZOO) == set()

    def test_are_not_told_by_an_attribute_that_is_one_of_the_choices(self) -> None:
        """No "the orange fruit, an apple or an orange"."""
        market = scene_of("orange", "banana", id="market")
        fruits = {each for each in of(OBJECT, scene_of("orange apple"), market) if "fruit" in each}
        assert fruits == set()
        fruits = {each for each in of(OBJECT, scene_of("green apple"), market) if "fruit" in each}
        choices = ("apple, orange", "apple, banana", "apple, banana, orange")
        assert fruits == {f"green fruit: {each}" for each in choices}
        # No animal is an orange.
        assert of(OBJECT, scene_of("orange cat"), scene_of("dog", id="zoo")) == {"orange animal: cat, dog"}

    def test_are_offered_beside_nothing_that_they_may_be_called(self) -> None:
        # A pony is a horse, a puppy a dog.
        farm = scene_of("horse", "dog", "cow", id="farm")
        assert of(OBJECT, scene_of("black pony"), farm) == {
            "black animal: dog, pony", "black animal: cow, pony", "black animal: cow, dog, pony",
        }  # fmt: skip
        assert not any("dog" in each for each in of(OBJECT, scene_of("black puppy"), farm))

    def test_rest_on_there_being_no_other_one_of_the_class(self) -> None:
        sure = arguments(OBJECT, view_of(scene_of("black dog", exhaustive=("animal", "dog")), self.ZOO))
        loose = arguments(OBJECT, view_of(scene_of("black dog", exhaustive=("dog",)), self.ZOO))
        assert {each.rests_on_the_only_one for each in sure} == {False}
        assert {each.rests_on_the_only_one for each in loose} == {True}


class TestAttributes:
    LOT = scene_of("blue car", "white car", "white car", "gold car", "open car", id="lot")

    def test_are_offered_beside_those_that_exclude_it_and_each_other(self) -> None:
        # Gold is not far from yellow and from orange, and blue and white exclude it and each other.
        assert of(ATTRIBUTE, scene_of("yellow car"), self.LOT) == {
            "car: blue, yellow", "car: white, yellow", "car: blue, white, yellow",
        }  # fmt: skip

    def test_are_never_two_false_ones_of_which_one_may_be_the_other(self) -> None:
        # What is red to one is orange to another: either can be offered beside white, and both of them cannot.
        found = of(ATTRIBUTE, scene_of("white car"), *(scene_of(f"{each} car", id=each) for each in ("red", "orange")))
        assert found == {"car: red, white", "car: orange, white"}

    def test_are_two_or_three_as_often(self) -> None:
        found = arguments(ATTRIBUTE, view_of(scene_of("yellow car"), self.LOT), draws=2000)
        three = sum(short(each.asking.meaning).count(",") == 2 for each in found)
        # Of 2000 draws a standard deviation is 1.1 points.
        assert three / 2000 == pytest.approx(0.5, abs=0.045)

    def test_come_in_any_order(self) -> None:
        found = arguments(ATTRIBUTE, view_of(scene_of("yellow car"), self.LOT), draws=400)
        assert len({each for each in options(found) if len(each) == 3}) == 6
        assert {each for each in options(found) if len(each) == 2} == {
            ("blue", "yellow"), ("yellow", "blue"), ("white", "yellow"), ("yellow", "white"),
        }  # fmt: skip

    def test_are_not_asked_of_a_thing_that_has_two_of_the_kind(self) -> None:
        assert of(ATTRIBUTE, scene_of("red orange car"), self.LOT) == set()
        assert of(ATTRIBUTE, scene_of(thing_of("red car", multi_coloured=True)), self.LOT) == set()

    def test_are_not_asked_where_two_things_may_be_meant(self) -> None:
        assert of(ATTRIBUTE, scene_of("red car", "car"), self.LOT) == set()
        assert of(ATTRIBUTE, scene_of("red car", crowds=("car",)), self.LOT) == set()

    def test_are_asked_by_another_attribute_than_of_their_kind(self) -> None:
        here = scene_of("red open car", "green closed car")
        found = of(ATTRIBUTE, here, scene_of("white car", id="lot"))
        assert {each for each in found if each.startswith(("red car", "green car"))} == set()
        assert "open car: red, white" in found
        assert "closed car: green, white" in found

    def test_are_of_kinds_that_have_a_name(self) -> None:
        # There is no word for what "open" and "closed" are.
        assert of(ATTRIBUTE, scene_of("open car"), scene_of("closed car", id="lot")) == set()

    def test_come_from_things_of_any_name_where_those_of_its_own_have_none_to_offer(self) -> None:
        assert of(ATTRIBUTE, scene_of("red car"), scene_of("blue boat", id="lake")) == {"car: blue, red"}

    def test_know_what_is_asked_for(self) -> None:
        found = arguments(ATTRIBUTE, view_of(scene_of("red car"), self.LOT))
        assert {(each.asking.category, each.truth, each.subject) for each in found} == {("color", "red", "red")}


class TestActions:
    CLASS = scene_of("standing man", "sitting dog", "standing chair", id="class")

    def test_are_of_who_can_act(self) -> None:
        assert of(ACTION, scene_of("sitting man"), self.CLASS) == {"man: sitting, standing"}
        assert of(ACTION, scene_of("standing chair"), self.CLASS) == set()

    def test_are_no_attributes(self) -> None:
        assert of(ACTION, scene_of("brown dog"), scene_of("white dog", id="class")) == set()
        assert of(ATTRIBUTE, scene_of("sitting man"), self.CLASS) == set()

    def test_can_be_of_who_is_told_by_what_he_wears(self) -> None:
        wearing = (Relationship(subject="0", predicate="wearing", object="1"),)
        found = of(ACTION, scene_of("sitting man", "hat", relationships=wearing), self.CLASS)
        assert found == {"man: sitting, standing", "man wearing hat: sitting, standing"}


@pytest.mark.parametrize("type_", [OBJECT, ATTRIBUTE, ACTION])
def test_exactly_one_choice_is_right_and_all_exclude_each_other(type_: QuestionType) -> None:
    scene = scene_of(
        "black sitting dog", "red car", "standing wooden horse", "yellow bed", relationships=(one_is("in"),)
    )
    others = scene_of(
        "white lying dog", "tan cat", "gold car", "blue car", "walking horse", "metal bed", "elephant", id="o"
    )
    found = arguments(type_, view_of(scene, others), draws=500)
    assert len(found) == 500
    for each in found:
        meaning = each.asking.meaning
        assert isinstance(meaning, Choice)
        assert truth(meaning, scene) == each.truth
        assert len(set(meaning.options)) == len(meaning.options) in (2, 3)
        for a, b in combinations(meaning.options, 2):
            assert type_ is OBJECT or KNOWN.ontology.excludes(a, b)
