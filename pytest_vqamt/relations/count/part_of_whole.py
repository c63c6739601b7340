"""The relation ``count.part_of_whole``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.expectations import at_most_the_first
from pytest_vqamt.relations.soundness import countable_names, scene_properties, single_valued
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class PartOfWhole(BuiltInRelation):
    """There are at most as many red dogs as there are dogs.

    Asked are countable names, with a colour (an action, of people) that one of their things has. A relation of this
    project. No thing of the name has two of these properties or is multi-coloured, as in ``metavqa.partition``. It
    holds whatever else is in the picture, so no case is presumed.
    """

    info = RelationInfo(
        name="count.part_of_whole",
        task=Task.VQA,
        source="a relation of this project: what is described is part of what is named",
    )
    expect = at_most_the_first

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        parts = [
            (name, word)
            for name in countable_names(scene)
            if single_valued(name, scene)
            for word in scene_properties(name, scene)
        ]
        if not parts:
            return NotApplicable(reason="no countable name with a property of the pool")
        name, word = choose.one(parts)
        wording = choose.between(0, simple.COUNT_WORDINGS - 1)
        groups = Group(name=name), Group(name=name, attributes=(word,))
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, simple.count(group, wording)) for group in groups),
            expected="second <= first",
            facts=(("wording", wording),),
        )
