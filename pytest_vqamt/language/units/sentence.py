"""A sentence as its words with their tags, and the noun phrases in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_vqamt.language.nouns import is_person, is_plural, singular
from pytest_vqamt.language.units.lexicon import Tag, words_of
from pytest_vqamt.language.units.tagging import tagged
from pytest_vqamt.language.units.things import is_object

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|\w+(?=n't\b)|n't\b|'s\b|\w+(?:-\w+)*|[^\w\s]")
_BEFORE_THE_NOUN = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER})
_MOST_NESTED = 8
"""Phrases within phrases: "one of a group of ..."."""

_IN_A_PHRASE = _BEFORE_THE_NOUN | {Tag.ADJECTIVE, Tag.NOUN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word as typed; ``word`` is its lower case, ``start`` and ``end`` are where it stands in the sentence."""

    text: str
    start: int
    end: int
    tag: Tag

    @property
    def word(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class NounPhrase:
    """A noun phrase, by the places of its words.

    Attributes:
        start: its first word.
        name: the first word of its name, after articles, numbers and the like.
        head: its noun: "men" of "two groups of men" and of "one of the men", "bowl" of "a bowl of soup".
        end: the word after it.
    """

    start: int
    name: int
    head: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """The words of a sentence. ``phrases`` are in order and do not overlap."""

    text: str
    tokens: tuple[Token, ...]
    phrases: tuple[NounPhrase, ...] = ()

    def words(self, start: int, end: int) -> str:
        """The words as they stand in the sentence, from the one to before the other; runs of blanks become one."""
        if start >= end:
            return ""
        return " ".join(self.text[self.tokens[start].start : self.tokens[end - 1].end].split())

    def tag(self, place: int) -> Tag:
        """The tag of a word; that of a mark before the first and after the last."""
        return self.tokens[place].tag if 0 <= place < len(self.tokens) else Tag.MARK

    def word(self, place: int) -> str:
        """The word at a place, lower case; none before the first and after the last."""
        return self.tokens[place].word if 0 <= place < len(self.tokens) else ""

    def is_plural(self, phrase: NounPhrase) -> bool:
        """Whether the phrase means several: its noun is a plural, or one of a kind that several make up."""
        noun = self.word(phrase.head)
        if self.word(phrase.name) in ("one", "each", "either", "neither") and phrase.head > phrase.name:
            return False
        if any(
            self.tag(place) is Tag.NUMBER and self.word(place) not in ("one", "1")
            for place in range(phrase.start, phrase.name)
        ):
            return True
        return is_plural(noun) or noun in ("they", "them", "others", "we", "us", "both", "many", "several")


def read(text: str) -> Sentence:
    """The sentence with its tags and phrases.

    >>> sentence = read("A group of men ride two brown horses.")
    >>> [sentence.words(phrase.name, phrase.end) for phrase in sentence.phrases]
    ['group of men', 'brown horses']
    """
    found = tuple(_TOKEN.finditer(text))
    tags = tagged([each[0].lower() for each in found])
    tokens = tuple(
        Token(text=each[0], start=each.start(), end=each.end(), tag=tag) for each, tag in zip(found, tags, strict=True)
    )
    sentence = Sentence(text=text, tokens=tokens)
    return replace(sentence, phrases=tuple(_phrases(sentence)))


def _phrases(sentence: Sentence) -> Iterator[NounPhrase]:
    place = 0
    while place < len(sentence.tokens):
        phrase = _phrase_at(sentence, place)
        if phrase is not None:
            yield phrase
        place = phrase.end if phrase else place + 1


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
    while True:
        tag = sentence.tag(end)
        after = sentence.tag(end + 1)
        if tag is Tag.NOUN and sentence.tag(end - 1) is Tag.NOUN and sentence.word(end - 1) == "'s":
            end += 1
        elif tag in _BEFORE_THE_NOUN:
            # A determiner only begins a phrase, but for what belongs to somebody: "the man's two dogs".
            if end > start and tag is Tag.DETERMINER and sentence.tag(end - 1) not in _BEFORE_THE_NOUN:
                return end
            if end > start and sentence.tag(end - 1) is Tag.NOUN and sentence.word(end) not in ("'s", "'"):
                return end
            end += 1
        elif tag in _IN_A_PHRASE:
            end += 1
        elif tag is Tag.ADVERB and after is Tag.ADJECTIVE and sentence.tag(end + 2) in _IN_A_PHRASE:
            end += 1
        elif tag is Tag.AND and sentence.tag(end - 1) is Tag.ADJECTIVE and after is Tag.ADJECTIVE:
            end += 1
        elif sentence.word(end) == "," and sentence.tag(end - 1) is Tag.ADJECTIVE and after is Tag.ADJECTIVE:
            end += 1
        else:
            return end


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
    if noun in words_of("quantities_dropped") or noun in words_of("determiner"):
        return NounPhrase(start=phrase.start, name=inner.name, head=inner.head, end=inner.end)
    if noun in words_of("quantities_kept") or _is_some(sentence, phrase):
        return NounPhrase(start=phrase.start, name=phrase.name, head=inner.head, end=inner.end)
    is_stuff = not is_object(sentence.words(inner.name, inner.end).lower())
    return replace(phrase, end=inner.end) if is_stuff else phrase


def _is_some(sentence: Sentence, phrase: NounPhrase) -> bool:
    """Whether the phrase is no more than a number, as in "one of the men"."""
    return sentence.word(phrase.head) == "one" or sentence.tag(phrase.head) is Tag.NUMBER
