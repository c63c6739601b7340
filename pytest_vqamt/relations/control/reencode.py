"""The relation ``control.reencode``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.control.repeat import plain_question
from pytest_vqamt.relations.expectations import unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Reencode(LexicalRelation):
    """A lossless re-encoding of the picture changes nothing, and neither do doubled spaces in the question.

    The spaces are doubled by a variant of its own, ``spaces``: people do not see them, and many models do.
    """

    info = RelationInfo(
        name="control.reencode",
        task=Task.VQA,
        source="a control of this project: the noise floor of a model and its server",
        variants=("", "spaces"),
        version=2,
        tags=("control",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = unchanged

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = plain_question(askable_scene_of(scene, corpus, self.known), choose)
        if isinstance(asked, NotApplicable):
            return asked
        again = replace(asked, text=asked.text.replace(" ", "  ")) if variant == "spaces" else asked
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, asked), (scene.picture.reencode(), again)),
            expected="first = second",
        )
