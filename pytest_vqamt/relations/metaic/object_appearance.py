"""The relation ``metaic.object_appearance``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import RelationInfo
from pytest_vqamt.core.query import Task
from pytest_vqamt.language.captions.verdicts import check_appearance
from pytest_vqamt.relations import recognition
from pytest_vqamt.relations.metaic import placement
from pytest_vqamt.relations.metaic.insertion import BREAKDOWN, DRAWS_AS, METAIC, InsertionRelation


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAppearance(InsertionRelation):
    """With one more thing in the picture, the caption names what it named before, and that thing.

    Yu et al., ISSTA 2022, section 3.4, MR1; how large the thing is and where it is put: section 3.2, the rules in
    ``placement``. A violation is an omission where a class is missing and nothing else is named, and a
    misclassification where something else is.

    Of each picture four others are made, with one thing of one size in four places: each is a case of one variant, here
    and of ``metaic.singular_plural``. The variant is the share of the largest thing in the picture that is covered, in
    percent: 0, up to 15, 15 to 30, 30 to 45. A picture that has no place at one of the four levels has no case of any.

    **Deviation:** which interval the size is drawn from depends on the salient area S, as in the authors' code, and not
    on the largest thing. Crowds count as things that may be covered; the boxes that are compared are those
    annotated and, since pictures are made of them, the whole pixels. Nothing is inserted of a class of which a
    caption might, or might not, name more: that of a crowd, of a small thing or of a fragment in the background. A
    cut-out is enlarged at most twice, whole in its own photo, and has nothing of another class with it; from photos
    only the best are cut out (``recognition``), and ``exclude-cutouts=FILE`` leaves out more. Captions are read
    with kinds, compounds and number words understood; ``--vqamt-option metaic=strict`` reads them as published.
    "presumed" where more of the inserted kind may be there than is annotated.
    """

    info = RelationInfo(
        name="metaic.object_appearance",
        task=Task.CAPTIONING,
        source="Yu et al., ISSTA 2022, section 3.4, MR1",
        variants=tuple(placement.LEVELS),
        breakdown=BREAKDOWN,
        settings=(METAIC, recognition.EXCLUDE_CUTOUTS),
        draws_as=DRAWS_AS,
        version=3,
    )
    expected = "second names the same kinds of things as first, and {}"
    check = check_appearance
    kinds = ("omission", "misclassification")
