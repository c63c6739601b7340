"""The relations ``negation.scope`` and ``absent.premise``: what surely is in a picture, and what surely is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import family, is_nearly_everywhere
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.english.nouns import is_countable
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import denied_where_absent, the_other_option
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.rules import SALIENT, UNIQUE
from pytest_vqamt.relations.soundness import countable_names, object_names, salient_names
from pytest_vqamt.sampling.chooser import Chooser

TOO_FEW = NotApplicable(reason="too few kinds of things are surely there or surely absent")


MOST_ABSENT = 3
"""The most absent names that a question has."""

_OFTEN_PICTURED = "person"
"""A class of COCO that has no toys, statues and people on posters, which others may count as persons."""

_COLOR = "color"
_WORDINGS = tuple(
    wording
    for wording in range(simple.PROPERTY_WORDINGS)
    if not simple.property_of(Group(name="dog"), _COLOR, COLOURS, wording).text.startswith("Can")
)
"""Wordings to which "no" can only mean that there is none, and not that nobody can tell."""


class Presence(NamedTuple):
    """A name that is there, and names that are not; ``presumed`` unless these are annotated exhaustively."""

    there: str
    absent: tuple[str, ...]
    presumed: bool


def seen_names(view: AskableScene) -> tuple[str, ...]:
    """Returns the countable names of things that nobody overlooks or calls something else, in scene order."""
    return view.cached("seen names", lambda: _seen_names(view))


def _seen_names(view: AskableScene) -> tuple[str, ...]:
    scene = view.scene
    countable = set(countable_names(scene)).intersection(view.nouns)
    seen = salient_names(scene)
    return tuple(
        name for name in object_names(scene) if name in seen and name in countable and not is_nearly_everywhere(name)
    )


def the_color(thing: Thing, view: AskableScene) -> tuple[str, ...]:
    """Returns the one color that the thing has, if it is one of those that exclude each other."""
    if thing.multi_coloured:
        return ()
    category_of = view.known.ontology.category_of
    colors = tuple(word for word in thing.attributes if category_of(word) == "color")
    return colors if len(colors) == 1 and colors[0] in COLOURS else ()


def absent_names(view: AskableScene, companion: str) -> tuple[str, ...]:
    """Returns countable names that are surely absent, and plausible beside the companion.

    Where there are enough of those that are annotated exhaustively, no other.
    """

    def find() -> tuple[str, ...]:
        names = tuple(name for name, _ in view.absent(companion) if is_countable(name) and name != _OFTEN_PICTURED)
        # Three are enough for every question; fewer would make the same names come up again and again.
        guaranteed = tuple(name for name in names if not view.is_presumed(name))
        return guaranteed if len(guaranteed) >= MOST_ABSENT else names

    return view.cached(("absent names", companion), find)


def sample_presence(view: AskableScene, choose: Chooser, absent: int = 1) -> Presence | NotApplicable:
    """Draws a name that is there and ``absent`` names that are not."""
    there = seen_names(view)
    if not there:
        return TOO_FEW
    name = choose.one(there)
    names = absent_names(view, name)
    if len(names) < absent:
        return TOO_FEW
    drawn = choose.several(names, absent)
    return Presence(name, drawn, any(map(view.is_presumed, drawn)))


@dataclass(frozen=True, slots=True)
class Scope(LexicalRelation):
    """Asked which of two things is in the picture and which is not, a model gives different answers.

    "Which of these is in the picture, a dog or a kite?" and "Which of these is not in the picture, a dog or a kite?",
    with the two in the same order. After NegVQA. **Deviation:** it negates single questions and compares with right
    answers; here two answers are compared. One of the things is there and salient, the other is surely absent,
    and plausible beside the first. Presumed where it may be there without being annotated.
    """

    info = RelationInfo(
        name="negation.scope",
        task=Task.VQA,
        source="a relation of this project, after NegVQA",
        version=2,
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = the_other_option

    def derive(self, draw: Draw) -> Case | NotApplicable:
        drawn = sample_presence(draw.view, draw.choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        names = draw.choose.several((drawn.there, *drawn.absent), 2)
        wording = draw.wording(simple.WHICH_THERE_WORDINGS)
        groups = tuple(Group(name=name) for name in names)
        return draw.case(
            draw.here(simple.which_there(groups, wording, missing=missing) for missing in (False, True)),
            expected="second is the other one",
            facts=(("there", drawn.there), ("absent", drawn.absent[0]), ("wording", wording)),
            presumed=drawn.presumed,
        )


@dataclass(frozen=True, slots=True)
class Premise(LexicalRelation):
    """Asked for the color of a thing that is not there, a model says that there is none.

    "What color is the dog in the picture?" has no color for an answer where there is no dog. The control, which comes
    first, must not be denied: the color of a thing that is there, and where the data has no colors, whether a thing is
    there. After the false premises of EchoBench, PENDULUM and ConText-VQA. **Deviations:** a question of its own for
    each scene, with a control, and a right answer that follows from the annotations: the thing is surely absent,
    and plausible beside the one of the control. People's color is not asked for. A case is presumed where the absent
    thing, or another of the name of the control, may be there without being annotated.
    """

    info = RelationInfo(
        name="absent.premise",
        task=Task.VQA,
        source="a relation of this project: questions that take for granted what is not there",
        version=2,
        breakdown=("control",),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = denied_where_absent

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view = draw.view
        of_color = view.cached("one color", lambda: _of_one_color(view))
        seen = of_color or seen_names(view)
        if not seen:
            return TOO_FEW
        there = draw.choose.one(seen)
        names = view.cached(("absent premises", there), lambda: _with_a_color(absent_names(view, there)))
        if not names:
            return TOO_FEW
        absent = draw.choose.one(names)
        wording = draw.choose.one(_WORDINGS)
        # Data without colours (COCO) can still show that the model does not deny everything.
        control = _color_of(there, wording) if of_color else simple.exists(Group(name=there))
        return draw.case(
            draw.here((control, _color_of(absent, wording))),
            expected="second says that there is none",
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
        and SALIENT.check(thing, view.scene)
        and UNIQUE.check(view, thing)
        and the_color(thing, view)
    )


def _with_a_color(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if family(name) != "person")
