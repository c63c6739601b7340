"""The relation ``view.rescale``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.view.questions import NO_QUESTION, sample_view_question
from pytest_vqamt.sampling.chooser import Chooser

_SCALES = {"down": (1 / 2, 2 / 3, 3 / 4), "up": (3 / 2, 2.0, 3.0)}
_MOST_PX = 2048
"""The longest side of a picture that was scaled up."""


@dataclass(frozen=True, slots=True)
class Rescale(LexicalRelation):
    """A picture at another resolution gets the same answer.

    Found elsewhere: scaling a picture up costs current models up to 34 points (VLM-RobustBench, arXiv 2603.06148).

    ``down`` scales to 1/2, 2/3 or 3/4, ``up`` to 3/2, 2 or 3 times the size, by a bicubic filter. ``view.questions``
    has what is asked: things that are large enough at either size, so a smaller scale is taken only where they are. A
    case is presumed where a thing that is not annotated might be too small afterwards.
    """

    info = RelationInfo(
        name="view.rescale",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2603.06148",
        variants=("down", "up"),
        breakdown=("asked", "scale"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        scales = [each for each in _SCALES[variant] if each * max(scene.width, scene.height) <= _MOST_PX]
        for scale in choose.several(scales, len(scales)):
            width, height = round(scene.width * scale), round(scene.height * scale)
            asked = sample_view_question(view, choose, Box(0, 0, width, height), scale)
            if isinstance(asked, NotApplicable):
                continue
            return case_of(
                self,
                variant,
                scene,
                ((scene.picture, asked.question), (scene.picture.rescale(width, height), asked.question)),
                expected="first = second",
                facts=(*asked.facts, ("scale", round(scale, 2))),
                presumed=asked.presumed,
            )
        return NO_QUESTION if scales else NotApplicable(reason="the picture is too large to be scaled up")
