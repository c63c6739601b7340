"""Which verbs a clause has before and after a place of a sentence that is being tagged."""

from __future__ import annotations

from pytest_vqamt.language.units.lexicon import Tag
from pytest_vqamt.language.units.tagger_context import LIKE_SUBORDINATORS, Reading
from pytest_vqamt.language.units.verbs import VerbForm

_CLAUSE_ENDS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.RELATIVE, Tag.MARK})
_FINITE = frozenset({Tag.BE, Tag.FINITE})


def has_verb_after(reading: Reading, place: int) -> bool:
    """Whether the clause has a finite verb after the place that can be nothing else."""
    for word in reading.words[place + 1 :]:
        if word.closed in _CLAUSE_ENDS or word.text in LIKE_SUBORDINATORS:
            return False
        if word.closed in _FINITE or (VerbForm.THIRD in word.forms and not word.noun):
            return True
    return False


def has_verb_before(reading: Reading, place: int) -> bool:
    """Whether the clause has its finite verb before the place; one of a relative clause in it is not its own."""
    verbs = 0
    for back in range(place - 1, -1, -1):
        if reading.tags[back] is Tag.RELATIVE:
            verbs -= 1
        elif reading.tags[back] in _CLAUSE_ENDS or reading.words[back].text in LIKE_SUBORDINATORS:
            break
        verbs += reading.tags[back] in _FINITE
    return verbs > 0


def last_verb(reading: Reading, place: int) -> Tag | None:
    """The tag of the last verb before the place, in the clause that "and" goes on with."""
    verbs = (Tag.FINITE, Tag.BASE, Tag.ING, Tag.PARTICIPLE)
    return next((reading.tags[back] for back in range(place - 1, -1, -1) if reading.tags[back] in verbs), None)


def is_like_last_verb(reading: Reading, place: int) -> bool:
    """Whether the word there can be a verb of the form that the last verb before it has."""
    forms = {Tag.FINITE: (VerbForm.THIRD, VerbForm.BASE, VerbForm.PAST), Tag.BASE: (VerbForm.BASE,)}
    for back in range(place - 1, -1, -1):
        wanted = forms.get(reading.tags[back])
        if wanted:
            return bool(reading.words[place].forms & reading.words[back].forms & {*wanted})
    return False
