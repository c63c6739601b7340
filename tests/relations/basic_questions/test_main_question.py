"""What is asked as a main question, and what is known of its answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.meaning import Absent, Annotated, Count, Exists
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.relations.basic_questions.noise import AnswerType, MainQuestion, main_question
from tests.making import choosers, scene_of


def of(scene: Scene) -> list[MainQuestion]:
    found = [main_question(scene, choose) for choose in choosers(60)]
    return [each for each in found if isinstance(each, MainQuestion)]


def published(*answers: str, kind: str = "", **more: tuple[float, ...] | tuple[str, ...]) -> PublishedQuestion:
    return PublishedQuestion(id="7", text="What is it?", answers=answers, kind=kind, **more)  # type: ignore[arg-type]  # scores or options


def test_without_published_questions_it_is_about_what_is_there(yard: Scene) -> None:
    found = of(yard)
    types = {type(each.question.meaning): each.answer_type for each in found}
    assert types == {Count: AnswerType.NUMBER, Exists: AnswerType.YES_NO, Absent: AnswerType.YES_NO}
    assert {each.annotators for each in found} == {0}
    assert all(each.truth_known for each in found)


def test_a_count_that_may_miss_something_has_no_known_answer(yard: Scene) -> None:
    found = of(replace(yard, exhaustive=frozenset()))
    known = {type(each.question.meaning): each.truth_known for each in found}
    assert known == {Count: False, Exists: True, Absent: True}


def test_of_an_empty_picture_nothing_is_asked(bare: Scene) -> None:
    assert of(bare) == []
    assert all(isinstance(main_question(bare, choose), NotApplicable) for choose in choosers(3))


def test_published_questions_come_first(yard: Scene) -> None:
    other = replace(published("no"), id="8", text="Is it?")
    found = of(replace(yard, questions=(published("red", "red", "blue"), other)))
    assert {each.question.text for each in found} == {"What is it?", "Is it?"}
    (three,) = {each.annotators for each in found if each.question.text == "What is it?"}
    assert three == 3


@pytest.mark.parametrize(
    ("question", "answer_type"),
    [
        (published("red", kind="other"), "other"),
        (published("yes", kind="other"), "other"),
        (published("red", kind="yes/no"), "yes/no"),
        (published("red", kind="number"), "number"),
        # A data set that says nothing of the kind: as its options or most of its answers are.
        (published("No", "no", "3", kind="verify"), "yes/no"),
        (published("3", "3", "three"), "number"),
        (published("red", options=("yes", "no")), "yes/no"),
        (published("red", "3", "yes", "red"), "other"),
        (published(), "other"),
    ],
)
def test_the_answer_type(question: PublishedQuestion, answer_type: str) -> None:
    (found,) = set(of(replace(scene_of(), questions=(question,))))
    assert found.answer_type == answer_type
    assert dict(found.facts)["answer_type"] == answer_type


def test_what_is_known_of_published_answers() -> None:
    def facts(question: PublishedQuestion) -> tuple[object, ...]:
        (found,) = set(of(replace(scene_of(), questions=(question,))))
        assert isinstance(found.question.meaning, Annotated)
        return found.annotators, found.truth_known

    assert facts(published(*["red"] * 10)) == (10, True)
    assert facts(published("red", "blue", scores=(1.0, 0.3))) == (0, True)
    assert facts(published()) == (0, False)
