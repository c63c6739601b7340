"""The relation ``spatial.inverse``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.spatial.places import sample_place, two_questions
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Inverse(LexicalRelation):
    """If the dog is to the left of the car, the car is to the right of the dog, and if it is not, it is not.

    Asked about left, right, higher and lower in the picture. A relation of this project. Each thing is the only one of
    its name, kinds included, and 3 % of the picture lies between their boxes; ``places`` has the other conditions. It
    holds whichever dog and car are meant, so no case is presumed.
    """

    info = RelationInfo(
        name="spatial.inverse",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        asked = sample_place(view, choose)
        if isinstance(asked, NotApplicable):
            return asked
        back = asked.place.ask_back(asked.wording, side=asked.side.opposite)
        return two_questions(self, variant, view, asked, (scene.picture, back), "first = second")
