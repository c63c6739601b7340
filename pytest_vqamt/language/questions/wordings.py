"""Every question that can be asked, in each of its wordings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Absent, Both, Either, Exists, Meaning, Neither, NotBoth, groups_of
from pytest_vqamt.language.questions import choose, verify
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Askable, Asking, QuestionType, Templates

TEMPLATES: Mapping[QuestionType, Templates] = MappingProxyType(
    {
        QuestionType.OBJECT: verify.OBJECT,
        QuestionType.CONJUNCTION: verify.CONJUNCTION,
        QuestionType.DISJUNCTION: verify.DISJUNCTION,
        QuestionType.ATTRIBUTE: verify.ATTRIBUTE,
        QuestionType.OBJECT_CHOICE: choose.OBJECT_CHOICE,
        QuestionType.ATTRIBUTE_CHOICE: choose.ATTRIBUTE_CHOICE,
        QuestionType.ACTION_CHOICE: choose.ACTION_CHOICE,
    }
)


def count(type: QuestionType, related: bool) -> int:  # noqa: A002 - the word of Asking
    """How many templates there are for a thing that is related to another, or for one that is not.

    >>> count(QuestionType.OBJECT, related=True)
    36
    """
    return len(TEMPLATES[type].applicable(related=related))


@lru_cache(maxsize=65536)
def question(asking: Asking, template: int, *, negated: bool = False) -> Question:
    """What is asked, in the words of a template, or of its negated partner.

    A template is counted from 0 among those that apply: to a thing that is related to another, or to one that is not.

    >>> from pytest_vqamt.core.meaning import Group
    >>> pets = Asking(type=QuestionType.CONJUNCTION, meaning=Both(groups=(Group(name="dog"), Group(name="cat"))))
    >>> question(pets, 1).text, question(pets, 1, negated=True).text
    ('Is there both a dog and a cat in the picture?', 'Is there either no dog or no cat in the picture?')

    Raises:
        VqamtError: there is no such template, the type has no negated partners, or what is meant is not of the type.
    """
    templates = TEMPLATES[asking.type]
    if not isinstance(asking.meaning, templates.asks):
        raise VqamtError(f"Expected a meaning that {asking.type} asks, {templates.asks.__name__}, but got {asking!r}")
    meaning = _negation(asking.meaning) if negated else asking.meaning
    wordings = templates.applicable(related=bool(groups_of(asking.meaning)[0].related))
    if not 0 <= template < len(wordings):
        raise VqamtError(f"Expected a template from 0 to {len(wordings) - 1} of {asking.type}, but got {template=!r}")
    text = templates.fill(asking, wordings[template], negated)
    return Question(text[0].upper() + text[1:], meaning)


def _negation(meaning: Askable) -> Meaning:
    match meaning:
        case Exists(group=group):
            return Absent(group=group)
        case Both(groups=groups):
            return NotBoth(groups=groups)
        case Either(groups=groups):
            return Neither(groups=groups)
        case _:
            raise VqamtError(f"Expected a question with a negated partner (Q1 to Q3), but got {meaning=!r}")
