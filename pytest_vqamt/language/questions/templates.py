"""What a templated question asks, before it is worded.

The seven types of Jimenez et al., ACL 2022, section 4.1. Groups of ``Exists``, ``Both`` and ``Either`` are any of their
kind ("a red cup"); the one group of ``Has`` and ``Choice``, and every group that something stands in a relation to, is
the only one of its kind in the picture, and comes with "the" ("the red cup on the table").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Has

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
