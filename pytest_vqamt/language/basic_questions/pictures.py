"""The package's own pool: some 3,000 questions about the picture world, in the words of its own relations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Related
from pytest_vqamt.language.basic_questions.picture_words import (
    ACTIONS,
    COLOURS,
    NAMES,
    PATTERNED,
    PATTERNS,
    PEOPLE,
    PREDICATES,
    STATURES,
)
from pytest_vqamt.language.questions import simple as plain
from pytest_vqamt.language.questions import wordings
from pytest_vqamt.language.questions.templates import Asking, QuestionType

_NAMES = tuple(name for names in NAMES.values() for name in names)
_TAIL = re.compile(r"(?<!found)(?<!appear) (?:anywhere )?in (?:the|this) (?:picture|image|photo)(?=\?$)")
_LONGEST = 10
"""In words: of longer ones hardly one fits behind a main question."""


def builtin_questions() -> list[str]:
    """The same on every machine, in an order that mixes what is asked and of what.

    Every other question that says "in the picture" last is without it, as people ask ("Is there a dog?").
    """
    made = dict.fromkeys(text for place, name in enumerate(_NAMES) for text in _about(name, place))
    tailed = [text for text in made if _TAIL.search(text)]
    short = {text: _TAIL.sub("", text) for text in tailed[::2]}
    texts = dict.fromkeys(short.get(text, text) for text in made)
    return sorted((text for text in texts if len(text.split()) <= _LONGEST), key=digest)


def _about(name: str, place: int) -> Iterator[str]:
    """Questions about things of a name; ``place`` shifts wordings and words, so that names differ in them."""
    group, shift = Group(name=name), place * 5
    for turn in range(6):
        yield plain.count(group, (shift + turn) % plain.COUNT_WORDINGS).text
        yield plain.exists(group, (shift + 2 * turn) % plain.EXISTS_WORDINGS).text
        yield _worded(QuestionType.OBJECT, Exists(group=group), shift + turn)
        if name not in PEOPLE:
            yield from _coloured(name, COLOURS[(shift + turn) % len(COLOURS)], shift + turn)
    for turn in range(4):
        yield plain.absent(group, (shift + turn) % plain.ABSENT_WORDINGS).text
        yield from _chosen(name, shift + turn)
        yield from _with_another(name, _NAMES[(place + 7 * turn + 9) % len(_NAMES)], shift + turn)
    said = (*ACTIONS.get(name, ()), *(STATURES if name in PEOPLE else ()), *(PATTERNS if name in PATTERNED else ()))
    for turn, word in enumerate(said):
        yield from _said(name, word, shift + turn)


def _coloured(name: str, colour: str, turn: int) -> Iterator[str]:
    yield plain.exists(Group(name=name, attributes=(colour,)), turn % plain.EXISTS_WORDINGS).text
    if turn % 2:
        yield plain.count(Group(name=name, attributes=(colour,)), turn % plain.COUNT_WORDINGS).text
    yield _worded(QuestionType.ATTRIBUTE, Has(group=Group(name=name), attribute=colour), turn)


def _said(name: str, word: str, turn: int) -> Iterator[str]:
    """What a thing does, or how it looks."""
    yield _worded(QuestionType.ATTRIBUTE, Has(group=Group(name=name), attribute=word), turn)
    yield plain.count(Group(name=name, attributes=(word,)), turn % plain.COUNT_WORDINGS).text
    yield plain.exists(Group(name=name, attributes=(word,)), turn % plain.EXISTS_WORDINGS).text


def _chosen(name: str, turn: int) -> Iterator[str]:
    """Which of two it is: two colours, two actions."""
    if name not in PEOPLE:
        colours = Choice(
            what=Group(name=name), options=(COLOURS[turn % len(COLOURS)], COLOURS[(turn + 3) % len(COLOURS)])
        )
        yield _worded(QuestionType.ATTRIBUTE_CHOICE, colours, turn * 3, category="color")
    if actions := ACTIONS.get(name):
        pair = (actions[turn % len(actions)], actions[(turn + 1) % len(actions)])
        yield _worded(QuestionType.ACTION_CHOICE, Choice(what=Group(name=name), options=pair), turn, category="pose")


def _with_another(name: str, other: str, turn: int) -> Iterator[str]:
    one, another = Group(name=name), Group(name=other)
    yield _worded(QuestionType.CONJUNCTION, Both(groups=(one, another)), turn)
    yield _worded(QuestionType.DISJUNCTION, Either(groups=(one, another)), turn)
    beside = Related(predicate=PREDICATES[turn % len(PREDICATES)], to=another)
    yield _worded(QuestionType.OBJECT, Exists(group=Group(name=name, related=(beside,))), turn)


def _worded(
    type_: QuestionType, meaning: Both | Choice | Either | Exists | Has, turn: int, *, category: str = ""
) -> str:
    related = isinstance(meaning, Exists) and bool(meaning.group.related)
    asking = Asking(type=type_, meaning=meaning, category=category)
    return wordings.question(asking, turn % wordings.count(type_, related)).text
