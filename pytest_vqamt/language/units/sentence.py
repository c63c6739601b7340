"""A sentence as its words with their tags, and the noun phrases in it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.language.english.nouns import is_plural
from pytest_vqamt.language.units.lexicon import Tag

_OF_MANY = frozenset({"all", "both", "few", "many", "most", "others", "several", "some", "them", "they", "us", "we"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word as typed; ``word`` is its lower case, ``start`` and ``end`` are where it stands in the sentence."""

    text: str
    start: int
    end: int
    tag: Tag

    @property
    def word(self) -> str:
        return self.text.lower().replace("\u2019", "'")


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
        return is_plural(noun) or noun in _OF_MANY
