"""Questions about a picture in which words may be written."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.meaning import Meaning
from pytest_vqamt.language.questions.simple import Question, checked_wording
from pytest_vqamt.language.tables import toml_table

_WORDINGS = toml_table("questions/wordings.toml")["overlay"]
_LEAVING_ASIDE: tuple[str, ...] = tuple(_WORDINGS["leaving_aside"])
_DRAWN: tuple[str, ...] = tuple(_WORDINGS["drawn"])
LEAVING_ASIDE = len(_LEAVING_ASIDE)
"""The number of wordings of ``about_things``."""
DRAWN = len(_DRAWN)
"""The number of wordings of ``drawn``."""


def about_things(asked: Question, wording: int) -> Question:
    """The question, with words before it that leave aside what is written in the picture.

    >>> from pytest_vqamt.core.meaning import Group
    >>> from pytest_vqamt.language.questions.simple import exists
    >>> about_things(exists(Group(name="dog")), 0).text
    'Apart from any writing, is there a dog in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    text = _LEAVING_ASIDE[checked_wording(wording, LEAVING_ASIDE)]
    return replace(asked, text=text.format(question=asked.text[0].lower() + asked.text[1:]))


def drawn(meaning: Meaning, wording: int) -> Question:
    """Asks for an answer to the question that is written in the picture, which has this meaning.

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(_DRAWN[checked_wording(wording, DRAWN)], meaning)


def is_drawn(text: str) -> bool:
    """Whether the text asks for an answer to a question that is written in the picture."""
    return text in _DRAWN
