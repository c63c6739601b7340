"""The question that is asked alone, and with basic questions after it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.case import Fact, NotApplicable
from pytest_vqamt.core.meaning import YES_OR_NO, Annotated, Count, Meaning, is_yes_no
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import present
from pytest_vqamt.relations.published import asked
from pytest_vqamt.sampling.chooser import Chooser


class AnswerType(StrEnum):
    """What a question is answered by, as VQA v2 calls it."""

    YES_NO = "yes/no"
    NUMBER = "number"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class MainQuestion:
    """A question to which the answer may be known.

    Attributes:
        annotators: how many have answered it; 0 where nobody did, or each answer has a score instead.
        truth_known: whether accuracy can be told: annotators or the scene's annotations say what is right.
    """

    question: Question
    answer_type: AnswerType
    annotators: int
    truth_known: bool

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (
            ("answer_type", self.answer_type.value),
            ("annotators", self.annotators),
            ("truth_known", self.truth_known),
        )


def main_question(scene: Scene, choose: Chooser) -> MainQuestion | NotApplicable:
    """One of the scene's published questions where it has any, else one about what is there.

    A count that may miss things without annotation has no known answer; that things are there is known.
    """
    if scene.questions:
        return _published(choose.one(scene.questions))
    about = present.ask_about(scene, choose, choose.one(tuple(present.Kind)), lambda _name: True)
    if isinstance(about, NotApplicable):
        return about
    answer_type = _answer_type(about.question.meaning)
    return MainQuestion(question=about.question, answer_type=answer_type, annotators=0, truth_known=not about.presumed)


def _published(published: PublishedQuestion) -> MainQuestion:
    question = asked(published)
    named = next((type_ for type_ in AnswerType if type_ == published.kind), None)
    return MainQuestion(
        question=question,
        answer_type=named or _answer_type(question.meaning),
        annotators=0 if published.scores else len(published.answers),
        truth_known=bool(published.answers),
    )


def _answer_type(meaning: Meaning) -> AnswerType:
    """By the meaning; of a published question that does not say, by the answer that was given most often."""
    if is_yes_no(meaning):
        return AnswerType.YES_NO
    if isinstance(meaning, Count):
        return AnswerType.NUMBER
    if isinstance(meaning, Annotated) and meaning.answers:
        best, _ = max(meaning.answers, key=lambda answer: answer[1])
        if best.strip().casefold() in YES_OR_NO:
            return AnswerType.YES_NO
        if best.strip().isdecimal():
            return AnswerType.NUMBER
    return AnswerType.OTHER
