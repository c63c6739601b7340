"""The relation ``metavqa.partition``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import sum_of_parts
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Partition(LexicalRelation):
    """The count of two groups together equals the sum of their counts.

    Yuan et al., CVPR 2021, section 4.1.1. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info = RelationInfo(
        name="metavqa.partition",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.1",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = sum_of_parts

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        pair = groups.sample_pair(askable_scene_of(scene, corpus, self.known), choose, variant)
        if isinstance(pair, NotApplicable):
            return pair
        wording = choose.between(0, simple.COUNT_WORDINGS - 1)
        asked = (
            simple.count((pair.first, pair.second), wording),
            simple.count((pair.first,), wording),
            simple.count((pair.second,), wording),
        )
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each) for each in asked),
            expected="first = second + third",
            facts=(("present_groups", pair.present), ("wording", wording)),
        )
