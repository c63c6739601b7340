"""Every question that is written is read back as the meaning it was made from, and a damaged one is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

import pytest

from pytest_vqamt.core.meaning import Absent, Both, Count, Exists, Group, Meaning
from pytest_vqamt.language.questions.simple import (
    ABSENT_WORDINGS,
    BOTH_WORDINGS,
    COUNT_WORDINGS,
    EXISTS_WORDINGS,
    Question,
    absent,
    both,
    count,
    exists,
)
from tests.reader.nouns import singulars_of
from tests.reader.questions import Unreadable, read
from tests.reader.vocabulary import KINDS, LEXICON, NAMES
from tests.rows import each_row

FILLINGS = [200, pytest.param(5_000, marks=pytest.mark.full)]
DAMAGED = [80, pytest.param(1_000, marks=pytest.mark.full)]
"""The number of questions that are damaged."""

NEGATORS = re.compile(
    r"\b(?:no|not|none|nothing|without|zero|lacks?|free of|devoid of|absent|missing|false|untrue) |n't"
)
NOT_A_WORD = "blorp"
CUP = Group(name="cup")


def fillings(n: int) -> Iterator[tuple[Group, ...]]:
    """One to three different groups of up to two attributes of different kinds each, the same in every run."""
    random = Random(20210)
    for number in range(n):
        groups: dict[Group, None] = {}
        while len(groups) < 1 + number % 3:
            kinds = random.sample(KINDS, random.choice((0, 1, 1, 2)))
            attributes = tuple(random.choice(kind) for kind in kinds)
            groups[Group(name=random.choice(NAMES), attributes=attributes)] = None
        yield tuple(groups)


def questions(n: int) -> Iterator[Question]:
    """One question of each kind of each of ``n`` fillings, all wordings in turn; of two groups at most, of both."""
    for number, groups in enumerate(fillings(n)):
        yield count(groups, number % COUNT_WORDINGS)
        yield exists(groups[0], number % EXISTS_WORDINGS)
        yield absent(groups[0], number % ABSENT_WORDINGS)
        yield both(groups[:2], number % BOTH_WORDINGS)


def sorted_out(meaning: Meaning) -> Meaning:
    """The same meaning with the attributes in order of the alphabet: all of them hold, whatever their order."""

    def plain(group: Group) -> Group:
        return Group(name=group.name, attributes=tuple(sorted(group.attributes)))

    match meaning:
        case Count(groups=groups):
            return Count(groups=tuple(plain(group) for group in groups))
        case Both(groups=groups):
            return Both(groups=tuple(plain(group) for group in groups))
        case Exists(group=group):
            return Exists(group=plain(group))
        case Absent(group=group):
            return Absent(group=plain(group))
        case _:
            raise AssertionError(f"not a question of this kind: {meaning=!r}")


@pytest.mark.parametrize("n", FILLINGS)
def test_every_question_is_read_back(n: int) -> None:
    wrong = []
    for question in questions(n):
        try:
            meaning = read(question.text, LEXICON)
        except Unreadable as refusal:
            wrong.append(str(refusal))
        else:
            if sorted_out(meaning) != sorted_out(question.meaning):
                wrong.append(f"{question.text!r} is read as {meaning!r}, not {question.meaning!r}")
    assert wrong[:20] == [], f"{len(wrong)} of {4 * n} questions"


@each_row("name", [*sorted(LEXICON.mass), *sorted(LEXICON.pairs)], sample=3)
def test_a_name_that_has_but_one_number_is_read_back(name: str) -> None:
    group = Group(name=name, attributes=("green",))
    written = [exists(group, wording) for wording in range(EXISTS_WORDINGS)]
    written += [absent(group, wording) for wording in range(ABSENT_WORDINGS)]
    written += [
        both(groups, wording) for groups in ((group,), (group, CUP), (CUP, group)) for wording in range(BOTH_WORDINGS)
    ]
    assert [question.text for question in written if not is_read_as(question.meaning, question.text)] == []


def without_a_negator(question: Question) -> Iterator[str]:
    for found in NEGATORS.finditer(question.text):
        yield question.text[: found.start()] + question.text[found.end() :]


def with_its_groups_swapped(question: Question) -> Iterator[str]:
    if isinstance(question.meaning, Count) and len(question.meaning.groups) > 1:
        first, second, *others = question.meaning.groups
        yield from (count((second, first, *others), wording).text for wording in range(COUNT_WORDINGS))
    if isinstance(question.meaning, Both):
        yield from (both(question.meaning.groups[::-1], wording).text for wording in range(BOTH_WORDINGS))


def without_its_conjunction(question: Question) -> Iterator[str]:
    if isinstance(question.meaning, Count | Both):
        for found in re.finditer(r" and\b| plus\b|,(?! and)", question.text):
            yield question.text[: found.start()] + question.text[found.end() :]


def with_the_verb_in_the_other_number(question: Question) -> Iterator[str]:
    others = {"is": "are", "are": "is", "does": "do", "do": "does"}
    if not any(group.name == "sheep" for group in groups_of(question.meaning)):
        for found in re.finditer(r"\b(?:is|are|does|do)\b", question.text, re.IGNORECASE):
            other = others[found.group().lower()]
            capital = found.group()[0].isupper()
            damaged = other.capitalize() if capital else other
            yield question.text[: found.start()] + damaged + question.text[found.end() :]


def with_a_counted_noun_in_the_singular(question: Question) -> Iterator[str]:
    if isinstance(question.meaning, Count):
        heads = {group.name.split()[-1] for group in question.meaning.groups}
        for found in re.finditer(r"[a-z]+", question.text):
            for singular in heads.intersection(singulars_of(found.group())) - {found.group()}:
                yield question.text[: found.start()] + singular + question.text[found.end() :]


def with_the_other_article(question: Question) -> Iterator[str]:
    for found in re.finditer(r"\ban? ", question.text):
        yield (
            question.text[: found.start()] + ("a " if found.group() == "an " else "an ") + question.text[found.end() :]
        )


def with_a_word_twice(question: Question) -> Iterator[str]:
    for found in re.finditer(r"[\w']+", question.text):
        yield question.text[: found.end()] + " " + found.group().lower() + question.text[found.end() :]


def with_an_unknown_word(question: Question) -> Iterator[str]:
    for found in re.finditer(r" ", question.text):
        yield f"{question.text[: found.end()]}{NOT_A_WORD} {question.text[found.end() :]}"


def groups_of(meaning: Meaning) -> tuple[Group, ...]:
    return (
        meaning.groups
        if isinstance(meaning, Count | Both)
        else (meaning.group,)
        if isinstance(meaning, Exists | Absent)
        else ()
    )


@pytest.mark.parametrize("n", DAMAGED)
@pytest.mark.parametrize(
    "damage",
    [
        without_a_negator,
        with_its_groups_swapped,
        without_its_conjunction,
        with_the_verb_in_the_other_number,
        with_a_counted_noun_in_the_singular,
        with_the_other_article,
        with_a_word_twice,
        with_an_unknown_word,
    ],
)
def test_a_damaged_question_is_never_read_as_it_was_meant(damage: Callable[[Question], Iterator[str]], n: int) -> None:
    damaged = [(text, question) for question in questions(n // 4) for text in damage(question)]
    assert len(damaged) > n // 10
    assert all(text != question.text for text, question in damaged)
    assert [text for text, question in damaged if is_read_as(question.meaning, text)] == []


def is_read_as(meaning: Meaning, text: str) -> bool:
    try:
        return sorted_out(read(text, LEXICON)) == sorted_out(meaning)
    except Unreadable:
        return False
