"""The relation ``serving.colours``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Choice, Group, truth
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import templates
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.contrasts import about_another_picture
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.sampling.chooser import Chooser

_EXCHANGED = ("red", "blue")
"""The names that pure colours exchange where the first and the last channel are exchanged."""


@dataclass(frozen=True, slots=True)
class Colours(LexicalRelation):
    """A red thing is not called blue where a blue one is called red.

    The same question ("Is the car red or blue?") is asked of a picture where red is right and of one where blue is. A
    case is violated where both answers are exchanged, as by a server that takes BGR for RGB. A model that is wrong
    about one of the pictures does not violate it: unless both answers are right, the case holds vacuously.
    """

    info = RelationInfo(
        name="serving.colours",
        task=Task.VQA,
        source="a check of deployments by this project",
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        if not corpus.has_attributes:
            return NotApplicable(reason="the data has no attributes")
        names = list(_names(askable_scene_of(scene, corpus, self.known)))
        if not names:
            return NotApplicable(reason="no red or blue thing with a unique name")
        choice = Choice(what=Group(name=choose.one(names)), options=choose.several(_EXCHANGED, 2))
        asking = Asking(type=QuestionType.ATTRIBUTE_CHOICE, meaning=choice, category="color")
        asked = templates.question(asking, choose.between(0, templates.count(asking.type, related=False) - 1))
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
            expected="not both wrong: red for blue and blue for red",
            presumed=other.presumed,
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        verdict = same_answer(case, answers)
        if verdict.outcome is Outcome.UNPARSED:
            return verdict
        first, second = (str(truth(query.meaning, query.picture.scene)) for query in case.queries)
        if verdict.readings == (second, first):
            reason = f"red and blue are exchanged: {first} is called {second}, and {second} is called {first}"
            return Verdict(outcome=Outcome.VIOLATED, reason=reason, readings=verdict.readings)
        is_right = verdict.readings == (first, second)
        return Verdict(outcome=Outcome.HOLDS, vacuous=not is_right, readings=verdict.readings)


def _names(view: AskableScene) -> Iterator[str]:
    """The names of which one thing is there, red or blue and of no other colour."""
    category_of = view.known.ontology.category_of
    for thing in view.scene.objects:
        if thing.name in view.names and view.is_unique_by_name(thing) and not thing.multi_coloured:
            colours = [word for word in thing.attributes if category_of(word) == "color"]
            if len(colours) == 1 and colours[0] in _EXCHANGED:
                yield thing.name
