"""The relation ``serving.another_picture``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.contrasts import about_another_picture
from pytest_vqamt.relations.expectations import opposite_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class AnotherPicture(LexicalRelation):
    """The same question gets the opposite answer about another picture, where the other answer is right.

    A server that keys a cache by the text, keeps the first picture or drops pictures gives the same answer to both. So
    does a model that is wrong about one of the two.
    """

    info = RelationInfo(
        name="serving.another_picture",
        task=Task.VQA,
        source="a check of deployments by this project: vLLM #20261, ollama #7563",
        settings=(WORDNET, ONTOLOGY),
        directional=("",),
    )
    expect = opposite_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        single = groups.sample_single(askable_scene_of(scene, corpus, self.known), choose, "object")
        if isinstance(single, NotApplicable):
            return single
        asked = simple.exists(single.group, choose.between(0, simple.EXISTS_WORDINGS - 1))
        query = Query(picture=scene.picture, text=asked.text, meaning=asked.meaning)
        other = about_another_picture(query, corpus, self.known)
        if other is None:
            return NotApplicable(reason="no other picture has the other answer")
        again = Question(other.query.text, other.query.meaning)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, asked), (other.query.picture, again)),
            expected="one yes, one no",
            presumed=other.presumed,
        )
