"""Questions with a list of options, each of which has a letter or a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Literal

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import NONE_OF_THESE, Annotated, Choice, Exists, Group, Has, WhichThere
from pytest_vqamt.language.english.phrases import definite, predicative, with_indefinite
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question, checked_wording
from pytest_vqamt.language.questions.templates import any_of, none_of, number_of
from pytest_vqamt.language.tables import toml_table

_WHICH_THERE: tuple[str, ...] = tuple(toml_table("questions/wordings.toml")["lettered"]["which_there"])
_MARKS = ("{}.", "{})", "({})")

LAYOUTS = len(_MARKS) * 2 * 2
"""The number of layouts: three marks, in lines or in one line, with or without "Answer with the letter."."""
IN_ONE_LINE = 8
"""The layout "Which one is it? (A) red (B) blue"."""
STEMS = len(_WHICH_THERE)
"""The number of wordings of the question before the options."""

_HAS_LETTERS = pattern_of(r"\s\(?A[).] ")

_WORDINGS = toml_table("questions/wordings.toml")["leading"]
_NEUTRAL: tuple[str, ...] = tuple(_WORDINGS["neutral"])

STATEMENTS = len(_WORDINGS["belief"])
"""The number of wordings of a statement, for each speaker."""


class Labels(StrEnum):
    """What stands before the options."""

    LETTERS = "letter"
    NUMBERS = "number"


_LABELS = {Labels.LETTERS: "ABCDEFGH", Labels.NUMBERS: "12345678"}


def which_there(groups: Sequence[Group], wording: int, *, or_none: bool = False) -> Question:
    """Asks which of the groups is in the picture, without naming them.

    >>> which_there((Group(name="dog"), Group(name="kite")), 0).text
    'Which of these is in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(
        _WHICH_THERE[simple.checked_wording(wording, STEMS)], WhichThere(groups=tuple(groups), or_none=or_none)
    )


def which_value(group: Group, category: str, values: Sequence[str], wording: int) -> Question:
    """Asks which value a property of the one thing of the group has, without naming the values.

    Raises:
        VqamtError: there is no such wording.
    """
    asked = simple.property_of(group, category, values, wording)
    return replace(asked, meaning=Choice(what=group, options=tuple(values)))


def lettered(asked: Question, labels: Labels, layout: int) -> Question:
    """Adds the options of the question's meaning, in their order, as a list.

    >>> pets = which_there((Group(name="dog"), Group(name="kite")), 0)
    >>> lettered(pets, Labels.LETTERS, 8).text
    'Which of these is in the picture? (A) a dog (B) a kite'

    Raises:
        VqamtError: there is no such layout, or the meaning has no options, or more than eight.
    """
    options = listed(asked)
    if not 0 <= layout < LAYOUTS or not 0 < len(options) <= len(_LABELS[labels]):
        raise VqamtError(
            f"Expected a layout from 0 to {LAYOUTS - 1} and 1 to 8 options, but got layout={layout!r}, "
            f"options={options!r}"
        )
    # Four forms for each mark: in one line or in lines, without and with "Answer with the letter".
    mark, form = _MARKS[layout // 4], layout % 4
    marked = [f"{mark.format(label)} {option}" for label, option in zip(_LABELS[labels], options, strict=False)]
    how = f"Answer with the {labels.value}"
    texts = (
        (asked.text, *marked),
        (f"{asked.text} {how}:", *marked),
        ("\n".join((asked.text, *marked)),),
        ("\n".join((asked.text, *marked, f"{how}.")),),
    )
    return replace(asked, text=" ".join(texts[form]))


def listed(asked: Question) -> tuple[str, ...]:
    """Returns the options in the words of the list."""
    match asked.meaning:
        case Choice(options=options) | Annotated(options=options):
            return options
        case WhichThere(groups=groups, or_none=or_none):
            return (*map(with_indefinite, groups), *((NONE_OF_THESE,) if or_none else ()))
    return ()


def has_letters(text: str) -> bool:
    """True if options with letters follow the question.

    >>> has_letters("Which one is it? (A) red (B) blue"), has_letters("Which one is it? 1. red 2. blue")
    (True, False)
    """
    return _HAS_LETTERS.search(text) is not None


class Speaker(StrEnum):
    """The one by whom a statement is made."""

    BELIEF = "belief"
    """The user: "I think ..."."""
    AUTHORITY = "authority"
    """An expert, an archive or the like: "An expert has confirmed that ..."."""


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


def neutral_claim(length: int, about: Literal["picture", "conversation"] = "picture") -> str:
    """Returns a claim that says nothing about what the picture shows, of about ``length`` characters.

    In a conversation "this picture" may be any of several, or none.

    >>> neutral_claim(len("the picture shows no dog"))
    'this picture is one of many'
    """
    found = min(_NEUTRAL, key=lambda text: abs(len(text) - length))
    return found.replace("picture", about)


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
    """True if the text begins with a statement about what the picture shows.

    >>> is_led("I think the picture shows no dog. Is there a dog in the picture?")
    True
    >>> is_led("I think this picture is one of many. Is there a dog in the picture?")
    False
    """
    # Neutral claims begin alike, and say nothing about what the picture shows.
    plain = text.replace("this conversation", "this picture")
    return text.startswith(_BEGINNINGS) and not any(f" {each}." in plain for each in _NEUTRAL)
