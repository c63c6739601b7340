"""A case of MetaIC: a picture, and the same picture with one more thing in it, both to be captioned."""

from __future__ import annotations

from bisect import bisect_right

from pytest_vqamt.core.case import Case, Fact, NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions import Reading, class_of
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.metaic.captions import caption_of
from pytest_vqamt.relations.metaic.insertion import Insertion, insertion
from pytest_vqamt.relations.soundness import presumed
from pytest_vqamt.sampling.chooser import Chooser

DRAWS_AS = "metaic"
"""All items of both relations draw with the same seeds."""
BREAKDOWN = ("was_there", "objects")

_FROM = (2, 5, 10)
_NUMBERS = ("1", "2 to 4", "5 to 9", "10 or more")


def pair(
    relation: Relation, level: str, scene: Scene, corpus: Corpus, choose: Chooser, reading: Reading, expected: str
) -> Case | NotApplicable:
    """The case of ``relation`` at this level of overlap; ``expected`` has "{}" for the inserted class."""
    found = insertion(scene, corpus, choose, reading)
    if isinstance(found, NotApplicable):
        return found
    name = found.cutout.thing.name
    return Case(
        relation=relation.info.name,
        variant=level,
        scene=scene.id,
        queries=(caption_of(scene.picture), caption_of(found.picture(scene, level))),
        expected=expected.format(class_of(name)),
        facts=_facts(found, level, scene),
        tags=("presumed",) if presumed((name,), scene) else (),
    )


def inserted_in(case: Case) -> str:
    """The name of the thing that was inserted."""
    return str(case.fact("inserted"))


def _facts(found: Insertion, level: str, scene: Scene) -> tuple[tuple[str, Fact], ...]:
    name = found.cutout.thing.name
    return (
        ("inserted", name),
        ("overlap", level),
        ("covered", round(found.covered(level), 3)),
        ("was_there", any(class_of(thing.name) == class_of(name) for thing in scene.objects)),
        ("objects", _NUMBERS[bisect_right(_FROM, len(scene.objects))]),
    )
