"""Tags of the words of a sentence, decided from left to right by the words around them.

A word that can be a noun and a verb is a verb if its noun phrase cannot go on with it ("a boy waves") or the clause
would lack one otherwise ("two dogs race"); it is a noun at the begin of a phrase ("the race").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_vqamt.language.english.nouns import is_mass, singular
from pytest_vqamt.language.units.lexicon import VERBS, Tag, TaggedWord, VerbForm, look_up, verb_forms, words_of
from pytest_vqamt.language.units.unit import is_living

OPENING = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER, Tag.ADJECTIVE})
"""Tags at the begin of a noun phrase."""

IN_A_PHRASE = OPENING | {Tag.NOUN, Tag.ADVERB}
LIKE_SUBORDINATORS = frozenset({"as", "before", "after", "until"})
"""Prepositions that a whole clause can follow."""

_CLAUSE_ENDS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.RELATIVE, Tag.MARK})
_FINITE = frozenset({Tag.BE, Tag.FINITE})

_NAMING = OPENING | {Tag.NOUN, Tag.PRONOUN}

_NAMES = (Tag.NOUN, Tag.PRONOUN)

# Shares of a word are those of ``parts_of_speech.txt``, from 0 to 1. Below, 0.5 stands for more often than not,
# and 0.9 and 0.2 for nearly always and now and then.
LEAST_VERB = 0.1
"""Rarer verbs ("man", "hand") are none unless their phrase ends before them."""


@dataclass(slots=True)
class TaggerContext:
    """The words, and the tags so far."""

    words: list[TaggedWord]
    """All words of the sentence, each with what it can be."""
    tags: list[Tag] = field(default_factory=list)
    """Those of the words from the first on; the next one is being decided."""

    def before(self, place: int) -> Tag:
        """Returns the tag of the word before; ``Tag.MARK`` where a sentence or a clause begins."""
        # A clause may begin after "as" or "before", whose own tag is that of a preposition.
        if not place or self.words[place - 1].text in LIKE_SUBORDINATORS:
            return Tag.MARK
        return self.tags[place - 1]

    def is_closed_at(self, place: int, tags: Collection[Tag]) -> bool:
        """True if the word there belongs to one of these closed classes."""
        return place < len(self.words) and self.words[place].closed in tags

    def begins_phrase(self, place: int) -> bool:
        """True if a noun phrase can begin there."""
        if place >= len(self.words):
            return False
        word = self.words[place]
        if word.closed is not None:
            return word.closed in OPENING or word.closed is Tag.PRONOUN
        return (word.noun + word.adjective > 0 and word.adverb < 0.5) or VerbForm.ING in word.forms

    def goes_on(self, place: int) -> bool:
        """True if a noun phrase whose noun is still to come can go on there."""
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
        # "The race car races": a form in -s is a plural or a verb, and no plural follows "a".
        if VerbForm.THIRD in word.forms and word.verb > word.noun:
            return not self.is_of_one(place)
        return not (word.is_plural and self.is_of_one(place) and VerbForm.THIRD in word.forms)

    def goes_on_after_and(self, place: int) -> bool:
        """True if "and" joins the adjective there to another: "a black and white dog"."""
        if place + 3 >= len(self.words) or self.words[place + 1].text not in ("and", ","):
            return False
        other = self.words[place + 2]
        return other.adjective > other.noun and self.goes_on(place + 3)

    def is_of_one(self, place: int) -> bool:
        """True if the noun phrase before the place has "a" or the like, so that no plural fits."""
        for back in range(min(place, len(self.tags)) - 1, -1, -1):
            if self.words[back].text in words_of("of_one"):
                return True
            if self.tags[back] not in IN_A_PHRASE:
                return False
        return False

    def is_ing_of_compound(self, place: int) -> bool:
        """True if a form in -ing belongs to the noun after it: "swimming pool", "a face painting booth"."""
        if place + 1 >= len(self.words):
            return False
        text, noun = self.words[place].text, self.words[place + 1]
        # A thing in the singular lacks its article, unless it is played, or a part of the compound.
        is_one = noun.closed is None and noun.thing >= 0.5 and not (noun.is_plural or is_mass(noun.text))
        return (is_one and text != "playing") or f"{text} {singular(noun.text)}" in words_of("ing_compounds")

    def is_living(self, place: int) -> bool:
        """True if the noun there names people, animals or several things, which may act."""
        return self.words[place].is_plural or is_living(self.words[place].text)

    def can_be(self, place: int, form: VerbForm) -> bool:
        return place < len(self.words) and form in self.words[place].forms

    def can_be_plural(self, place: int) -> bool:
        return place < len(self.words) and self.words[place].is_plural and self.words[place].noun > 0


def has_verb_after(reading: TaggerContext, place: int) -> bool:
    """True if the clause has an unambiguous finite verb after the place."""
    for word in reading.words[place + 1 :]:
        if word.closed in _CLAUSE_ENDS or word.text in LIKE_SUBORDINATORS:
            return False
        if word.closed in _FINITE or (VerbForm.THIRD in word.forms and not word.noun):
            return True
    return False


def has_verb_before(reading: TaggerContext, place: int) -> bool:
    """True if the clause has its finite verb before the place, not counting that of a relative clause."""
    verbs = 0
    for back in range(place - 1, -1, -1):
        if reading.tags[back] is Tag.RELATIVE:
            # Its verb is the next one found, "has" of "a dog which has a stick runs", which was counted.
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
    """True if the word there can have the form of the last verb before it."""
    forms = {Tag.FINITE: (VerbForm.THIRD, VerbForm.BASE, VerbForm.PAST), Tag.BASE: (VerbForm.BASE,)}
    for back in range(place - 1, -1, -1):
        wanted = forms.get(reading.tags[back])
        if wanted:
            return bool(reading.words[place].forms & reading.words[back].forms & {*wanted})
    return False


def is_of_many(reading: TaggerContext, place: int) -> bool:
    """True if the noun phrase before the place has a number above one or the like, and so a plural."""
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
    """True if a number precedes, and the word there is no plural: "two play chess"."""
    number = reading.words[place - 1] if place else None
    if number is None or reading.tags[place - 1] is not Tag.NUMBER or number.text in ("one", "1"):
        return False
    return not reading.words[place].is_plural and not reading.goes_on(place + 1)


def is_joined(reading: TaggerContext, place: int) -> bool:
    """True if the noun before the place is the last of several: "a boy and girl"."""
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
    """True if a plural is in the chain of phrases before the place: "a group of men in orange"."""
    for back in range(place - 1, 0, -1):
        if reading.tags[back] is Tag.PREPOSITION:
            # From preposition to preposition leftward: "a group of men in orange vests".
            if reading.tags[back - 1] is not Tag.NOUN or reading.words[back - 1].is_plural:
                return reading.tags[back - 1] is Tag.NOUN
        elif reading.tags[back] not in _NAMING:
            return False
    return False


def is_let(reading: TaggerContext, place: int) -> bool:
    """True if the noun phrase before the place is the object of "help", "see" or the like: "helps a boy read"."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in _NAMING:
            return reading.tags[back] in VERBS and verb_forms(reading.words[back].text)[0] in words_of("lets")
    return False


def has_determiner(reading: TaggerContext, place: int) -> bool:
    """True if the noun phrase before the place begins with an article or the like."""
    for back in range(place - 1, -1, -1):
        if reading.tags[back] not in IN_A_PHRASE:
            return False
        if reading.tags[back] in OPENING - {Tag.ADJECTIVE}:
            return True
    return False


def in_phrase(reading: TaggerContext, place: int) -> Tag:
    """Tags a word after a determiner, a number or an adjective: the noun is still to come."""
    word, before = reading.words[place], reading.before(place)
    goes_on = reading.goes_on(place + 1)
    if VerbForm.ING in word.forms and not word.thing:
        # "Two fishing": nothing that the number could count follows.
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
    # "Two play chess": a singular cannot be what two are.
    if lacks_noun_of_many(reading, place) and word.verb > LEAST_VERB:
        return Tag.FINITE
    if word.adjective >= word.noun or word.adverb > word.noun:
        # "An elderly man", but "the elderly sit": without a noun to come the adjective is the noun.
        if goes_on or reading.goes_on_after_and(place):
            return Tag.ADJECTIVE if word.adjective >= word.adverb else Tag.ADVERB
        is_name = word.noun or not place or before in (Tag.DETERMINER, Tag.POSSESSIVE)
        return Tag.NOUN if is_name else Tag.ADJECTIVE
    return Tag.NOUN


def _follows_bare_adjective(reading: TaggerContext, place: int) -> bool:
    """True if an adjective without a noun precedes: "a boy in black" runs."""
    if place < 2 or reading.tags[place - 1] is not Tag.ADJECTIVE:
        return False
    before = reading.tags[place - 2]
    return before is Tag.BE or (before is Tag.PREPOSITION and not has_verb_before(reading, place))


def in_nothing(reading: TaggerContext, place: int) -> Tag:
    """Tags a word at the begin of a sentence or after a comma."""
    word = reading.words[place]
    if VerbForm.ING in word.forms and word.thing < 0.5:
        return (
            Tag.ADJECTIVE
            # "Smiling people are singing" has its verb later; "smiling at a boy" has none.
            if not place and has_verb_after(reading, place + 1) and reading.goes_on(place + 1)
            else Tag.ING
        )
    if VerbForm.PARTICIPLE in word.forms and not word.noun:
        return Tag.ADJECTIVE if reading.goes_on(place + 1) and not place else Tag.PARTICIPLE
    if word.forms and not word.noun + word.adjective:
        return Tag.FINITE
    return in_phrase(reading, place)


def after_noun(reading: TaggerContext, place: int) -> Tag:
    """Tags a word after a pronoun or a noun that may be the last of its phrase."""
    word, ends = reading.words[place], not reading.goes_on(place + 1)
    # "Holds the door open": behind an object with its article an adjective says what it becomes.
    is_object = governor(reading, place) in VERBS and has_determiner(reading, place)
    is_complement = ends and is_object and word.adjective > word.noun
    if word.forms:
        if (verb := verb_after_noun(reading, place)) is not None:
            return verb
        is_said_of_many = reading.words[place - 1].is_plural and word.adjective > 0.2  # "children present"
        return Tag.ADJECTIVE if is_complement or (is_said_of_many and ends) else Tag.NOUN
    if word.adverb > max(word.noun, word.adjective):
        return Tag.ADVERB
    if word.is_plural and (reading.is_of_one(place) or reading.before(place) is Tag.PRONOUN):
        # No plural fits, so this is an unlisted or misspelt verb: "a boy jmps".
        return Tag.NOUN if reading.goes_on(place + 1) else Tag.FINITE
    is_said_of_it = word.adjective > word.noun and (not word.noun or reading.is_living(place - 1))
    return Tag.ADJECTIVE if is_complement or is_said_of_it else Tag.NOUN


def tag_words(words: Sequence[str]) -> tuple[Tag, ...]:
    """Returns the tags of the words of one sentence, lower case.

    >>> [str(tag) for tag in tag_words(["a", "race", "car", "races"])]
    ['determiner', 'noun', 'noun', 'finite']
    """
    reading = TaggerContext([look_up(word) for word in words])
    for place in range(len(words)):
        reading.tags.append(_choose(reading, place))
    return tuple(reading.tags)


def _choose(reading: TaggerContext, place: int) -> Tag:
    word = reading.words[place]
    if word.text in BY_NEIGHBOURS:
        return BY_NEIGHBOURS[word.text](reading, place)
    # "Sit outside" and "outside the pool": without a noun phrase behind it a preposition is an adverb.
    if word.closed is Tag.PREPOSITION:
        return Tag.PREPOSITION if reading.begins_phrase(place + 1) else Tag.ADVERB
    if word.closed is Tag.ADVERB and reading.before(place) in (Tag.POSSESSIVE, Tag.DETERMINER):
        return Tag.ADJECTIVE if reading.goes_on(place + 1) else Tag.NOUN  # "his home", "the far wall"
    if word.closed is not None:
        return word.closed
    return _AFTER.get(reading.before(place), in_nothing)(reading, place)


def _after_be(reading: TaggerContext, place: int) -> Tag:
    word = reading.words[place]
    # Nearly all of these are verbs after "is": "is a painting" has its article before it.
    if VerbForm.ING in word.forms and (word.thing < 0.9 or reading.begins_phrase(place + 1)):
        return Tag.ING
    ends = place + 1 == len(reading.words) or reading.words[place + 1].closed is not None
    # "Has been cut": at the end of the phrase what can be a noun, too, is the participle.
    if VerbForm.PARTICIPLE in word.forms and (not word.noun or (word.verb and ends)):
        return Tag.PARTICIPLE
    if word.adverb > max(word.noun, word.adjective):
        return Tag.ADVERB
    if word.adjective >= word.noun:
        return Tag.ADJECTIVE
    return Tag.NOUN


def _after_verb(reading: TaggerContext, place: int) -> Tag:
    word = reading.words[place]
    # "Can swim", "does not swim": the verb is an infinitive.
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


def _after_to(reading: TaggerContext, place: int) -> Tag:
    return Tag.BASE if VerbForm.BASE in reading.words[place].forms else in_phrase(reading, place)


def _after_preposition(reading: TaggerContext, place: int) -> Tag:
    word = reading.words[place]
    if VerbForm.ING in word.forms and word.thing < 0.5:
        # "In running shoes" has a noun behind it; after "by", "of" and others the form is the verb.
        is_of_kind = reading.words[place - 1].text in ("in", "on", "with", "near") and reading.goes_on(place + 1)
        return Tag.ADJECTIVE if is_of_kind else Tag.ING
    return in_phrase(reading, place)


def _after_adverb(reading: TaggerContext, place: int) -> Tag:
    """Adverbs are skipped: "a man quickly runs", "two very old dogs", "stands outside smiling"."""
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


def _after_and(reading: TaggerContext, place: int) -> Tag:
    """Continues what stands before "and": "sits and reads", "dogs and cats"."""
    word = reading.words[place]
    if VerbForm.ING in word.forms and word.thing < 0.9:
        return Tag.ING
    if word.forms and is_like_last_verb(reading, place):
        # "Sits and reads"; "with dogs and cats waiting" goes on with nouns, unless an object follows.
        next_to_verb = reading.tags[place - 2] not in (Tag.NOUN, Tag.ADJECTIVE)
        takes_object = reading.is_closed_at(place + 1, (Tag.DETERMINER, Tag.POSSESSIVE, Tag.PRONOUN, Tag.PREPOSITION))
        if not word.noun or next_to_verb or takes_object or word.verb > word.noun:
            return last_verb(reading, place) or Tag.FINITE
    if VerbForm.PARTICIPLE in word.forms and not word.noun:
        return Tag.ADJECTIVE if reading.goes_on(place + 1) else Tag.PARTICIPLE
    return in_phrase(reading, place)


_AFTER: Mapping[Tag, Callable[[TaggerContext, int], Tag]] = {
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


def _that(reading: TaggerContext, place: int) -> Tag:
    return Tag.RELATIVE if reading.before(place) in _NAMES else Tag.DETERMINER


def _determiner_or_pronoun(reading: TaggerContext, place: int) -> Tag:
    """A pronoun before a form in -ing ("both wearing hats"), except in "some smiling boys"."""
    if reading.can_be(place + 1, VerbForm.ING) and reading.words[place + 1].thing < 0.5:
        is_adjective = place + 2 < len(reading.words) and is_living(reading.words[place + 2].text)
        return Tag.DETERMINER if is_adjective else Tag.PRONOUN
    return Tag.DETERMINER if reading.begins_phrase(place + 1) else Tag.PRONOUN


def _than(reading: TaggerContext, place: int) -> Tag:
    return Tag.ADVERB if reading.is_closed_at(place + 1, (Tag.NUMBER,)) else Tag.PREPOSITION  # "more than one dog"


def _her(reading: TaggerContext, place: int) -> Tag:
    following = reading.words[place + 1] if place + 1 < len(reading.words) else None
    is_owner = following is not None and (following.is_nominal or following.closed is Tag.ADVERB)
    return Tag.POSSESSIVE if is_owner and not reading.can_be(place + 1, VerbForm.ING) else Tag.PRONOUN


def _can(reading: TaggerContext, place: int) -> Tag:
    is_modal = reading.can_be(place + 1, VerbForm.BASE) or reading.is_closed_at(place + 1, (Tag.NOT, Tag.ADVERB))
    return Tag.FINITE if is_modal else Tag.NOUN


def _other(reading: TaggerContext, place: int) -> Tag:
    if place and reading.words[place - 1].text == "each":
        return Tag.NOUN
    return _determiner_or_pronoun(reading, place)


def _one(reading: TaggerContext, place: int) -> Tag:
    if place and reading.words[place - 1].text in ("any", "every", "no", "some"):
        return Tag.NOUN
    if reading.before(place) in (Tag.DETERMINER, Tag.ADJECTIVE):
        return Tag.PRONOUN
    return Tag.NUMBER if reading.goes_on(place + 1) else Tag.PRONOUN


def _to(reading: TaggerContext, place: int) -> Tag:
    following = reading.words[place + 1] if place + 1 < len(reading.words) else None
    if following is None or VerbForm.BASE not in following.forms:
        return Tag.PREPOSITION
    # These take a noun: "next to race cars".
    if place and reading.words[place - 1].text in ("close", "due", "next"):
        return Tag.PREPOSITION
    if reading.is_closed_at(place + 2, (Tag.DETERMINER, Tag.POSSESSIVE)):
        return Tag.TO  # "a hose to water the roses": a noun would not stand before an article
    is_about_to = place > 0 and reading.words[place - 1].text == "about"
    # "Wants to dance", "walks to school": things are named more often than their verbs are used.
    return Tag.TO if is_about_to or following.verb > following.thing / 4 else Tag.PREPOSITION


def _there(reading: TaggerContext, place: int) -> Tag:
    follows = reading.words[place + 1].text if place + 1 < len(reading.words) else ""
    return Tag.THERE if reading.is_closed_at(place + 1, (Tag.BE,)) or follows == "'s" else Tag.ADVERB


def _like(reading: TaggerContext, place: int) -> Tag:
    if reading.before(place) not in _NAMES or has_verb_before(reading, place) or has_verb_after(reading, place):
        return Tag.PREPOSITION
    subject = reading.words[place - 1]
    return Tag.FINITE if subject.is_plural or subject.text in ("i", "they", "we", "you") else Tag.PREPOSITION


def _apostrophe(reading: TaggerContext, place: int) -> Tag:
    if reading.before(place) is not Tag.NOUN:
        return Tag.BE
    following = reading.words[place + 1] if place + 1 < len(reading.words) else None
    is_owner = following is not None and following.is_nominal and VerbForm.ING not in following.forms
    return Tag.POSSESSIVE if is_owner else Tag.BE


def _being(reading: TaggerContext, place: int) -> Tag:
    return Tag.BE if reading.before(place) is not Tag.DETERMINER else Tag.NOUN


BY_NEIGHBOURS: Mapping[str, Callable[[TaggerContext, int], Tag]] = {
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


def verb_after_noun(reading: TaggerContext, place: int) -> Tag | None:
    """Returns the tag of a verb form as a verb or participle, None if it is one more noun."""
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
    # A clause has one finite verb, so a second form is a noun: "is on a pony ride".
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
    # "People rock climbing": the noun before a form in -ing belongs to it.
    is_activity = reading.can_be(place + 1, VerbForm.ING)
    least = LEAST_VERB
    # Behind a singular a base form is a noun ("rock band"), but after two that are joined ("a boy and girl race").
    if not (head.is_plural or head.text in words_of("collective")):
        least = word.noun / 2 if is_joined(reading, place) else 2  # more than any share
    return Tag.FINITE if word.verb >= least and not is_activity else None


def _is_third_person(reading: TaggerContext, place: int, *, takes_object: bool) -> bool:
    """True if a form in -s that can be a plural ("waves") is the verb."""
    word = reading.words[place]
    if reading.is_of_one(place) or takes_object:
        return True
    if is_of_many(reading, place) or has_verb_after(reading, place):
        return False
    governed = governor(reading, place)
    # A plural subject has a verb without -s.
    if reading.words[place - 1].is_plural and governed is None:
        return False
    # Before another verb form the word is more likely the noun that it is said of.
    follows_verb = reading.can_be(place + 1, VerbForm.ING) or reading.can_be(place + 1, VerbForm.PARTICIPLE)
    if governed in (None, Tag.AND):
        is_subject = reading.is_living(place - 1) or has_determiner(reading, place)
        return word.verb > (word.noun if follows_verb or not is_subject else LEAST_VERB)
    if governed is Tag.PREPOSITION and is_of_subject_of_many(reading, place):
        return False  # "people in orange vests"
    if governed is not Tag.PREPOSITION:
        return governed in (Tag.ING, Tag.PARTICIPLE) and word.verb > word.noun  # "a couple holding hands walks"
    # Behind a preposition: "boy in trunks jumps", but "a monk in orange robes".
    return word.verb >= word.noun / (2 if has_determiner(reading, place) else 1)


def _past(reading: TaggerContext, place: int) -> Tag:
    """Tags a form in -ed: past or participle."""
    word = reading.words[place]
    if reading.goes_on(place + 1) and has_determiner(reading, place) and not reading.is_living(place - 1):
        return Tag.ADJECTIVE  # "a snow covered road"
    if VerbForm.PAST not in word.forms or has_verb_after(reading, place) or has_verb_before(reading, place):
        return Tag.PARTICIPLE
    # "Dressed in black" and "chased by a dog" describe, and "walked home" tells what was done.
    is_passive = reading.is_closed_at(place + 1, (Tag.PREPOSITION,)) and reading.words[place + 1].text == "by"
    is_state = word.text in words_of("state") and not reading.begins_phrase(place + 1)
    return Tag.PARTICIPLE if is_passive or is_state else Tag.FINITE
