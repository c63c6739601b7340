"""Draws a question with options of which exactly one is right.

Either which of several things is in the picture, of which one is there and salient, and the others are surely absent
(rule 4); or which color the one thing of a name has (rules 2 and 6), where the colors exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.core.case import Fact, NotApplicable
from pytest_vqamt.core.meaning import NONE_OF_THESE, Group
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.questions import lettered
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.presence import TOO_FEW, sample_presence, the_color
from pytest_vqamt.relations.soundness import is_salient
from pytest_vqamt.sampling.chooser import Chooser

_COLOR = "color"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A question with options, before they are listed.

    Attributes:
        about: "thing" or "color".
        options: names or colors in a random order.
        right: the one that is right.
        ask: makes the question for the options that are listed; ``NONE_OF_THESE`` may be the last.
        presumed: whether that one is right, and no other, rests on an absence that is not guaranteed.
    """

    about: str
    options: tuple[str, ...]
    right: str
    ask: Callable[[tuple[str, ...]], Question]
    presumed: bool

    def facts(self, layout: int) -> tuple[tuple[str, Fact], ...]:
        return (("about", self.about), ("options", len(self.options)), ("layout", layout))


def sample_options(view: AskableScene, choose: Chooser, least: int, most: int) -> Options | NotApplicable:
    """Draws a question with ``least`` to ``most`` options."""
    count = choose.between(least, most)
    wording = choose.between(0, lettered.STEMS - 1)
    samplers = (_of_colors, _of_things) if choose.chance(0.5) else (_of_things, _of_colors)
    for sample in samplers:
        if drawn := sample(view, choose, count, wording):
            return drawn
    return TOO_FEW


def _of_things(view: AskableScene, choose: Chooser, count: int, wording: int) -> Options | None:
    drawn = sample_presence(view, choose, count - 1)
    if isinstance(drawn, NotApplicable):
        return None

    def ask(names: tuple[str, ...]) -> Question:
        groups = tuple(Group(name=name) for name in names if name != NONE_OF_THESE)
        return lettered.which_there(groups, wording, or_none=NONE_OF_THESE in names)

    return Options(
        about="thing",
        options=choose.several((drawn.there, *drawn.absent), count),
        right=drawn.there,
        ask=ask,
        presumed=drawn.presumed,
    )


def _of_colors(view: AskableScene, choose: Chooser, count: int, wording: int) -> Options | None:
    found = [each for each in view.cached("colors to choose", lambda: _colored(view)) if len(each[2]) >= count - 1]
    if not found:
        return None
    name, right, false = choose.one(found)

    def ask(values: tuple[str, ...]) -> Question:
        return lettered.which_value(Group(name=name), _COLOR, values, wording)

    return Options(
        about=_COLOR,
        options=choose.several((right, *choose.several(false, count - 1)), count),
        right=right,
        ask=ask,
        presumed=view.is_presumed(name),
    )


def _colored(view: AskableScene) -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns the name of each thing that is the only one of its name, with its color and others that exclude it."""
    return [
        (thing.name, color, false)
        for thing in view.scene.objects
        if thing.name in view.names and is_salient(thing, view.scene) and view.is_unique_by_name(thing)
        for color in the_color(thing, view)
        if (false := tuple(word for word in COLOURS if word != color and view.surely_lacks(thing, word)))
    ]
