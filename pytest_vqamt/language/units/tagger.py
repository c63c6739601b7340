"""Which word of a sentence is what: nouns, verbs and the rest, told apart by the words around them.

From left to right. A word that can be a noun and a verb is a verb where its noun phrase cannot go on with it ("a boy
waves"), and where the clause would lack one otherwise ("two dogs race"); where a phrase only begins it is a noun ("the
race").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_vqamt.language.units.after_nouns import verb_after_noun
from pytest_vqamt.language.units.clause_verbs import has_verb_before, is_like_last_verb, last_verb
from pytest_vqamt.language.units.in_phrases import after_noun, in_nothing, in_phrase
from pytest_vqamt.language.units.lexicon import Tag, look_up, words_of
from pytest_vqamt.language.units.neighbours import BY_NEIGHBOURS
from pytest_vqamt.language.units.tagger_context import Reading
from pytest_vqamt.language.units.verbs import VerbForm


def tagged(words: Sequence[str]) -> tuple[Tag, ...]:
    """The tags of the words of one sentence, lower case.

    >>> [str(tag) for tag in tagged(["a", "race", "car", "races"])]
    ['determiner', 'noun', 'noun', 'finite']
    """
    reading = Reading([look_up(word) for word in words])
    for place in range(len(words)):
        reading.tags.append(_choose(reading, place))
    return tuple(reading.tags)


def _choose(reading: Reading, place: int) -> Tag:
    word = reading.words[place]
    if word.text in BY_NEIGHBOURS:
        return BY_NEIGHBOURS[word.text](reading, place)
    if word.closed is Tag.PREPOSITION:
        return Tag.PREPOSITION if reading.begins_phrase(place + 1) else Tag.ADVERB
    if word.closed is Tag.ADVERB and reading.before(place) in (Tag.POSSESSIVE, Tag.DETERMINER):
        return Tag.ADJECTIVE if reading.goes_on(place + 1) else Tag.NOUN  # "his home", "the far wall"
    if word.closed is not None:
        return word.closed
    return _AFTER.get(reading.before(place), in_nothing)(reading, place)


def _after_be(reading: Reading, place: int) -> Tag:
    word = reading.words[place]
    if VerbForm.ING in word.forms and (word.thing < 0.9 or reading.begins_phrase(place + 1)):
        return Tag.ING
    ends = place + 1 == len(reading.words) or reading.words[place + 1].closed is not None
    if VerbForm.PARTICIPLE in word.forms and (not word.noun or (word.verb and ends)):
        return Tag.PARTICIPLE
    if word.adverb > max(word.noun, word.adjective):
        return Tag.ADVERB
    if word.adjective >= word.noun:
        return Tag.ADJECTIVE
    return Tag.NOUN


def _after_verb(reading: Reading, place: int) -> Tag:
    """Where a verb's object may begin."""
    word = reading.words[place]
    if reading.words[place - 1].text in words_of("modal") and word.verb:
        return Tag.BASE
    takes_object = reading.is_closed_at(place + 1, (Tag.DETERMINER, Tag.POSSESSIVE))
    if VerbForm.ING in word.forms and (word.thing < 0.5 or takes_object):
        return Tag.ADJECTIVE if reading.can_be_plural(place + 1) and word.adjective else Tag.ING
    if VerbForm.PARTICIPLE in word.forms and not word.noun:
        return Tag.ADJECTIVE if reading.goes_on(place + 1) else Tag.PARTICIPLE
    if word.adverb > max(word.noun, word.adjective):
        return Tag.ADVERB
    if word.adjective > word.noun:
        return Tag.ADJECTIVE
    return Tag.NOUN if word.noun else Tag.BASE


def _after_to(reading: Reading, place: int) -> Tag:
    return Tag.BASE if VerbForm.BASE in reading.words[place].forms else in_phrase(reading, place)


def _after_preposition(reading: Reading, place: int) -> Tag:
    word = reading.words[place]
    if VerbForm.ING in word.forms and word.thing < 0.5:
        is_of_kind = reading.words[place - 1].text in ("in", "on", "with", "near") and reading.goes_on(place + 1)
        return Tag.ADJECTIVE if is_of_kind else Tag.ING
    return in_phrase(reading, place)


def _after_adverb(reading: Reading, place: int) -> Tag:
    """An adverb is looked through: "a man quickly runs", "two very old dogs", "stands outside smiling"."""
    word = reading.words[place]
    start = reading.tags[place - 1 :: -1]
    seen = next((tag for tag in start if tag is not Tag.ADVERB), Tag.MARK)
    if seen in (Tag.NOUN, Tag.PRONOUN) and word.forms and not (word.noun and has_verb_before(reading, place)):
        return verb_after_noun(reading, place) or Tag.NOUN
    if seen is Tag.BE:
        return _after_be(reading, place)
    if seen in (Tag.DETERMINER, Tag.NUMBER, Tag.ADJECTIVE, Tag.POSSESSIVE):
        return in_phrase(reading, place)
    return _after_verb(reading, place)


def _after_and(reading: Reading, place: int) -> Tag:
    """As what stands before "and": "sits and reads", "dogs and cats"."""
    word = reading.words[place]
    if VerbForm.ING in word.forms and word.thing < 0.9:
        return Tag.ING
    if word.forms and is_like_last_verb(reading, place):
        next_to_verb = reading.tags[place - 2] not in (Tag.NOUN, Tag.ADJECTIVE)
        takes_object = reading.is_closed_at(place + 1, (Tag.DETERMINER, Tag.POSSESSIVE, Tag.PRONOUN, Tag.PREPOSITION))
        if not word.noun or next_to_verb or takes_object or word.verb > word.noun:
            return last_verb(reading, place) or Tag.FINITE
    if VerbForm.PARTICIPLE in word.forms and not word.noun:
        return Tag.ADJECTIVE if reading.goes_on(place + 1) else Tag.PARTICIPLE
    return in_phrase(reading, place)


_AFTER: Mapping[Tag, Callable[[Reading, int], Tag]] = {
    Tag.DETERMINER: in_phrase,
    Tag.POSSESSIVE: in_phrase,
    Tag.NUMBER: in_phrase,
    Tag.ADJECTIVE: in_phrase,
    Tag.NOUN: after_noun,
    Tag.PRONOUN: after_noun,
    Tag.RELATIVE: after_noun,
    Tag.BE: _after_be,
    Tag.FINITE: _after_verb,
    Tag.BASE: _after_verb,
    Tag.ING: _after_verb,
    Tag.PARTICIPLE: _after_verb,
    Tag.NOT: _after_verb,
    Tag.TO: _after_to,
    Tag.PREPOSITION: _after_preposition,
    Tag.ADVERB: _after_adverb,
    Tag.AND: _after_and,
}
