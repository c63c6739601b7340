"""An argument of any of several types of question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.carets import choosing, verifying
from pytest_vqamt.relations.carets import verifying as attributes
from pytest_vqamt.relations.carets.arguments import Argument
from pytest_vqamt.sampling.chooser import Chooser

T = TypeVar("T")
SampledArgument: TypeAlias = Argument | NotApplicable

VERIFY_SAMPLERS: Mapping[QuestionType, Callable[[AskableScene, Chooser, bool], SampledArgument]] = MappingProxyType(
    {
        QuestionType.OBJECT: verifying.object_argument,
        QuestionType.CONJUNCTION: verifying.conjunction_argument,
        QuestionType.DISJUNCTION: verifying.disjunction_argument,
        QuestionType.ATTRIBUTE: attributes.attribute_argument,
    }
)
"""What draws an argument of each yes/no type, of the truth that is asked for."""

CHOICE_SAMPLERS: Mapping[QuestionType, Callable[[AskableScene, Chooser], SampledArgument]] = MappingProxyType(
    {
        QuestionType.OBJECT_CHOICE: choosing.object_choice,
        QuestionType.ATTRIBUTE_CHOICE: choosing.attribute_choice,
        QuestionType.ACTION_CHOICE: choosing.action_choice,
    }
)
"""What draws an argument of each type with choices."""


def sample_argument(types: Sequence[QuestionType], view: AskableScene, choose: Chooser) -> SampledArgument:
    """An argument of one of the types, each as likely, out of those that the scene can give; as many yes as no.

    A type that it cannot give is replaced by another, so that the rarer types ask for no more draws than they give.
    """
    refused: NotApplicable | None = None
    for type_ in choose.several(types, len(types)):
        drawn = (
            VERIFY_SAMPLERS[type_](view, choose, choose.chance(0.5))
            if type_ in VERIFY_SAMPLERS
            else CHOICE_SAMPLERS[type_](view, choose)
        )
        if isinstance(drawn, Argument):
            return drawn
        refused = refused or drawn
    return refused or NotApplicable(reason="no type of question")


def sample_fitting_argument(
    types: Sequence[QuestionType], view: AskableScene, choose: Chooser, fits: Callable[[Argument], T | NotApplicable]
) -> tuple[Argument, T] | NotApplicable:
    """An argument of one of the types that ``fits`` takes, with what it makes of it.

    Of a yes/no type a true and a false one are drawn, both of which must fit: what ``fits`` refuses more often of the
    one than of the other would tip the balance.
    """
    refused: NotApplicable | None = None
    for type_ in choose.several(types, len(types)):
        fitting: list[tuple[Argument, T]] = []
        for drawn in _true_and_false(type_, view, choose):
            found = drawn if isinstance(drawn, NotApplicable) else fits(drawn)
            if isinstance(found, NotApplicable):
                refused = refused or found
                fitting.clear()
                break
            assert isinstance(drawn, Argument)
            fitting.append((drawn, found))
        if fitting:
            return choose.one(fitting)
    return refused or NotApplicable(reason="no type of question")


def _true_and_false(type_: QuestionType, view: AskableScene, choose: Chooser) -> Iterator[SampledArgument]:
    """Of a yes/no type a false argument, which is the likelier to be refused, and a true one; of another type any."""
    if type_ in VERIFY_SAMPLERS:
        yield VERIFY_SAMPLERS[type_](view, choose, False)
        yield VERIFY_SAMPLERS[type_](view, choose, True)
    else:
        yield CHOICE_SAMPLERS[type_](view, choose)
