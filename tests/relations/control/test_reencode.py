"""A lossless re-encoding of the picture changes nothing, and neither do doubled spaces in the question."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.control import Reencode
from tests.making import FirstOption, answers_of

REENCODE = Reencode()


def derived(scene: Scene, variant: str = "") -> Case:
    case = REENCODE.derive(scene, gather_corpus((scene,)), FirstOption(), variant)
    assert isinstance(case, Case)
    return case


@pytest.mark.parametrize(
    ("variant", "again"),
    [
        ("", "How many dogs and cats are there in the picture altogether?"),
        ("spaces", "How  many  dogs  and  cats  are  there  in  the  picture  altogether?"),
    ],
)
def test_a_case_asks_once_more_of_the_picture_re_encoded(yard: Scene, variant: str, again: str) -> None:
    case = derived(yard, variant)
    first, second = case.queries
    assert first.text == "How many dogs and cats are there in the picture altogether?"
    assert second.text == again
    assert first.meaning == second.meaning
    assert (first.picture, second.picture) == (yard.picture, yard.picture.reencode())
    assert second.picture.scene == yard
    assert (case.relation, case.variant, case.expected) == ("control.reencode", variant, "first = second")


def test_it_holds_for_a_model_that_does_not_mind(yard: Scene) -> None:
    assert REENCODE.judge(derived(yard), answers_of("4", "four")).outcome is Outcome.HOLDS


def test_it_is_violated_by_one_that_does(yard: Scene) -> None:
    assert REENCODE.judge(derived(yard), answers_of("4", "0")).outcome is Outcome.VIOLATED


def test_it_does_not_apply_to_a_picture_of_nothing(bare: Scene) -> None:
    assert isinstance(REENCODE.derive(bare, gather_corpus((bare,)), FirstOption(), ""), NotApplicable)


def test_it_is_a_control() -> None:
    assert REENCODE.info.tags == ("control",)
