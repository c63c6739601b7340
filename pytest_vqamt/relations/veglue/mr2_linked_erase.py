"""The relation ``veglue.mr2_linked_erase``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Label
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.edits import INPAINT, make_eraser
from pytest_vqamt.relations.expectations import label_becomes
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.soundness import is_bulky, presumed
from pytest_vqamt.relations.veglue.erasable import ERASE, NOTHING_TO_ERASE, OVERLAP, erasable_things_by, whole_erasure
from pytest_vqamt.relations.veglue.linking import NOTHING_TO_STATE, erasure_sampler
from pytest_vqamt.relations.veglue.statements import erased_statement_facts
from pytest_vqamt.sampling.chooser import Chooser

_MOST_IOU = 0.2
"""As the authors' code has it for this relation; the paper has 0.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedErase(LexicalRelation):
    """Erased from the picture, a thing that the hypothesis speaks of makes it contradict.

    Chang et al., sections 3.1 and 3.4.2 (MR2). The hypothesis is one of the data set's own that its picture entails,
    where there are any with units linked to boxes; else it is written from the scene (``statements``).

    **Deviations:** what may be erased follows ``erasable``, not IoU alone (``overlap=iou`` for the published rule, at
    most 0.2). No other thing or crowd in the scene, and nothing else that the hypothesis names, could go by the
    name of what is erased: its property is not trusted to tell it apart. In photos with masks nothing of it may
    stay (``edits.whole_patch``). What is erased is neither small nor slim, and no plain rectangle might go by its
    name, where one stands in its place; nor is it a place, of which the rest stays (a shop), and a published
    hypothesis says that it is one ("a bike", not "bike riding"). Where another may be there without being
    annotated, the case is presumed.
    """

    info = RelationInfo(
        name="veglue.mr2_linked_erase",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 3.4.2",
        breakdown=("shape", "units", "near", "similar", "related"),
        settings=(ERASE, INPAINT, OVERLAP, WORDNET, ONTOLOGY),
        version=3,
    )
    expect = partial(label_becomes, label=Label.CONTRADICTION)

    erase: str = ERASE.default
    inpaint: str = INPAINT.default
    overlap: str = OVERLAP.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        cleaner = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(cleaner, NotApplicable):
            return cleaner
        free = erasable_things_by(self.overlap, scene, most_iou=_MOST_IOU)
        if not free:
            return NOTHING_TO_ERASE

        def patch_of(thing: Thing) -> Box | None:
            return whole_erasure(thing, scene, corpus) if self.overlap == OVERLAP.default else thing.box

        linked = erasure_sampler(scene, corpus, self.known, free, self.overlap).linked(
            lambda thing: (
                thing.name not in cleaner.excluded_names and is_bulky(thing, scene) and patch_of(thing) is not None
            ),
            choose,
        )
        if linked is None:
            return NOTHING_TO_STATE
        patch = patch_of(linked.erased) or linked.erased.box
        hypothesis = linked.statement.hypothesis
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, hypothesis), (cleaner.erase(scene.picture, patch), hypothesis)),
            expected="second is contradiction",
            facts=erased_statement_facts(linked.statement, linked.erased, scene.objects, scene),
            presumed=presumed((linked.erased.name,), scene),
        )
