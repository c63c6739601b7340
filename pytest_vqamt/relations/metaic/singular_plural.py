"""The relation ``metaic.singular_plural``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions import CaptionReading, check_forms
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.metaic import placement
from pytest_vqamt.relations.metaic.insertion import (
    BREAKDOWN,
    DRAWS_AS,
    METAIC,
    caption_case,
    caption_readings,
    caption_texts,
    inserted_name,
    unparsed_verdict,
)
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularPlural(BuiltInRelation):
    """With one more thing in the picture, the caption has all classes in the number that is right.

    Yu et al., ISSTA 2022, section 3.4, MR2: what was named before keeps its number, singular or plural; the class of
    the inserted thing is in the singular, or in the plural where it was named before. The cases are those of
    ``metaic.object_appearance``, the same pictures at the same levels, and so are the deviations.

    It is judged where that relation holds. Where it does not, the case holds vacuously here: the same pair is not
    reported twice, and the two relations' violations at one level add up to the paper's suspicious issues.
    """

    info = RelationInfo(
        name="metaic.singular_plural",
        task=Task.CAPTIONING,
        source="Yu et al., ISSTA 2022, section 3.4, MR2",
        variants=tuple(placement.LEVELS),
        breakdown=BREAKDOWN,
        settings=(METAIC,),
        draws_as=DRAWS_AS,
    )

    metaic: str = METAIC.default

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        expected = "number of each class in second = in first; {} is singular, or plural where first has it"
        return caption_case(self, variant, scene, corpus, choose, CaptionReading(self.metaic), expected)

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        reading = CaptionReading(self.metaic)
        if unread := unparsed_verdict(answers, reading):
            return unread
        before, after = caption_texts(answers)
        found = check_forms(before, after, inserted_name(case), reading)
        violated = found is not None and found.violated
        return Verdict(
            outcome=Outcome.VIOLATED if violated else Outcome.HOLDS,
            reason=f"{found.kind}: {found.reason}" if found and violated else "",
            vacuous=found is None,
            readings=caption_readings(answers, reading),
            figures=(("suspicious", float(violated)), ("quantity", float(violated))),
        )
