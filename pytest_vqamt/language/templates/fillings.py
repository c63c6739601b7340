"""What the wordings need of a group: its phrases and the verbs that agree with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from pytest_vqamt.core.meaning import Group
from pytest_vqamt.language.english.nouns import is_countable, is_everywhere, is_mass, is_plural, with_article
from pytest_vqamt.language.english.phrases import Link, Number, definite, phrase_with_the

Fillings: TypeAlias = Mapping[str, str]


def number_of(group: Group) -> Number:
    """The number in which verbs agree with the noun; that of a mass noun is singular."""
    return "plural" if is_plural(group.name) and not is_mass(group.name) else "singular"


@lru_cache(maxsize=65536)
def any_of(group: Group, link: Link = "phrase") -> str:
    """Any one of the group: "a dog", "scissors", "grass on the hill"."""
    words = phrase_with_the(group, "singular", link)
    return words if _is_bare(group) else with_article(words)


@lru_cache(maxsize=65536)
def none_of(group: Group, link: Link = "phrase") -> str:
    """None of the group: "no dog", "no scissors", "no grass on the hill"."""
    return f"no {phrase_with_the(group, 'singular', link)}"


@lru_cache(maxsize=65536)
def the_one(group: Group) -> Fillings:
    """For questions about the one thing of a group.

    >>> scissors = the_one(Group(name="scissors"))
    >>> scissors["the"], scissors["is"], scissors["does"]
    ('the scissors', 'are', 'do')
    """
    return MappingProxyType(
        {"the": definite(group), "the_that": definite(group, "clause"), **verbs(number_of(group))},
    )


@lru_cache(maxsize=65536)
def existing(group: Group, negated: bool) -> Fillings:
    """For questions whether there is any of the group, or none.

    Of plurals and masses a question asks for "any", a statement that may be true or not does not ("that there is
    grass"); ``any_many`` is in the plural where the noun has one.

    >>> existing(Group(name="water"), False)["some"], existing(Group(name="apple"), False)["any_many"]
    ('any water', 'any apples')
    >>> existing(Group(name="apple"), True)["some"]
    'no apple'
    """
    counted = is_countable(group.name)
    several = phrase_with_the(group, "plural") if counted else ""
    if negated:
        some = a = none_of(group)
        some_that = a_that = none_of(group, "clause")
    else:
        a, a_that = any_of(group), any_of(group, "clause")
        some, some_that = (f"any {a}", f"any {a_that}") if _is_bare(group) else (a, a_that)
    return MappingProxyType(
        {
            "some": some,
            "some_that": some_that,
            "a": a,
            "a_that": a_that,
            "any_many": f"{'no' if negated else 'any'} {several}" if counted else some,
            "are": "are" if counted else verbs(number_of(group))["is"],
            **verbs(number_of(group)),
        }
    )


def _is_bare(group: Group) -> bool:
    undescribed = not group.attributes and is_everywhere(group.name)
    return is_plural(group.name) or is_mass(group.name) or undescribed


def verbs(number: Number) -> Fillings:
    """The verbs in a number."""
    return _PLURAL if number == "plural" else _SINGULAR


_SINGULAR: Fillings = MappingProxyType({"is": "is", "does": "does"})
_PLURAL: Fillings = MappingProxyType({"is": "are", "does": "do"})
