"""The relation ``control.repeat``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.expectations import unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.metavqa import groups
from pytest_vqamt.relations.published import sample_published_question
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Repeat(LexicalRelation):
    """The same question on the same picture, asked twice, gets the same answer.

    The second asking is a query of its own (``trial=1``), so no cached answer stands in for it.
    """

    info = RelationInfo(
        name="control.repeat",
        task=Task.VQA,
        source="a control of this project: the noise floor of a model that is not deterministic",
        version=2,
        tags=("control",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = unchanged

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        asked = plain_question(askable_scene_of(scene, corpus, self.known), choose)
        if isinstance(asked, NotApplicable):
            return asked
        picture = scene.picture
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=tuple(
                Query(picture=picture, text=asked.text, meaning=asked.meaning, trial=trial) for trial in (0, 1)
            ),
            expected="first = second",
        )


def plain_question(view: AskableScene, choose: Chooser) -> Question | NotApplicable:
    """Draws a published question if there is one, or else one of our own."""
    return sample_published_question(view.scene, choose) or generated_question(view, choose)


def generated_question(view: AskableScene, choose: Chooser) -> Question | NotApplicable:
    """Draws a count of two names or a question of existence, evenly."""
    if choose.chance(0.5):
        single = groups.sample_single(view, choose, "object")
        if isinstance(single, NotApplicable):
            return single
        return simple.exists(single.group, choose.between(0, simple.EXISTS_WORDINGS - 1))
    pair = groups.sample_pair(view, choose, "object")
    if isinstance(pair, NotApplicable):
        return pair
    return simple.count((pair.first, pair.second), choose.between(0, simple.COUNT_WORDINGS - 1))
