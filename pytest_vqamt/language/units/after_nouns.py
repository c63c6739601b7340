"""Whether a word after a noun is the verb that the noun is the subject of, or goes on with its phrase."""

from __future__ import annotations

from pytest_vqamt.language.units.clause_verbs import has_verb_after, has_verb_before
from pytest_vqamt.language.units.lexicon import Tag, words_of
from pytest_vqamt.language.units.phrase_before import (
    governor,
    has_determiner,
    is_joined,
    is_let,
    is_of_many,
    is_of_subject_of_many,
)
from pytest_vqamt.language.units.tagger_context import Reading
from pytest_vqamt.language.units.verbs import VerbForm

LEAST_VERB = 0.1
"""What is a verb more seldom ("man", "hand") is none unless its phrase ends before it."""


def verb_after_noun(reading: Reading, place: int) -> Tag | None:
    """The tag of a word that has verb forms, where it is a verb or said of the noun; None where it is one more noun."""
    word, head = reading.words[place], reading.words[place - 1]
    is_pronoun = reading.tags[place - 1] is Tag.PRONOUN
    if VerbForm.ING in word.forms:
        is_doing = reading.is_living(place - 1) or (reading.is_of_one(place) and reading.can_be_plural(place + 1))
        if reading.is_ing_of_compound(place) and not is_doing:  # "men playing cards", "at a table playing cards"
            return Tag.ADJECTIVE
        is_compound = word.thing >= 0.5 and not reading.is_living(place - 1) and not reading.begins_phrase(place + 1)
        return None if is_compound else Tag.ING
    if reading.tags[place - 1] is Tag.RELATIVE:
        return Tag.FINITE
    if VerbForm.BASE in word.forms and word.verb >= LEAST_VERB and is_let(reading, place):
        return Tag.BASE
    if VerbForm.PARTICIPLE in word.forms and VerbForm.BASE not in word.forms and not word.noun:
        return _past(reading, place)
    takes_object = reading.is_closed_at(place + 1, (Tag.DETERMINER, Tag.POSSESSIVE, Tag.PRONOUN))
    if has_verb_before(reading, place) and not takes_object:
        return None
    if word.adjective > max(word.verb, word.noun):
        return Tag.ADJECTIVE
    if not word.noun or is_pronoun:
        return Tag.FINITE
    if VerbForm.THIRD in word.forms and word.is_plural:
        return Tag.FINITE if _is_third_person(reading, place, takes_object=takes_object) else None
    if has_verb_after(reading, place):
        return None
    if takes_object and word.verb >= LEAST_VERB:
        return Tag.FINITE
    if VerbForm.PAST in word.forms and VerbForm.BASE not in word.forms:
        return Tag.FINITE if word.verb > word.noun else None
    is_activity = reading.can_be(place + 1, VerbForm.ING)
    least = LEAST_VERB
    if not (head.is_plural or head.text in words_of("collective")):
        least = word.noun / 2 if is_joined(reading, place) else 2
    return Tag.FINITE if word.verb >= least and not is_activity else None


def _is_third_person(reading: Reading, place: int, *, takes_object: bool) -> bool:
    """Of a form in -s that can be a plural as well ("waves"), whether it is the verb."""
    word = reading.words[place]
    if reading.is_of_one(place) or takes_object:
        return True
    if is_of_many(reading, place) or has_verb_after(reading, place):
        return False
    governed = governor(reading, place)
    if reading.words[place - 1].is_plural and governed is None:
        return False
    follows_verb = reading.can_be(place + 1, VerbForm.ING) or reading.can_be(place + 1, VerbForm.PARTICIPLE)
    if governed in (None, Tag.AND):
        is_subject = reading.is_living(place - 1) or has_determiner(reading, place)
        return word.verb > (word.noun if follows_verb or not is_subject else LEAST_VERB)
    if governed is Tag.PREPOSITION and is_of_subject_of_many(reading, place):
        return False  # "people in orange vests"
    if governed is not Tag.PREPOSITION:
        return governed in (Tag.ING, Tag.PARTICIPLE) and word.verb > word.noun  # "a couple holding hands walks"
    return word.verb >= word.noun / (2 if has_determiner(reading, place) else 1)


def _past(reading: Reading, place: int) -> Tag:
    """A form in -ed: what somebody did, or what was done to him."""
    word = reading.words[place]
    if reading.goes_on(place + 1) and has_determiner(reading, place) and not reading.is_living(place - 1):
        return Tag.ADJECTIVE  # "a snow covered road"
    if VerbForm.PAST not in word.forms or has_verb_after(reading, place) or has_verb_before(reading, place):
        return Tag.PARTICIPLE
    is_passive = reading.is_closed_at(place + 1, (Tag.PREPOSITION,)) and reading.words[place + 1].text == "by"
    is_state = word.text in words_of("state") and not reading.begins_phrase(place + 1)
    return Tag.PARTICIPLE if is_passive or is_state else Tag.FINITE
