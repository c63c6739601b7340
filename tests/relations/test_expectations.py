"""How answers must relate: what holds, what is violated, what cannot be read, what holds and shows nothing."""

from __future__ import annotations

from typing import TypeAlias

import pytest

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Choice,
    Count,
    Describe,
    Entails,
    Exists,
    Group,
    Has,
    Meaning,
    Unit,
)
from pytest_vqamt.core.query import Task
from pytest_vqamt.relations.expectations import (
    Expectation,
    all_yes,
    any_yes,
    at_most_the_first,
    becomes_no,
    different_answers,
    exactly_one_yes,
    format_reading,
    not_both_yes,
    one_less,
    one_more,
    opposite_answer,
    read_answer,
    same_answer,
    sum_of_parts,
    unchanged,
    yes_if_all_are,
)
from tests.making import answers_of, case_of
from tests.rows import each_row

DOG, CAT = Group(name="dog"), Group(name="cat")
HOW_MANY, IS_THERE, IS_THERE_NO = Count(groups=(DOG,)), Exists(group=DOG), Absent(group=DOG)
WHICH = Choice(what=Group(name="car"), options=("red", "blue"))

HOLDS, VIOLATED, UNPARSED = Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED


def judged(expectation: Expectation, meanings: tuple[Meaning, ...], *texts: str) -> Verdict:
    return expectation(case_of(*meanings), answers_of(*texts))


SUM = (Count(groups=(DOG, CAT)), HOW_MANY, Count(groups=(CAT,)))
HYPOTHESIS = Entails(units=(Unit(group=DOG),))
NOT_ALIKE = "all answers must be the same, but got {}"
ONE_YES_ONE_NO = "one answer must be yes and the other no, but got {}"
MORE = "the second count must be one more than the first, but got {}"
LESS = "the second count must be one less than the first, but got {}"
ANY = "the first answer must be yes just where one of the others is, but got {}"
ALL = "the first answer must be yes just where all of the others are, but got {}"
NO_SUM = "expected a quantifier as the sum of"

Row: TypeAlias = tuple[Expectation, tuple[Meaning, ...], Outcome, bool | None, str, tuple[tuple[str, ...], ...]]

# An expectation, the questions, the verdict, whether it is vacuous (None: not said) and its reason ("": not said),
# where "{}" is the answers as they stand; and answers to the questions that all get this verdict.
VERDICTS: tuple[Row, ...] = (
    (sum_of_parts, SUM, HOLDS, False, "", (
        ("5", "2", "3"), ("There are five animals.", "2", "three"), ("2", "a dog", "one"),
        ("3", "a pair", "a single cat"), ("2", "a couple", "none"), ("4", "4", "no"),
        ("4", "zero", "There are four cats."), ("2 dogs and 3 cats, so 5 in total", "2", "3"),
        ("<think>Perhaps 9? No.</think> 5", "2", "3"), ("5.", "2 dogs", "3 cats"),
    )),
    (sum_of_parts, SUM, VIOLATED, None, "expected 2 + 3 = 5, but got 4, 2, 3", (("4", "2", "3"),)),
    (sum_of_parts, SUM, VIOLATED, None, "expected 1 + 0 = 1, but got 0, 1, 0", (("0", "1", "0"),)),
    (sum_of_parts, SUM, VIOLATED, None, "expected 0 + 0 = 0, but got 1, 0, 0", (("1", "none", "no cats"),)),
    (sum_of_parts, SUM, UNPARSED, None, "no number", (("5", "2", "red"),)),
    (sum_of_parts, SUM, UNPARSED, None, "several numbers", (("2 or 3", "2", "3"),)),
    (sum_of_parts, SUM, UNPARSED, None, "empty answer", (("5", "", "3"),)),
    (sum_of_parts, SUM, UNPARSED, None, "refusal", (("I cannot answer that.", "2", "3"),)),
    (sum_of_parts, SUM, UNPARSED, None, "cut off", (("<think>two, three, so five", "2", "3"),)),
    (sum_of_parts, SUM, HOLDS, True, "", (("none", "0", "no"),)),
    # A quantifier among the parts makes the sum a quantifier, and a number is none.
    (sum_of_parts, SUM, HOLDS, None, "", (("many", "many", "3"), ("lots", "several", "a few"), ("many", "0", "many"))),
    (sum_of_parts, SUM, VIOLATED, None, NO_SUM, (("7", "many", "3"), ("2", "several", "a few"), ("0", "many", "0"))),
    # Many against seven and eight, or one and one, is left undecided; but many is never none or one.
    (sum_of_parts, SUM, HOLDS, True, "", (("many", "7", "8"), ("many", "1", "1"), ("several", "2", "0"))),
    (sum_of_parts, SUM, VIOLATED, None, "", (("many", "0", "0"), ("several", "1", "0"), ("many", "0", "1"))),
    (sum_of_parts, (HOW_MANY,) * 4, HOLDS, None, "", (("6", "1", "2", "3"),)),
    (sum_of_parts, (HOW_MANY,) * 4, VIOLATED, None, "", (("5", "1", "2", "3"),)),
    # A bound leaves it open.
    (sum_of_parts, (HOW_MANY,) * 3, HOLDS, True, "", (
        ("at least one", "1", "0"), ("3", "at least 2", "1"), ("at least 2", "at least 1", "1"),
    )),
    (same_answer, (HOW_MANY,) * 2, HOLDS, False, "", (("3", "three"), ("There are 3 dogs.", "3"), ("many", "several"))),
    (same_answer, (IS_THERE,) * 2, HOLDS, False, "", (("yes", "Yes, there is a dog."), ("no", "No."))),
    (same_answer, (WHICH,) * 2, HOLDS, False, "", (("It is red.", "red"),)),
    (same_answer, (HYPOTHESIS,) * 2, HOLDS, False, "", (
        ("entailment", "The picture entails the hypothesis."),
    )),
    (same_answer, (Describe(),) * 2, HOLDS, False, "", (("A dog.", "a  dog"),)),
    (same_answer, (HOW_MANY,) * 2, VIOLATED, None, NOT_ALIKE, (("3", "2"),)),
    (same_answer, (HOW_MANY,) * 2, VIOLATED, None, NOT_ALIKE.format("0, 1"), (("none", "a dog"),)),
    (same_answer, (IS_THERE,) * 2, VIOLATED, None, NOT_ALIKE.format("yes, no"), (("yes", "there is no dog"),)),
    (same_answer, (WHICH,) * 2, VIOLATED, None, NOT_ALIKE.format("red, blue"), (("red", "the blue one"),)),
    (same_answer, (Describe(),) * 2, VIOLATED, None, NOT_ALIKE, (("a dog", "a cat"),)),
    # An answer of the wrong kind shows nothing, also where the same is said twice.
    (same_answer, (HOW_MANY,) * 2, UNPARSED, False, "no number", (("yes", "yes"),)),
    (same_answer, (IS_THERE,) * 2, UNPARSED, False, "neither yes nor no", (("3", "3"),)),
    (same_answer, (WHICH,) * 2, UNPARSED, False, "several options named", (("red or blue", "red or blue"),)),
    (same_answer, (WHICH,) * 2, UNPARSED, False, "no option named", (("green", "green"),)),
    (same_answer, (Describe(),) * 2, UNPARSED, False, "empty answer", (("  ", "  "),)),
    (same_answer, (Has(group=DOG, attribute="red"),) * 2, UNPARSED, False, "refusal", (
        ("Sorry, I can't help with that.", "Sorry, I can't help with that."),
    )),
    # None and none shows nothing, but no and no does.
    (same_answer, (HOW_MANY,) * 2, HOLDS, True, "", (("0", "none"), ("7", "many"), ("at least 2", "1"))),
    (same_answer, (IS_THERE,) * 2, HOLDS, False, "", (("no", "no"),)),
    (same_answer, (HOW_MANY,) * 2, VIOLATED, None, "", (("many", "1"), ("0", "a few"))),
    (same_answer, (HOW_MANY,) * 3, HOLDS, None, "", (("2", "2", "2"),)),
    (same_answer, (HOW_MANY,) * 3, VIOLATED, None, "", (("2", "many", "3"), ("2", "3", "2"))),
    # A clause beats the particle, and is put to the question: "is there no dog?" is answered by yes.
    (opposite_answer, (IS_THERE, IS_THERE_NO), HOLDS, False, "", (
        ("yes", "no"), ("No", "Yes"), ("There is a dog.", "no"), ("no", "No, there is no dog."),
        ("there are no dogs", "there are no dogs"), ("Yes, I can see a dog.", "There is a dog."),
    )),
    # A bare "no" to "is there no dog?" is taken logically: there is one.
    (opposite_answer, (IS_THERE, IS_THERE_NO), VIOLATED, None, ONE_YES_ONE_NO, (
        ("yes", "yes"), ("no", "no"),
    )),
    (opposite_answer, (IS_THERE, IS_THERE_NO), VIOLATED, None, ONE_YES_ONE_NO.format("yes, yes"), (
        ("There is a dog.", "There is no dog."),
    )),
    (opposite_answer, (IS_THERE, IS_THERE_NO), UNPARSED, None, "", (
        ("yes", ""), ("yes", "2"), ("yes", "perhaps"), ("yes", "yes and no"),
    )),
    (different_answers, (HOW_MANY,) * 3, HOLDS, False, "", (("1", "2", "3"), ("many", "1", "0"))),
    (different_answers, (HOW_MANY,) * 3, HOLDS, True, "", (("1", "many", "2"), ("many", "several", "1"))),
    (different_answers, (HOW_MANY,) * 3, VIOLATED, False, "", (("1", "2", "1"), ("many", "1", "1"))),
    (different_answers, (HOW_MANY,) * 3, UNPARSED, False, "", (("1", "perhaps", "2"),)),
    (different_answers, (WHICH, WHICH), HOLDS, None, "", (("red", "It is blue."),)),
    (different_answers, (WHICH, WHICH), VIOLATED, None, "", (("red", "It is red."),)),
    (different_answers, (IS_THERE, IS_THERE_NO), HOLDS, None, "", (("yes", "no"),)),
    (exactly_one_yes, (IS_THERE,) * 3, HOLDS, None, "", (("yes", "no", "no"), ("no", "no", "yes"))),
    (exactly_one_yes, (IS_THERE,) * 3, VIOLATED, None, "", (("no", "no", "no"), ("yes", "yes", "no"))),
    (exactly_one_yes, (IS_THERE,) * 3, UNPARSED, None, "", (("yes", "2", "no"),)),
    (one_more, (HOW_MANY,) * 2, HOLDS, False, "", (
        ("2", "3"), ("0", "1"), ("none", "There is one dog."), ("nine", "10"),
    )),
    (one_more, (HOW_MANY,) * 2, VIOLATED, None, MORE, (("2", "2"), ("0", "0"), ("3", "2"), ("1", "3"))),
    # A quantifier stands for 2 or more: it may follow 1, and never 0. What it leaves open shows nothing.
    (one_more, (HOW_MANY,) * 2, HOLDS, True, "", (
        ("1", "many"), ("4", "several"), ("many", "3"), ("many", "many"), ("0", "at least 1"), ("at least 2", "1"),
    )),
    (one_more, (HOW_MANY,) * 2, VIOLATED, None, "", (("0", "many"), ("many", "2"), ("many", "0"))),
    (one_more, (HOW_MANY,) * 2, UNPARSED, None, "", (("2", "yes"), ("", "3"), ("2", "I cannot tell."))),
    (one_less, (HOW_MANY,) * 2, HOLDS, False, "", (("3", "2"), ("1", "0"), ("a dog", "none"))),
    # MetaVQA section 4.2.2: 0 is not 0 + 1, which shows who always says 0.
    (one_less, (HOW_MANY,) * 2, VIOLATED, None, LESS, (("0", "0"), ("2", "2"), ("2", "3"), ("3", "1"))),
    # Many less one is one or more; 2 less one is no longer many.
    (one_less, (HOW_MANY,) * 2, HOLDS, True, "", (("many", "1"), ("many", "many"), ("3", "a few"))),
    (one_less, (HOW_MANY,) * 2, VIOLATED, None, "", (("many", "0"), ("2", "many"), ("1", "several"))),
    (any_yes, (IS_THERE,) * 3, HOLDS, False, "", (("yes", "no", "yes"), ("yes", "yes", "yes"), ("no", "no", "no"))),
    (any_yes, (IS_THERE,) * 4, HOLDS, False, "", (("yes", "Yes, a dog.", "no", "no"),)),
    (any_yes, (IS_THERE,) * 3, VIOLATED, None, ANY, (("yes", "no", "no"), ("no", "no", "yes"), ("no", "yes", "yes"))),
    (any_yes, (IS_THERE,) * 3, UNPARSED, None, "", (("yes", "2", "yes"),)),
    (all_yes, (IS_THERE_NO,) * 3, HOLDS, False, "", (
        ("yes", "yes", "yes"), ("no", "yes", "no"), ("no", "no", "no"),
    )),
    (all_yes, (IS_THERE_NO,) * 3, VIOLATED, None, ALL, (
        ("yes", "no", "yes"), ("no", "yes", "yes"), ("yes", "no", "no"),
    )),
    (becomes_no, (IS_THERE,) * 2, HOLDS, False, "", (("yes", "no"),)),
    (becomes_no, (IS_THERE,) * 2, HOLDS, True, "", (("no", "no"),)),
    (becomes_no, (IS_THERE,) * 2, VIOLATED, None, "yes must become no, but got {}", (("yes", "yes"), ("no", "yes"))),
    (becomes_no, (IS_THERE,) * 2, UNPARSED, None, "", (("yes", "0"),)),
    # The very same words hold, be they of the right kind or not; letters and spaces are no change.
    (unchanged, (HOW_MANY,) * 2, HOLDS, None, "", (
        ("3", "3"), ("banana", "banana"), ("I cannot answer that.", "I cannot answer that."), ("", ""),
        ("3", "three dogs"),
    )),
    (unchanged, (WHICH,) * 2, HOLDS, None, "", (("Neither  of them", "neither of them "),)),
    (unchanged, (HOW_MANY,) * 2, VIOLATED, None, "", (("3", "2"),)),
    (unchanged, (HOW_MANY,) * 2, UNPARSED, None, "", (("banana", "apple"),)),
    (not_both_yes, (IS_THERE,) * 2, HOLDS, False, "", (("yes", "no"), ("no", "yes"))),
    (not_both_yes, (IS_THERE,) * 2, HOLDS, True, "", (("no", "no"),)),
    (not_both_yes, (IS_THERE,) * 2, VIOLATED, False, "", (("yes", "yes"),)),
    (not_both_yes, (IS_THERE,) * 2, UNPARSED, False, "", (("yes", "perhaps"),)),
    (yes_if_all_are, (IS_THERE,) * 3, HOLDS, False, "", (("yes", "yes", "yes"),)),
    (yes_if_all_are, (IS_THERE,) * 3, HOLDS, True, "", (("yes", "no", "no"), ("no", "yes", "yes"))),
    (yes_if_all_are, (IS_THERE,) * 3, VIOLATED, False, "", (("yes", "yes", "no"),)),
    (yes_if_all_are, (IS_THERE,) * 3, UNPARSED, False, "", (("no", "no", "2"),)),
    (at_most_the_first, (HOW_MANY,) * 2, HOLDS, False, "", (("3", "2"), ("3", "3"))),
    # "Many" is two or more.
    (at_most_the_first, (HOW_MANY,) * 2, HOLDS, True, "", (
        ("3", "none"), ("many", "5"), ("many", "a few"), ("2", "many"), ("0", "at least 3"),
    )),
    (at_most_the_first, (HOW_MANY,) * 2, VIOLATED, False, "", (("2", "3"), ("none", "one"), ("1", "many"))),
    (at_most_the_first, (HOW_MANY,) * 2, UNPARSED, False, "", (("3", "red"),)),
)  # fmt: skip


@each_row(("expectation", "meanings", "outcome", "vacuous", "reason", "answers"), VERDICTS)
def test_verdicts(
    expectation: Expectation,
    meanings: tuple[Meaning, ...],
    outcome: Outcome,
    vacuous: bool | None,
    reason: str,
    answers: tuple[tuple[str, ...], ...],
) -> None:
    for texts in answers:
        verdict = judged(expectation, meanings, *texts)
        assert verdict.outcome is outcome, texts
        assert vacuous in (None, verdict.vacuous), texts
        assert reason in ("", NO_SUM) or verdict.reason == reason.format(", ".join(texts)), texts
        assert reason != NO_SUM or verdict.reason.startswith(NO_SUM), texts
        assert bool(verdict.reason) is (outcome is not HOLDS), texts
        assert outcome is not UNPARSED or "unparsed" in verdict.readings, texts


@each_row(
    ("expectation", "meanings", "texts", "readings"),
    [
        (sum_of_parts, SUM, ("none", "0", "no"), ("0", "0", "0")),
        (same_answer, (HOW_MANY,) * 2, ("none", "a dog"), ("0", "1")),
        (same_answer, (IS_THERE,) * 2, ("yes", "there is no dog"), ("yes", "no")),
        (same_answer, (WHICH,) * 2, ("red", "the blue one"), ("red", "blue")),
        (same_answer, (HOW_MANY,) * 2, ("many", "several"), ("many", "several")),
        (same_answer, (HOW_MANY,) * 2, ("yes", "yes"), ("unparsed", "unparsed")),
        (opposite_answer, (IS_THERE, IS_THERE_NO), ("no", "no"), ("no", "no")),
        (opposite_answer, (IS_THERE, IS_THERE_NO), ("There is a dog.", "There is no dog."), ("yes", "yes")),
        # What is said is put to the question.
        (all_yes, (IS_THERE_NO,) * 2, ("There is no dog.", "no dogs"), ("yes", "yes")),
        (becomes_no, (IS_THERE,) * 2, ("yes", "no"), ("yes", "no")),
    ],
)
def test_readings(
    expectation: Expectation, meanings: tuple[Meaning, ...], texts: tuple[str, ...], readings: tuple[str, ...]
) -> None:
    assert judged(expectation, meanings, *texts).readings == readings


@each_row(
    ("expectation", "meaning"),
    [
        (same_answer, IS_THERE),
        (opposite_answer, IS_THERE),
        (sum_of_parts, HOW_MANY),
        (one_more, HOW_MANY),
        (one_less, HOW_MANY),
        (any_yes, IS_THERE),
        (all_yes, IS_THERE_NO),
        (becomes_no, IS_THERE),
        (unchanged, IS_THERE),
    ],
)
def test_an_answer_for_each_query_is_needed(expectation: Expectation, meaning: Meaning) -> None:
    with pytest.raises(ValueError, match="zip"):
        expectation(case_of(meaning, meaning), answers_of("yes"))


@each_row(
    ("expectation", "meanings"),
    [
        (opposite_answer, (HOW_MANY, HOW_MANY)),
        (opposite_answer, (IS_THERE,)),
        (opposite_answer, (IS_THERE, IS_THERE, IS_THERE)),
        (sum_of_parts, (HOW_MANY, IS_THERE)),
        (sum_of_parts, (HOW_MANY,)),
        (one_more, (HOW_MANY, IS_THERE)),
        (one_more, (HOW_MANY, HOW_MANY, HOW_MANY)),
        (one_less, (HOW_MANY,)),
        (any_yes, (IS_THERE,)),
        (any_yes, (IS_THERE, HOW_MANY)),
        (all_yes, (HOW_MANY, IS_THERE_NO)),
        (becomes_no, (IS_THERE, IS_THERE, IS_THERE)),
        (becomes_no, (HOW_MANY, HOW_MANY)),
    ],
)
def test_a_case_of_the_wrong_kind_is_refused(expectation: Expectation, meanings: tuple[Meaning, ...]) -> None:
    with pytest.raises(VqamtError, match="Expected a case of"):
        expectation(case_of(*meanings), answers_of(*("yes" for _ in meanings)))


@each_row(
    ("meaning", "text", "reading"),
    [
        (HOW_MANY, "two", "2"),
        (HOW_MANY, "many", "many"),
        (IS_THERE, "Yes.", "yes"),
        (IS_THERE_NO, "there is no dog", "yes"),
        (Has(group=DOG, attribute="brown"), "It is not brown.", "no"),
        (WHICH, "blue", "blue"),
        (Entails(units=()), "It is neutral.", "neutral"),
        (Describe(), "<think>hm</think> A Dog, two cats. ", "a dog, two cats"),
        (HOW_MANY, "banana", "unparsed"),
    ],
)
def test_answers_are_read_as_their_question_asks_and_shown_as_people_write(
    meaning: Meaning, text: str, reading: str
) -> None:
    case: Case = case_of(meaning, task=Task.VQA)
    assert format_reading(read_answer(case.queries[0], answers_of(text)[0])) == reading


def test_a_small_a_is_a_letter_where_the_text_has_letters() -> None:
    [query] = case_of(WHICH).queries
    of_letters = replace(query, text="Which color is it? A) red B) blue")
    assert [format_reading(read_answer(each, answers_of("a")[0])) for each in (query, of_letters)] == [
        "unparsed",
        "red",
    ]


class TestPublishedQuestions:
    """Read by what may be answered, where that is known."""

    YES_NO = Annotated(answers=(("yes", 1.0),), options=("yes", "no"))
    COLOURS = Annotated(answers=(("blue", 1.0),), options=("light blue", "blue", "red"))
    OPEN = Annotated(answers=(("Blue", 1.0),))

    @each_row(
        ("meaning", "text", "reading"),
        [
            (YES_NO, "Yes, it is.", "yes"),
            (YES_NO, "no", "no"),
            (YES_NO, "There is no dog.", "unparsed"),  # to "is there no dog?" it would mean yes
            (YES_NO, "blue", "unparsed"),
            (COLOURS, "It is light blue.", "light blue"),
            (COLOURS, "yes", "unparsed"),
            (OPEN, "Blue.", "blue"),
            (OPEN, "Yes.", "yes"),
        ],
    )
    def test_an_answer(self, meaning: Annotated, text: str, reading: str) -> None:
        [query] = case_of(meaning).queries
        assert format_reading(read_answer(query, answers_of(text)[0])) == reading

    def test_yes_and_no_may_be_opposites_and_others_may_not(self) -> None:
        assert judged(opposite_answer, (self.YES_NO, self.YES_NO), "Yes", "no").outcome is HOLDS
        assert judged(opposite_answer, (IS_THERE, self.YES_NO), "No", "no").outcome is VIOLATED
        for other in (self.COLOURS, self.OPEN):
            with pytest.raises(VqamtError, match="Expected a case of two yes/no questions"):
                judged(opposite_answer, (self.YES_NO, other), "yes", "no")


@pytest.mark.parametrize(
    ("expectation", "asked", "message"),
    [
        (exactly_one_yes, (HOW_MANY, HOW_MANY), "Expected a case of two yes/no questions or more"),
        (not_both_yes, (IS_THERE, HOW_MANY), "Expected a case of two yes/no questions"),
        (yes_if_all_are, (IS_THERE,), "Expected a case of yes/no questions, the last of which follows"),
        (at_most_the_first, (HOW_MANY, IS_THERE), "Expected a case of two questions for a number"),
    ],
)
def test_other_questions_are_refused(expectation: Expectation, asked: tuple[Meaning, ...], message: str) -> None:
    with pytest.raises(VqamtError, match=message):
        judged(expectation, asked, *("yes" for _ in asked))
