"""The relation ``think.on_off``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.control.repeat import plain_question
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class OnOff(LexicalRelation):
    """A question has the same answer with and without reasoning.

    A relation of this project. What is asked can be seen without reasoning: published questions where there are some,
    else whether there is a thing, or how many things of two names there are, as in ``control.repeat``. Nothing inside
    a reasoning trace is an answer; a trace that does not end is cut off, and violates.

    Only for models whose adapter can switch reasoning (``switches_reasoning``): ``hf:`` with a chat template that takes
    ``enable_thinking``, ``openai:`` with ``body.chat_template_kwargs`` or ``body.reasoning_effort``, and models of
    your own. For any other the cases are declined: neither passed nor violated.
    """

    info = RelationInfo(
        name="think.on_off",
        task=Task.VQA,
        source="a relation of this project: reasoning changes no fact that can be seen",
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = plain_question(askable_scene_of(scene, corpus, self.known), choose)
        if isinstance(asked, NotApplicable):
            return asked
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=tuple(
                Query(picture=scene.picture, text=asked.text, meaning=asked.meaning, reasoning=reasoning)
                for reasoning in (False, True)
            ),
            expected="first = second",
        )
