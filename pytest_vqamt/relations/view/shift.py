"""The relation ``view.shift``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import groups_of
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.soundness import cannot_be_confused
from pytest_vqamt.relations.view.questions import sample_view_question
from pytest_vqamt.sampling.chooser import Chooser

MAX_PX = 8


@dataclass(frozen=True, slots=True)
class Shift(LexicalRelation):
    """A picture that is moved by a few pixels gets the same answer.

    Found elsewhere: a shift by two pixels flips answers of current models (Questioning the Stability of Visual Question
    Answering, arXiv 2511.11206).

    The content moves by 1 to 8 pixels on one axis or both; the margin that comes free repeats the edge.
    ``view.questions`` has what is asked. **Deviation:** all that is asked about stays in the frame as it was, which the
    paper does not see to, and so does what is small and may be taken for it. A case is presumed where a thing may be
    at the edge without being annotated.
    """

    info = RelationInfo(
        name="view.shift",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2511.11206",
        breakdown=("asked", "pixels"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        asked = sample_view_question(view, choose, scene.frame)
        if isinstance(asked, NotApplicable):
            return asked
        left, right, up, down = _room((*asked.about, *_rivals(asked.question, scene)), scene)
        dx, dy = choose.between(-left, right), choose.between(-up, down)
        if not dx and not dy:
            dx, dy = next((step for room, step in zip((right, down, left, up), _STEPS, strict=True) if room), (0, 0))
        if not dx and not dy:
            return NotApplicable(reason="what could be asked about would leave the picture")
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, asked.question), (scene.picture.shift(dx, dy), asked.question)),
            expected="first = second",
            facts=(*asked.facts, ("pixels", max(abs(dx), abs(dy)))),
            presumed=asked.presumed,
        )


_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


_LEAST_UNHARMED_PX = 64
"""A thing of this size can be told without a margin of ``MAX_PX``."""


def _rivals(question: Question, scene: Scene) -> Sequence[Thing]:
    """Small things that may be taken for what is asked about, where only a part of them is seen."""
    asked = [group.name for group in groups_of(question.meaning)]
    return [
        thing
        for thing in scene.objects
        if min(thing.box.w, thing.box.h) < _LEAST_UNHARMED_PX
        and not all(cannot_be_confused(thing.name, name) for name in asked)
    ]


def _room(things: Sequence[Thing], scene: Scene) -> tuple[int, int, int, int]:
    """The pixels by which the things may move to the left and right, up and down."""
    rooms = (
        min((thing.box.x for thing in things), default=MAX_PX),
        min((scene.width - thing.box.x1 for thing in things), default=MAX_PX),
        min((thing.box.y for thing in things), default=MAX_PX),
        min((scene.height - thing.box.y1 for thing in things), default=MAX_PX),
    )
    left, right, up, down = (max(0, min(MAX_PX, floor(round(room, 6)))) for room in rooms)
    return left, right, up, down
