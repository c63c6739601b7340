"""Every question that a template makes is read back as what was asked, and negating it turns its answer round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pytest_vqamt.core.meaning import Absent, Both, Choice, Either, Exists, Neither, NotBoth, groups_of, truth
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import QuestionType, count, question
from tests.language.photo_fillings import photo_askings
from tests.language.template_fillings import askings
from tests.language.template_readings import Worded, is_read_as, misread, worded
from tests.reader.photo_words import LEXICON as PHOTO_WORDS
from tests.reader.photo_words import PREDICATES
from tests.reader.questions import read
from tests.reader.truths import answer
from tests.reader.vocabulary import LEXICON

FEW, SOME, MANY = 250, 2_000, 20_000
DAMAGED = [60, pytest.param(350, marks=pytest.mark.full)]
NEGATION = {Exists: Absent, Both: NotBoth, Either: Neither}
FEWER = [
    pytest.param(100, id="few"),
    pytest.param(SOME, id="some", marks=pytest.mark.full),
    pytest.param(MANY, id="many", marks=pytest.mark.slow),
]
TIERS = [
    pytest.param(FEW, id="few"),
    pytest.param(SOME, id="some", marks=pytest.mark.full),
    pytest.param(MANY, id="many", marks=pytest.mark.slow),
]


def filled(n: int) -> Iterator[Worded]:
    return worded(asking for asking, _ in askings(n))


def questions(n: int) -> Iterator[Question]:
    return (asked for each in filled(n) for asked in each.questions)


@pytest.mark.parametrize("n", FEWER)
def test_every_question_is_read_back(n: int) -> None:
    wrong = list(misread(questions(n), LEXICON))
    assert wrong[:20] == [], f"{len(wrong)} questions"


@pytest.mark.parametrize("n", FEWER)
def test_what_photos_show_is_read_back(n: int) -> None:
    texts = (asked for each in worded(photo_askings(n)) for asked in each.questions)
    wrong = list(misread(texts, PHOTO_WORDS, PREDICATES))
    assert wrong[:20] == [], f"{len(wrong)} questions"


@pytest.mark.parametrize("n", TIERS)
def test_negation_turns_the_answer_round(n: int) -> None:
    """Both answers are worked out from what is read in the text."""
    asked = list(askings(n))
    answers: Counter[tuple[QuestionType, object]] = Counter()
    for each, (_, scene) in zip(worded(asking for asking, _ in asked), asked, strict=True):
        if each.negated is None:
            continue
        said = answer(read(each.plain.text, LEXICON), scene)
        assert answer(read(each.negated.text, LEXICON), scene) is (not said), each.negated.text
        answers[each.asking.type, said] += 1
    assert len(answers) == 2 * len(NEGATION)
    assert min(answers.values()) > n // 200, "yes and no of each type"


@pytest.mark.parametrize("n", FEWER)
def test_the_answer_is_the_same_from_the_text_and_from_the_meaning(n: int) -> None:
    """For yes and no; choices are asked where one thing answers to the phrase, as some of these do."""
    chosen = 0
    asked = list(askings(n))
    for each, (_, scene) in zip(worded(asking for asking, _ in asked), asked, strict=True):
        for one in each.questions:
            said = answer(read(one.text, LEXICON), scene)
            if said is not None:
                assert said == truth(one.meaning, scene), one.text
                chosen += isinstance(one.meaning, Choice)
    assert chosen > n // 50


def test_a_negated_partner_means_the_negation() -> None:
    for each in filled(FEW):
        if each.negated is not None:
            assert type(each.negated.meaning) is NEGATION[type(each.plain.meaning)]
            assert groups_of(each.negated.meaning) == groups_of(each.asking.meaning)


@pytest.mark.parametrize("asked", [lambda: filled(SOME), lambda: worded(photo_askings(SOME))], ids=["drawn", "photos"])
def test_every_template_has_its_turn(asked: Callable[[], Iterator[Worded]]) -> None:
    turns = {(each.asking.type, each.is_related, each.template) for each in asked()}
    of_two = (QuestionType.CONJUNCTION, QuestionType.DISJUNCTION)
    kinds = [
        (type_, related) for type_ in QuestionType for related in (False, True) if not related or type_ not in of_two
    ]
    assert turns == {(*kind, template) for kind in kinds for template in range(count(*kind))}


def without_a_negator(question: Question) -> Iterator[str]:
    for found in re.finditer(r"\bno ", question.text):
        yield question.text[: found.start()] + question.text[found.end() :]


def with_the_verb_in_the_other_number(question: Question) -> Iterator[str]:
    others = {"is": "are", "are": "is", "does": "do"}
    for found in re.finditer(r"\b(?:is|are|does)\b", question.text, re.IGNORECASE):
        other = others[found.group().lower()]
        said = other.capitalize() if found.group()[0].isupper() else other
        yield question.text[: found.start()] + said + question.text[found.end() :]


def with_the_other_article(question: Question) -> Iterator[str]:
    for found in re.finditer(r"\ban? ", question.text):
        article = "a " if found.group() == "an " else "an "
        yield question.text[: found.start()] + article + question.text[found.end() :]


def without_an_article(question: Question) -> Iterator[str]:
    for found in re.finditer(r"\b(?:an?|the) ", question.text):
        yield question.text[: found.start()] + question.text[found.end() :]


def with_another_conjunction(question: Question) -> Iterator[str]:
    others = {"and": "or", "or": "and", "both": "either", "either": "both"}
    for found in re.finditer(r"\b(?:and|or|both|either)\b", question.text):
        yield question.text[: found.start()] + others[found.group()] + question.text[found.end() :]


def with_a_word_twice(question: Question) -> Iterator[str]:
    for found in re.finditer(r"[\w'-]+", question.text):
        yield question.text[: found.end()] + " " + found.group().lower() + question.text[found.end() :]


def without_a_comma(question: Question) -> Iterator[str]:
    for found in re.finditer(r"[,:]", question.text):
        yield question.text[: found.start()] + question.text[found.end() :]


def test_another_order_is_another_question() -> None:
    """The order of groups and options is no part of what is asked, and is read all the same."""
    swapped = 0
    for each in filled(FEW):
        match each.asking.meaning:
            case Both(groups=groups) | Either(groups=groups) as meaning:
                other = replace(each.asking, meaning=replace(meaning, groups=groups[::-1]))
            case Choice(options=options) as meaning:
                other = replace(each.asking, meaning=replace(meaning, options=options[::-1]))
            case _:
                continue
        swapped += 1
        assert not is_read_as(each.plain.meaning, question(other, each.template).text, LEXICON)
    assert swapped > FEW // 2


@pytest.mark.parametrize("n", DAMAGED)
@pytest.mark.parametrize(
    "damage",
    [
        without_a_negator,
        with_the_verb_in_the_other_number,
        with_the_other_article,
        without_an_article,
        with_another_conjunction,
        with_a_word_twice,
        without_a_comma,
    ],
)
def test_a_damaged_question_is_never_read_as_it_was_meant(damage: Callable[[Question], Iterator[str]], n: int) -> None:
    asked = (question for question in questions(n) if "sheep" not in question.text)
    damaged = [(text, question) for question in asked for text in damage(question)]
    assert len(damaged) > n // 10
    assert [text for text, question in damaged if is_read_as(question.meaning, text, LEXICON)] == []
