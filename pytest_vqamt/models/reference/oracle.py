"""``oracle``: a perfect perceiver that reads perfectly; it looks at no pixels and reads no text.

It must hold on every relation, so a violation by it is a bug in a relation or an edit. It declares no fingerprint: what
it knows is the scenes, which no cache key names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, assert_never

from pytest_vqamt.core.meaning import Label, Meaning, Truth, truth
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.language.english.phrases import describe
from pytest_vqamt.models.base import ModelOptions

UNKNOWN = "unknown"
"""What is said where nothing is right, such as a choice that no option or several fit."""


@dataclass(frozen=True, slots=True)
class Scripted:
    """A model whose whole behaviour is a function of the query; it does every task."""

    reply: Callable[[Query], str]
    batch_size: ClassVar[int] = 256

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return tuple(Answer(self.reply(asked.query)) for asked in batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self.answer(batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self.answer(batch)


def load(_argument: str, _options: ModelOptions) -> Scripted:
    """The oracle."""
    return Scripted(lambda query: say(known(query)))


def known(query: Query) -> Truth:
    """The right answer to a query."""
    return truth(query.meaning, query.picture.scene)


def say(value: Truth) -> str:
    """A truth as a model says it.

    >>> say(True), say(3), say("red"), say((("dog", 2), ("apple", 1), ("cat", 1)))
    ('yes', '3', 'red', 'two dogs, an apple and a cat')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return describe(value)
    return UNKNOWN if value is None else str(value)


Reply: TypeAlias = Callable[[Query], str]


def told(query: Query, meaning: Meaning) -> str:
    """The right answer to what the query was taken to mean."""
    return say(truth(meaning, query.picture.scene))


def off_by(query: Query, error: int) -> str:
    """The right answer, which a number misses by ``error``."""
    value = known(query)
    return say(value + error if isinstance(value, int) and error else value)


def another(value: Truth) -> Truth:
    """Some other answer of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case Label.ENTAILMENT:
            return Label.CONTRADICTION
        case Label():
            return Label.ENTAILMENT
        case str():
            return "something else"
        case tuple():
            return (*value, ("ghost", 1))
        case None:
            return "anything"
        case _:
            assert_never(value)
