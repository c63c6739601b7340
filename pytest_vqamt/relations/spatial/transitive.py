"""The relation ``spatial.transitive``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import yes_if_all_are
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.spatial.places import NO_THREE, Place, rows
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Transitive(LexicalRelation):
    """If the dog is to the left of the car and the car to the left of the tree, the dog is to the left of the tree.

    Asked about left, right, higher and lower in the picture, of three things in this order. A relation of this project.
    Each thing is the only one of its name, kinds included, and 3 % of the picture lies between their boxes; ``places``
    has the other conditions. It holds whichever things are meant, so no case is presumed. Where one of the first two
    answers is no, it holds vacuously.
    """

    info = RelationInfo(
        name="spatial.transitive",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = yes_if_all_are

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        found = rows(askable_scene_of(scene, corpus, self.known))
        if not found:
            return NO_THREE
        one, two = choose.one(found)
        wording = choose.between(0, simple.LOCATED_WORDINGS - 1)
        last = Place(thing=one.thing, side=one.side, other=two.other)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each.ask(wording)) for each in (one, two, last)),
            expected="third yes if first and second are",
            facts=(("side", one.side.value), ("wording", wording)),
        )
