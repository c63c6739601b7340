"""The relation ``veglue.vqa_mr3``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import INPAINT, make_eraser
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.soundness import countable_names, disjoint, unrelated
from pytest_vqamt.relations.veglue.erasable import (
    ERASE,
    NOTHING_TO_ASK,
    NOTHING_TO_ERASE,
    erasable_things,
    erased_question_facts,
    shuffled_groups,
)
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaMr3(BuiltInRelation):
    """A thing that the question does not speak of can be erased without another answer.

    Chang et al., section 6.4, after MR3. The question is about one name or two, all of them there; in the plural
    ("Are there apples and bananas in the picture?") only where there are two or more of each.

    **Deviations:** what may be erased follows ``erasable``, not IoU alone. The erased thing is un-linked by its name,
    which is unrelated to every name that is asked about. Names that are asked about are countable, of none is there a
    crowd, and nothing can go by two of them.
    """

    info = RelationInfo(
        name="veglue.vqa_mr3",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.4",
        version=2,
        breakdown=("shape", "near", "similar", "related"),
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
        unlinked = [(thing, [name for name in here if unrelated(thing.name, name, scene)]) for thing in free]
        unlinked = [(thing, names) for thing, names in unlinked if names]
        if not unlinked:
            return NOTHING_TO_ASK
        thing, askable = choose.one(unlinked)
        pairs = [pair for pair in combinations(askable, 2) if disjoint(*pair, scene)]
        names = choose.one(pairs) if pairs and choose.chance(0.5) else (choose.one(askable),)
        groups = shuffled_groups(names, choose)
        several = all(scene.count(name) > 1 for name in names)
        wording = choose.between(0, (simple.BOTH_WORDINGS if several else simple.BOTH_IN_THE_SINGULAR) - 1)
        question = simple.both(groups, wording)
        beside = (other for other in scene.objects if other.name in names)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, question), (cleaner.erase(scene.picture, thing.box), question)),
            expected="first = second",
            facts=erased_question_facts(thing, groups, wording, beside, scene),
        )
