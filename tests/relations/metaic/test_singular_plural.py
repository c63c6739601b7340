"""With one more thing in the picture, the caption has all classes in the number that is right."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.relations.metaic import ObjectAppearance, SingularPlural
from tests.making import answers_of
from tests.relations.metaic.backyard import DOG, backyard, cases, dogs

RELATION = SingularPlural()


def a_case() -> Case:
    return cases(RELATION, "15", backyard(), dogs())[0]


def test_it_is_asked_of_the_pictures_of_the_other_relation() -> None:
    for variant in RELATION.info.variants:
        own = cases(RELATION, variant, backyard(), dogs())
        others = cases(ObjectAppearance(), variant, backyard(), dogs())
        assert [case.queries for case in own] == [case.queries for case in others] != []
        assert {case.expected for case in own} == {
            "what first names is as singular or plural in second; dog is singular, or plural where first names it"
        }


def test_both_draw_with_the_same_seeds() -> None:
    assert RELATION.info.draws_as == ObjectAppearance().info.draws_as != ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a bus", "a bus and a dog"),
        ("two buses", "a dog in front of two buses"),
        # Yu et al., section 3.4: plural where it was there before.
        ("a dog and a bus", "two dogs and a bus"),
        ("two dogs", "a group of dogs"),
    ],
)
def test_it_holds_where_each_class_has_the_right_number(before: str, after: str) -> None:
    verdict = RELATION.judge(a_case(), answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.HOLDS, "", False)
    assert verdict.figures == (("suspicious", 0.0), ("quantity", 0.0))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Yu et al., Figure 1: the inserted one was not in the singular.
        ("a bus", "a bus and two dogs"),
        ("a bus", "two buses and a dog"),
        ("buses", "a bus and a dog"),
        ("a dog and a bus", "a dog and a bus"),
    ],
)
def test_it_is_violated_where_a_number_is_wrong(before: str, after: str) -> None:
    verdict = RELATION.judge(a_case(), answers_of(before, after))
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.reason.startswith("quantity: ")
    assert verdict.figures == (("suspicious", 1.0), ("quantity", 1.0))


@pytest.mark.parametrize("after", ["two buses", "a bus and a cat", "two cats"])
def test_where_the_classes_are_wrong_it_is_not_judged(after: str) -> None:
    answers = answers_of("a bus", after)
    verdict = RELATION.judge(a_case(), answers)
    assert (verdict.outcome, verdict.vacuous) == (Outcome.HOLDS, True)
    assert dict(verdict.figures) == {"suspicious": 0.0, "quantity": 0.0}
    assert ObjectAppearance().judge(a_case(), answers).outcome is Outcome.VIOLATED


def test_words_without_a_singular_have_no_number_unless_it_is_read_as_published() -> None:
    # Yu et al., section 4.2.3: "a pair of scissors".
    answers = answers_of("scissors", "a pair of scissors and a dog")
    assert RELATION.judge(a_case(), answers).outcome is Outcome.HOLDS


def test_a_refusal_cannot_be_read() -> None:
    verdict = RELATION.judge(a_case(), answers_of("a bus", "I cannot help with that."))
    assert (verdict.outcome, verdict.reason, verdict.figures) == (Outcome.UNPARSED, "refusal", ())


def test_a_class_that_is_there_is_inserted_too(small_things_are_salient: None) -> None:
    there = cases(RELATION, "0", backyard(DOG), dogs())
    assert {case.fact("was_there") for case in there} == {True}
    assert {case.queries[1].picture.scene.count("dog") for case in there} == {2}
