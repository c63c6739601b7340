"""The relation ``veglue.vqa_mr1``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import INPAINT, make_eraser
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.soundness import countable_names, disjoint, salient_names
from pytest_vqamt.relations.veglue.erasable import (
    ERASE,
    NOTHING_TO_ASK,
    NOTHING_TO_ERASE,
    erasable_things,
    erased_question_facts,
    shuffled_groups,
    unique_by_name,
)
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaMr1(BuiltInRelation):
    """Erased from the picture and from the question alike, a thing leaves the answer as it was.

    Chang et al., section 6.4, after MR1: "Are there apples and bananas in the image?", and then without the bananas.

    **Deviations:** what may be erased follows ``erasable``, not IoU alone. The erased thing is the only one of its
    name, so that its unit goes with it, and the question is in the singular. Both names are countable, of neither is
    there a crowd, and nothing can go by both. Both are salient, or the case is presumed: who overlooks one of two
    things says no, and then yes.
    """

    info = RelationInfo(
        name="veglue.vqa_mr1",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.4",
        version=2,
        breakdown=("near", "similar", "related"),
        settings=(ERASE, INPAINT),
    )
    expect = same_answer

    erase: str = ERASE.default
    inpaint: str = INPAINT.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        cleaner = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        free = erasable_things(scene)
        if not free:
            return NOTHING_TO_ERASE
        here = countable_names(scene)
        pairs = [
            (thing, [name for name in here if disjoint(thing.name, name, scene)])
            for thing in unique_by_name(free, scene)
        ]
        pairs = [(thing, others) for thing, others in pairs if others]
        if not pairs:
            return NOTHING_TO_ASK
        seen = salient_names(scene)
        sure = [(thing, [name for name in others if name in seen]) for thing, others in pairs if thing.name in seen]
        sure = [(thing, others) for thing, others in sure if others]
        thing, others = choose.one(sure or pairs)
        left = choose.one(others)
        groups = shuffled_groups((thing.name, left), choose)
        wording = choose.between(0, simple.BOTH_IN_THE_SINGULAR - 1)
        asked = (
            (scene.picture, simple.both(groups, wording)),
            (
                cleaner.erase(scene.picture, thing.box),
                simple.both([group for group in groups if group.name == left], wording),
            ),
        )
        beside = (other for other in scene.objects if other.name == left)
        return case_of(
            self,
            variant,
            scene,
            asked,
            expected="first = second",
            facts=erased_question_facts(thing, groups, wording, beside, scene),
            presumed=not sure,
        )
