"""Expectations: functions of a case and its answers, in the order of the queries, that return a verdict.

An answer of the wrong kind makes the case UNPARSED. Quantifiers ("many") follow MetaVQA section 4.1.1: a case that
arithmetic cannot decide holds vacuously.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import combinations
from typing import TypeAlias

from pytest_vqamt.core.case import RIGHT_FOLLOW_UP, RIGHT_SOURCE, Amount, Case, Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import VqamtError, location, without_partial
from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Annotated,
    Count,
    Entails,
    Label,
    Meaning,
    PartCount,
    Property,
    is_yes_no,
    what_is_asked,
)
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.text import first_line
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer, prepare
from pytest_vqamt.language.answers.counts import Quantifier
from pytest_vqamt.language.answers.other_languages import is_in_another_language
from pytest_vqamt.language.answers.reading import AnswerReading, FreeAnswer, as_letter, read_by_meaning

Expectation: TypeAlias = Callable[[Case, Sequence[Answer]], Verdict]

_LEAST_QUANTIFIED = 2
"""The smallest number that a quantifier can stand for."""

_REFUSING = frozenset({Unreadable.REFUSAL, Unreadable.UNSURE, Unreadable.DECLINED})
"""Causes by which a model chooses not to answer; one that sees nothing, or is cut off, has a fault."""

_ORDINALS = ("first", "second", "third")

# Only these causes are looked into for another language: a refusal or an empty answer has its cause already.
_OF_ANOTHER_KIND = frozenset({Unreadable.NO_NUMBER, Unreadable.NO_YES_OR_NO, Unreadable.NO_OPTION, Unreadable.NO_LABEL})
_OTHER_LANGUAGE = "other language"


def expectation(rule: Callable[..., bool]) -> Expectation:
    """Makes an expectation of a function that gets the readings of the answers and returns whether they fit.

    A reading is a truth, a number, an option or a text, as the question asks. An answer without a reading makes the
    case unparsed; an amount that is no number ("many") lets it hold vacuously, as no arithmetic decides it. The first
    line of the docstring is the reason that a violation shows.

    >>> @expectation
    ... def some_if_counted(count: int, there: bool) -> bool:
    ...     "The count is above 0 just where the second answer is yes."
    ...     return (count > 0) == there
    """
    written = without_partial(rule)
    name = getattr(written, "__name__", type(written).__name__)  # an object that is called has none
    demand = first_line(written.__doc__, f"{name} must be true").rstrip(".")

    @wraps(rule)
    def expect(case: Case, answers: Sequence[Answer]) -> Verdict:
        readings = _readings(case, answers)
        if unparsed := _unparsed(readings):
            return unparsed
        if any(isinstance(each, Quantifier) for each in readings):
            return _holds(readings, vacuous=True)
        held: object = rule(*readings)
        # A coroutine, a generator and a text would count as true, and None, of a forgotten return, as false.
        if held not in (True, False):
            if inspect.iscoroutine(held):
                held.close()  # or Python warns that it was never awaited
            raise VqamtError(
                f"Expected the expectation {name} ({location(rule)}) to return True or False, but got {held!r}"
            )
        return _holds(readings) if held else _violated(readings, demand)

    return expect


def read_answer(query: Query, answer: Answer) -> AnswerReading:
    """Reads the answer as the kind of answer that the query's meaning asks for."""
    meaning = query.meaning
    if answer.declined:
        return UnreadableAnswer(Unreadable.DECLINED)
    return read_by_meaning(meaning, as_letter(answer.text, query.text))


def judged(case: Case, answers: Sequence[Answer], judge: Expectation) -> Verdict:
    """Judges a case by ``judge``, and refusals in one way for all relations.

    A case is DECLINED if the model refuses all of its queries, or its adapter declines one, which it is not made for. A
    model that refuses only some of the queries is inconsistent: an unparsed case becomes VIOLATED.
    """
    declined = [answer.declined for answer in answers if answer.declined]
    # One declined query is enough: the adapter cannot take this kind of query at all (two pictures, reasoning off).
    if declined:
        causes = _causes(case, answers)
        labels = tuple("unparsed" if cause else "read" for cause in causes)
        return Verdict(outcome=Outcome.DECLINED, reason=f"declined: {declined[0]}", readings=labels, unread=causes)
    verdict = judge(case, answers)
    # VEglue, MetaIC and basic_questions set figures of their own, which must not be replaced.
    if not verdict.figures and (right := _right_answers(case, answers)):
        verdict = replace(verdict, figures=right)
    # An "unparsed" reading in a case that holds (label_becomes reads the second answer alone) still needs its cause.
    if verdict.outcome is Outcome.HOLDS and "unparsed" not in verdict.readings:
        return verdict
    causes = _causes(case, answers)
    if not any(causes):
        return verdict
    verdict = replace(verdict, unread=causes)
    refused = [cause in _REFUSING for cause in causes]
    # No answer to compare: neither pass nor violation, so that a cautious model is not failed for its caution.
    if all(refused):
        return replace(verdict, outcome=Outcome.DECLINED, reason=f"all answers: {', '.join(dict.fromkeys(causes))}")
    # Refusing one wording and answering the other is inconsistent behaviour, unlike an answer that we fail to read.
    if verdict.outcome is Outcome.UNPARSED and any(refused):
        which = ", ".join(f"{_ordinal(place)}: {cause}" for place, cause in enumerate(causes) if refused[place])
        return replace(verdict, outcome=Outcome.VIOLATED, reason=f"only some of the queries were refused ({which})")
    return verdict


def _right_answers(case: Case, answers: Sequence[Answer]) -> tuple[Amount, ...]:
    """Returns 1 or 0 for the first and the last answer being right; nothing unless both are annotated."""
    found = []
    for name, place in ((RIGHT_SOURCE, 0), (RIGHT_FOLLOW_UP, -1)):
        query = case.queries[place]
        meaning = query.meaning
        # Both or none: an accuracy before needs the one afterwards. Scored questions (CARETS) have a metric of their
        # own.
        if not isinstance(meaning, Annotated) or not meaning.question or not meaning.answers:
            return ()
        # The annotators' most frequent answer goes through the same reader, so that "2" and "two" agree.
        given = Answer(max(meaning.answers, key=lambda each: each[1])[0])
        is_right = same_reading(read_answer(query, answers[place]), read_answer(query, given))
        found.append((name, float(is_right is True)))
    return tuple(found)


def _ordinal(place: int) -> str:
    return _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"


def _causes(case: Case, answers: Sequence[Answer]) -> tuple[str, ...]:
    return tuple(unread_cause(query, answer) for query, answer in zip(case.queries, answers, strict=True))


def unread_cause(query: Query, answer: Answer) -> str:
    """Returns why the answer has no reading ("refusal"); "" if it has one.

    An answer of the wrong kind is in another language if its text is and the question's text is not.
    """
    if query.task is Task.CAPTIONING and not answer.declined:
        # A caption is no answer of a kind; only what prepare itself cannot read (a refusal, an empty text) is a cause.
        found: object = prepare(answer.text).unreadable
    else:
        found = read_answer(query, answer)
    if not isinstance(found, UnreadableAnswer):
        return ""
    # A question in German may be answered in German: then the language is not the cause.
    if found.reason not in _OF_ANOTHER_KIND or is_in_another_language(query.text):
        return found.reason.value
    return _OTHER_LANGUAGE if is_in_another_language(answer.text) else found.reason.value


def format_reading(reading: AnswerReading) -> str:
    """Formats a reading for reports."""
    # Before numbers: True is an int, and would be shown as 1.
    if isinstance(reading, bool):
        return "yes" if reading else "no"
    if isinstance(reading, UnreadableAnswer):
        return "unparsed"
    return reading.word if isinstance(reading, Quantifier) else str(reading)


def same_answer(case: Case, answers: Sequence[Answer]) -> Verdict:
    """All answers are the same."""
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    first, *rest = readings
    return _all(readings, [same_reading(first, other) for other in rest], "all answers must be the same")


def unchanged(case: Case, answers: Sequence[Answer]) -> Verdict:
    """All answers are the same, even if they are of the wrong kind. The controls expect this."""
    texts = {" ".join(answer.text.casefold().split()) for answer in answers}
    # Two times the same rambling text is no noise, though no reading can be made of it.
    if len(texts) == 1:
        return _holds(_readings(case, answers))
    return same_answer(case, answers)


def opposite_answer(case: Case, answers: Sequence[Answer]) -> Verdict:
    """One of two yes/no answers is yes and the other is no.

    Raises:
        VqamtError: the case does not have two yes/no questions.
    """
    _demand(case, is_yes_no, "two yes/no questions", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    if readings[0] != readings[1]:
        return _holds(readings)
    return _violated(readings, "one answer must be yes and the other no")


def different_answers(case: Case, answers: Sequence[Answer]) -> Verdict:
    """No two answers are the same. Holds vacuously where a quantifier leaves it open."""
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    pairs = list(combinations(readings, 2))
    # Two numbers that are both called "many" may still differ.
    is_open = [
        same_reading(*pair) is not False and any(isinstance(each, Quantifier) for each in pair) for pair in pairs
    ]
    if any(same_reading(*pair) and not is_undecided for pair, is_undecided in zip(pairs, is_open, strict=True)):
        return _violated(readings, "all answers must differ")
    return _holds(readings, vacuous=any(is_open))


def exactly_one_yes(case: Case, answers: Sequence[Answer]) -> Verdict:
    """One of the yes/no answers is yes, and all others are no.

    Raises:
        VqamtError: the case has other questions than yes/no questions, or just one.
    """
    _demand(case, is_yes_no, "two yes/no questions or more", len(case.queries) > 1)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    if sum(reading is True for reading in readings) == 1:
        return _holds(readings)
    return _violated(readings, "exactly one answer must be yes")


def other_value(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer gives another value of the property than the first; neither denies that the thing is there.

    Raises:
        VqamtError: the case does not have two questions for a property.
    """
    _demand(case, lambda meaning: isinstance(meaning, Property), "two questions for a property", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    if NO_SUCH_THING in readings:
        return _violated(readings, "the thing is in both pictures")
    return _holds(readings) if readings[0] != readings[1] else _violated(readings, "the answers must differ")


def sum_of_parts(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The first count is the sum of the others. Vacuous if all are 0, or if arithmetic cannot decide.

    Raises:
        VqamtError: the case has other questions than counts.
    """
    return _summed(case, answers, 0)


def parts_of_sum(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The last count is the sum of the others. Vacuous if all are 0, or if arithmetic cannot decide.

    Raises:
        VqamtError: the case has other questions than counts.
    """
    return _summed(case, answers, len(answers) - 1)


def _summed(case: Case, answers: Sequence[Answer], place: int) -> Verdict:
    _demand(case, _is_count, "a total and its parts, all counts", len(case.queries) > 1)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    total, parts = readings[place], [*readings[:place], *readings[place + 1 :]]
    sum_ = " + ".join(format_reading(part) for part in parts)
    # Bounds are not reckoned with: "at least 3" + 2 fits any total from 5 up, so it holds vacuously.
    if any(_is_bound(reading) for reading in readings):
        return _holds(readings, vacuous=True)
    # MetaVQA section 4.1.1: "many" + 2 must be a quantifier again; "12" would pin down what "many" left open.
    if any(isinstance(part, Quantifier) for part in parts):
        if isinstance(total, Quantifier):
            return _holds(readings)
        return _violated(readings, f"expected a quantifier as the sum of {sum_}")
    expected = sum(part for part in parts if isinstance(part, int))
    if isinstance(total, Quantifier):
        # 1 + 2 = "several" may be meant; 1 + 0 = "several" may not, as a quantifier means 2 or more.
        if expected >= _LEAST_QUANTIFIED:
            return _holds(readings, vacuous=True)
        return _violated(readings, f"expected {sum_} = {expected}")
    if total == expected:
        # 0 = 0 + 0 holds for a model that counts nothing anywhere.
        return _holds(readings, vacuous=expected == 0)
    return _violated(readings, f"expected {sum_} = {expected}")


def one_more(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second count is one more than the first.

    Raises:
        VqamtError: the case does not have two counts.
    """
    return _shifted(case, answers, 1, "the second count must be one more than the first")


def one_less(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second count is one less than the first.

    Raises:
        VqamtError: the case does not have two counts.
    """
    return _shifted(case, answers, -1, "the second count must be one less than the first")


def any_yes(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The first answer is yes if and only if one of the others is.

    Raises:
        VqamtError: the case has other questions than yes/no questions.
    """
    return _combined(case, answers, any, "the first answer must be yes just where one of the others is")


def all_yes(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The first answer is yes if and only if all of the others are.

    Raises:
        VqamtError: the case has other questions than yes/no questions.
    """
    return _combined(case, answers, all, "the first answer must be yes just where all of the others are")


def becomes_no(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer is no. Vacuous if the first is no already.

    Raises:
        VqamtError: the case does not have two yes/no questions.
    """
    _demand(case, is_yes_no, "two yes/no questions", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    # The first answer is free: a model that never saw the thing keeps to no, which shows nothing (vacuous).
    if readings[1] is False:
        return _holds(readings, vacuous=readings[0] is False)
    return _violated(readings, "yes must become no")


def yes_implies_yes(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer is yes if the first is. Vacuous if the first is no.

    Raises:
        VqamtError: the case does not have two yes/no questions.
    """
    return _implied(case, answers, said=True, demand="yes must stay yes")


def no_implies_no(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer is no if the first is. Vacuous if the first is yes.

    Raises:
        VqamtError: the case does not have two yes/no questions.
    """
    return _implied(case, answers, said=False, demand="no must stay no")


def _implied(case: Case, answers: Sequence[Answer], *, said: bool, demand: str) -> Verdict:
    _demand(case, is_yes_no, "two yes/no questions", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    # An implication says nothing where its premise is denied.
    if readings[0] is not said:
        return _holds(readings, vacuous=True)
    return _holds(readings) if readings[1] is said else _violated(readings, demand)


def not_both_yes(case: Case, answers: Sequence[Answer]) -> Verdict:
    """At most one of two answers is yes. Vacuous if neither is.

    Raises:
        VqamtError: the case does not have two yes/no questions.
    """
    _demand(case, is_yes_no, "two yes/no questions", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    if readings[0] and readings[1]:
        return _violated(readings, "not both answers can be yes")
    return _holds(readings, vacuous=not any(readings))


def yes_if_all_are(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The last answer is yes if all of the others are. Vacuous if one of them is not.

    Raises:
        VqamtError: the case has other questions than yes/no questions, or just one.
    """
    _demand(case, is_yes_no, "yes/no questions, the last of which follows from the others", len(case.queries) > 1)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    *premises, last = readings
    if not all(premises):
        return _holds(readings, vacuous=True)
    return _holds(readings) if last else _violated(readings, "the last answer must be yes where the others are")


def at_most_the_first(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second count is at most the first. Vacuous if it is 0, or if arithmetic cannot decide.

    Raises:
        VqamtError: the case does not have two counts.
    """
    _demand(case, _is_count, "two questions for a number", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    whole, part = readings
    if isinstance(whole, int) and isinstance(part, int):
        # A part of 0 is at most anything.
        exceeds, vacuous = part > whole, part == 0
    else:  # a quantifier means 2 or more
        exceeds = isinstance(part, Quantifier) and not _is_bound(part) and whole in range(_LEAST_QUANTIFIED)
        vacuous = True
    if exceeds:
        return _violated(readings, "the second count must be at most the first")
    return _holds(readings, vacuous=vacuous)


def the_other_option(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer is an option, and another one than the first."""
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    if readings[0] != readings[1]:
        return _holds(readings)
    return _violated(readings, "the second answer must be the other option")


def becomes_none_of_these(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer is that none of the options is right, and the first is not."""
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    # Checked first, since a model that always picks the last option would pass otherwise.
    if readings[0] == NONE_OF_THESE:
        return _violated(readings, "the first answer must be one of the options")
    if readings[1] == NONE_OF_THESE:
        return _holds(readings)
    return _violated(readings, f"the second answer must be {NONE_OF_THESE!r}")


def denied_where_absent(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The second answer denies that there is such a thing, and the first, about a thing that is there, does not."""
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    # False: without colours in the data the control is a yes/no question. A model that denies everything would pass.
    if readings[0] in (NO_SUCH_THING, False):
        return _violated(readings, "the first answer must not deny the thing, which is there")
    if readings[1] == NO_SUCH_THING:
        return _holds(readings)
    return _violated(readings, "the second answer must say that there is no such thing")


def same_and_read(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The first two answers are the same, and the third, on what is written, is yes."""
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    if readings[0] != readings[1]:
        return _violated(readings, "the first two answers must be the same")
    return _holds(readings) if readings[2] is True else _violated(readings, "what is written must be read")


def same_if_read(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The first two answers are the same. Vacuous unless the third is yes and the fourth no: the model can read."""
    readings = _readings(case, answers)
    # Before _unparsed: a model that cannot read the control sentences says nothing of use about the drawn question.
    if readings[2:] != (True, False):
        return _holds(readings, vacuous=True)
    if unparsed := _unparsed(readings):
        return unparsed
    if readings[0] == readings[1]:
        return _holds(readings)
    return _violated(readings, "the first two answers must be the same")


def _shifted(case: Case, answers: Sequence[Answer], by: int, demand: str) -> Verdict:
    _demand(case, _is_count, "two questions for a number", len(case.queries) == 2)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    first, second = readings
    # "Many" and then "many" may be one more; 0 and then "many" may not.
    if isinstance(first, Quantifier) or isinstance(second, Quantifier):
        return _holds(readings, vacuous=True) if _may_differ(first, second, by) else _violated(readings, demand)
    if isinstance(first, int) and second == first + by:
        return _holds(readings)
    return _violated(readings, demand)


def _may_differ(first: AnswerReading, second: AnswerReading, by: int) -> bool:
    """True if the second count can be the first plus ``by``; one of them is a quantifier, which means 2 or more."""
    if isinstance(first, int):
        return _is_bound(second) or first + by >= _LEAST_QUANTIFIED
    if isinstance(second, int):
        return _is_bound(first) or second - by >= _LEAST_QUANTIFIED
    return True


def _combined(case: Case, answers: Sequence[Answer], combine: Callable[[Sequence[bool]], bool], demand: str) -> Verdict:
    _demand(case, is_yes_no, "yes/no questions on a whole and its parts", len(case.queries) > 1)
    readings = _readings(case, answers)
    if unparsed := _unparsed(readings):
        return unparsed
    whole, *parts = (reading is True for reading in readings)
    return _holds(readings) if whole == combine(parts) else _violated(readings, demand)


def _is_count(meaning: Meaning) -> bool:
    meaning = what_is_asked(meaning)
    return isinstance(meaning, Count | PartCount) or (isinstance(meaning, Annotated) and meaning.is_count)


def _demand(case: Case, fits: Callable[[Meaning], bool], what: str, enough: bool) -> None:
    if not enough or not all(fits(query.meaning) for query in case.queries):
        asked = ", ".join(type(query.meaning).__name__ for query in case.queries)
        raise VqamtError(f"Expected a case of {what} in relation {case.relation!r}, but got {asked}")


def _is_bound(reading: AnswerReading) -> bool:
    """True if the reading is a quantifier with a number, such as "at least 3", which arithmetic cannot decide."""
    # "at least 3" has a digit, "many" and "several" have none.
    return isinstance(reading, Quantifier) and any(character.isdigit() for character in reading.word)


def _readings(case: Case, answers: Sequence[Answer]) -> tuple[AnswerReading, ...]:
    return tuple(read_answer(query, answer) for query, answer in zip(case.queries, answers, strict=True))


def _unparsed(readings: Sequence[AnswerReading]) -> Verdict | None:
    for reading in readings:
        if isinstance(reading, UnreadableAnswer):
            return Verdict(
                outcome=Outcome.UNPARSED,
                reason=reading.reason.value,
                readings=tuple(map(format_reading, readings)),
            )
    return None


def same_reading(first: AnswerReading, second: AnswerReading) -> bool | None:
    """True if both are the same; None if a quantifier leaves it open."""
    if isinstance(first, FreeAnswer) and isinstance(second, FreeAnswer):
        return first.agrees_with(second)
    # "At least 3" and 5 may be the same number, and so may "at least 3" and "many": only equal words are sure.
    if _is_bound(first) or _is_bound(second):
        return True if first == second else None
    # Answers of one kind are taken as the same word: "many" and "several" are no contradiction.
    if isinstance(first, Quantifier) and isinstance(second, Quantifier):
        return True
    for quantifier, other in ((first, second), (second, first)):
        if isinstance(quantifier, Quantifier):
            return None if isinstance(other, int) and other >= _LEAST_QUANTIFIED else False
    return first == second


def _all(readings: Sequence[AnswerReading], decisions: Sequence[bool | None], demand: str) -> Verdict:
    if any(decision is False for decision in decisions):
        return _violated(readings, demand)
    # 0 and 0 is what a model that counts nothing says; False == 0 in Python, hence the second condition.
    nothing_shown = all(reading == 0 and not isinstance(reading, bool) for reading in readings)
    return _holds(readings, vacuous=nothing_shown or any(decision is None for decision in decisions))


def _holds(readings: Sequence[AnswerReading], *, vacuous: bool = False) -> Verdict:
    return Verdict(outcome=Outcome.HOLDS, vacuous=vacuous, readings=tuple(map(format_reading, readings)))


def _violated(readings: Sequence[AnswerReading], demand: str) -> Verdict:
    labels = tuple(map(format_reading, readings))
    return Verdict(outcome=Outcome.VIOLATED, reason=f"{demand}, but got {', '.join(labels)}", readings=labels)


# VEglue distinguishes an issue (the second label is wrong or unparsed, whatever the first is) from an inconsistency (an
# issue whose first label is right). Both are figures of a verdict, 1 or 0.

ISSUE, INCONSISTENT, SOURCE_RIGHT = "issue", "inconsistent", "source right"


def label_becomes(case: Case, answers: Sequence[Answer], label: Label) -> Verdict:
    """The second label is ``label``.

    UNPARSED if the second answer is; nothing is expected of the first. Vacuous if the first label is ``label``,
    wrongly.

    Raises:
        VqamtError: the case does not have two hypotheses.
    """
    first, second = readings = _label_readings(case, answers)
    labels, figures = tuple(map(format_reading, readings)), _figures(first, second, label)
    # Only the second answer is judged, so an unreadable first one does not make the case unparsed.
    if isinstance(second, UnreadableAnswer):
        return Verdict(outcome=Outcome.UNPARSED, reason=second.reason.value, readings=labels, figures=figures)
    if second == label:
        # A source label that is wrong already (contradiction before anything was erased) shows no change. Entailment is
        # the right source label, so there it is no sign of it.
        vacuous = first == label and label is not Label.ENTAILMENT
        return Verdict(outcome=Outcome.HOLDS, vacuous=vacuous, readings=labels, figures=figures)
    reason = f"the second label must be {label}, but got {', '.join(labels)}"
    return Verdict(outcome=Outcome.VIOLATED, reason=reason, readings=labels, figures=figures)


def same_label(case: Case, answers: Sequence[Answer]) -> Verdict:
    """Both labels are the same. The paper counts a second label other than entailment as an issue.

    Raises:
        VqamtError: the case does not have two hypotheses.
    """
    first, second = _label_readings(case, answers)
    return replace(same_answer(case, answers), figures=_figures(first, second, Label.ENTAILMENT))


def _label_readings(case: Case, answers: Sequence[Answer]) -> tuple[AnswerReading, AnswerReading]:
    asked = [query.meaning for query in case.queries]
    if len(asked) != 2 or not all(isinstance(meaning, Entails) for meaning in asked):
        kinds = ", ".join(type(meaning).__name__ for meaning in asked)
        raise VqamtError(f"Expected a case of two hypotheses in relation {case.relation!r}, but got {kinds}")
    first, second = (read_answer(query, answer) for query, answer in zip(case.queries, answers, strict=True))
    return first, second


def _figures(first: AnswerReading, second: AnswerReading, expected: Label) -> tuple[Amount, ...]:
    right, issue = first == Label.ENTAILMENT, second != expected
    return ((ISSUE, float(issue)), (INCONSISTENT, float(right and issue)), (SOURCE_RIGHT, float(right)))
