"""The relation ``choice.rotate``."""

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
class Rotate(LexicalRelation):
    """The order of options with letters does not change which of them is right.

    "Which of these is in the picture? (A) a dog (B) a kite (C) a car", with the options in every rotation. After
    CircularEval, which counts a question as answered only if all rotations are, and Facet-Probe (arXiv 2606.26079).
    **Deviation:** not the right answer is demanded, but the same option each time, by its words or by its letter.
    Three or four options, of which exactly one is right (``options``). Presumed where another may be right, too.
    """

    info = RelationInfo(
        name="choice.rotate",
        task=Task.VQA,
        source="a relation of this project, after CircularEval and Facet-Probe (arXiv 2606.26079)",
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
        options = drawn.options
        rotations = [(*options[start:], *options[:start]) for start in range(len(options))]
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, lettered(drawn.ask(each), Labels.LETTERS, layout)) for each in rotations),
            expected="all name the same option",
            facts=drawn.facts(layout),
            presumed=drawn.presumed,
        )
