"""The questions that a data set asks about its own pictures."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.sampling.chooser import Chooser


def published_question(scene: Scene, choose: Chooser) -> Question | None:
    """One of the scene's published questions, or None where it has none."""
    return asked(choose.one(scene.questions)) if scene.questions else None


def asked(published: PublishedQuestion) -> Question:
    """The published question, with the share of each answer, or its score where it has one."""
    if published.scores:
        answers = tuple(zip(published.answers, published.scores, strict=True))
    else:
        given = Counter(published.answers)
        answers = tuple((answer, count / given.total()) for answer, count in given.items())
    return Question(published.text, Annotated(answers=answers, options=published.options))
