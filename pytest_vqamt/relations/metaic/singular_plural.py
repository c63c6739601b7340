"""The relation ``metaic.singular_plural``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import RelationInfo
from pytest_vqamt.core.query import Task
from pytest_vqamt.language.captions.verdicts import check_forms
from pytest_vqamt.relations.metaic import placement
from pytest_vqamt.relations.metaic.insertion import BREAKDOWN, DRAWS_AS, METAIC, InsertionRelation
from pytest_vqamt.relations.recognition import EXCLUDE_CUTOUTS


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularPlural(InsertionRelation):
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
        settings=(METAIC, EXCLUDE_CUTOUTS),
        draws_as=DRAWS_AS,
        version=3,
    )
    expected = "what first names is as singular or plural in second; {} is singular, or plural where first names it"
    check = check_forms
    kinds = ("quantity",)
