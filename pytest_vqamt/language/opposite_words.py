"""Words of which the one is false of whatever the other is true of: for people and animals of a sex, and for places.

What is like that of attributes is in the ontology.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# No bulls: people call them cows.
_NAMES = (
    ("man", "woman"), ("boy", "girl"), ("guy", "lady"), ("gentleman", "lady"), ("lad", "lass"), ("male", "female"),
    ("father", "mother"), ("dad", "mom"), ("son", "daughter"), ("brother", "sister"), ("husband", "wife"),
    ("uncle", "aunt"), ("grandfather", "grandmother"), ("grandson", "granddaughter"), ("nephew", "niece"),
    ("prince", "princess"), ("groom", "bride"), ("actor", "actress"), ("waiter", "waitress"),
    ("policeman", "policewoman"), ("businessman", "businesswoman"), ("fireman", "firewoman"),
    ("salesman", "saleswoman"), ("cowboy", "cowgirl"), ("schoolboy", "schoolgirl"), ("rooster", "hen"),
    ("stallion", "mare"),
)  # fmt: skip
_PLACES = (("outside", "inside"), ("outdoors", "indoors"), ("outdoor", "indoor"))
_PRONOUNS = (("he", "she"), ("his", "her"), ("him", "her"), ("himself", "herself"))

OPPOSITE_NAMES: Mapping[str, str] = MappingProxyType({**dict(reversed(_NAMES)), **{b: a for a, b in reversed(_NAMES)}})
"""Of each name, in the singular, that of the other sex; of "lady" the first one."""

OPPOSITE_PLACES: Mapping[str, str] = MappingProxyType({**dict(_PLACES), **{b: a for a, b in _PLACES}})

PRONOUNS: frozenset[str] = frozenset(word for pair in _PRONOUNS for word in pair)
"""Those that tell a sex."""


def opposite_pronouns(name: str) -> Mapping[str, str]:
    """The pronouns for who goes by the name, each with the one for the other sex; no "her", which is his or him.

    >>> opposite_pronouns("man")["his"], sorted(opposite_pronouns("woman"))
    ('her', ['herself', 'she'])
    """
    return _FEMALE if name in _MALE_NAMES else _MALE


_MALE_NAMES = frozenset(male for male, _ in _NAMES)
_FEMALE: Mapping[str, str] = MappingProxyType(dict(_PRONOUNS))
_MALE: Mapping[str, str] = MappingProxyType({her: his for his, her in _PRONOUNS if her != "her"})
