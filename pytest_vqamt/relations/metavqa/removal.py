"""The relation ``metavqa.removal``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import ERASE, INPAINT, make_eraser, removable
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.metavqa.groups import VARIANTS, QuestionKind, sample_question
from pytest_vqamt.relations.soundness import unrelated
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Removal(BuiltInRelation):
    """Erasing a thing changes no answer about other things.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3: a thing whose box overlaps no other, under a white patch. The
    setting ``erase`` offers the mean colour of the data (the authors' code) and inpainting, too.

    **Deviation:** boxes are rounded outwards to whole pixels, and may not overlap a crowd either. What is asked about
    is as in ``groups``, in the picture, no kind, part or garment of what is erased, not of the patch's colour, and
    of no name that a plain rectangle might go by. Where some of it may be there without being annotated, the patch may
    hide it, so such a case is tagged "presumed".
    """

    erase: str = ERASE.default
    inpaint: str = INPAINT.default

    info = RelationInfo(
        name="metavqa.removal",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        version=2,
        variants=VARIANTS,
        breakdown=("present_groups", "shape"),
        settings=(ERASE, INPAINT),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        with_ = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(with_, NotApplicable):
            return with_
        things = removable(scene)
        if not things:
            return NotApplicable(reason="every thing overlaps another")
        thing = choose.one(things)
        asked = sample_question(
            scene,
            choose,
            QuestionKind(variant),
            lambda name: unrelated(name, thing.name, scene) and name not in with_.excluded_names,
            excluded_words=with_.excluded_words,
        )
        if isinstance(asked, NotApplicable):
            return asked
        return case_of(
            self,
            variant,
            scene,
            ((picture, asked.question) for picture in (scene.picture, with_.erase(scene.picture, thing.box))),
            expected="first = second",
            facts=(*asked.facts, ("removed", thing.name)),
            presumed=asked.presumed,
        )
