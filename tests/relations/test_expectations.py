"""How answers must relate: what holds, what is violated, what cannot be read, what holds and shows nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.case import Case, Outcome, Verdict
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


class TestSumOfParts:
    MEANINGS = (Count(groups=(DOG, CAT)), Count(groups=(DOG,)), Count(groups=(CAT,)))

    def verdict(self, *texts: str) -> Verdict:
        return judged(sum_of_parts, self.MEANINGS, *texts)

    @each_row(
        "texts",
        [
            ("5", "2", "3"),
            ("There are five animals.", "2", "three"),
            ("2", "a dog", "one"),
            ("3", "a pair", "a single cat"),
            ("2", "a couple", "none"),
            ("4", "4", "no"),
            ("4", "zero", "There are four cats."),
            ("2 dogs and 3 cats, so 5 in total", "2", "3"),
            ("<think>Perhaps 9? No.</think> 5", "2", "3"),
            ("5.", "2 dogs", "3 cats"),
        ],
    )
    def test_holds(self, texts: tuple[str, ...]) -> None:
        verdict = self.verdict(*texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, False)

    @pytest.mark.parametrize(
        ("texts", "reason"),
        [
            (("4", "2", "3"), "expected 2 + 3 = 5, but got 4, 2, 3"),
            (("0", "1", "0"), "expected 1 + 0 = 1, but got 0, 1, 0"),
            (("1", "none", "no cats"), "expected 0 + 0 = 0, but got 1, 0, 0"),
        ],
        ids=["too few", "none of one", "one of none"],
    )
    def test_violated_and_the_sum_is_told(self, texts: tuple[str, ...], reason: str) -> None:
        verdict = self.verdict(*texts)
        assert (verdict.outcome, verdict.reason) == (VIOLATED, reason)

    @pytest.mark.parametrize(
        ("texts", "reason"),
        [
            (("5", "2", "red"), "no number"),
            (("2 or 3", "2", "3"), "several numbers"),
            (("5", "", "3"), "empty answer"),
            (("I cannot answer that.", "2", "3"), "refusal"),
            (("<think>two, three, so five", "2", "3"), "cut off"),
        ],
        ids=["not a number", "two numbers", "nothing", "refusal", "thinking without an end"],
    )
    def test_unparsed_with_its_own_reason(self, texts: tuple[str, ...], reason: str) -> None:
        verdict = self.verdict(*texts)
        assert (verdict.outcome, verdict.reason) == (UNPARSED, reason)
        assert "unparsed" in verdict.readings

    def test_nothing_plus_nothing_shows_nothing(self) -> None:
        verdict = self.verdict("none", "0", "no")
        assert (verdict.outcome, verdict.vacuous, verdict.readings) == (HOLDS, True, ("0", "0", "0"))

    @pytest.mark.parametrize("texts", [("many", "many", "3"), ("lots", "several", "a few"), ("many", "0", "many")])
    def test_a_quantifier_among_the_parts_makes_the_sum_a_quantifier(self, texts: tuple[str, ...]) -> None:
        assert self.verdict(*texts).outcome is HOLDS

    @pytest.mark.parametrize("texts", [("7", "many", "3"), ("2", "several", "a few"), ("0", "many", "0")])
    def test_and_a_number_is_none(self, texts: tuple[str, ...]) -> None:
        verdict = self.verdict(*texts)
        assert verdict.outcome is VIOLATED
        assert verdict.reason.startswith("expected a quantifier as the sum of")

    @pytest.mark.parametrize("texts", [("many", "7", "8"), ("many", "1", "1")])
    def test_many_against_a_sum_of_two_or_more_is_left_undecided(self, texts: tuple[str, ...]) -> None:
        verdict = self.verdict(*texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, True)

    @pytest.mark.parametrize("texts", [("many", "0", "0"), ("several", "1", "0")])
    def test_but_many_is_never_none_or_one(self, texts: tuple[str, ...]) -> None:
        assert self.verdict(*texts).outcome is VIOLATED

    def test_any_number_of_parts(self) -> None:
        three = (HOW_MANY, HOW_MANY, HOW_MANY, HOW_MANY)
        assert judged(sum_of_parts, three, "6", "1", "2", "3").outcome is HOLDS
        assert judged(sum_of_parts, three, "5", "1", "2", "3").outcome is VIOLATED


class TestSameAnswer:
    @each_row(
        ("meaning", "texts"),
        [
            (HOW_MANY, ("3", "three")),
            (HOW_MANY, ("There are 3 dogs.", "3")),
            (IS_THERE, ("yes", "Yes, there is a dog.")),
            (IS_THERE, ("no", "No.")),
            (WHICH, ("It is red.", "red")),
            (Entails(units=(Unit(group=DOG),)), ("entailment", "The picture entails the hypothesis.")),
            (Describe(), ("A dog.", "a  dog")),
        ],
    )
    def test_holds_where_both_say_the_same(self, meaning: Meaning, texts: tuple[str, str]) -> None:
        verdict = judged(same_answer, (meaning, meaning), *texts)
        assert (verdict.outcome, verdict.vacuous, verdict.reason) == (HOLDS, False, "")

    @pytest.mark.parametrize(
        ("meaning", "texts", "readings"),
        [
            (HOW_MANY, ("3", "2"), ("3", "2")),
            (HOW_MANY, ("none", "a dog"), ("0", "1")),
            (IS_THERE, ("yes", "there is no dog"), ("yes", "no")),
            (WHICH, ("red", "the blue one"), ("red", "blue")),
            (Describe(), ("a dog", "a cat"), ("a dog", "a cat")),
        ],
        ids=lambda value: " | ".join(value) if isinstance(value, tuple) else type(value).__name__,
    )
    def test_is_violated_where_they_differ(
        self, meaning: Meaning, texts: tuple[str, str], readings: tuple[str, str]
    ) -> None:
        verdict = judged(same_answer, (meaning, meaning), *texts)
        assert (verdict.outcome, verdict.readings) == (VIOLATED, readings)
        assert verdict.reason == f"all answers must be the same, but got {', '.join(readings)}"

    @each_row(
        ("meaning", "text", "reason"),
        [
            (HOW_MANY, "yes", "no number"),
            (IS_THERE, "3", "neither yes nor no"),
            (WHICH, "red or blue", "several options named"),
            (WHICH, "green", "no option named"),
            (Describe(), "  ", "empty answer"),
            (Has(group=DOG, attribute="red"), "Sorry, I can't help with that.", "refusal"),
        ],
    )
    def test_is_unparsed_where_one_is_of_the_wrong_kind(self, meaning: Meaning, text: str, reason: str) -> None:
        # Also where the same is said twice: an answer of the wrong kind shows nothing.
        assert judged(same_answer, (meaning, meaning), text, text) == Verdict(
            outcome=UNPARSED, reason=reason, readings=("unparsed", "unparsed")
        )

    def test_none_and_none_shows_nothing_but_no_and_no_does(self) -> None:
        assert judged(same_answer, (HOW_MANY, HOW_MANY), "0", "none").vacuous
        assert not judged(same_answer, (IS_THERE, IS_THERE), "no", "no").vacuous

    def test_quantifiers(self) -> None:
        two = (HOW_MANY, HOW_MANY)
        assert judged(same_answer, two, "many", "several") == Verdict(outcome=HOLDS, readings=("many", "several"))
        undecided = judged(same_answer, two, "7", "many")
        assert (undecided.outcome, undecided.vacuous) == (HOLDS, True)
        assert judged(same_answer, two, "many", "1").outcome is VIOLATED
        assert judged(same_answer, two, "0", "a few").outcome is VIOLATED

    def test_one_that_differs_among_many_is_enough(self) -> None:
        three = (HOW_MANY, HOW_MANY, HOW_MANY)
        assert judged(same_answer, three, "2", "2", "2").outcome is HOLDS
        assert judged(same_answer, three, "2", "many", "3").outcome is VIOLATED
        assert judged(same_answer, three, "2", "3", "2").outcome is VIOLATED


class TestOppositeAnswer:
    @each_row(
        "texts",
        [
            ("yes", "no"),
            ("No", "Yes"),
            ("There is a dog.", "no"),
            # A clause beats the particle, and is put to the question: "is there no dog?" is answered by yes.
            ("no", "No, there is no dog."),
            ("there are no dogs", "there are no dogs"),
            ("Yes, I can see a dog.", "There is a dog."),
        ],
    )
    def test_holds(self, texts: tuple[str, str]) -> None:
        verdict = judged(opposite_answer, (IS_THERE, IS_THERE_NO), *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, False)

    @pytest.mark.parametrize(
        ("texts", "readings"),
        [
            (("yes", "yes"), ("yes", "yes")),
            # A bare "no" to "is there no dog?" is taken logically: there is one.
            (("no", "no"), ("no", "no")),
            (("There is a dog.", "There is no dog."), ("yes", "yes")),
        ],
        ids=["yes twice", "no twice", "there is and there is not"],
    )
    def test_is_violated(self, texts: tuple[str, str], readings: tuple[str, str]) -> None:
        verdict = judged(opposite_answer, (IS_THERE, IS_THERE_NO), *texts)
        assert (verdict.outcome, verdict.readings) == (VIOLATED, readings)
        assert verdict.reason == f"one answer must be yes and the other no, but got {', '.join(readings)}"

    @pytest.mark.parametrize("text", ["", "2", "perhaps", "yes and no"])
    def test_is_unparsed(self, text: str) -> None:
        assert judged(opposite_answer, (IS_THERE, IS_THERE_NO), "yes", text).outcome is UNPARSED


class TestDifferentAnswers:
    @each_row(
        ("texts", "outcome", "is_vacuous"),
        [
            (("1", "2", "3"), HOLDS, False),
            (("1", "2", "1"), VIOLATED, False),
            (("1", "many", "2"), HOLDS, True),
            (("many", "several", "1"), HOLDS, True),
            (("many", "1", "0"), HOLDS, False),
            (("many", "1", "1"), VIOLATED, False),
            (("1", "perhaps", "2"), UNPARSED, False),
        ],
    )
    def test_of_counts(self, texts: tuple[str, ...], outcome: Outcome, is_vacuous: bool) -> None:
        verdict = judged(different_answers, (HOW_MANY,) * 3, *texts)
        assert (verdict.outcome, verdict.vacuous) == (outcome, is_vacuous)

    def test_of_options_and_of_yes_and_no(self) -> None:
        assert judged(different_answers, (WHICH, WHICH), "red", "It is blue.").outcome is HOLDS
        assert judged(different_answers, (WHICH, WHICH), "red", "It is red.").outcome is VIOLATED
        assert judged(different_answers, (IS_THERE, IS_THERE_NO), "yes", "no").outcome is HOLDS


class TestExactlyOneYes:
    @each_row(
        ("texts", "outcome"),
        [
            (("yes", "no", "no"), HOLDS),
            (("no", "no", "yes"), HOLDS),
            (("no", "no", "no"), VIOLATED),
            (("yes", "yes", "no"), VIOLATED),
            (("yes", "2", "no"), UNPARSED),
        ],
    )
    def test_of_three(self, texts: tuple[str, ...], outcome: Outcome) -> None:
        assert judged(exactly_one_yes, (IS_THERE,) * 3, *texts).outcome is outcome

    def test_of_other_questions(self) -> None:
        with pytest.raises(VqamtError, match="Expected a case of two yes/no questions or more"):
            judged(exactly_one_yes, (HOW_MANY, HOW_MANY), "1", "2")


class TestOneMore:
    TWO = (HOW_MANY, HOW_MANY)

    @pytest.mark.parametrize("texts", [("2", "3"), ("0", "1"), ("none", "There is one dog."), ("nine", "10")])
    def test_holds(self, texts: tuple[str, str]) -> None:
        verdict = judged(one_more, self.TWO, *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, False)

    @pytest.mark.parametrize("texts", [("2", "2"), ("0", "0"), ("3", "2"), ("1", "3")])
    def test_violated(self, texts: tuple[str, str]) -> None:
        verdict = judged(one_more, self.TWO, *texts)
        assert (verdict.outcome, verdict.reason) == (
            VIOLATED,
            f"the second count must be one more than the first, but got {texts[0]}, {texts[1]}",
        )

    # A quantifier stands for 2 or more: it may follow 1, and never 0.
    @pytest.mark.parametrize("texts", [("1", "many"), ("4", "several"), ("many", "3"), ("many", "many")])
    def test_what_a_quantifier_leaves_open_shows_nothing(self, texts: tuple[str, str]) -> None:
        verdict = judged(one_more, self.TWO, *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, True)

    @pytest.mark.parametrize("texts", [("0", "many"), ("many", "2"), ("many", "0")])
    def test_what_no_quantifier_can_mean_is_violated(self, texts: tuple[str, str]) -> None:
        assert judged(one_more, self.TWO, *texts).outcome is VIOLATED

    @pytest.mark.parametrize("texts", [("0", "at least 1"), ("at least 2", "1")])
    def test_a_bound_leaves_it_open(self, texts: tuple[str, str]) -> None:
        assert judged(one_more, self.TWO, *texts).vacuous

    @pytest.mark.parametrize("texts", [("2", "yes"), ("", "3"), ("2", "I cannot tell.")])
    def test_is_unparsed(self, texts: tuple[str, str]) -> None:
        assert judged(one_more, self.TWO, *texts).outcome is UNPARSED


class TestOneLess:
    TWO = (HOW_MANY, HOW_MANY)

    @pytest.mark.parametrize("texts", [("3", "2"), ("1", "0"), ("a dog", "none")])
    def test_holds(self, texts: tuple[str, str]) -> None:
        verdict = judged(one_less, self.TWO, *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, False)

    # MetaVQA section 4.2.2: 0 is not 0 + 1, which shows who always says 0.
    @pytest.mark.parametrize("texts", [("0", "0"), ("2", "2"), ("2", "3"), ("3", "1")])
    def test_violated(self, texts: tuple[str, str]) -> None:
        verdict = judged(one_less, self.TWO, *texts)
        assert (verdict.outcome, verdict.reason) == (
            VIOLATED,
            f"the second count must be one less than the first, but got {texts[0]}, {texts[1]}",
        )

    @pytest.mark.parametrize("texts", [("many", "1"), ("many", "many"), ("3", "a few")])
    def test_what_a_quantifier_leaves_open_shows_nothing(self, texts: tuple[str, str]) -> None:
        verdict = judged(one_less, self.TWO, *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, True)

    # Many less one is one or more; 2 less one is no longer many.
    @pytest.mark.parametrize("texts", [("many", "0"), ("2", "many"), ("1", "several")])
    def test_what_no_quantifier_can_mean_is_violated(self, texts: tuple[str, str]) -> None:
        assert judged(one_less, self.TWO, *texts).outcome is VIOLATED


class TestAnyYes:
    @pytest.mark.parametrize(
        "texts", [("yes", "no", "yes"), ("yes", "yes", "yes"), ("no", "no", "no"), ("yes", "Yes, a dog.", "no", "no")]
    )
    def test_holds(self, texts: tuple[str, ...]) -> None:
        verdict = judged(any_yes, (IS_THERE,) * len(texts), *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, False)

    @pytest.mark.parametrize("texts", [("yes", "no", "no"), ("no", "no", "yes"), ("no", "yes", "yes")])
    def test_violated(self, texts: tuple[str, ...]) -> None:
        verdict = judged(any_yes, (IS_THERE,) * 3, *texts)
        assert verdict.outcome is VIOLATED
        assert verdict.reason == (
            f"the first answer must be yes just where one of the others is, but got {', '.join(texts)}"
        )

    def test_is_unparsed(self) -> None:
        assert judged(any_yes, (IS_THERE,) * 3, "yes", "2", "yes").outcome is UNPARSED


class TestAllYes:
    @pytest.mark.parametrize("texts", [("yes", "yes", "yes"), ("no", "yes", "no"), ("no", "no", "no")])
    def test_holds(self, texts: tuple[str, ...]) -> None:
        verdict = judged(all_yes, (IS_THERE_NO,) * 3, *texts)
        assert (verdict.outcome, verdict.vacuous) == (HOLDS, False)

    @pytest.mark.parametrize("texts", [("yes", "no", "yes"), ("no", "yes", "yes"), ("yes", "no", "no")])
    def test_violated(self, texts: tuple[str, ...]) -> None:
        verdict = judged(all_yes, (IS_THERE_NO,) * 3, *texts)
        assert verdict.outcome is VIOLATED
        assert verdict.reason == (
            f"the first answer must be yes just where all of the others are, but got {', '.join(texts)}"
        )

    def test_what_is_said_is_put_to_the_question(self) -> None:
        assert judged(all_yes, (IS_THERE_NO,) * 2, "There is no dog.", "no dogs").readings == ("yes", "yes")


class TestBecomesNo:
    TWO = (IS_THERE, IS_THERE)

    def test_holds_where_yes_becomes_no(self) -> None:
        assert judged(becomes_no, self.TWO, "yes", "no") == Verdict(outcome=HOLDS, readings=("yes", "no"))

    def test_no_and_no_shows_nothing(self) -> None:
        assert judged(becomes_no, self.TWO, "no", "no").vacuous

    @pytest.mark.parametrize("texts", [("yes", "yes"), ("no", "yes")])
    def test_violated(self, texts: tuple[str, str]) -> None:
        verdict = judged(becomes_no, self.TWO, *texts)
        assert (verdict.outcome, verdict.reason) == (
            VIOLATED,
            f"yes must become no, but got {texts[0]}, {texts[1]}",
        )

    def test_is_unparsed(self) -> None:
        assert judged(becomes_no, self.TWO, "yes", "0").outcome is UNPARSED


class TestUnchanged:
    @pytest.mark.parametrize("text", ["3", "banana", "I cannot answer that.", ""])
    def test_the_very_same_words_hold_be_they_of_the_right_kind_or_not(self, text: str) -> None:
        assert judged(unchanged, (HOW_MANY, HOW_MANY), text, text).outcome is HOLDS

    def test_letters_and_spaces_are_no_change(self) -> None:
        assert judged(unchanged, (WHICH, WHICH), "Neither  of them", "neither of them ").outcome is HOLDS

    def test_other_words_of_the_same_meaning_hold(self) -> None:
        assert judged(unchanged, (HOW_MANY, HOW_MANY), "3", "three dogs").outcome is HOLDS

    def test_another_meaning_is_a_violation(self) -> None:
        assert judged(unchanged, (HOW_MANY, HOW_MANY), "3", "2").outcome is VIOLATED

    def test_other_words_that_cannot_be_read_are_unparsed(self) -> None:
        assert judged(unchanged, (HOW_MANY, HOW_MANY), "banana", "apple").outcome is UNPARSED


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


@pytest.mark.parametrize(
    "texts", [("at least one", "1", "0"), ("3", "at least 2", "1"), ("at least 2", "at least 1", "1")]
)
def test_a_bound_leaves_a_sum_undecided(texts: tuple[str, ...]) -> None:
    verdict = judged(sum_of_parts, (HOW_MANY, HOW_MANY, HOW_MANY), *texts)
    assert (verdict.outcome, verdict.vacuous) == (Outcome.HOLDS, True)


def test_a_bound_leaves_sameness_undecided() -> None:
    verdict = judged(same_answer, (HOW_MANY, HOW_MANY), "at least 2", "1")
    assert (verdict.outcome, verdict.vacuous) == (Outcome.HOLDS, True)


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


@each_row(
    ("texts", "outcome", "vacuous"),
    [
        (("yes", "no"), HOLDS, False),
        (("no", "yes"), HOLDS, False),
        (("no", "no"), HOLDS, True),
        (("yes", "yes"), VIOLATED, False),
        (("yes", "perhaps"), UNPARSED, False),
    ],
)
def test_not_both_yes(texts: tuple[str, ...], outcome: Outcome, vacuous: bool) -> None:
    verdict = judged(not_both_yes, (IS_THERE, IS_THERE), *texts)
    assert (verdict.outcome, verdict.vacuous) == (outcome, vacuous)


@each_row(
    ("texts", "outcome", "vacuous"),
    [
        (("yes", "yes", "yes"), HOLDS, False),
        (("yes", "yes", "no"), VIOLATED, False),
        (("yes", "no", "no"), HOLDS, True),
        (("no", "yes", "yes"), HOLDS, True),
        (("no", "no", "2"), UNPARSED, False),
    ],
)
def test_yes_if_all_are(texts: tuple[str, ...], outcome: Outcome, vacuous: bool) -> None:
    verdict = judged(yes_if_all_are, (IS_THERE, IS_THERE, IS_THERE), *texts)
    assert (verdict.outcome, verdict.vacuous) == (outcome, vacuous)


@each_row(
    ("texts", "outcome", "vacuous"),
    [
        (("3", "2"), HOLDS, False),
        (("3", "3"), HOLDS, False),
        (("3", "none"), HOLDS, True),
        (("2", "3"), VIOLATED, False),
        (("none", "one"), VIOLATED, False),
        # "Many" is two or more.
        (("many", "5"), HOLDS, True),
        (("many", "a few"), HOLDS, True),
        (("2", "many"), HOLDS, True),
        (("1", "many"), VIOLATED, False),
        (("0", "at least 3"), HOLDS, True),
        (("3", "red"), UNPARSED, False),
    ],
)
def test_at_most_the_first(texts: tuple[str, ...], outcome: Outcome, vacuous: bool) -> None:
    verdict = judged(at_most_the_first, (HOW_MANY, HOW_MANY), *texts)
    assert (verdict.outcome, verdict.vacuous) == (outcome, vacuous)


@pytest.mark.parametrize(
    ("expectation", "asked", "message"),
    [
        (not_both_yes, (IS_THERE, HOW_MANY), "Expected a case of two yes/no questions"),
        (yes_if_all_are, (IS_THERE,), "Expected a case of yes/no questions, the last of which follows"),
        (at_most_the_first, (HOW_MANY, IS_THERE), "Expected a case of two questions for a number"),
    ],
)
def test_other_questions_are_refused(expectation: Expectation, asked: tuple[Meaning, ...], message: str) -> None:
    with pytest.raises(VqamtError, match=message):
        judged(expectation, asked, *("yes" for _ in asked))
