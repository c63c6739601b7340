"""The relation ``choice.labels``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.lettered import LAYOUTS, Labels, lettered
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.choice.options import sample_options
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Labelled(LexicalRelation):
    """Options with numbers instead of letters have the same right one.

    "Which of these is in the picture? (A) a dog (B) a kite (C) a car", and the same options in the same order as (1),
    (2) and (3): the same option is named, by its words or by its label. A relation of this project, beside
    ``choice.rotate``. Three or four options, of which exactly one is right (``options``). Presumed where another may
    be right, too.
    """

    info = RelationInfo(
        name="choice.labels",
        task=Task.VQA,
        source="a relation of this project: letters against numbers",
        breakdown=("about", "options", "layout"),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        drawn = sample_options(askable_scene_of(scene, corpus, self.known), choose, 3, 4)
        if isinstance(drawn, NotApplicable):
            return drawn
        layout = choose.between(0, LAYOUTS - 1)
        asked = drawn.ask(drawn.options)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, lettered(asked, labels, layout)) for labels in Labels),
            expected="first = second",
            facts=drawn.facts(layout),
            presumed=drawn.presumed,
        )
