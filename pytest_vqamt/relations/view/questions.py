"""Which questions may be asked of a picture and of another view of it.

- Things that are asked about are large enough to be made out in both pictures: their longer side has 24 pixels or more,
  and their shorter side a third of that, in the picture and after a model has scaled its longer side to 336 pixels. A
  relation does not know the model's own size; 336 is that of CLIP's largest, and nearly all chat models take more.
- Counts and existence are asked of names, as in ``metavqa.groups``; places as in ``spatial.places``, with 3 % of either
  picture between the two boxes.
- No published question is asked: it does not tell which things it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Fact, NotApplicable
from pytest_vqamt.core.meaning import Group, sides
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.metavqa.groups import QuestionKind, sample_question
from pytest_vqamt.relations.soundness import countable_names, is_salient_size, presumed
from pytest_vqamt.relations.spatial.places import ALL_SIDES, Place, places
from pytest_vqamt.sampling.chooser import Chooser

MODEL_PX = 336
"""The longer side of a picture after a model's own resizing, where nothing else is known."""
MIN_PX = 24
_MIN_SHORTER_PX = MIN_PX / 3

NO_QUESTION = NotApplicable(reason="nothing in the picture is large enough to be asked about after the edit")

KINDS = ("count", "exists", "place")

_PRESENT = 0.7
"""The share of questions of existence that are about a thing in the picture, as in MetaVQA."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewQuestion:
    """A question that has one answer in both pictures.

    Attributes:
        about: the things that it is about, all of which stay in the picture.
        presumed: whether the answer rests on things that are not annotated.
    """

    question: Question
    kind: str
    about: tuple[Thing, ...]
    presumed: bool

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("asked", self.kind),)


def is_readable(box: Box, frame: Box) -> bool:
    """Whether a thing in ``box`` can be made out in a picture of this frame, and after a model has scaled it."""
    scale = min(1.0, MODEL_PX / max(frame.w, frame.h))
    return max(box.w, box.h) * scale >= MIN_PX and min(box.w, box.h) * scale >= _MIN_SHORTER_PX


def readable_names(view: AskableScene, frame: Box, scale: float = 1.0) -> frozenset[str]:
    """Returns the askable names whose things can all be made out in the picture, and scaled by ``scale`` in ``frame``.

    A fish of wood is none for certain.
    """

    def find() -> frozenset[str]:
        scene = view.scene
        small = {
            thing.name
            for thing in scene.objects
            if not (is_readable(thing.box, scene.frame) and is_readable(thing.box.scaled(scale, scale), frame))
        }
        return frozenset(view.names) - small

    return view.cached(("readable", frame, scale), find)


def sample_view_question(
    view: AskableScene, choose: Chooser, frame: Box, scale: float = 1.0, kinds: tuple[str, ...] = KINDS
) -> ViewQuestion | NotApplicable:
    """Draws a question for the picture and for one in which everything is scaled by ``scale`` within ``frame``.

    The kinds are drawn evenly, as far as the scene has them.
    """
    fits = readable_names(view, frame, scale)
    for kind in choose.several(kinds, len(kinds)):
        asked = _SAMPLERS[kind](view, choose, frame, scale, fits)
        if not isinstance(asked, NotApplicable):
            return asked
    return NO_QUESTION


def _count(
    view: AskableScene, choose: Chooser, _frame: Box, _scale: float, fits: frozenset[str]
) -> ViewQuestion | NotApplicable:
    found = sample_question(view.scene, choose, QuestionKind.COUNT, fits.__contains__)
    if isinstance(found, NotApplicable):
        return found
    about = _named({group.name for group in found.groups}, view)
    return ViewQuestion(question=found.question, kind="count", about=about, presumed=found.presumed)


def _exists(
    view: AskableScene, choose: Chooser, _frame: Box, _scale: float, fits: frozenset[str]
) -> ViewQuestion | NotApplicable:
    here = [name for name in countable_names(view.scene) if name in fits]
    is_there = choose.chance(_PRESENT) if here else False
    names = here if is_there else view.countable_absent
    if not names:
        return NO_QUESTION
    name = choose.one(names)
    return ViewQuestion(
        question=simple.exists(Group(name=name), choose.between(0, simple.EXISTS_WORDINGS - 1)),
        kind="exists",
        about=_named({name}, view),
        presumed=not is_there and presumed((name,), view.scene),
    )


def _place(
    view: AskableScene, choose: Chooser, frame: Box, scale: float, _fits: frozenset[str]
) -> ViewQuestion | NotApplicable:
    found = view.cached(("placed", frame, scale), lambda: _places(view, frame, scale))
    if not found:
        return NO_QUESTION
    place = choose.one(found)
    side = place.side.opposite if choose.chance(0.5) else place.side
    return ViewQuestion(
        question=place.ask(choose.between(0, simple.LOCATED_WORDINGS - 1), side=side),
        kind="place",
        about=(place.thing, place.other),
        presumed=False,  # it has one answer whichever thing of the name is meant
    )


def _places(view: AskableScene, frame: Box, scale: float) -> tuple[Place, ...]:
    def stays(place: Place) -> bool:
        one, other = (each.box.scaled(scale, scale) for each in (place.thing, place.other))
        seen = all(is_salient_size(box.w, box.h, frame) and is_readable(box, frame) for box in (one, other))
        return seen and place.side in sides(one, other, frame)

    return tuple(filter(stays, places(view, ALL_SIDES)))


_SAMPLERS: dict[str, Callable[[AskableScene, Chooser, Box, float, frozenset[str]], ViewQuestion | NotApplicable]] = {
    "count": _count,
    "exists": _exists,
    "place": _place,
}


def _named(names: set[str], view: AskableScene) -> tuple[Thing, ...]:
    return tuple(thing for thing in view.scene.objects if thing.name in names)
