"""A question that is not worded yet: what it tells of itself, and how it is worded."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Neither, Related
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import templates
from pytest_vqamt.language.questions.templates import Askable, Asking, QuestionType
from pytest_vqamt.relations.carets_arguments import Argument, one_template, things_named, two_templates
from pytest_vqamt.relations.carets_sampling import sample_argument, sample_fitting_argument
from tests.making import choosers, group_of, scene_of
from tests.relations.carets.draws import many, one_is, view_of
from tests.rows import each_row

CAT_ON_BENCH = Group(name="cat", related=(Related(predicate="on", to=Group(name="bench")),))


def argument(type_: QuestionType, meaning: Askable, truth: str = "yes", category: str = "") -> Argument:
    return Argument(asking=Asking(type=type_, meaning=meaning, category=category), truth=truth, subject="dog")


def test_facts_of_a_yes_no_question() -> None:
    asked = argument(QuestionType.OBJECT, Exists(group=group_of("red car")), "no")
    assert dict(asked.facts(template=3, other_template=5)) == {
        "question_type": "object",
        "answers": "binary",
        "truth": "no",
        "related": False,
        "subject": "dog",
        "template": 3,
        "other_template": 5,
    }


@pytest.mark.parametrize("options", [("red", "blue"), ("red", "blue", "green")])
def test_facts_of_choices(options: tuple[str, ...]) -> None:
    asked = argument(QuestionType.ATTRIBUTE_CHOICE, Choice(what=CAT_ON_BENCH, options=options), "red", "color")
    facts = dict(asked.facts(template=0, other_template=1))
    assert facts["answers"] == "choices"
    assert facts["choices"] == len(options)
    assert facts["related"] is True
    assert "truth" not in facts


def test_one_that_is_related_has_templates_of_its_own() -> None:
    plain, on_it = (argument(QuestionType.OBJECT, Exists(group=group)) for group in (Group(name="cat"), CAT_ON_BENCH))
    assert (plain.is_related, on_it.is_related) == (False, True)
    assert plain.templates == templates.count(QuestionType.OBJECT, False)
    assert on_it.templates == templates.count(QuestionType.OBJECT, True)
    assert plain.templates != on_it.templates


@pytest.mark.parametrize(
    ("type_", "truth", "unsure", "is_so"),
    [
        (QuestionType.DISJUNCTION, "yes", True, True),
        (QuestionType.DISJUNCTION, "yes", False, False),
        (QuestionType.DISJUNCTION, "no", True, False),
        (QuestionType.CONJUNCTION, "yes", True, False),
    ],
)
def test_one_of_two_is_there_and_the_other_perhaps(type_: QuestionType, truth: str, unsure: bool, is_so: bool) -> None:
    groups = (group_of("dog"), group_of("cat"))
    meaning = Either(groups=groups) if type_ is QuestionType.DISJUNCTION else Both(groups=groups)
    asked = Argument(asking=Asking(type=type_, meaning=meaning), truth=truth, subject="", rests_on_absence=unsure)
    assert asked.is_one_of_two is is_so


def test_the_wording_means_what_was_asked() -> None:
    either = Either(groups=(group_of("red dog"), group_of("cat")))
    asked = argument(QuestionType.DISJUNCTION, either)
    assert asked.worded(2).meaning == either
    assert asked.worded(2, negated=True).meaning == Neither(groups=either.groups)


def test_two_templates_are_two() -> None:
    asked = argument(QuestionType.OBJECT, Exists(group=group_of("dog")))
    drawn = [two_templates(asked, choose) for choose in choosers(600)]
    assert all(first != second for first, second in drawn)
    assert {number for pair in drawn for number in pair} == set(range(asked.templates))
    assert {one_template(asked, choose) for choose in choosers(600)} == set(range(asked.templates))


@each_row(
    ("meaning", "ids"),
    [
        (Exists(group=group_of("dog")), ("0", "1")),
        (Exists(group=group_of("red dog")), ("1",)),
        (Both(groups=(group_of("car"), group_of("red dog"))), ("1", "4")),
        (Either(groups=(group_of("cow"), group_of("car"))), ("4",)),
        (Has(group=CAT_ON_BENCH, attribute="black"), ("2", "3")),
        (Choice(what=CAT_ON_BENCH, options=("red", "black")), ("2", "3")),
        (Exists(group=Group(name="animal", covers=("animal", "cat", "dog"))), ("0", "1", "2")),
        (Exists(group=group_of("cow")), ()),
    ],
)
def test_the_true_objects_are_all_that_is_named(meaning: Askable, ids: tuple[str, ...]) -> None:
    """In the order of the scene, with what they stand in a relation to."""
    scene: Scene = scene_of("dog", "red dog", "cat", "bench", "car", relationships=(one_is("on", "2", "3"),))
    asking = Asking(type=QuestionType.OBJECT, meaning=meaning)
    assert tuple(thing.id for thing in things_named(asking, scene)[0]) == ids


# An argument of any type that the scene can give, as many true as false.

TYPES = tuple(QuestionType)
LISTED = ("dog", "car", "bench", "cow", "lamp", "cat")
PARK = scene_of("brown sitting dog", "bench", "red car", relationships=(one_is("on"),), exhaustive=LISTED, id="park")
FARM = scene_of("cow", "white dog", "cat", "standing dog", "lamp", "white bench", "blue car", "bench", id="farm")
ODD = NotApplicable(reason="odd")


def test_each_type_is_as_likely() -> None:
    view = view_of(PARK, FARM)
    drawn = Counter(each.asking.type for each in many(lambda choose: sample_argument(TYPES, view, choose), 3500))
    # A standard deviation of a seventh of 3500 is 0.6 points.
    assert all(abs(drawn[type_] / 3500 - 1 / 7) < 0.024 for type_ in TYPES), drawn


def test_a_type_that_the_scene_cannot_give_is_replaced() -> None:
    view = view_of(scene_of("dog", "car", exhaustive=LISTED), FARM)  # nothing has an attribute
    drawn = many(lambda choose: sample_argument(TYPES, view, choose), 300)
    assert len(drawn) == 300
    assert {each.asking.type for each in drawn} == set(TYPES[:3])


def test_where_no_type_can_be_had_one_says_why() -> None:
    view = view_of(scene_of(), FARM)
    reasons = {
        each.reason
        for choose in choosers(50)
        if isinstance(each := sample_argument(TYPES, view, choose), NotApplicable)
    }
    assert len(reasons) > 1
    assert all(reasons)


@pytest.mark.parametrize("refused", ["yes", "no"])
def test_what_is_refused_of_the_one_truth_does_not_tip_the_balance(refused: str) -> None:
    view = view_of(PARK, FARM)

    def fits(argument: Argument) -> int | NotApplicable:
        return ODD if argument.truth == refused and argument.subject[0] == "c" else len(argument.subject)

    drawn = many(lambda choose: sample_fitting_argument(TYPES[:4], view, choose, fits), 3000)
    truths = Counter(argument.truth for argument, _ in drawn)
    # Of more than 1000, a standard deviation is at most 1.6 points.
    assert truths.total() > 1000
    assert truths["yes"] / truths.total() == pytest.approx(0.5, abs=0.06)
    assert all(made == len(argument.subject) for argument, made in drawn)
    assert not any(argument.truth == refused and argument.subject[0] == "c" for argument, _ in drawn)


def test_where_nothing_fits_one_says_why() -> None:
    view = view_of(PARK, FARM)
    assert {sample_fitting_argument(TYPES, view, choose, lambda _: ODD) for choose in choosers(20)} == {ODD}
