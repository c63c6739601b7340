"""Names of things that are surely in a picture, and of things that surely are not."""

from __future__ import annotations

from typing import NamedTuple

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import is_nearly_everywhere
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.english.nouns import is_countable
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.soundness import countable_names, is_salient
from pytest_vqamt.sampling.chooser import Chooser

TOO_FEW = NotApplicable(reason="too few names that are surely present or surely absent")


MOST_ABSENT = 3
"""The most absent names that a question has."""


class Presence(NamedTuple):
    """A name that is there, and names that are not; ``presumed`` unless these are annotated exhaustively."""

    there: str
    absent: tuple[str, ...]
    presumed: bool


def seen_names(view: AskableScene) -> tuple[str, ...]:
    """Returns the countable names of things that nobody overlooks, in scene order."""
    return view.cached("seen names", lambda: _seen_names(view))


def _seen_names(view: AskableScene) -> tuple[str, ...]:
    scene = view.scene
    countable = set(countable_names(scene)).intersection(view.nouns)
    seen = dict.fromkeys(thing.name for thing in scene.objects if is_salient(thing, scene))
    return tuple(name for name in seen if name in countable and not is_nearly_everywhere(name))


def the_color(thing: Thing, view: AskableScene) -> tuple[str, ...]:
    """Returns the one color that the thing has, if it is one of those that exclude each other."""
    if thing.multi_coloured:
        return ()
    category_of = view.known.ontology.category_of
    colors = tuple(word for word in thing.attributes if category_of(word) == "color")
    return colors if len(colors) == 1 and colors[0] in COLOURS else ()


def absent_names(view: AskableScene, companion: str) -> tuple[str, ...]:
    """Returns countable names that are surely absent (rule 4), and plausible beside the companion.

    Where there are enough of those that are annotated exhaustively, no other.
    """

    def find() -> tuple[str, ...]:
        names = tuple(name for name, _ in view.absent(companion) if is_countable(name))
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
