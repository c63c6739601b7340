"""The relation ``view.pad``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.view.questions import sample_view_question
from pytest_vqamt.sampling.chooser import Chooser

COLOURS: dict[str, Colour] = {"black": (0, 0, 0), "gray": (127, 127, 127), "white": (255, 255, 255)}
"""The colours of margins that pipelines use."""

_NEARLY_SQUARE = 1.02


@dataclass(frozen=True, slots=True)
class Pad(LexicalRelation):
    """A picture with a margin in one colour gets the same answer as without.

    Found elsewhere: how a picture is brought to a model's size changes answers (Res-Bench, arXiv 2510.16926).

    A picture that is higher or wider than the other is padded to a square, and a square one to the format 4:3, on both
    sides or on one, in black, gray or white. ``view.questions`` has what is asked: counts and existence, and no places,
    which are other shares of the picture then. A case is presumed where a thing that is not annotated might be too
    small afterwards.
    """

    info = RelationInfo(
        name="view.pad",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2510.16926",
        breakdown=("asked", "fill"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        width, height = scene.width, scene.height
        wide = height > width
        if max(width, height) <= _NEARLY_SQUARE * min(width, height):
            wide = choose.chance(0.5)
            added = round((width if wide else height) / 3)
        else:
            added = abs(width - height)
        fill = choose.one(tuple(COLOURS))
        before = added // 2 if choose.chance(0.5) else 0
        view = askable_scene_of(scene, corpus, self.known)
        frame = Box(0, 0, width + wide * added, height + (not wide) * added)
        asked = sample_view_question(view, choose, frame, kinds=("count", "exists"))
        if isinstance(asked, NotApplicable):
            return asked
        after = added - before
        margins = {"left": before, "right": after} if wide else {"top": before, "bottom": after}
        padded = scene.picture.pad(**margins, colour=COLOURS[fill])
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, asked.question), (padded, asked.question)),
            expected="first = second",
            facts=(*asked.facts, ("fill", fill)),
            presumed=asked.presumed,
        )
