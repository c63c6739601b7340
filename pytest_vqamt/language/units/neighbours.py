"""The closed words that are told by their neighbours: "that", "her", "to", "one", "there", "like", "'s" and such."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_vqamt.language.units.clause_verbs import has_verb_after, has_verb_before
from pytest_vqamt.language.units.lexicon import Tag
from pytest_vqamt.language.units.tagger_context import Reading
from pytest_vqamt.language.units.things import is_living
from pytest_vqamt.language.units.verbs import VerbForm

_NAMES = (Tag.NOUN, Tag.PRONOUN)


def _that(reading: Reading, place: int) -> Tag:
    return Tag.RELATIVE if reading.before(place) in _NAMES else Tag.DETERMINER


def _determiner_or_pronoun(reading: Reading, place: int) -> Tag:
    """Where a form in -ing follows, a pronoun, but for "some smiling boys": "both wearing hats"."""
    if reading.can_be(place + 1, VerbForm.ING) and reading.words[place + 1].thing < 0.5:
        is_adjective = place + 2 < len(reading.words) and is_living(reading.words[place + 2].text)
        return Tag.DETERMINER if is_adjective else Tag.PRONOUN
    return Tag.DETERMINER if reading.begins_phrase(place + 1) else Tag.PRONOUN


def _than(reading: Reading, place: int) -> Tag:
    return Tag.ADVERB if reading.is_closed_at(place + 1, (Tag.NUMBER,)) else Tag.PREPOSITION  # "more than one dog"


def _her(reading: Reading, place: int) -> Tag:
    following = reading.words[place + 1] if place + 1 < len(reading.words) else None
    is_owner = following is not None and (following.is_nominal or following.closed is Tag.ADVERB)
    return Tag.POSSESSIVE if is_owner and not reading.can_be(place + 1, VerbForm.ING) else Tag.PRONOUN


def _can(reading: Reading, place: int) -> Tag:
    is_modal = reading.can_be(place + 1, VerbForm.BASE) or reading.is_closed_at(place + 1, (Tag.NOT, Tag.ADVERB))
    return Tag.FINITE if is_modal else Tag.NOUN


def _other(reading: Reading, place: int) -> Tag:
    if place and reading.words[place - 1].text == "each":
        return Tag.NOUN
    return _determiner_or_pronoun(reading, place)


def _one(reading: Reading, place: int) -> Tag:
    if place and reading.words[place - 1].text in ("any", "every", "no", "some"):
        return Tag.NOUN
    if reading.before(place) in (Tag.DETERMINER, Tag.ADJECTIVE):
        return Tag.PRONOUN
    return Tag.NUMBER if reading.goes_on(place + 1) else Tag.PRONOUN


def _to(reading: Reading, place: int) -> Tag:
    following = reading.words[place + 1] if place + 1 < len(reading.words) else None
    if following is None or VerbForm.BASE not in following.forms:
        return Tag.PREPOSITION
    if place and reading.words[place - 1].text in ("close", "due", "next"):
        return Tag.PREPOSITION
    if reading.is_closed_at(place + 2, (Tag.DETERMINER, Tag.POSSESSIVE)):
        return Tag.TO  # "a hose to water the roses"
    is_about_to = place > 0 and reading.words[place - 1].text == "about"
    return Tag.TO if is_about_to or following.verb > following.thing / 4 else Tag.PREPOSITION


def _there(reading: Reading, place: int) -> Tag:
    follows = reading.words[place + 1].text if place + 1 < len(reading.words) else ""
    return Tag.THERE if reading.is_closed_at(place + 1, (Tag.BE,)) or follows == "'s" else Tag.ADVERB


def _like(reading: Reading, place: int) -> Tag:
    if reading.before(place) not in _NAMES or has_verb_before(reading, place) or has_verb_after(reading, place):
        return Tag.PREPOSITION
    subject = reading.words[place - 1]
    return Tag.FINITE if subject.is_plural or subject.text in ("i", "they", "we", "you") else Tag.PREPOSITION


def _apostrophe(reading: Reading, place: int) -> Tag:
    if reading.before(place) is not Tag.NOUN:
        return Tag.BE
    following = reading.words[place + 1] if place + 1 < len(reading.words) else None
    is_owner = following is not None and following.is_nominal and VerbForm.ING not in following.forms
    return Tag.POSSESSIVE if is_owner else Tag.BE


def _being(reading: Reading, place: int) -> Tag:
    return Tag.BE if reading.before(place) is not Tag.DETERMINER else Tag.NOUN


BY_NEIGHBOURS: Mapping[str, Callable[[Reading, int], Tag]] = {
    "that": _that,
    "which": lambda _, place: Tag.RELATIVE if place else Tag.DETERMINER,
    "another": _determiner_or_pronoun,
    "each": _determiner_or_pronoun,
    "other": _other,
    "can": _can,
    "both": _determiner_or_pronoun,
    "some": _determiner_or_pronoun,
    "many": _determiner_or_pronoun,
    "all": _determiner_or_pronoun,
    "few": _determiner_or_pronoun,
    "most": _determiner_or_pronoun,
    "several": _determiner_or_pronoun,
    "either": _determiner_or_pronoun,
    "neither": _determiner_or_pronoun,
    "her": _her,
    "one": _one,
    "to": _to,
    "there": _there,
    "theres": lambda *_: Tag.THERE,
    "than": _than,
    "like": _like,
    "'s": _apostrophe,
    "being": _being,
    "be": _being,
    "been": _being,
    "having": lambda *_: Tag.ING,
}
