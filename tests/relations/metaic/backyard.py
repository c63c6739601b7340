"""Scenes to insert into and to cut out of, for MetaIC's relations."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.base import Relation
from tests.making import scene_of, thing_of
from tests.relations.deriving import cases_of
from tests.relations.inserted import corpus_of, masked

CLASSES = ("dog", "cat", "bus", "bird", "car")


def backyard(*more: Thing, crowds: Iterable[str] = (), id: str = "backyard") -> Scene:  # noqa: A002 - a scene's id
    """A bus of 40 x 40 in the middle of 200 x 100 pixels, and whatever else is asked for."""
    bus = thing_of("red bus", id="bus", box=Box(80, 30, 40, 40))
    return scene_of(bus, *more, id=id, crowds=crowds, exhaustive=CLASSES)


DOG = masked("brown dog", "dog", Box(10, 10, 30, 25))
"""Somewhere to the left of the bus, and as large as what is inserted: 750 pixels of the bus's 1600."""


def cut_from(words: str, w: float = 50, h: float = 40, name: str = "kennel") -> Scene:
    """A scene of 200 x 100 pixels in which one thing of this size can be cut out."""
    return scene_of(masked(words, "0", Box(10, 10, w, h)), id=name, exhaustive=CLASSES)


def dogs() -> Corpus:
    """A corpus of a backyard, and of another scene where a dog can be cut out."""
    return corpus_of([backyard(), cut_from("brown dog")])


def cases(relation: Relation, variant: str, scene: Scene, corpus: Corpus, n: int = 40) -> list[Case]:
    return cases_of(relation, scene, variant, draws=n, corpus=corpus)
