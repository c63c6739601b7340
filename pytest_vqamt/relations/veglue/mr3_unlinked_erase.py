"""The relation ``veglue.mr3_unlinked_erase``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Label
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.edits import INPAINT, make_eraser
from pytest_vqamt.relations.expectations import label_becomes
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.veglue.erasable import (
    ERASE,
    MAX_COVERED_SHARE,
    NOTHING_TO_ERASE,
    OVERLAP,
    erasable_things_by,
)
from pytest_vqamt.relations.veglue.linking import NOTHING_TO_STATE, erasure_sampler
from pytest_vqamt.relations.veglue.statements import erased_statement_facts
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkedErase(LexicalRelation):
    """A thing that the hypothesis does not speak of can be erased: it is entailed all the same.

    Chang et al., sections 3.1 and 3.4.3 (MR3). The hypothesis is one of the data set's own that its picture entails,
    where there are any with units linked to boxes; else it is written from the scene (``statements``).

    **Deviations:** what may be erased follows ``erasable``, not IoU alone (``overlap=iou`` for the published rule, at
    most 0.1). What is erased could go by no noun of the hypothesis, and is no part or garment of what goes by one. With
    a published hypothesis its IoU with every linked box is under 0.1, as the paper has it, and of everything that the
    hypothesis speaks of it is known where it is (but with ``overlap=iou``). Where anything that is large enough to be
    missed can be erased, nothing smaller is. Presumed is what a word of the hypothesis may need without naming it: "a
    woman is reading" needs the book (``needs_nothing_unnamed``).

    The published rule is unsound: with ``overlap=iou`` what the hypothesis speaks of may be erased along, as a small
    thing on a large one. Of 768 such cases on 40 photos of COCO, 14 (1.8 %) are wrong by the annotations themselves.
    """

    info = RelationInfo(
        name="veglue.mr3_unlinked_erase",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 3.4.3",
        version=2,
        breakdown=("shape", "units", "near", "similar", "related"),
        settings=(ERASE, INPAINT, OVERLAP, WORDNET, ONTOLOGY),
    )
    expect = partial(label_becomes, label=Label.ENTAILMENT)

    erase: str = ERASE.default
    inpaint: str = INPAINT.default
    overlap: str = OVERLAP.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        cleaner = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        free = erasable_things_by(self.overlap, scene, most_iou=MAX_COVERED_SHARE)
        if not free:
            return NOTHING_TO_ERASE
        sampler = erasure_sampler(scene, corpus, self.known, free, self.overlap)
        linked = sampler.unlinked(choose)
        if linked is None:
            return NOTHING_TO_STATE
        hypothesis = linked.statement.hypothesis
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, hypothesis), (cleaner.erase(scene.picture, linked.erased.box), hypothesis)),
            expected="second is entailment",
            facts=erased_statement_facts(linked.statement, linked.erased, linked.statement.things, scene),
            presumed=not sampler.is_sure(linked),
        )
