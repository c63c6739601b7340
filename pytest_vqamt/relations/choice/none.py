"""The relation ``choice.none``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import NONE_OF_THESE
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.lettered import LAYOUTS, Labels, lettered
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.choice.options import sample_options
from pytest_vqamt.relations.expectations import becomes_none_of_these
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class NoneOfThese(LexicalRelation):
    """With the right option taken away, "none of these" is right.

    "Which of these is in the picture? (A) a dog (B) a kite (C) a car (D) none of these", and the same without the
    dog, which is there. The first answer must be one of the options: who always says "none of these" is wrong, too.
    Three options, of which exactly one is right (``options``). A relation of this project. Presumed where another may
    be right, too (rule 4).
    """

    info = RelationInfo(
        name="choice.none",
        task=Task.VQA,
        source="a relation of this project: the right option is taken away",
        breakdown=("about", "layout"),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = becomes_none_of_these

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        drawn = sample_options(askable_scene_of(scene, corpus, self.known), choose, 3, 3)
        if isinstance(drawn, NotApplicable):
            return drawn
        layout = choose.between(0, LAYOUTS - 1)
        left = tuple(option for option in drawn.options if option != drawn.right)
        offered = ((*options, NONE_OF_THESE) for options in (drawn.options, left))
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, lettered(drawn.ask(each), Labels.LETTERS, layout)) for each in offered),
            expected="second = none of these",
            facts=drawn.facts(layout),
            presumed=drawn.presumed,
        )
