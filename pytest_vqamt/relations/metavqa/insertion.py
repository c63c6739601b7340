"""The relation ``metavqa.insertion``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.edits import insertable_cutouts, sample_insertion
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.metavqa.groups import VARIANTS, QuestionKind, sample_question
from pytest_vqamt.relations.recognition import EXCLUDE_CUTOUTS, CutoutRelation
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion(CutoutRelation):
    """Putting one more thing into a picture changes no answer about other things.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3. What is inserted is as in ``edits``.

    **Deviation:** from photos only what is surely recognised is cut out, the best of its name (``recognition``);
    ``exclude-cutouts=FILE`` leaves out more. What is asked about is as in ``groups`` and in the picture, and no
    thing of it comes or goes with the inserted one: it is no kind, part or garment of it, and nothing that
    overlapped it where it was cut out looks like it in part (``soundness.cannot_be_confused``); nor does the
    inserted thing itself, where something overlapped it or the edge of its photo cut it off. Where some of what is
    counted may be there without being annotated, be it in this picture, where the inserted thing may hide it, or in
    the one that the thing was cut out of, the case is tagged "presumed".
    """

    info = RelationInfo(
        name="metavqa.insertion",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        variants=VARIANTS,
        breakdown=("present_groups", "shape", "placed"),
        settings=(EXCLUDE_CUTOUTS,),
        version=3,
    )
    expect = same_answer

    def cutouts(self, corpus: Corpus) -> dict[str, tuple[CutoutEntry, ...]]:
        return insertable_cutouts(corpus, self.excluded)

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        inserted = sample_insertion(scene, corpus, choose, object_names(scene), excluded=self.excluded)
        if isinstance(inserted, NotApplicable):
            return inserted
        kind = QuestionKind(variant)
        asked = sample_question(scene, choose, kind, lambda name: inserted.keeps_count_of(name, scene))
        if isinstance(asked, NotApplicable):
            return asked
        return case_of(
            self,
            variant,
            scene,
            ((picture, asked.question) for picture in (scene.picture, inserted.picture)),
            expected="first = second",
            facts=(*asked.facts, *inserted.facts),
            presumed=kind is QuestionKind.COUNT and (asked.presumed or inserted.is_presumed(asked.groups)),
        )
