"""The noun phrases of a sentence whose words have their tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_vqamt.language.english.nouns import is_person, is_plural, singular
from pytest_vqamt.language.units.lexicon import Tag, words_of
from pytest_vqamt.language.units.sentence import NounPhrase, Sentence
from pytest_vqamt.language.units.things import is_object

_MOST_NESTED = 8
"""Phrases within phrases: "one of a group of ..."."""

_BEFORE_THE_NOUN = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER})
_IN_A_PHRASE = _BEFORE_THE_NOUN | {Tag.ADJECTIVE, Tag.NOUN}


def noun_phrases(sentence: Sentence) -> Iterator[NounPhrase]:
    """The phrases in order; they do not overlap."""
    place = 0
    while place < len(sentence.tokens):
        phrase = _phrase_at(sentence, place)
        if phrase is not None:
            yield phrase
        # Where there is none, none begins in the words that it could have had either.
        place = phrase.end if phrase else max(place + 1, _end(sentence, place))


def _phrase_at(sentence: Sentence, start: int, nested: int = 0) -> NounPhrase | None:
    """The noun phrase that begins with the word there, with the one after "of" where that says what there is."""
    if sentence.tag(start) is Tag.PRONOUN:
        phrase = NounPhrase(start=start, name=start, head=start, end=start + 1)
    else:
        end = _end(sentence, start)
        while end > start and sentence.tag(end - 1) not in (Tag.NOUN, Tag.NUMBER):
            end -= 1
        if end == start:
            return None
        if _is_activity(sentence, start, end):
            end -= 1
        name = start
        while name < end - 1 and (sentence.tag(name) in _BEFORE_THE_NOUN or sentence.tag(name) is Tag.ADVERB):
            name += 1
        phrase = NounPhrase(start=start, name=name, head=end - 1, end=end)
    return _with_of(sentence, phrase, nested) if nested < _MOST_NESTED else phrase


def _end(sentence: Sentence, start: int) -> int:
    """The place after the words that can be of one noun phrase."""
    end = start
    while _goes_on(sentence, start, end):
        end += 1
    return end


def _goes_on(sentence: Sentence, start: int, place: int) -> bool:
    tag, before = sentence.tag(place), sentence.tag(place - 1)
    if tag in _BEFORE_THE_NOUN and place > start and sentence.word(place) != "'s":
        # An article begins another phrase, and so does what follows a noun, but for "the man's two dogs".
        return before in _BEFORE_THE_NOUN or (before is Tag.ADJECTIVE and tag is Tag.NUMBER)
    if tag is Tag.ADVERB:
        return sentence.tag(place + 1) is Tag.ADJECTIVE and sentence.tag(place + 2) in _IN_A_PHRASE
    if tag is Tag.AND or sentence.word(place) == ",":
        return before is Tag.ADJECTIVE and sentence.tag(place + 1) is Tag.ADJECTIVE
    return tag in _IN_A_PHRASE


def _is_activity(sentence: Sentence, start: int, end: int) -> bool:
    """Whether the last noun goes with the verb in -ing after it: "people rock climbing"."""
    if end - start < 2 or sentence.tag(end) is not Tag.ING or sentence.tag(end - 2) is not Tag.NOUN:
        return False
    one, other = sentence.word(end - 2), sentence.word(end - 1)
    return (is_plural(one) or is_person(one)) and not (is_plural(other) or is_person(other))


def _with_of(sentence: Sentence, phrase: NounPhrase, nested: int) -> NounPhrase:
    if sentence.word(phrase.end) != "of":
        return phrase
    inner = _phrase_at(sentence, phrase.end + 1, nested + 1)
    if inner is None:
        return phrase
    noun = singular(sentence.word(phrase.head))
    is_number = sentence.tag(phrase.head) is Tag.NUMBER and noun not in ("one", "1")
    if is_number or noun in words_of("quantities_dropped") or noun in words_of("determiner"):
        return NounPhrase(start=phrase.start, name=inner.name, head=inner.head, end=inner.end)
    if noun in words_of("quantities_kept") or noun in ("one", "1"):
        return NounPhrase(start=phrase.start, name=phrase.name, head=inner.head, end=inner.end)
    is_stuff = not is_object(sentence.words(inner.name, inner.end).lower())
    return replace(phrase, end=inner.end) if is_stuff else phrase
