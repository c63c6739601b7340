"""A partly tagged sentence: queries about the words before and after a place."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pytest_vqamt.language.english.nouns import is_mass, singular
from pytest_vqamt.language.units.lexicon import VERBS, Tag, TaggedWord, VerbForm, verb_forms, words_of
from pytest_vqamt.language.units.unit import is_living

OPENING = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER, Tag.ADJECTIVE})
"""Tags at the begin of a noun phrase."""

IN_A_PHRASE = OPENING | {Tag.NOUN, Tag.ADVERB}
LIKE_SUBORDINATORS = frozenset({"as", "before", "after", "until"})
"""Prepositions that a whole clause can follow."""


@dataclass(slots=True)
class TaggerContext:
    """The words, and the tags so far."""

    words: list[TaggedWord]
    tags: list[Tag] = field(default_factory=list)

    def before(self, place: int) -> Tag:
        """Returns the tag of the word before; that of a mark at a begin."""
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
        """Whether a noun phrase whose noun is still to come can go on there."""
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
        """Whether the noun phrase before the place has "a" or the like, so that no plural fits."""
        for back in range(min(place, len(self.tags)) - 1, -1, -1):
            if self.words[back].text in words_of("of_one"):
                return True
            if self.tags[back] not in IN_A_PHRASE:
                return False
        return False

    def is_ing_of_compound(self, place: int) -> bool:
        """Whether a form in -ing belongs to the noun after it: "swimming pool", "a face painting booth"."""
        if place + 1 >= len(self.words):
            return False
        text, noun = self.words[place].text, self.words[place + 1]
        # A thing in the singular lacks its article, unless it is played, or a part of the compound.
        is_one = noun.closed is None and noun.thing >= 0.5 and not (noun.is_plural or is_mass(noun.text))
        return (is_one and text != "playing") or f"{text} {singular(noun.text)}" in words_of("ing_compounds")

    def is_living(self, place: int) -> bool:
        """Whether the noun there names people, animals or several things, which may act."""
        return self.words[place].is_plural or is_living(self.words[place].text)

    def can_be(self, place: int, form: VerbForm) -> bool:
        return place < len(self.words) and form in self.words[place].forms

    def can_be_plural(self, place: int) -> bool:
        return place < len(self.words) and self.words[place].is_plural and self.words[place].noun > 0


_CLAUSE_ENDS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.RELATIVE, Tag.MARK})
_FINITE = frozenset({Tag.BE, Tag.FINITE})


def has_verb_after(reading: TaggerContext, place: int) -> bool:
    """Whether the clause has an unambiguous finite verb after the place."""
    for word in reading.words[place + 1 :]:
        if word.closed in _CLAUSE_ENDS or word.text in LIKE_SUBORDINATORS:
            return False
        if word.closed in _FINITE or (VerbForm.THIRD in word.forms and not word.noun):
            return True
    return False


def has_verb_before(reading: TaggerContext, place: int) -> bool:
    """Whether the clause has its finite verb before the place, not counting that of a relative clause."""
    verbs = 0
    for back in range(place - 1, -1, -1):
        if reading.tags[back] is Tag.RELATIVE:
            verbs -= 1
        elif reading.tags[back] in _CLAUSE_ENDS or reading.words[back].text in LIKE_SUBORDINATORS:
            break
        verbs += reading.tags[back] in _FINITE
    return verbs > 0


def last_verb(reading: TaggerContext, place: int) -> Tag | None:
    """Returns the tag of the last verb before the place, in the clause that "and" continues."""
    verbs = (Tag.FINITE, Tag.BASE, Tag.ING, Tag.PARTICIPLE)
    return next((reading.tags[back] for back in range(place - 1, -1, -1) if reading.tags[back] in verbs), None)


def is_like_last_verb(reading: TaggerContext, place: int) -> bool:
    """Whether the word there can have the form of the last verb before it."""
    forms = {Tag.FINITE: (VerbForm.THIRD, VerbForm.BASE, VerbForm.PAST), Tag.BASE: (VerbForm.BASE,)}
    for back in range(place - 1, -1, -1):
        wanted = forms.get(reading.tags[back])
        if wanted:
            return bool(reading.words[place].forms & reading.words[back].forms & {*wanted})
    return False


_NAMING = OPENING | {Tag.NOUN, Tag.PRONOUN}


def is_of_many(reading: TaggerContext, place: int) -> bool:
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


def lacks_noun_of_many(reading: TaggerContext, place: int) -> bool:
    """Whether a number precedes, and the word there is no plural: "two play chess"."""
    number = reading.words[place - 1] if place else None
    if number is None or reading.tags[place - 1] is not Tag.NUMBER or number.text in ("one", "1"):
        return False
    return not reading.words[place].is_plural and not reading.goes_on(place + 1)


def is_joined(reading: TaggerContext, place: int) -> bool:
    """Whether the noun before the place is the last of several: "a boy and girl"."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING | {Tag.AND}:
            return False
        if reading.tags[back] is Tag.AND:
            return governor(reading, back) is None
    return False


def governor(reading: TaggerContext, place: int) -> Tag | None:
    """Returns the tag that the noun phrase before the place depends on: a verb, a preposition, "and", or None."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING:
            return reading.tags[back] if reading.tags[back] in VERBS | {Tag.PREPOSITION, Tag.AND} else None
    return None


def is_of_subject_of_many(reading: TaggerContext, place: int) -> bool:
    """Whether a plural is in the chain of phrases before the place: "a group of men in orange"."""
    for back in range(place - 1, 0, -1):
        if reading.tags[back] is Tag.PREPOSITION:
            if reading.tags[back - 1] is not Tag.NOUN or reading.words[back - 1].is_plural:
                return reading.tags[back - 1] is Tag.NOUN
        elif reading.tags[back] not in _NAMING:
            return False
    return False


def is_let(reading: TaggerContext, place: int) -> bool:
    """Whether the noun phrase before the place is the object of "help", "see" or the like: "helps a boy read"."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING:
            return reading.tags[back] in VERBS and verb_forms(reading.words[back].text)[0] in words_of("lets")
    return False


def has_determiner(reading: TaggerContext, place: int) -> bool:
    """Whether the noun phrase before the place begins with an article or the like."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in IN_A_PHRASE:
            return False
        if reading.tags[back] in OPENING - {Tag.ADJECTIVE}:
            return True
    return False
