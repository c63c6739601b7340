"""The relations ``control.repeat``, ``control.reencode`` and ``think.on_off``: neither picture nor question changes.

The controls are the noise floor: what a model violates although nothing was changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.query import Task
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import groups
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import same_answer, unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
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
        version=3,
        tags=("control",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = unchanged

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = plain_question(draw.view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        query = draw.query(asked)
        # Trial 1 has another cache key, so the model is asked again.
        return draw.case_of((query, replace(query, trial=1)), expected="first = second")


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


@dataclass(frozen=True, slots=True)
class Reencode(LexicalRelation):
    """A lossless re-encoding of the picture changes nothing, and neither do doubled spaces in the question.

    The spaces are doubled by a variant of its own, ``spaces``: people do not see them, and many models do.
    """

    info = RelationInfo(
        name="control.reencode",
        task=Task.VQA,
        source="a control of this project: the noise floor of a model and its server",
        variants=("", "spaces"),
        version=3,
        tags=("control",),
        settings=(WORDNET, ONTOLOGY),
        exact_pixels=True,
    )
    expect = unchanged

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = plain_question(draw.view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        again = replace(asked, text=asked.text.replace(" ", "  ")) if draw.variant == "spaces" else asked
        return draw.case(((draw.picture, asked), (draw.picture.reencode(), again)), expected="first = second")


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
        version=2,
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = plain_question(draw.view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        query = draw.query(asked)
        return draw.case_of((replace(query, reasoning=each) for each in (False, True)), expected="first = second")
