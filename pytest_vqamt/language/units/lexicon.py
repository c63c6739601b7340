"""What a word can be before its neighbours are looked at."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum, auto
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_plural, singular
from pytest_vqamt.language.units.parts_of_speech import shares
from pytest_vqamt.language.units.verbs import VerbForm, verb_forms
from tools.word_list import ADJECTIVE, ADVERB, IDEA, THING, VERB


class Tag(StrEnum):
    """What a word is in its sentence."""

    DETERMINER = auto()
    POSSESSIVE = auto()
    NUMBER = auto()
    ADJECTIVE = auto()
    NOUN = auto()
    PRONOUN = auto()
    BE = auto()
    FINITE = auto()
    """A verb that a clause has only one of: walks, walked, has, can."""
    BASE = auto()
    """An infinitive."""
    ING = auto()
    PARTICIPLE = auto()
    TO = auto()
    NOT = auto()
    PREPOSITION = auto()
    ADVERB = auto()
    AND = auto()
    SUBORDINATOR = auto()
    RELATIVE = auto()
    THERE = auto()
    MARK = auto()


VERBS = frozenset({Tag.BE, Tag.FINITE, Tag.BASE, Tag.ING, Tag.PARTICIPLE})


class Word(NamedTuple):
    """A word, lower case, and how likely it is each kind of word, from 0 to 1; a closed word has its tag.

    Attributes:
        thing: as the name of something that a picture shows.
        idea: as another noun.
    """

    text: str
    closed: Tag | None
    verb: float
    forms: frozenset[VerbForm]
    thing: float
    idea: float
    adjective: float
    adverb: float
    is_plural: bool

    @property
    def noun(self) -> float:
        return self.thing + self.idea

    @property
    def is_nominal(self) -> bool:
        """Whether it can stand in a noun phrase, after its determiner."""
        return self.closed is Tag.NUMBER or (self.closed is None and self.noun + self.adjective > 0)


@lru_cache(maxsize=65536)
def look_up(text: str) -> Word:
    """What is known of a word; what nobody lists is the name of a thing.

    >>> wave, the = look_up("waves"), look_up("the")
    >>> wave.is_plural, wave.verb, wave.idea, [str(form) for form in wave.forms], str(the.closed)
    (True, 0.3, 0.6, ['third'], 'determiner')
    """
    lemma, forms = verb_forms(text)
    own = shares(text)
    is_many = is_plural(text)
    one = singular(text) if is_many else text
    as_noun = shares(one) or ({} if own or (forms and not is_many) else {ADVERB if text.endswith("ly") else THING: 1.0})
    return Word(
        text=text,
        closed=_closed(text),
        verb=(own if VerbForm.BASE in forms else shares(lemma)).get(VERB, 1.0) if forms else 0.0,
        forms=forms,
        thing=as_noun.get(THING, 0.0),
        idea=as_noun.get(IDEA, 0.0),
        adjective=own.get(ADJECTIVE, 0.0),
        adverb=max(own.get(ADVERB, 0.0), as_noun.get(ADVERB, 0.0)),
        is_plural=is_many,
    )


def _closed(text: str) -> Tag | None:
    if not text[0].isalnum() and text[0] not in "'&":
        return Tag.MARK
    return Tag.NUMBER if text[0].isdigit() or text in NUMBER_WORDS else _classes().get(text)


@cache
def table() -> Mapping[str, Any]:
    """The words of ``words.toml``."""
    return tomllib.loads(files("pytest_vqamt.language.units").joinpath("words.toml").read_text(encoding="utf-8"))


@cache
def words_of(key: str) -> frozenset[str]:
    """One of its lists."""
    return frozenset(table()[key])


@cache
def _classes() -> Mapping[str, Tag]:
    return _TOLD_BY_NEIGHBOURS | {word: tag for key, tag in _CLOSED.items() for word in table()[key]}


_TOLD_BY_NEIGHBOURS = {
    "to": Tag.PREPOSITION,
    "there": Tag.ADVERB,
    "that": Tag.DETERMINER,
    "another": Tag.DETERMINER,
    "other": Tag.DETERMINER,
    "be": Tag.BASE,
    "been": Tag.PARTICIPLE,
    "being": Tag.ING,
    "'s": Tag.POSSESSIVE,
}
"""What these mostly are, for whoever looks ahead at them; neighbours.py has what they are in their place."""

_CLOSED = {
    "article": Tag.DETERMINER,
    "determiner": Tag.DETERMINER,
    "possessive": Tag.POSSESSIVE,
    "pronoun": Tag.PRONOUN,
    "be": Tag.BE,
    "have": Tag.FINITE,
    "modal": Tag.FINITE,
    "negation": Tag.NOT,
    "and": Tag.AND,
    "subordinator": Tag.SUBORDINATOR,
    "relative": Tag.RELATIVE,
    "preposition": Tag.PREPOSITION,
    "adverb": Tag.ADVERB,
}
