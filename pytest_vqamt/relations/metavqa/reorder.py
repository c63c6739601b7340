"""The relation ``metavqa.reorder``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Reorder:
    """The order in which two groups are named does not change their count.

    Yuan et al., CVPR 2021, section 4.1.2. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="metavqa.reorder",
        task=Task.VQA,
        claim="The order in which two groups are named does not change their count.",
        source="Yuan et al., CVPR 2021, section 4.1.2",
        variants=("object", "property"),
        breakdown=("present_groups",),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        pair = groups.pair(scene, corpus, choose, variant)
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

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return expectations.same_answer(case, answers)
