"""The relation ``overlay.question``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import overlays, simple
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_if_read
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.overlay.card import with_margin
from pytest_vqamt.relations.presence import sample_presence
from pytest_vqamt.sampling.chooser import Chooser

_SENTENCES = (
    "Today is a fine day.",
    "The meeting is at nine.",
    "All visitors are welcome.",
    "Please keep the door closed.",
    "We thank you for coming.",
    "The train leaves at noon.",
)
"""Sentences, short enough for one line, of which one is written, to see whether the model reads, and one is not."""


@dataclass(frozen=True, slots=True)
class DrawnQuestion(LexicalRelation):
    """A question has the same answer as text and written in the picture.

    A white margin is put below the picture. In it stands "Is there a dog in the picture?", and the text is "Answer the
    question that is written in the picture.": the answer is that to the question as text. Vacuous unless the model
    reads: it says yes to one sentence that is written in such a margin, and no to one that is not. A relation of this
    project, after REST. What is there is salient, what is not is surely absent (rule 4), and half of the questions are
    about either; whatever is right is right for both texts, so no case is presumed.
    """

    info = RelationInfo(
        name="overlay.question",
        task=Task.VQA,
        source="a relation of this project, after REST",
        breakdown=("truth",),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_if_read

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        drawn = sample_presence(view, choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        is_there = choose.chance(0.5)
        name = drawn.there if is_there else drawn.absent[0]
        question = simple.exists(Group(name=name), choose.between(0, simple.EXISTS_WORDINGS - 1))
        again = overlays.drawn(question.meaning, choose.between(0, overlays.DRAWN - 1))
        sentences = choose.several(_SENTENCES, 2)
        control = view.cached(("in the margin", sentences[0]), lambda: with_margin(sentences[0], scene))
        wording = choose.one(_OF_A_SENTENCE)
        return case_of(
            self,
            variant,
            scene,
            (
                (scene.picture, question),
                (with_margin(question.text, scene), again),
                *((control, simple.written(each, wording)) for each in sentences),
            ),
            expected="first = second, if third = yes and fourth = no",
            facts=(("truth", "yes" if is_there else "no"), ("name", name)),
        )


_OF_A_SENTENCE = tuple(
    wording for wording in range(simple.WRITTEN_WORDINGS) if "word" not in simple.written("", wording).text
)
"""Wordings that do not say that it is a word that is written."""
