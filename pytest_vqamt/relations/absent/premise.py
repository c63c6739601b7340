"""The relation ``absent.premise``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.expectations import denied_where_absent
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import TOO_FEW, absent_names, seen_names, the_color
from pytest_vqamt.relations.soundness import is_salient
from pytest_vqamt.sampling.chooser import Chooser

_COLOR = "color"
_WORDINGS = tuple(
    wording
    for wording in range(simple.PROPERTY_WORDINGS)
    if not simple.property_of(Group(name="dog"), _COLOR, COLOURS, wording).text.startswith("Can")
)
"""Wordings to which "no" can only mean that there is none, and not that nobody can tell."""


@dataclass(frozen=True, slots=True)
class Premise(LexicalRelation):
    """Asked for the color of a thing that is not there, a model says that there is none.

    "What color is the dog in the picture?" has no color for an answer where there is no dog. The control, which comes
    first, must not be denied: the color of a thing that is there, and where the data has no colors, whether a thing is
    there. After the false premises of EchoBench, PENDULUM and ConText-VQA. **Deviations:** a question of its own for
    each scene, with a control, and a right answer that follows from the annotations: the thing is surely absent
    (rule 4), and plausible beside the one of the control. People's color is not asked for. A case is presumed where
    the absent thing, or another of the name of the control, may be there without being annotated.
    """

    info = RelationInfo(
        name="absent.premise",
        task=Task.VQA,
        source="a relation of this project: questions that take for granted what is not there",
        breakdown=("control",),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = denied_where_absent

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        of_color = view.cached("one color", lambda: _of_one_color(view))
        seen = of_color or seen_names(view)
        if not seen:
            return TOO_FEW
        there = choose.one(seen)
        names = view.cached(("absent premises", there), lambda: _with_a_color(absent_names(view, there)))
        if not names:
            return TOO_FEW
        absent = choose.one(names)
        wording = choose.one(_WORDINGS)
        control = _color_of(there, wording) if of_color else simple.exists(Group(name=there))
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, control), (scene.picture, _color_of(absent, wording))),
            expected="second = there is none",
            facts=(("control", _COLOR if of_color else "presence"), ("absent", absent), ("wording", wording)),
            presumed=view.is_presumed(absent) or (bool(of_color) and view.is_presumed(there)),
        )


def _color_of(name: str, wording: int) -> Question:
    return simple.property_of(Group(name=name), _COLOR, COLOURS, wording)


def _of_one_color(view: AskableScene) -> tuple[str, ...]:
    """Returns the names of salient things that are the only ones of their name and have one color."""
    names = set(_with_a_color(seen_names(view)))
    return tuple(
        thing.name
        for thing in view.scene.objects
        if thing.name in names
        and is_salient(thing, view.scene)
        and view.is_unique_by_name(thing)
        and the_color(thing, view)
    )


def _with_a_color(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if family(name) != "person")
