"""The relation ``spatial.mirror``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.expectations import opposite_answer, same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.soundness import presumed
from pytest_vqamt.relations.spatial.places import LEVEL, sample_place, two_questions
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Mirror(LexicalRelation):
    """In a mirrored picture the same question about left or right has the opposite answer, and left becomes right.

    Asked is whether the dog is to the left of the car in the picture. ``opposite`` asks the same of the mirrored
    picture: one answer is yes and the other is no, so no model passes that does not look. ``swap`` asks there for the
    other side: both answers are the same.

    A relation of this project. Each of the two things is the only one of its name, kinds included, and 3 % of the
    picture's width lies between their boxes; ``places`` has the other conditions. ``opposite`` is presumed where
    another dog may be in the picture without being annotated: it might stand above the car, and be the one that is
    meant. ``swap`` holds whichever is meant.
    """

    info = RelationInfo(
        name="spatial.mirror",
        task=Task.VQA,
        source="a relation of this project: places by boxes",
        variants=("opposite", "swap"),
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
        directional=("opposite",),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        asked = sample_place(view, choose, LEVEL)
        if isinstance(asked, NotApplicable):
            return asked
        names = asked.place.thing.name, asked.place.other.name
        swaps = variant == "swap"
        again = asked.place.ask(asked.wording, side=asked.side.opposite if swaps else asked.side)
        return two_questions(
            self,
            variant,
            view,
            asked,
            (scene.picture.mirror(), again),
            "first = second" if swaps else "one yes, one no",
            presumed=not swaps and presumed(names, scene),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return (same_answer if case.variant == "swap" else opposite_answer)(case, answers)
