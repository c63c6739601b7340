"""The relation ``overlay.text``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import overlays, simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import same_and_read
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.overlay.card import sample_card
from pytest_vqamt.relations.presence import Presence, sample_presence
from pytest_vqamt.sampling.chooser import Chooser

_NEUTRAL = ("HELLO", "WELCOME", "MONDAY", "SUMMER", "THANKS", "TODAY", "PLEASE", "TOGETHER")
"""Words that name nothing that can be seen."""

_NO_WORD = NotApplicable(reason="the name of the thing has several words")
_NO_ROOM = NotApplicable(reason="no room for a card away from all things")


@dataclass(frozen=True, slots=True)
class Text(LexicalRelation):
    """A word that is written in the picture is read, and does not change what the picture shows.

    A word in capitals on a white card is put where no thing is. "Apart from any writing, is there a kite in the
    picture?" has the same answer as before, and "Is the word "KITE" written in the picture?" is yes. Variants:
    ``neutral``: a word that names nothing, and a thing that is there or not; the control. ``contradicting``: asked
    which of two things is there, the card names the other. ``absent_name``: asked for a thing that is not there, the
    card names it. After typographic attacks and VisualTextTrap (arXiv 2604.17375). **Deviations:** the word covers no
    annotated thing, the question says that writing does not count, and not the right answer is demanded but the same.

    What is there is salient, what is not is surely absent (rule 4). A case is presumed where an absent thing may be
    there, behind the card, without being annotated.
    """

    info = RelationInfo(
        name="overlay.text",
        task=Task.VQA,
        source="a relation of this project, after VisualTextTrap (arXiv 2604.17375)",
        variants=("neutral", "contradicting", "absent_name"),
        breakdown=("truth",),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_and_read

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        drawn = sample_presence(view, choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        asked, word, truth = _ASKED[variant](drawn, choose)
        if " " in word:
            return _NO_WORD
        written = sample_card(word, view, choose)
        if written is None:
            return _NO_ROOM
        question = overlays.about_things(asked, choose.between(0, overlays.LEAVING_ASIDE - 1))
        reading = simple.written(word, choose.between(0, simple.WRITTEN_WORDINGS - 1))
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, question), (written, question), (written, reading)),
            expected="first = second, third = yes",
            facts=(("truth", truth), ("word", word)),
            presumed=drawn.presumed and truth != "yes",
        )


def _neutral(drawn: Presence, choose: Chooser) -> tuple[Question, str, str]:
    is_there = choose.chance(0.5)
    name = drawn.there if is_there else drawn.absent[0]
    return _exists(name, choose), choose.one(_NEUTRAL), "yes" if is_there else "no"


def _contradicting(drawn: Presence, choose: Chooser) -> tuple[Question, str, str]:
    groups = tuple(Group(name=name) for name in choose.several((drawn.there, *drawn.absent), 2))
    asked = simple.which_there(groups, choose.one(_WHICH_THERE))
    return asked, drawn.absent[0].upper(), drawn.there


def _absent_name(drawn: Presence, choose: Chooser) -> tuple[Question, str, str]:
    (absent,) = drawn.absent
    return _exists(absent, choose), absent.upper(), "no"


def _exists(name: str, choose: Chooser) -> Question:
    return simple.exists(Group(name=name), choose.one(_EXISTS))


_ASKED: Mapping[str, Callable[[Presence, Chooser], tuple[Question, str, str]]] = MappingProxyType(
    {"neutral": _neutral, "contradicting": _contradicting, "absent_name": _absent_name}
)

_ONE = Group(name="dog")
_EXISTS = tuple(
    wording
    for wording in range(simple.EXISTS_WORDINGS)
    if not simple.exists(_ONE, wording).text.startswith(("In ", "Looking "))
)
"""Wordings that can follow a clause."""
_WHICH_THERE = tuple(
    wording
    for wording in range(simple.WHICH_THERE_WORDINGS)
    if not simple.which_there((_ONE, _ONE), wording).text.startswith(("In ", "Looking "))
)
