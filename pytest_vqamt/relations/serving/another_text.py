"""The relation ``serving.another_text``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import opposite_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.soundness import countable_names
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class AnotherText(LexicalRelation):
    """Of one picture, whether something is there that is, and something that is not, have opposite answers.

    A server that keys a cache by the picture gives the same answer to both.
    """

    info = RelationInfo(
        name="serving.another_text",
        task=Task.VQA,
        source="a check of deployments by this project",
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = opposite_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        here, absent = countable_names(scene), view.countable_absent
        if not here or not absent:
            return NotApplicable(reason=f"no countable name {'outside' if here else 'in'} the scene")
        names = choose.one(here), choose.one(absent)
        wording = choose.between(0, simple.EXISTS_WORDINGS - 1)
        asked = [simple.exists(Group(name=name), wording) for name in choose.several(names, 2)]
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each) for each in asked),
            expected="one yes, one no",
            presumed=view.is_presumed(names[1]),
        )
