"""The relations of MetaVQA (Yuan et al., CVPR 2021): counts and presence under other questions and edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.salience import is_salient
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations import groups
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import (
    ERASE,
    INPAINT,
    insertable_cutouts,
    make_eraser,
    only_worn_items,
    pieces_by_axis,
    removable,
    sample_insertion,
    wholly_removable,
)
from pytest_vqamt.relations.expectations import (
    Expectation,
    all_yes,
    any_yes,
    one_less,
    one_more,
    opposite_answer,
    same_answer,
    sum_of_parts,
)
from pytest_vqamt.relations.groups import VARIANTS, QuestionKind, sample_question
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.recognition import EXCLUDE_CUTOUTS, CutoutRelation
from pytest_vqamt.relations.soundness import certain_properties, countable_names, object_names, unrelated
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Partition(LexicalRelation):
    """The count of two groups together equals the sum of their counts.

    Yuan et al., CVPR 2021, section 4.1.1. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info = RelationInfo(
        name="metavqa.partition",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.1",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = sum_of_parts

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        pair = groups.sample_pair(askable_scene_of(scene, corpus, self.known), choose, variant)
        if isinstance(pair, NotApplicable):
            return pair
        wording = choose.between(0, simple.COUNT_WORDINGS - 1)
        asked = (
            simple.count((pair.first, pair.second), wording),
            simple.count((pair.first,), wording),
            simple.count((pair.second,), wording),
        )
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each) for each in asked),
            expected="first = second + third",
            facts=(("present_groups", pair.present), ("wording", wording)),
        )


@dataclass(frozen=True, slots=True)
class Reorder(LexicalRelation):
    """The order in which two groups are named does not change their count.

    Yuan et al., CVPR 2021, section 4.1.2. **Deviation:** groups and properties as in ``groups``. One wording a case.
    """

    info = RelationInfo(
        name="metavqa.reorder",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.2",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        pair = groups.sample_pair(askable_scene_of(scene, corpus, self.known), choose, variant)
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


@dataclass(frozen=True, slots=True)
class Reversion(LexicalRelation):
    """Asked whether there is any and whether there is none, a model says yes once and no once.

    Yuan et al., CVPR 2021, section 4.1.3. **Deviation:** names and properties as in ``groups``.
    """

    info = RelationInfo(
        name="metavqa.reversion",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.1.3",
        variants=("object", "property"),
        version=3,
        breakdown=("present_groups",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = opposite_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        single = groups.sample_single(askable_scene_of(scene, corpus, self.known), choose, variant)
        if isinstance(single, NotApplicable):
            return single
        exists = choose.between(0, simple.EXISTS_WORDINGS - 1)
        absent = choose.between(0, simple.ABSENT_WORDINGS - 1)
        asked = simple.exists(single.group, exists), simple.absent(single.group, absent)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each) for each in asked),
            expected="one yes, one no",
            facts=(("present_groups", int(single.present)), ("wording", exists), ("negated_wording", absent)),
        )


_EXPECTED: Mapping[QuestionKind, tuple[Expectation, str]] = {
    QuestionKind.COUNT: (sum_of_parts, "the first is the sum of all others"),
    QuestionKind.EXISTS: (any_yes, "the first is yes just where one of the others is"),
    QuestionKind.ABSENT: (all_yes, "the first is yes just where all of the others are"),
}


@dataclass(frozen=True, slots=True)
class Cutting(BuiltInRelation):
    """Cut between its things, a picture has in its pieces together just what it had in one.

    Yuan et al., CVPR 2021, section 4.2.1 and Table 2: a count is the sum over the pieces, "is there any" is yes where
    one piece says so, "is there none" where all do.

    **Deviation:** cuts lie between whole pixels, so boxes are rounded outwards and a gap is a pixel wide or wider. The
    paper cuts along the x-axis alone; here the axis is drawn out of those that give two pieces or more, as in the
    authors' code. Crowds are not split either, and are not asked about; a piece that would hold only a crowd stays
    with its neighbour. What is asked about is as in ``groups`` and in the picture; where some of it may be there
    without being annotated, a cut may split it, so such a case is tagged "presumed".
    """

    info = RelationInfo(
        name="metavqa.cutting",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.1",
        version=2,
        variants=VARIANTS,
        breakdown=("present_groups", "shape", "axis", "pieces"),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        if not all(thing.box.overlaps(scene.frame) for thing in scene.objects):
            return NotApplicable(reason="a thing lies outside the picture")
        found = pieces_by_axis(scene)
        if not found:
            return NotApplicable(reason="no gap between things to cut at")
        axis = choose.one(tuple(found))
        kind = QuestionKind(variant)
        asked = sample_question(scene, choose, kind, lambda _: True)
        if isinstance(asked, NotApplicable):
            return asked
        cut = (scene.picture.cut(part.start, part.stop, axis) for part in found[axis])
        return case_of(
            self,
            variant,
            scene,
            ((picture, asked.question) for picture in (scene.picture, *cut)),
            expected=_EXPECTED[kind][1],
            facts=(*asked.facts, ("axis", axis), ("pieces", len(found[axis]))),
            presumed=asked.presumed,
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        expect, _ = _EXPECTED[QuestionKind(case.variant)]
        return expect(case, answers)


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


@dataclass(frozen=True, slots=True)
class RemovalPlus(BuiltInRelation):
    """Erasing a thing makes a count that includes it one less.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3, Removal+: it exposes models that answer "0" to every count. The
    thing is counted alone, with another name, or by the one property that it surely has. ``erase`` as in ``removal``.

    **Deviation:** only salient things (``soundness.is_salient``) of which nothing stays (``edits.whole_patch``): in
    photos with masks they are recognisable, have none of their family near, and the patch has a margin. Only names
    that can be counted in this picture, of which it has no crowd; the other name is one that ``removal`` could ask
    about, and the patch bears neither a name nor a colour that is asked about. "presumed" as there.
    """

    erase: str = ERASE.default
    inpaint: str = INPAINT.default

    info = RelationInfo(
        name="metavqa.removal_plus",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        breakdown=("present_groups", "shape"),
        settings=(ERASE, INPAINT),
        version=3,
        directional=("",),
    )
    expect = one_less

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        with_ = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(with_, NotApplicable):
            return with_
        counted = set(countable_names(scene)) - with_.excluded_names
        removable = wholly_removable(scene, corpus)
        things = [(thing, patch) for thing, patch in removable if thing.name in counted and is_salient(thing, scene)]
        if not things:
            return NotApplicable(reason="every countable thing overlaps another or is too small")
        thing, patch = choose.one(things)
        asked = sample_question(
            scene,
            choose,
            QuestionKind.COUNT,
            lambda name: unrelated(name, thing.name, scene) and name not in with_.excluded_names,
            first=Group(name=thing.name),
            bearing=certain_properties(thing),
            excluded_words=with_.excluded_words,
        )
        if isinstance(asked, NotApplicable):
            return asked
        return case_of(
            self,
            variant,
            scene,
            ((picture, asked.question) for picture in (scene.picture, with_.erase(scene.picture, patch))),
            expected="second = first - 1",
            facts=(*asked.facts, ("removed", thing.name)),
            presumed=asked.presumed,
        )
