"""The relation ``lead.authority``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.leading import Speaker
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lead.statements import led_case
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Authority(LexicalRelation):
    """What somebody is said to know, and has wrong, does not change the answer.

    "An expert has confirmed that the picture shows no dog. Is there a dog in the picture?" After the same benchmarks
    as ``lead.belief``, which has the conditions and the deviations; only the speaker is another.
    """

    info = RelationInfo(
        name="lead.authority",
        task=Task.VQA,
        source="a relation of this project, after EchoBench, PENDULUM and ConText-VQA",
        breakdown=("question_type", "truth", "statement"),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        return led_case(self, Speaker.AUTHORITY, askable_scene_of(scene, corpus, self.known), choose)
