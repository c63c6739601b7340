"""Samples arguments of several question types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.carets import choosing, verifying
from pytest_vqamt.relations.carets.arguments import Argument
from pytest_vqamt.sampling.chooser import Chooser

T = TypeVar("T")
SampledArgument: TypeAlias = Argument | NotApplicable

VERIFY_SAMPLERS: Mapping[QuestionType, Callable[[AskableScene, Chooser, bool], SampledArgument]] = MappingProxyType(
    {
        QuestionType.OBJECT: verifying.object_argument,
        QuestionType.CONJUNCTION: verifying.conjunction_argument,
        QuestionType.DISJUNCTION: verifying.disjunction_argument,
        QuestionType.ATTRIBUTE: verifying.attribute_argument,
    }
)
"""Samplers of the yes/no types, for a wanted truth."""

CHOICE_SAMPLERS: Mapping[QuestionType, Callable[[AskableScene, Chooser], SampledArgument]] = {
    QuestionType.OBJECT_CHOICE: choosing.object_choice,
    QuestionType.ATTRIBUTE_CHOICE: choosing.attribute_choice,
    QuestionType.ACTION_CHOICE: choosing.action_choice,
}
"""Samplers of the choice types."""


def sample_argument(types: Sequence[QuestionType], view: AskableScene, choose: Chooser) -> SampledArgument:
    """Samples an argument of one of the types, uniformly among those that the scene can give, half of them true."""
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
    return refused or NotApplicable(reason="no type of question applies to the picture")


def sample_fitting_argument(
    types: Sequence[QuestionType], view: AskableScene, choose: Chooser, fits: Callable[[Argument], T | NotApplicable]
) -> tuple[Argument, T] | NotApplicable:
    """Samples an argument of one of the types that ``fits`` accepts, with the result of ``fits``.

    For a yes/no type a true and a false argument are sampled, and both must fit, which keeps the answers balanced.
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
    return refused or NotApplicable(reason="no type of question applies to the picture")


def _true_and_false(type_: QuestionType, view: AskableScene, choose: Chooser) -> Iterator[SampledArgument]:
    # The false argument comes first: it is refused more often.
    if type_ in VERIFY_SAMPLERS:
        yield VERIFY_SAMPLERS[type_](view, choose, False)
        yield VERIFY_SAMPLERS[type_](view, choose, True)
    else:
        yield CHOICE_SAMPLERS[type_](view, choose)
