"""Questions with a list of options, each of which has a letter or a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import NONE_OF_THESE, Annotated, Choice, Group, WhichThere
from pytest_vqamt.language.english.phrases import with_indefinite
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.tables import toml_table

_WHICH_THERE: tuple[str, ...] = tuple(toml_table("questions/wordings.toml")["lettered"]["which_there"])
_MARKS = ("{}.", "{})", "({})")


class Labels(StrEnum):
    """What stands before the options."""

    LETTERS = "letter"
    NUMBERS = "number"


_LABELS = {Labels.LETTERS: "ABCDEFGH", Labels.NUMBERS: "12345678"}
LAYOUTS = len(_MARKS) * 2 * 2
"""The number of layouts: three marks, in lines or in one line, with or without "Answer with the letter."."""
IN_ONE_LINE = 8
"""The layout "Which one is it? (A) red (B) blue"."""
STEMS = len(_WHICH_THERE)
"""The number of wordings of the question before the options."""


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


_HAS_LETTERS = re.compile(r"\s\(?A[).] ")


def has_letters(text: str) -> bool:
    """Whether options with letters follow the question.

    >>> has_letters("Which one is it? (A) red (B) blue"), has_letters("Which one is it? 1. red 2. blue")
    (True, False)
    """
    return _HAS_LETTERS.search(text) is not None
