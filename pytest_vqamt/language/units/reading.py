"""A sentence that is tagged from left to right: what is known at a place of what is before it and after it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pytest_vqamt.language.nouns import singular
from pytest_vqamt.language.units.lexicon import VERBS, Tag, Word, words_of
from pytest_vqamt.language.units.things import is_living
from pytest_vqamt.language.units.verbs import VerbForm, verb_forms

OPENING = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER, Tag.ADJECTIVE})
"""What a noun phrase can begin with."""

CLAUSE_ENDS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.RELATIVE, Tag.MARK})
_FINITE = frozenset({Tag.BE, Tag.FINITE})
_LIKE_BEGINNINGS = frozenset({"as", "before", "after", "until"})
"""Prepositions that a whole clause can follow."""


@dataclass(slots=True)
class Reading:
    """The words, and the tags of those that have one already."""

    words: list[Word]
    tags: list[Tag] = field(default_factory=list)

    def before(self, place: int) -> Tag:
        """The tag of the word before; that of a mark where something begins."""
        if not place or self.words[place - 1].text in _LIKE_BEGINNINGS:
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
        return word.noun + word.adjective > 0 and word.adverb < 0.5 or VerbForm.ING in word.forms

    def goes_on(self, place: int) -> bool:
        """Whether a noun phrase whose noun is still to come can go on with the word there."""
        if place >= len(self.words):
            return False
        word = self.words[place]
        if word.text in ("and", "'s", ","):
            return False
        if not word.is_nominal:
            return False
        if VerbForm.ING in word.forms and word.thing < 0.5:
            return self.words[place - 1].text not in words_of("people") and self.goes_on(place + 1)
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
            if self.tags[back] not in OPENING | {Tag.NOUN, Tag.ADVERB}:
                return False
        return False

    def is_of_many(self, place: int) -> bool:
        """Whether the noun phrase before the place has a number above one or the like, so that a plural goes with it."""
        for back in range(place - 1, -1, -1):
            word = self.words[back]
            if self.tags[back] is Tag.NUMBER or word.text in words_of("of_many"):
                return word.text not in ("one", "1")
            if word.text == "of":
                return back > 0 and singular(self.words[back - 1].text) in words_of("quantities_dropped")
            if self.tags[back] not in OPENING | {Tag.NOUN, Tag.ADVERB}:
                return False
        return False

    def lacks_noun_of_many(self, place: int) -> bool:
        """Whether a number stands before the place, and what stands there is no plural: "two play chess"."""
        number = self.words[place - 1] if place else None
        if number is None or self.tags[place - 1] is not Tag.NUMBER or number.text in ("one", "1"):
            return False
        return not self.words[place].is_plural and not self.goes_on(place + 1)

    def is_joined(self, place: int) -> bool:
        """Whether the noun before the place is the last of several: "a boy and girl"."""
        for back in range(place - 1, -1, -1):
            if self.tags[back] not in OPENING | {Tag.NOUN, Tag.PRONOUN, Tag.AND}:
                return False
            if self.tags[back] is Tag.AND:
                return self.governor(back) is None
        return False

    def governor(self, place: int) -> Tag | None:
        """What the noun phrase before the place hangs on: the tag of a verb, a preposition, of "and"; None if nothing."""
        for back in range(place - 1, -1, -1):
            if self.tags[back] not in OPENING | {Tag.NOUN, Tag.PRONOUN}:
                return self.tags[back] if self.tags[back] in VERBS | {Tag.PREPOSITION, Tag.AND} else None
        return None

    def is_let(self, place: int) -> bool:
        """Whether the noun phrase before the place is what somebody lets or sees do what follows: "helps a boy read"."""
        for back in range(place - 1, -1, -1):
            if self.tags[back] not in OPENING | {Tag.NOUN, Tag.PRONOUN}:
                return self.tags[back] in VERBS and verb_forms(self.words[back].text)[0] in words_of("lets")
        return False

    def has_determiner(self, place: int) -> bool:
        """Whether the noun phrase before the place begins with an article or the like."""
        for back in range(place - 1, -1, -1):
            if self.tags[back] not in OPENING | {Tag.NOUN, Tag.ADVERB}:
                return False
            if self.tags[back] in OPENING - {Tag.ADJECTIVE}:
                return True
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

    def has_verb_after(self, place: int) -> bool:
        """Whether the clause has a finite verb after the place that can be nothing else."""
        for word in self.words[place + 1 :]:
            if word.closed in CLAUSE_ENDS or word.text in _LIKE_BEGINNINGS:
                return False
            if word.closed in _FINITE or (VerbForm.THIRD in word.forms and not word.noun):
                return True
        return False

    def has_verb_before(self, place: int) -> bool:
        """Whether the clause has its finite verb before the place; one of a relative clause in it is not its own."""
        verbs = 0
        for back in range(place - 1, -1, -1):
            if self.tags[back] is Tag.RELATIVE:
                verbs -= 1
            elif self.tags[back] in CLAUSE_ENDS or self.words[back].text in _LIKE_BEGINNINGS:
                break
            verbs += self.tags[back] in _FINITE
        return verbs > 0

    def last_verb(self, place: int) -> Tag | None:
        """The tag of the last verb before the place, in the clause that "and" goes on with."""
        verbs = (Tag.FINITE, Tag.BASE, Tag.ING, Tag.PARTICIPLE)
        return next((self.tags[back] for back in range(place - 1, -1, -1) if self.tags[back] in verbs), None)

    def is_like_last_verb(self, place: int) -> bool:
        """Whether the word there can be a verb of the form that the last verb before it has."""
        forms = {Tag.FINITE: (VerbForm.THIRD, VerbForm.BASE, VerbForm.PAST), Tag.BASE: (VerbForm.BASE,)}
        for back in range(place - 1, -1, -1):
            wanted = forms.get(self.tags[back])
            if wanted:
                return bool(self.words[place].forms & self.words[back].forms & {*wanted})
        return False
