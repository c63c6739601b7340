"""What an open word is where a noun phrase begins, goes on or may be at its end."""

from __future__ import annotations

from pytest_vqamt.language.units.after_nouns import LEAST_VERB, verb_after_noun
from pytest_vqamt.language.units.clause_verbs import has_verb_after, has_verb_before
from pytest_vqamt.language.units.lexicon import Tag
from pytest_vqamt.language.units.phrase_before import lacks_noun_of_many
from pytest_vqamt.language.units.tagger_context import Reading
from pytest_vqamt.language.units.verbs import VerbForm


def in_phrase(reading: Reading, place: int) -> Tag:
    """After a determiner, a number or an adjective: the noun is still to come."""
    word, before = reading.words[place], reading.before(place)
    goes_on = reading.goes_on(place + 1)
    if VerbForm.ING in word.forms and not word.thing:
        if before is Tag.NUMBER and not goes_on:
            return Tag.ING
        return Tag.ADJECTIVE if goes_on else Tag.NOUN
    if VerbForm.PARTICIPLE in word.forms and not word.noun:
        if before in (Tag.NUMBER, Tag.ADJECTIVE) and not goes_on:
            return Tag.FINITE
        return Tag.ADJECTIVE if goes_on else Tag.NOUN
    if word.forms and not (word.noun or word.adjective):
        return Tag.FINITE
    if VerbForm.THIRD in word.forms and word.verb > word.noun and _follows_bare_adjective(reading, place):
        return Tag.FINITE
    if lacks_noun_of_many(reading, place) and word.verb > LEAST_VERB:
        return Tag.FINITE
    if word.adjective >= word.noun or word.adverb > word.noun:
        if goes_on or reading.goes_on_after_and(place):
            return Tag.ADJECTIVE if word.adjective >= word.adverb else Tag.ADVERB
        is_name = word.noun or not place or before in (Tag.DETERMINER, Tag.POSSESSIVE)
        return Tag.NOUN if is_name else Tag.ADJECTIVE
    return Tag.NOUN


def _follows_bare_adjective(reading: Reading, place: int) -> bool:
    """Whether an adjective that has no noun ends what is before the place: "a boy in black" runs."""
    if place < 2 or reading.tags[place - 1] is not Tag.ADJECTIVE:
        return False
    before = reading.tags[place - 2]
    return before is Tag.BE or (before is Tag.PREPOSITION and not has_verb_before(reading, place))


def in_nothing(reading: Reading, place: int) -> Tag:
    """At the beginning of something: of the sentence, after a comma."""
    word = reading.words[place]
    if VerbForm.ING in word.forms and word.thing < 0.5:
        return (
            Tag.ADJECTIVE
            if not place and has_verb_after(reading, place + 1) and reading.goes_on(place + 1)
            else Tag.ING
        )
    if VerbForm.PARTICIPLE in word.forms and not word.noun:
        return Tag.ADJECTIVE if reading.goes_on(place + 1) and not place else Tag.PARTICIPLE
    if word.forms and not word.noun + word.adjective:
        return Tag.FINITE
    return in_phrase(reading, place)


def after_noun(reading: Reading, place: int) -> Tag:
    """After a noun that may be the last of its phrase, or a pronoun."""
    word = reading.words[place]
    if word.forms:
        if (verb := verb_after_noun(reading, place)) is not None:
            return verb
        is_said_of_many = reading.words[place - 1].is_plural and word.adjective > 0.2  # "children present"
        return Tag.ADJECTIVE if is_said_of_many and not reading.goes_on(place + 1) else Tag.NOUN
    if word.adverb > max(word.noun, word.adjective):
        return Tag.ADVERB
    if word.is_plural and (reading.is_of_one(place) or reading.before(place) is Tag.PRONOUN):
        # A verb that nobody has listed, or that is misspelt.
        return Tag.NOUN if reading.goes_on(place + 1) else Tag.FINITE
    is_said_of_it = word.adjective > word.noun and (not word.noun or reading.is_living(place - 1))
    return Tag.ADJECTIVE if is_said_of_it else Tag.NOUN
