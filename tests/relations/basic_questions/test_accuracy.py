"""How right answers count: against ten annotators, against few, against scores, and against the scene."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Case, Fact
from pytest_vqamt.core.meaning import Absent, Annotated, Count, Meaning
from pytest_vqamt.relations.basic_questions.noise import figures_of
from tests.making import case_of, group_of

TEN = Annotated(answers=(("2", 0.3), ("two dogs", 0.3), ("3", 0.2), ("a few", 0.2)))
DOGS = Count(groups=(group_of("dog"),))


def of(meaning: Meaning, **facts: Fact) -> Case:
    """A case of the empty picture that asks this twice."""
    told = {"answer_type": "number", "annotators": 0, "truth_known": True, **facts}
    made = case_of(meaning, meaning)
    return Case(
        relation=made.relation,
        variant="1",
        scene=made.scene,
        queries=made.queries,
        expected="first = second",
        facts=tuple(told.items()),
    )


def test_both_answers_count_over_all_and_over_their_answer_type() -> None:
    # There is no dog in the empty picture.
    assert figures_of(of(DOGS), ("0", "2")) == (
        ("clean", 1.0), ("clean number", 1.0), ("noisy", 0.0), ("noisy number", 0.0),
    )  # fmt: skip


def accuracies(case: Case, *readings: str) -> tuple[float, float]:
    figures = dict(figures_of(case, readings))
    assert figures["clean"] == figures[f"clean {case.fact('answer_type')}"]
    return figures["clean"], figures["noisy"]


def test_against_the_scene_an_answer_is_right_or_wrong() -> None:
    absent = of(Absent(group=group_of("dog")), answer_type="yes/no")
    assert accuracies(absent, "yes", "no") == (1, 0)
    assert accuracies(of(DOGS), "unparsed", "0") == (0, 1)


def test_against_ten_annotators_it_is_vqa_accuracy() -> None:
    # Three say "2" and three "two dogs", which is "2 dogs": 0.9 each. Two say "3", and two "a few": 0.6 each.
    case = of(TEN, annotators=10)
    assert accuracies(case, "two", "3") == pytest.approx((0.9, 0.6))
    assert accuracies(case, "few", "2 dogs") == pytest.approx((0.6, 0.9))
    assert accuracies(case, "unparsed", "4") == (0, 0)


def test_where_ten_agree_the_reading_must_be_their_very_answer() -> None:
    case = of(Annotated(answers=(("yes", 1.0),)), annotators=10, answer_type="yes/no")
    assert accuracies(case, "yes", "yes it is") == (1, 0)


@pytest.mark.parametrize("annotators", [1, 2, 3])
def test_where_too_few_answered_for_it_the_most_given_answer_is_right(annotators: int) -> None:
    case = of(Annotated(answers=(("A dog", 2 / 3), ("cat", 1 / 3))), annotators=annotators)
    assert accuracies(case, "dog", "cat") == (1, 0)


def test_four_annotators_are_enough() -> None:
    case = of(Annotated(answers=(("dog", 0.75), ("cat", 0.25))), annotators=4)
    # Who is left out: one of three dogs, three times, or the cat. Then one dog, which is left out with the cat.
    assert accuracies(case, "dog", "cat") == pytest.approx(((3 * 2 / 3 + 1) / 4, 3 / 3 / 4))


def test_scored_answers_count_their_score() -> None:
    case = of(Annotated(answers=(("dark blue", 1.0), ("blue", 0.3))))
    assert accuracies(case, "blue", "dark-blue") == (0.3, 1)
    assert accuracies(case, "red", "the blue") == (0, 0.3)


def test_yes_and_no_of_published_questions_are_right_as_they_are_read() -> None:
    case = of(Annotated(answers=(("no", 1.0),), options=("yes", "no")), annotators=1, answer_type="yes/no")
    assert accuracies(case, "no", "yes") == (1, 0)


def test_where_nobody_knows_nothing_is_counted() -> None:
    assert figures_of(of(DOGS, truth_known=False), ("0", "2")) == ()
