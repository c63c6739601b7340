"""The relation ``metavqa.reorder``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Reorder(LexicalRelation):
    """The order in which two groups are named does not change their count.

    Yuan et al., CVPR 2021, section 4.1.2. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info = RelationInfo(
        name="metavqa.reorder",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.2",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        pair = groups.sample_pair(askable_scene_of(scene, corpus, self.known), choose, variant)
        if isinstance(pair, NotApplicable):
            return pair
        wording = choose.between(0, simple.COUNT_WORDINGS - 1)
        asked = (
            simple.count((pair.first, pair.second), wording),
            simple.count((pair.second, pair.first), wording),
        )
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each) for each in asked),
            expected="first = second",
            facts=(("present_groups", pair.present), ("wording", wording)),
        )
