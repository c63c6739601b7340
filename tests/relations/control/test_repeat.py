"""The same question on the same picture, asked twice, gets the same answer."""

from __future__ import annotations

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import gather
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.control.repeat import Repeat
from tests.making import FirstOption, answers_of

REPEAT = Repeat()


def derived(scene: Scene) -> Case:
    case = REPEAT.derive(scene, gather((scene,)), FirstOption(), "")
    assert isinstance(case, Case)
    return case


def test_a_case_asks_the_same_twice_and_lets_no_cache_answer_the_second(yard: Scene) -> None:
    case = derived(yard)
    first, second = case.queries
    assert (first.text, first.meaning, first.picture) == (second.text, second.meaning, second.picture)
    assert first.text == "How many dogs and cats are there in the picture altogether?"
    assert (first.trial, second.trial) == (0, 1)
    assert first.id != second.id
    assert (case.relation, case.variant, case.expected) == ("control.repeat", "", "first = second")


def test_it_holds_for_a_model_that_repeats_itself(yard: Scene) -> None:
    assert REPEAT.judge(derived(yard), answers_of("4", "4")).outcome is Outcome.HOLDS
    assert REPEAT.judge(derived(yard), answers_of("a herd of llamas", "a herd of llamas")).outcome is Outcome.HOLDS


def test_it_is_violated_by_one_that_does_not(yard: Scene) -> None:
    assert REPEAT.judge(derived(yard), answers_of("4", "5")).outcome is Outcome.VIOLATED


def test_it_does_not_apply_to_a_picture_of_nothing(bare: Scene) -> None:
    assert isinstance(REPEAT.derive(bare, gather((bare,)), FirstOption(), ""), NotApplicable)


def test_it_is_a_control() -> None:
    assert REPEAT.info.tags == ("control",)
