"""A sentence that is tagged from left to right: what is known at a place of what is before it and after it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.units.lexicon import Tag, Word, words_of
from pytest_vqamt.language.units.things import is_living
from pytest_vqamt.language.units.verbs import VerbForm

OPENING = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER, Tag.ADJECTIVE})
"""What a noun phrase can begin with."""

IN_A_PHRASE = OPENING | {Tag.NOUN, Tag.ADVERB}
LIKE_SUBORDINATORS = frozenset({"as", "before", "after", "until"})
"""Prepositions that a whole clause can follow."""


@dataclass(slots=True)
class Reading:
    """The words, and the tags of those that have one already."""

    words: list[Word]
    tags: list[Tag] = field(default_factory=list)

    def before(self, place: int) -> Tag:
        """The tag of the word before; that of a mark where something begins."""
        if not place or self.words[place - 1].text in LIKE_SUBORDINATORS:
            return Tag.MARK
        return self.tags[place - 1]

    def is_closed_at(self, place: int, tags: Collection[Tag]) -> bool:
        """Whether the word there belongs to one of these closed classes."""
        return place < len(self.words) and self.words[place].closed in tags

    def begins_phrase(self, place: int) -> bool:
        """Whether a noun phrase can begin there."""
        if place >= len(self.words):
            return False
        word = self.words[place]
        if word.closed is not None:
            return word.closed in OPENING or word.closed is Tag.PRONOUN
        return (word.noun + word.adjective > 0 and word.adverb < 0.5) or VerbForm.ING in word.forms

    def goes_on(self, place: int) -> bool:
        """Whether a noun phrase whose noun is still to come can go on with the word there."""
        if place >= len(self.words):
            return False
        while VerbForm.ING in self.words[place].forms and self.words[place].thing < 0.5:
            # "a smiling boy" goes on, "a human smiling" does not
            if self.words[place - 1].text in words_of("people") or place + 1 >= len(self.words):
                return False
            place += 1
        word = self.words[place]
        if not word.is_nominal:
            return False
        if VerbForm.THIRD in word.forms and word.verb > word.noun:
            return not self.is_of_one(place)
        return not (word.is_plural and self.is_of_one(place) and VerbForm.THIRD in word.forms)

    def goes_on_after_and(self, place: int) -> bool:
        """Whether "and" joins the adjective there to another: "a black and white dog"."""
        if place + 3 >= len(self.words) or self.words[place + 1].text not in ("and", ","):
            return False
        other = self.words[place + 2]
        return other.adjective > other.noun and self.goes_on(place + 3)

    def is_of_one(self, place: int) -> bool:
        """Whether the noun phrase before the place has "a" or the like, so that no plural goes with it."""
        for back in range(min(place, len(self.tags)) - 1, -1, -1):
            if self.words[back].text in words_of("of_one"):
                return True
            if self.tags[back] not in IN_A_PHRASE:
                return False
        return False

    def is_ing_of_compound(self, place: int) -> bool:
        """Whether a form in -ing goes with the noun after it: "swimming pool"."""
        if place + 1 >= len(self.words):
            return False
        return f"{self.words[place].text} {singular(self.words[place + 1].text)}" in words_of("ing_compounds")

    def is_living(self, place: int) -> bool:
        """Whether the noun there names people or animals, or several things: what follows it is what they do."""
        return self.words[place].is_plural or is_living(self.words[place].text)

    def can_be(self, place: int, form: VerbForm) -> bool:
        """Whether the word there is such a form of a verb."""
        return place < len(self.words) and form in self.words[place].forms

    def can_be_plural(self, place: int) -> bool:
        """Whether the word there is the plural of a noun."""
        return place < len(self.words) and self.words[place].is_plural and self.words[place].noun > 0
