"""What a templated question asks, before it is worded.

The seven types of Jimenez et al., ACL 2022, section 4.1. Groups of ``Exists``, ``Both`` and ``Either`` are any of their
kind ("a red cup"); the one group of ``Has`` and ``Choice``, and every group that something stands in a relation to, is
the only one of its kind in the picture, and comes with "the" ("the red cup on the table").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has
from pytest_vqamt.language.english.nouns import is_countable, is_everywhere, is_mass, is_plural, with_article
from pytest_vqamt.language.english.phrases import Link, Number, definite, phrase_with_the

Askable: TypeAlias = Exists | Both | Either | Has | Choice


class QuestionType(StrEnum):
    """Q1 to Q7."""

    OBJECT = "object"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    ATTRIBUTE = "attribute"
    OBJECT_CHOICE = "object choice"
    ATTRIBUTE_CHOICE = "attribute choice"
    ACTION_CHOICE = "action choice"


YES_NO_TYPES: tuple[QuestionType, ...] = (
    QuestionType.OBJECT,
    QuestionType.CONJUNCTION,
    QuestionType.DISJUNCTION,
    QuestionType.ATTRIBUTE,
)
CHOICE_TYPES: tuple[QuestionType, ...] = (
    QuestionType.OBJECT_CHOICE,
    QuestionType.ATTRIBUTE_CHOICE,
    QuestionType.ACTION_CHOICE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked, in no particular wording.

    Attributes:
        type: which of the seven.
        meaning: Exists for Q1, Both for Q2, Either for Q3, Has for Q4, Choice for Q5 to Q7. Of Q5, ``what`` is a class
            ("animal") with an attribute or a related thing, and the options are names.
        category: of Q6 and Q7, the noun for what the options are ("color", "pose"); else "".
    """

    type: QuestionType
    meaning: Askable
    category: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The wordings of one question type.

    Attributes:
        asks: the kind of meaning that the type asks.
        fill: the question that a wording makes of what is asked, negated where the flag says so and the type has
            negated partners; as it stands in the middle of a sentence.
        plain: the wordings for things that are named by themselves ("a red cup").
        related: the wordings for things that are named with another ("a red cup on the table"); none where the type
            has no wordings of its own for them.
    """

    asks: type[Askable]
    fill: Callable[[Asking, str, bool], str]
    plain: tuple[str, ...]
    related: tuple[str, ...] = ()

    def applicable(self, *, related: bool) -> tuple[str, ...]:
        """The wordings of which one may be taken for a thing that is related to another, or that is not."""
        return self.related if related and self.related else self.plain
