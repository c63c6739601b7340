"""The relation ``metavqa.insertion_plus``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.edits import insertable_cutouts, only_worn_items, sample_insertion
from pytest_vqamt.relations.expectations import one_more
from pytest_vqamt.relations.metavqa.groups import QuestionKind, sample_question
from pytest_vqamt.relations.recognition import EXCLUDE_CUTOUTS, CutoutRelation
from pytest_vqamt.relations.soundness import certain_properties, countable_names
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertionPlus(CutoutRelation):
    """Putting one more thing into a picture makes a count that includes it one more.

    The authors' code; the counterpart of Yuan et al., CVPR 2021, section 4.2.2, Removal+. What is inserted is as in
    ``edits``; it is counted alone, with another name, or by the one property that it surely has.

    **Deviation:** only names that can be counted in this picture, of which it has no crowd. The cut-out shows the whole
    thing and no part of its like, and of photos the best of its name, as in ``insertion``: where it was cut out,
    nothing overlapped it but what a person wears or carries, and the edge of the photo did not cut it off. The
    other name is one that ``insertion`` could ask about. "presumed" as there.
    """

    info = RelationInfo(
        name="metavqa.insertion_plus",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2, and the authors' code",
        breakdown=("present_groups", "shape", "placed"),
        settings=(EXCLUDE_CUTOUTS,),
        version=3,
        directional=("",),
    )
    expect = one_more

    def cutouts(self, corpus: Corpus) -> dict[str, tuple[CutoutEntry, ...]]:
        return insertable_cutouts(corpus, self.excluded)

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        def is_all_there(entry: CutoutEntry, name: str) -> bool:
            return only_worn_items(entry.alongside, name)

        inserted = sample_insertion(scene, corpus, choose, countable_names(scene), is_all_there, self.excluded)
        if isinstance(inserted, NotApplicable):
            return inserted
        if not inserted.is_whole:
            return NotApplicable(reason="the edge of its photo cuts off the inserted thing")
        asked = sample_question(
            scene,
            choose,
            QuestionKind.COUNT,
            lambda name: inserted.keeps_count_of(name, scene),
            first=Group(name=inserted.thing.name),
            bearing=certain_properties(inserted.thing),
        )
        if isinstance(asked, NotApplicable):
            return asked
        return case_of(
            self,
            variant,
            scene,
            ((picture, asked.question) for picture in (scene.picture, inserted.picture)),
            expected="second = first + 1",
            facts=(*asked.facts, *inserted.facts),
            presumed=asked.presumed or inserted.is_presumed(asked.groups),
        )
