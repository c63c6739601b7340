"""Tables with fruit on them, and what many draws make of a scene."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import Relation
from tests.making import scene_of, thing_of
from tests.relations.deriving import cases_of

FRUIT = scene_of("apple", "banana", exhaustive=("apple", "banana"))
"""One apple and one banana, side by side."""

WITH_DISH = scene_of(
    thing_of("apple", id="apple", box=Box(0, 0, 20, 20)),
    thing_of("banana", id="banana", box=Box(50, 40, 20, 10)),
    thing_of("bowl", id="bowl", box=Box(40, 40, 80, 40)),
    exhaustive=("apple", "banana", "bowl"),
)
"""The banana lies in the bowl's box and takes a sixteenth of it; the bowl takes all of the banana."""


def derived(relation: Relation, scene: Scene, *, draws: int = 120) -> list[Case]:
    """What many draws give for a scene."""
    return cases_of(relation, scene, draws=draws)
