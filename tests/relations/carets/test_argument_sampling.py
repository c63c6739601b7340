"""An argument of any type that the scene can give, as many true as false."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.carets.argument_sampling import sample_argument, sample_fitting_argument
from pytest_vqamt.relations.carets.arguments import Argument
from tests.making import choosers, scene_of
from tests.relations.carets.draws import many, one_is, view_of

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
