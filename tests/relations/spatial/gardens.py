"""Scenes of a few things in known places, 200 x 100 pixels."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import Relation
from tests.making import scene_of, thing_of
from tests.relations.deriving import cases_of

SIZE = 30


def garden(
    exhaustive: Iterable[str] = ("dog", "car", "tree"), crowds: Iterable[str] = (), **at: tuple[float, float]
) -> Scene:
    """A scene of things by name, each of 30 x 30 pixels with its top left corner there, and none at the edge."""
    things = (
        thing_of(name, id=str(place), box=Box(x + 1, y + 1, SIZE, SIZE))
        for place, (name, (x, y)) in enumerate(at.items())
    )
    return scene_of(*things, exhaustive=exhaustive, crowds=crowds)


IN_A_ROW = garden(dog=(0, 0), car=(60, 20), tree=(140, 60))
"""From the left to the right a dog, a car and a tree; the tree is lower than both."""


def cases(relation: Relation, scene: Scene, variant: str = "", n: int = 120) -> list[Case]:
    """The cases of many draws; none where none applies."""
    return cases_of(relation, scene, variant, draws=n)


def asked(some: Iterable[Case]) -> set[str]:
    """All texts."""
    return {query.text for case in some for query in case.queries}
