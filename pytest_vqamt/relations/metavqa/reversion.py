"""The relation ``metavqa.reversion``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import opposite_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Reversion(LexicalRelation):
    """Asked whether there is any and whether there is none, a model says yes once and no once.

    Yuan et al., CVPR 2021, section 4.1.3. **Deviation:** names and properties as in ``groups``.
    """

    info = RelationInfo(
        name="metavqa.reversion",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.3",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = opposite_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        single = groups.sample_single(askable_scene_of(scene, corpus, self.known), choose, variant)
        if isinstance(single, NotApplicable):
            return single
        exists = choose.between(0, simple.EXISTS_WORDINGS - 1)
        absent = choose.between(0, simple.ABSENT_WORDINGS - 1)
        asked = simple.exists(single.group, exists), simple.absent(single.group, absent)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each) for each in asked),
            expected="one yes, one no",
            facts=(("present_groups", int(single.present)), ("wording", exists), ("negated_wording", absent)),
        )
