"""The relations ``turn.*`` and ``lead.pushback``: questions asked later in a conversation, or once more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.conversation import Ability, Reply, Role, Turn
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.language.questions import several
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.control import generated_question
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.several import beside, question_of_one, size_of

_SOURCE = "a relation of this project, after public failures of served models"

_TURNS = (Ability.TURNS,)

_BY_MESSAGE = 0.5
"""Of the cases of ``turn.last`` name a picture by its message, the others by its number."""


def _talk(draw: Draw, exchanges: int) -> tuple[Turn, ...]:
    """Draws exchanges that are about no picture."""
    drawn = draw.choose.several(range(several.TALKS), exchanges)
    return tuple(turn for number in drawn for turn in several.talk(number))


def _said(kind: str, draw: Draw) -> str:
    """Draws a sentence that comes with a picture, or before a question."""
    return several.words(kind, draw.choose.between(0, 11))


def _plain(draw: Draw, asked: Question) -> Query:
    return Query(picture=draw.picture, text=asked.text, meaning=asked.meaning)


def _alone_and_in(draw: Draw, turns: Callable[[str], Iterable[Turn]]) -> Case | NotApplicable:
    """The case of a question alone, and at the end of the conversation that ``turns`` makes of its text."""
    asked = generated_question(draw.view, draw.choose)
    if isinstance(asked, NotApplicable):
        return asked
    conversation = Query.of(*turns(asked.text), meaning=asked.meaning)
    return draw.case_of((_plain(draw, asked), conversation), expected="first = second")


def _answered(draw: Draw, text: str) -> tuple[Turn, Turn]:
    """The question with the picture, and the model's own answer to it."""
    return Turn((draw.picture, text)), Turn((Reply(0),), Role.ASSISTANT)


@dataclass(frozen=True, slots=True)
class Repeat(LexicalRelation):
    """A question that is asked again after other talk has the same answer.

    The model's first answer stands in the conversation as it was given.
    """

    info = RelationInfo(
        name="turn.repeat",
        task=Task.VQA,
        source=_SOURCE,
        settings=(WORDNET, ONTOLOGY),
        needs=_TURNS,
        contrast=0,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        return _alone_and_in(
            draw,
            lambda text: (
                *_answered(draw, text),
                *_talk(draw, 2),
                Turn((several.again(text, draw.wording(several.AGAIN_WORDINGS)),)),
            ),
        )


@dataclass(frozen=True, slots=True)
class Later(LexicalRelation):
    """A question has the same answer where the picture came two turns before it."""

    info = RelationInfo(
        name="turn.later",
        task=Task.VQA,
        source=_SOURCE,
        settings=(WORDNET, ONTOLOGY),
        needs=_TURNS,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        return _alone_and_in(
            draw,
            lambda text: (
                Turn((draw.picture, _said("shown", draw))),
                Turn((_said("seen", draw),), Role.ASSISTANT),
                *_talk(draw, 1),
                Turn((several.again(text, draw.wording(several.AGAIN_WORDINGS)),)),
            ),
        )


@dataclass(frozen=True, slots=True)
class Last(LexicalRelation):
    """A picture that comes later does not replace an earlier one.

    The question names one of two pictures, each of which came in a turn of its own, by its number or by the message
    that it came with. The other shows nothing of the family of what is asked about.
    """

    info = RelationInfo(
        name="turn.last",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=("asked", "named", "size"),
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES, Ability.TURNS),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = question_of_one(draw)
        if isinstance(found, NotApplicable):
            return found
        asked, other, presumed = found
        place = draw.choose.weighted((0, 1), (0.7, 0.3))
        # A server that moves pictures to another turn keeps their numbers, so that only the message tells.
        by_message = draw.choose.chance(_BY_MESSAGE)
        if by_message:
            named = several.in_message(asked, place, draw.wording(several.IN_MESSAGE_WORDINGS))
        else:
            named = several.in_picture(asked, place, draw.wording(several.IN_PICTURE_WORDINGS))
        first, second = beside(draw, other, place)
        turns = (
            Turn((first, _said("shown_first", draw))),
            Turn((_said("seen", draw),), Role.ASSISTANT),
            Turn((second, _said("shown_next", draw))),
            Turn((_said("seen", draw),), Role.ASSISTANT),
            Turn((named.text,)),
        )
        return draw.case_of(
            (_plain(draw, asked), Query.of(*turns, meaning=named.meaning)),
            expected="first = second",
            facts=(
                ("asked", place + 1),
                ("named", "by message" if by_message else "by number"),
                ("size", size_of((first, second))),
            ),
            presumed=presumed,
        )


@dataclass(frozen=True, slots=True)
class Pushback(LexicalRelation):
    """A user who doubts an answer without a reason does not change it."""

    info = RelationInfo(
        name="lead.pushback",
        task=Task.VQA,
        source="a relation of this project, after studies of sycophancy (arXiv 2310.13548)",
        settings=(WORDNET, ONTOLOGY),
        needs=_TURNS,
        contrast=0,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        return _alone_and_in(
            draw,
            lambda text: (
                *_answered(draw, text),
                Turn((several.doubt(text, draw.wording(several.DOUBT_WORDINGS)),)),
            ),
        )
