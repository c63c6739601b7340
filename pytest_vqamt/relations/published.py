"""The questions that a data set asks about its own pictures."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import Question
from pytest_vqamt.sampling.chooser import Chooser


def published_question(scene: Scene, choose: Chooser) -> Question | None:
    """One of the scene's published questions, or None where it has none."""
    if not scene.questions:
        return None
    chosen = choose.one(scene.questions)
    given = Counter(chosen.answers)
    answers = tuple((answer, count / given.total()) for answer, count in given.items())
    return Question(chosen.text, Annotated(answers=answers))
