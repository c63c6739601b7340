"""The relation ``veglue.mr1_joint_erase``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Label
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.lexical_relations import Replacement, apply_replacements, synonym_replacements
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.edits import INPAINT, make_eraser
from pytest_vqamt.relations.expectations import label_becomes
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.veglue.erasable import ERASE, NOTHING_TO_ERASE, OVERLAP, erasable_things_by
from pytest_vqamt.relations.veglue.linking import NOTHING_TO_STATE, erasure_sampler
from pytest_vqamt.relations.veglue.statements import erased_statement_facts
from pytest_vqamt.sampling.chooser import Chooser

_MOST_IOU = 0.05
"""As the authors' code has it for this relation; the paper has 0.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointErase(LexicalRelation):
    """Erased from the picture and from the hypothesis alike, a thing leaves it entailed.

    Chang et al., sections 3.1 and 3.4.1 (MR1). Words of what is left of the hypothesis are replaced by synonyms. It is
    one of the data set's own that its picture entails, where there are any with units linked to boxes; else it is
    written from the scene (``statements``).

    **Deviations:** what may be erased follows ``erasable``, not IoU alone (``overlap=iou`` for the published rule, at
    most 0.05). What is erased could go by no noun that is left, and is no part or garment of what goes by one. What is
    said of other things is dropped where it mentions the erased one, be it by a pronoun or a synonym. Synonyms are
    those of ``language.english``, which are sure; where the rest has none, its words stay. Of everything that is left
    of a published hypothesis it is known where it is (but with ``overlap=iou``, so that it may be erased along).
    Presumed is what a word of the rest may need without naming it: "a woman is reading" needs the book.
    """

    info = RelationInfo(
        name="veglue.mr1_joint_erase",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 3.4.1",
        version=3,
        breakdown=("shape", "units", "synonyms", "near", "similar", "related"),
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
        free = erasable_things_by(self.overlap, scene, most_iou=_MOST_IOU)
        if not free:
            return NOTHING_TO_ERASE
        sampler = erasure_sampler(scene, corpus, self.known, free, self.overlap)
        linked = sampler.joint(choose)
        if linked is None:
            return NOTHING_TO_STATE
        rest = linked.rest.hypothesis
        synonyms = _sample_synonyms(rest.text, choose)
        return case_of(
            self,
            variant,
            scene,
            (
                (scene.picture, linked.statement.hypothesis),
                (
                    cleaner.erase(scene.picture, linked.erased.box),
                    Hypothesis(apply_replacements(rest.text, synonyms), rest.meaning),
                ),
            ),
            expected="second is entailment",
            facts=(
                *erased_statement_facts(linked.statement, linked.erased, linked.rest.things, scene),
                ("synonyms", len(synonyms)),
            ),
            presumed=not sampler.is_sure(linked),
        )


def _sample_synonyms(text: str, choose: Chooser) -> tuple[Replacement, ...]:
    """Draws some of the synonym replacements, at least one if there is any, without overlaps."""
    found = synonym_replacements(text)
    chosen: list[Replacement] = []
    for each in choose.several(found, choose.between(1, len(found))) if found else ():
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    return tuple(chosen)
