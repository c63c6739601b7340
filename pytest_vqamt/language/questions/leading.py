"""Statements before a question: what the asker believes, or what somebody says who should know."""

from __future__ import annotations

from enum import StrEnum

from pytest_vqamt.core.meaning import Exists, Has
from pytest_vqamt.language.english.phrases import definite, predicative
from pytest_vqamt.language.questions.simple import checked_wording
from pytest_vqamt.language.questions.templates import any_of, none_of, number_of
from pytest_vqamt.language.tables import toml_table

_WORDINGS = toml_table("questions/wordings.toml")["leading"]
_NEUTRAL: tuple[str, ...] = tuple(_WORDINGS["neutral"])


class Speaker(StrEnum):
    """The one by whom a statement is made."""

    BELIEF = "belief"
    AUTHORITY = "authority"


STATEMENTS = len(_WORDINGS["belief"])
"""The number of wordings of a statement, for each speaker."""


def claim(meaning: Exists | Has, *, holds: bool) -> str:
    """Returns a claim that what the question asks for is so, or that it is not.

    >>> from pytest_vqamt.core.meaning import Group
    >>> claim(Exists(group=Group(name="dog")), holds=False)
    'the picture shows no dog'
    >>> claim(Has(group=Group(name="car"), attribute="red"), holds=True)
    'the car is red'
    """
    if isinstance(meaning, Exists):
        return f"the picture shows {any_of(meaning.group) if holds else none_of(meaning.group)}"
    many = number_of(meaning.group)
    verb = "are" if many == "plural" else "is"
    return f"{definite(meaning.group)} {verb} {'' if holds else 'not '}{predicative(meaning.attribute, many)}"


def neutral_claim(length: int) -> str:
    """Returns a claim that says nothing about what the picture shows, of about ``length`` characters.

    >>> neutral_claim(len("the picture shows no dog"))
    'this picture is one of many'
    """
    return min(_NEUTRAL, key=lambda text: abs(len(text) - length))


def statement(speaker: Speaker, claimed: str, wording: int) -> str:
    """Returns the claim as a sentence in the speaker's words.

    >>> statement(Speaker.BELIEF, "the picture shows no dog", 0)
    'I think the picture shows no dog.'

    Raises:
        VqamtError: there is no such wording.
    """
    return str(_WORDINGS[speaker.value][checked_wording(wording, STATEMENTS)]).format(claim=claimed)


_BEGINNINGS = tuple(text.partition("{claim}")[0] for speaker in Speaker for text in _WORDINGS[speaker.value])


def is_led(text: str) -> bool:
    """Whether the text begins with a statement about what the picture shows.

    >>> is_led("I think the picture shows no dog. Is there a dog in the picture?")
    True
    >>> is_led("I think this picture is one of many. Is there a dog in the picture?")
    False
    """
    return text.startswith(_BEGINNINGS) and not any(f" {each}." in text for each in _NEUTRAL)
