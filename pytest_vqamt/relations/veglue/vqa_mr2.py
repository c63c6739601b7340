"""The relation ``veglue.vqa_mr2``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import INPAINT, make_eraser
from pytest_vqamt.relations.expectations import becomes_no
from pytest_vqamt.relations.recognition import is_recognisable
from pytest_vqamt.relations.soundness import countable_names, is_bulky, is_disjoint_from_all, presumed
from pytest_vqamt.relations.veglue.erasable import (
    ERASE,
    NOTHING_TO_ASK,
    NOTHING_TO_ERASE,
    erasable_things,
    erased_question_facts,
    shuffled_groups,
    unique_by_name,
    whole_erasure,
)
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaMr2(BuiltInRelation):
    """Erased from the picture, the only thing that a question needs turns its yes into no.

    Chang et al., section 6.4, after MR2: with apples and bananas in the picture, "Are there apples and bananas?" is
    answered by yes; with the bananas erased, by no. Half of the questions, where two can be asked, are about one name.

    **Deviations:** what may be erased follows ``erasable``, not IoU alone. The erased thing is the only one of its
    name, no other thing or crowd in the scene could go by it, and it is neither small nor slim (of a slit between
    others, more may be in sight beside its box). In photos with masks nothing of it may stay
    (``edits.whole_patch``), and whatever else is asked about is recognisable, too. The question is in the singular.
    By its name no plain rectangle might go, where one stands in its place.
    """

    info = RelationInfo(
        name="veglue.vqa_mr2",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.4",
        breakdown=("shape", "near", "similar", "related"),
        settings=(ERASE, INPAINT),
        version=3,
    )
    expect = becomes_no

    erase: str = ERASE.default
    inpaint: str = INPAINT.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        cleaner = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        free = erasable_things(scene)
        if not free:
            return NOTHING_TO_ERASE
        things = [
            (thing, patch)
            for thing in unique_by_name(free, scene)
            if is_disjoint_from_all(thing.name, scene)
            and thing.name not in cleaner.excluded_names
            and is_bulky(thing, scene)
            and (patch := whole_erasure(thing, scene, corpus))
        ]
        if not things:
            return NOTHING_TO_ASK
        thing, patch = choose.one(things)
        names = [thing.name]
        seen = {other.name for other in scene.objects if is_recognisable(other, scene, corpus)}
        others = [name for name in countable_names(scene) if name in seen and name != thing.name]
        if others and choose.chance(0.5):
            names.append(choose.one(others))
        groups = shuffled_groups(names, choose)
        wording = choose.between(0, simple.BOTH_IN_THE_SINGULAR - 1)
        question = simple.both(groups, wording)
        beside = (other for other in scene.objects if other.id != thing.id)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, question), (cleaner.erase(scene.picture, patch), question)),
            expected="first is yes, second is no",
            facts=erased_question_facts(thing, groups, wording, beside, scene),
            presumed=presumed(names, scene),
        )
