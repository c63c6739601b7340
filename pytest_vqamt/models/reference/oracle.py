"""``oracle``: answers from the scene, without pixels or text.

It must hold on every relation, so a violation by it is a bug in a relation or an edit. It declares no fingerprint: its
answers depend on scenes, which no cache key covers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, assert_never

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.meaning import Annotated, Label, Meaning, Truth, truth
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.english.phrases import describe
from pytest_vqamt.models.protocol import ModelOptions

UNKNOWN = "unknown"
"""The answer where no answer is right, such as a choice that no option or several fit."""

Responder: TypeAlias = Callable[[Query], str]
"""Makes the text of an answer."""


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """A model for every task whose answer is a function of the query."""

    reply: Callable[[Query], str]
    """Makes the answer; may have a method ``meet`` that takes the scene sources of the run."""
    batch_size: ClassVar[int] = 256
    """Nothing is computed together, so any size will do."""
    switches_reasoning: ClassVar[bool] = True
    """It answers alike with and without, so that relations on reasoning are tested, too."""
    takes: ClassVar[tuple[Ability, ...]] = tuple(Ability)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return tuple(self._answer(item.query) for item in batch)

    def _answer(self, query: Query) -> Answer:
        """The reply; declined where no answer to a question of the data set is known."""
        # Questions of questions:FILE without an answer: the oracle knows none, and a guess would be a violation.
        if isinstance(query.meaning, Annotated) and not query.meaning.answers:
            return Answer(self.reply(query), declined="no answer is given with the question")
        return Answer(self.reply(query))

    entail = caption = answer

    def meet(self, sources: Sequence[SceneSource]) -> None:
        meet_sources(self.reply, sources)


def load(_argument: str, _options: ModelOptions) -> ScriptedModel:
    """The oracle."""
    return ScriptedModel(lambda query: answer_text(true_answer(query)))


def true_answer(query: Query) -> Truth:
    """The right answer to a query."""
    return query.truth


def right_answer(query: Query) -> str:
    """The right answer to a query in words ("yes", "3", "red"), for the models that tests plant a fault in.

    "unknown" where no annotation decides it.
    """
    return answer_text(true_answer(query))


def answer_text(value: Truth) -> str:
    """A truth as a model would phrase it.

    >>> answer_text(True), answer_text(3), answer_text("red"), answer_text((("dog", 2), ("apple", 1), ("cat", 1)))
    ('yes', '3', 'red', 'two dogs, an apple and a cat')
    """
    # Before str(), which would say 'True'.
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return describe(value)
    return UNKNOWN if value is None else str(value)


def meet_sources(reply: Responder, sources: Sequence[SceneSource]) -> None:
    """Gives the scene sources of the run to a responder that has a method ``meet``."""
    meet: Callable[[Sequence[SceneSource]], None] | None = getattr(reply, "meet", None)
    if meet is not None:
        meet(sources)


def answer_to(query: Query, meaning: Meaning) -> str:
    """The right answer to another meaning than the query's."""
    return answer_text(truth(meaning, *(picture.scene for picture in query.pictures)))


def off_by(query: Query, error: int) -> str:
    """The right answer; a number is off by ``error``."""
    value = true_answer(query)
    return answer_text(value + error if isinstance(value, int) and error else value)


def wrong_answer(value: Truth) -> Truth:
    """Another answer of the same kind."""
    match value:
        # Before int, of which bool is a subclass.
        case bool():
            return not value
        case int():
            # Never negative: one too few of none would be no number of things.
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
