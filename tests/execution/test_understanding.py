"""A perfect model violates nothing, whatever stands around its answers and however few words it knows."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from pytest_vqamt import Answer, Declined, ModelInput, run
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.results import Report
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference import oracle
from tests.wrappers import MANNERS, SPOKEN, WRAPPERS

SOME = ("metavqa.partition[object]", "metavqa.reversion")
TRACE = "Is it? Maybe no, or 4 of them, or it is red. I can't tell, so the answer is: yes."


class Wrapped:
    """The oracle, with its reasoning, and its manner of speaking, around the answer."""

    def __init__(self, template: str) -> None:
        self.template = template
        self.oracle = oracle.load("", ModelOptions())

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [
            self.template.format(trace=TRACE, question=item.text, answer=each.text)
            for item, each in zip(batch, self.oracle.answer(batch), strict=True)
        ]


class Speaking:
    """The oracle, which answers in sentences about the things that it is asked about."""

    def __init__(self, name: str) -> None:
        self.says = SPOKEN[name]
        self.oracle = oracle.load("", ModelOptions())

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [
            self.says(item.query.meaning, each.text)
            for item, each in zip(batch, self.oracle.answer(batch), strict=True)
        ]


def _rates(report: Report) -> dict[str, float | None]:
    return {each.item: each.pass_rate for each in report.relations if each.tally.judged}


@pytest.mark.parametrize("name", ["Kimi", "harmony", "Gemma"])
def test_a_perfect_model_that_thinks_aloud_passes(name: str) -> None:
    report = run(model=Wrapped(WRAPPERS[name]), data="pictures:20", relations=SOME, max_cases=3, contrast=0, shrink=0)

    assert set(_rates(report).values()) == {1.0}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_a_perfect_model_in_each_wrapper_passes_all_relations(name: str) -> None:
    report = run(model=Wrapped(WRAPPERS[name]), data="pictures:60", max_cases=20, shrink=0)

    assert set(_rates(report).values()) == {1.0}


@pytest.mark.parametrize("name", ["runs on, headings", "says the question back"])
def test_a_perfect_model_of_a_manner_passes(name: str) -> None:
    report = run(model=Wrapped(MANNERS[name]), data="pictures:20", relations=SOME, max_cases=3, contrast=0, shrink=0)
    assert set(_rates(report).values()) == {1.0}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(MANNERS))
def test_a_perfect_model_of_each_manner_violates_no_relation(name: str) -> None:
    report = run(model=Wrapped(MANNERS[name]), data="pictures:60", max_cases=10, relations="all", shrink=0)
    assert set(_rates(report).values()) == {1.0}
    assert sum(each.tally.unparsed for each in report.relations) == 0


@pytest.mark.parametrize("name", ["in sentences"])
def test_a_perfect_model_that_speaks_in_sentences_passes(name: str) -> None:
    report = run(model=Speaking(name), data="pictures:20", relations=SOME, max_cases=3, contrast=0, shrink=0)
    assert set(_rates(report).values()) == {1.0}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(SPOKEN))
def test_a_perfect_model_that_speaks_in_sentences_violates_no_relation(name: str) -> None:
    report = run(model=Speaking(name), data="pictures:60", max_cases=10, relations="all", shrink=0)
    assert sum(each.tally.violated for each in report.relations) == 0
    judged = sum(each.tally.judged for each in report.relations)
    assert sum(each.tally.unparsed for each in report.relations) < MOST_UNREAD * judged


MOST_UNREAD = 0.02
"""Sentences about a part of a picture or a place may say too little: they are unread, never the opposite."""


@pytest.mark.full
def test_a_thought_that_is_cut_off_is_unread_in_every_relation() -> None:
    report = run(model=Wrapped(f"<think>{TRACE}"), data="pictures:60", max_cases=5, relations="all", shrink=0)
    assert sum(each.tally.violated for each in report.relations) == 0
    read = [each.item for each in report.relations if each.tally.unparsed < each.tally.judged]
    assert {name.partition("[")[0] for name in read} == {"control.repeat", "control.reencode"}, "which compare texts"


KNOWN = frozenset(
    {"how", "many", "are", "is", "there", "a", "dog", "dogs", "cat", "cats", "no", "in", "the", "picture"}
)


class OfFewWords:
    """Knows a few words, and declines every other question."""

    def __init__(self) -> None:
        self.oracle = oracle.load("", ModelOptions())

    def understands(self, query: Query) -> bool | Declined:
        unknown = tuple(sorted(set(re.findall(r"[a-z]+", query.text.lower())) - KNOWN))
        return Declined("unknown words", words=unknown) if unknown else True

    def answer(self, batch: Sequence[ModelInput]) -> Sequence[Answer]:
        assert all(self.understands(each.query) is True for each in batch)
        return self.oracle.answer(batch)


TEMPLATE = re.compile(r"(?:How many ([a-z ]+) are there(?: in the picture)?|Is there an? ([a-z ]+) in the picture)\?")


class OfTemplates:
    """Parses two fixed templates, and declines what they do not match."""

    def __init__(self) -> None:
        self.oracle = oracle.load("", ModelOptions())

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer | Declined]:
        answers = self.oracle.answer(batch)
        return [
            answer if TEMPLATE.fullmatch(each.text) else Declined("not one of the two templates")
            for each, answer in zip(batch, answers, strict=True)
        ]


FEW = ("metavqa.cutting[count]", "metavqa.removal[count]", "control.repeat")


@pytest.mark.parametrize("model", [OfFewWords, OfTemplates])
def test_a_model_of_few_words_violates_nothing(model: type[OfFewWords | OfTemplates]) -> None:
    _check_declining(model, run(model=model(), data="pictures:40", relations=FEW, max_cases=30, contrast=0, shrink=0))


@pytest.mark.full
@pytest.mark.parametrize("model", [OfFewWords, OfTemplates])
def test_a_model_of_few_words_violates_no_relation(model: type[OfFewWords | OfTemplates]) -> None:
    _check_declining(model, run(model=model(), data="pictures:100", max_cases=60))


def _check_declining(model: type[OfFewWords | OfTemplates], report: Report) -> None:
    tallies = [each.tally for result in report.relations for each in result.strata]
    assert sum(each.violated + each.unparsed + each.errors for each in tallies) == 0
    assert sum(each.declined for each in tallies) > 0
    assert sum(each.judged for each in tallies) > 0
    words = {word for result in report.relations for word in result.unknown_words}
    assert bool(words) is (model is OfFewWords)
    assert not words & KNOWN


def test_an_answer_of_understands_that_is_none_is_refused() -> None:
    class Wrong(OfFewWords):
        def understands(self, query: Query) -> bool | Declined:
            return "yes"  # type: ignore[return-value]  # a user's mistake

    with pytest.raises(VqamtError, match=r"to return True, False or a Declined, but got 'yes' \(str\)"):
        run(model=Wrong(), data="pictures:5", relations="metavqa.partition", max_cases=2)


def _by_text(text: str, image: object) -> bool:
    return bool(text and image)


def _with_a_word(query: Query) -> Declined:
    return Declined(query.text, words="kite")  # type: ignore[arg-type]  # a user's mistake


def _without_a_reason(query: Query) -> Declined:
    return Declined(" " * len(query.text))


def _raising(query: Query) -> bool:
    return {"dog": True}[query.text]


@pytest.mark.parametrize(
    ("understands", "told"),
    [
        (True, r"understands\(query\), but got True \(bool\)"),
        (_by_text, r"to be a method of one argument, understands\(query\), but got "),
        (_with_a_word, r"Expected understands\(\) of .* a tuple of words, but got words='kite'"),
        (_without_a_reason, r"Expected understands\(\) of .* to decline with a reason"),
        (_raising, r"Expected model 'OfFewWords' to answer, but it failed on each of \d+ queries: KeyError: "),
    ],
)
def test_an_understands_that_cannot_be_used_is_named(understands: object, told: str) -> None:
    model = OfFewWords()
    model.understands = understands  # type: ignore[method-assign,assignment]  # a user's mistake

    with pytest.raises(VqamtError, match=told) as error:
        run(model=model, data="pictures:5", relations="metavqa.partition", max_cases=2)
    assert "\n" not in str(error.value)


def test_a_users_reader_and_tags_are_used() -> None:
    class Odd:
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            return [f"<plan>no 7</plan>#{answer.text}#" for answer in oracle.load("", ModelOptions()).answer(batch)]

    settings = {"thought-tags": "plan", "reader": "tests.execution.test_understanding:between_marks"}
    report = run(model=Odd(), data="pictures:20", relations="metavqa.partition", max_cases=4, settings=settings)

    assert set(_rates(report).values()) == {1.0}
    assert set(settings.items()) <= set(report.settings)


def between_marks(question: str, answer: str) -> str | None:
    """A reader of a user."""
    assert question.endswith("?")
    return answer.strip("#")
