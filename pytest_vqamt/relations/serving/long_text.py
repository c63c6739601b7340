"""The relation ``serving.long_text``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.control.repeat import plain_question
from pytest_vqamt.relations.expectations import unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser

FILLER = "This line is filler and says nothing about the picture."
LINES: Mapping[str, int] = MappingProxyType({"300-words": 30, "1500-words": 150, "6000-words": 600})
"""Lines of filler, of 10 words each, by variant."""


def with_filler(text: str, lines: int) -> str:
    """The text below so many lines of filler.

    >>> with_filler("How many dogs?", 1).splitlines()
    ['This line is filler and says nothing about the picture.', 'How many dogs?']
    """
    return "\n".join([*[FILLER] * lines, text])


@dataclass(frozen=True, slots=True)
class LongText(LexicalRelation):
    """Text about nothing before the question changes no answer.

    A server that cuts what is longer than its context loses the picture, which stands before the text. One that decodes
    short prompts with the padding of longer ones gives the short question a wrong answer where both are in a batch.
    """

    info = RelationInfo(
        name="serving.long_text",
        task=Task.VQA,
        source="a check of deployments by this project: ollama #7484, mlx-vlm PR 1542",
        variants=tuple(LINES),
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = unchanged

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = plain_question(askable_scene_of(scene, corpus, self.known), choose)
        if isinstance(asked, NotApplicable):
            return asked
        again = replace(asked, text=with_filler(asked.text, LINES[variant]))
        return case_of(
            self, variant, scene, ((scene.picture, asked), (scene.picture, again)), expected="first = second"
        )
