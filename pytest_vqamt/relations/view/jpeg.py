"""The relation ``view.jpeg``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.view.questions import sample_view_question
from pytest_vqamt.sampling.chooser import Chooser

LEAST_QUALITY, MOST_QUALITY = 85, 95


@dataclass(frozen=True, slots=True)
class Jpeg(LexicalRelation):
    """A picture that is saved as a JPEG of high quality gets the same answer.

    Found elsewhere: compression that people do not see changes answers (VLM-RobustBench, arXiv 2603.06148).

    The quality is 85 to 95, with the usual chroma subsampling. ``view.questions`` has what is asked.
    """

    info = RelationInfo(
        name="view.jpeg",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2603.06148",
        breakdown=("asked", "quality"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        asked = sample_view_question(view, choose, scene.frame)
        if isinstance(asked, NotApplicable):
            return asked
        quality = choose.between(LEAST_QUALITY, MOST_QUALITY)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, asked.question), (scene.picture.jpeg(quality), asked.question)),
            expected="first = second",
            facts=(*asked.facts, ("quality", quality)),
            presumed=asked.presumed,
        )
