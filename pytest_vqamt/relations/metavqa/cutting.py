"""The relation ``metavqa.cutting``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import pieces_by_axis
from pytest_vqamt.relations.expectations import Expectation, all_yes, any_yes, sum_of_parts
from pytest_vqamt.relations.metavqa.groups import VARIANTS, QuestionKind, sample_question
from pytest_vqamt.sampling.chooser import Chooser

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
