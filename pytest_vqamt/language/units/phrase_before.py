"""What is known of the noun phrase that ends before a place of a sentence that is being tagged."""

from __future__ import annotations

from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.units.lexicon import VERBS, Tag, words_of
from pytest_vqamt.language.units.tagger_context import IN_A_PHRASE, OPENING, Reading
from pytest_vqamt.language.units.verbs import verb_forms

_NAMING = OPENING | {Tag.NOUN, Tag.PRONOUN}


def is_of_many(reading: Reading, place: int) -> bool:
    """Whether the noun phrase before the place has a number above one or the like, and so a plural."""
    for back in range(place - 1, -1, -1):
        word = reading.words[back]
        if reading.tags[back] is Tag.NUMBER or word.text in words_of("of_many"):
            return word.text not in ("one", "1")
        if word.text == "of":
            return back > 0 and singular(reading.words[back - 1].text) in words_of("quantities_dropped")
        if reading.tags[back] not in IN_A_PHRASE:
            return False
    return False


def lacks_noun_of_many(reading: Reading, place: int) -> bool:
    """Whether a number stands before the place, and what stands there is no plural: "two play chess"."""
    number = reading.words[place - 1] if place else None
    if number is None or reading.tags[place - 1] is not Tag.NUMBER or number.text in ("one", "1"):
        return False
    return not reading.words[place].is_plural and not reading.goes_on(place + 1)


def is_joined(reading: Reading, place: int) -> bool:
    """Whether the noun before the place is the last of several: "a boy and girl"."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING | {Tag.AND}:
            return False
        if reading.tags[back] is Tag.AND:
            return governor(reading, back) is None
    return False


def governor(reading: Reading, place: int) -> Tag | None:
    """What the noun phrase before the place hangs on: a verb, a preposition, "and", or nothing."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING:
            return reading.tags[back] if reading.tags[back] in VERBS | {Tag.PREPOSITION, Tag.AND} else None
    return None


def is_of_subject_of_many(reading: Reading, place: int) -> bool:
    """Whether the phrases before the place, each hanging on the one before, begin with a plural."""
    first = None
    for back in range(place - 1, 0, -1):
        if reading.tags[back] is Tag.PREPOSITION and reading.tags[back - 1] is Tag.NOUN:
            first = reading.words[back - 1]
        elif reading.tags[back] not in _NAMING:
            break
    return first is not None and first.is_plural


def is_let(reading: Reading, place: int) -> bool:
    """Whether the noun phrase before the place is what somebody lets or sees do a thing: "helps a boy read"."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING:
            return reading.tags[back] in VERBS and verb_forms(reading.words[back].text)[0] in words_of("lets")
    return False


def has_determiner(reading: Reading, place: int) -> bool:
    """Whether the noun phrase before the place begins with an article or the like."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in IN_A_PHRASE:
            return False
        if reading.tags[back] in OPENING - {Tag.ADJECTIVE}:
            return True
    return False
