"""The relation ``negation.scope``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import the_other_option
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import sample_presence
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Scope(LexicalRelation):
    """Which of two things is in the picture, and which is not, have different answers.

    "Which of these is in the picture, a dog or a kite?" and "Which of these is not in the picture, a dog or a kite?",
    with the two in the same order. After NegVQA. **Deviation:** it negates single questions and compares with right
    answers; here two answers are compared. One of the things is there and salient, the other is surely absent (rule
    4) and plausible beside the first. Presumed where it may be there without being annotated.
    """

    info = RelationInfo(
        name="negation.scope",
        task=Task.VQA,
        source="a relation of this project, after NegVQA",
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = the_other_option

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        drawn = sample_presence(view, choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        names = choose.several((drawn.there, *drawn.absent), 2)
        wording = choose.between(0, simple.WHICH_THERE_WORDINGS - 1)
        groups = tuple(Group(name=name) for name in names)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, simple.which_there(groups, wording, missing=missing)) for missing in (False, True)),
            expected="second = the other one",
            facts=(("there", drawn.there), ("absent", drawn.absent[0]), ("wording", wording)),
            presumed=drawn.presumed,
        )
