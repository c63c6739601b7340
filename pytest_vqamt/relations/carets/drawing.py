"""An argument of any of several types of question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.language.templates.asking import QuestionType
from pytest_vqamt.relations.carets import choosing, verifying
from pytest_vqamt.relations.carets.argument import Argument
from pytest_vqamt.relations.carets.view import View
from pytest_vqamt.sampling.chooser import Chooser

DRAW: Mapping[QuestionType, Callable[[View, Chooser], Argument | NotApplicable]] = MappingProxyType(
    {
        QuestionType.OBJECT: verifying.objects,
        QuestionType.CONJUNCTION: verifying.conjunction,
        QuestionType.DISJUNCTION: verifying.disjunction,
        QuestionType.ATTRIBUTE: verifying.attribute,
        QuestionType.OBJECT_CHOICE: choosing.object_choice,
        QuestionType.ATTRIBUTE_CHOICE: choosing.attribute_choice,
        QuestionType.ACTION_CHOICE: choosing.action_choice,
    }
)
"""What draws an argument of each type."""


def any_of(types: Sequence[QuestionType], view: View, choose: Chooser) -> Argument | NotApplicable:
    """An argument of one of the types, each as likely, out of those that the scene can give.

    A type that it cannot give is replaced by another, so that the rarer types ask for no more draws than they give.
    """
    refused: NotApplicable | None = None
    for type_ in choose.several(types, len(types)):
        drawn = DRAW[type_](view, choose)
        if isinstance(drawn, Argument):
            return drawn
        refused = refused or drawn
    return refused or NotApplicable(reason="no type of question")
