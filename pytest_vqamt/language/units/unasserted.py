"""Whether a property that names a thing says that it is there, and not only sought, meant, pictured or denied.

Where that is in doubt, it does not: a thing that is left out costs a test some words, and one that the picture lacks
would make the test wrong.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.units.lexicon import VERBS, Tag, words_of
from pytest_vqamt.language.units.naming import named
from pytest_vqamt.language.units.parsing import read
from pytest_vqamt.language.units.sentence import Sentence
from pytest_vqamt.language.units.unit import DescriptionUnit
from pytest_vqamt.language.units.verbs import verb_forms

_WHERE = frozenset({"at", "behind", "beside", "by", "in", "inside", "near", "on", "outside", "under"})
_DEFINITE = frozenset({"that", "the", "these", "this", "those"})


def asserts(unit: DescriptionUnit, other: DescriptionUnit) -> bool:
    """Whether what is said of the unit, where it names the other one, implies that this is there.

    >>> man = DescriptionUnit(object="man", property="is waiting for the bus near a sign")
    >>> asserts(man, DescriptionUnit(object="bus")), asserts(man, DescriptionUnit(object="sign"))
    (False, True)
    """
    subject = named(unit)
    return _asserts(f"{subject} {unit.property}", len(read(subject).tokens), other.object.lower())


@lru_cache(maxsize=65536)
def _asserts(text: str, start: int, name: str) -> bool:
    sentence = read(text)
    return any(_is_there(sentence, start, place, end) for place, end in _places(sentence, start, name))


def _places(sentence: Sentence, start: int, name: str) -> Iterator[tuple[int, int]]:
    """Where the words of the name stand, from the first to after the last."""
    words = [token.word for token in read(name).tokens]
    for place in range(start, len(sentence.tokens) - len(words) + 1):
        if [token.word for token in sentence.tokens[place : place + len(words)]] == words:
            yield place, place + len(words)


def _is_there(sentence: Sentence, start: int, place: int, end: int) -> bool:
    while place > start and sentence.tag(place - 1) in (Tag.ADJECTIVE, Tag.NUMBER):
        place -= 1
    is_definite = sentence.word(place - 1) in _DEFINITE or sentence.tag(place - 1) is Tag.POSSESSIVE
    if is_definite or sentence.word(place - 1) in words_of("article"):
        place -= 1
    if sentence.word(place - 1) in _unasserted_words()["before"] or sentence.word(end) in ("nor", "or"):
        return False
    if (sentence.word(place - 2), sentence.word(place - 1)) == ("instead", "of"):
        return False
    return not any(_leaves_open(sentence, at, place, is_definite=is_definite) for at in _before(sentence, place))


def _before(sentence: Sentence, place: int) -> Iterator[int]:
    """The places before, from the nearest back to where the clause begins, or the verb that "and" joins to others."""
    has_verb = False
    for at in range(place - 1, -1, -1):
        tag = sentence.tag(at)
        if tag is Tag.SUBORDINATOR or (tag is Tag.AND and has_verb):
            return
        has_verb = has_verb or tag in (Tag.FINITE, Tag.ING)
        yield at


def _leaves_open(sentence: Sentence, at: int, place: int, *, is_definite: bool) -> bool:
    """Whether because of the word at one place what stands at the other need not be there."""
    word, tag, table = sentence.word(at), sentence.tag(at), _unasserted_words()
    if tag is Tag.NOT or word == "never":
        return True
    if tag is Tag.TO or word in _modals():
        return not is_definite  # "tries to climb onto the horse"
    if tag is Tag.NOUN:
        return _is_pictured(sentence, at, place) or (word, sentence.word(at + 1)) == ("way", "to")
    verb = verb_forms(word)[0] if tag in VERBS else ""
    if verb in table["awaited"] or (verb in table["for"] and sentence.word(at + 1) == "for"):
        return all(sentence.word(between) not in _WHERE for between in range(at + 1, place))
    is_bound = verb in table["bound"] and sentence.word(place - 1) == "to"
    return is_bound or verb in table["thought"] or verb in table["draws"]


def _is_pictured(sentence: Sentence, at: int, place: int) -> bool:
    """Whether a picture is named at the one place that shows what is named at the other, and was not taken of it."""
    table = _unasserted_words()
    if singular(sentence.word(at)) not in table["depictions"]:
        return False
    between = [verb_forms(sentence.word(it))[0] for it in range(at + 1, place) if sentence.tag(it) in VERBS]
    if between:
        return not table["shows"].isdisjoint(between)
    is_taken = not table["takes"].isdisjoint(verb_forms(token.word)[0] for token in sentence.tokens[:at])
    return sentence.word(at + 1) in ("about", "of") and not is_taken


@cache
def _modals() -> frozenset[str]:
    return words_of("modal") - {"did", "do", "does"}


@cache
def _unasserted_words() -> Mapping[str, frozenset[str]]:
    text = files("pytest_vqamt.language.units").joinpath("unasserted.toml").read_text(encoding="utf-8")
    return {key: frozenset(words) for key, words in tomllib.loads(text).items()}
