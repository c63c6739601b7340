"""Scenes to state something of: a room with people, and photos with hypotheses of their data set."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Entails, Group
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import LabelName, LinkedUnit, PublishedHypothesis, Relationship, Scene, Thing
from tests.making import scene_of, thing_of

ROOM_NAMES = ("man", "cup", "table", "dog", "woman", "chair", "hat")
ROOM = scene_of(
    thing_of("standing man", id="man", box=Box(0, 0, 30, 60)),
    thing_of("red cup", id="cup", box=Box(40, 10, 15, 15)),
    thing_of("wooden table", id="table", box=Box(60, 40, 60, 40)),
    thing_of("brown sitting dog", id="dog", box=Box(130, 40, 30, 30)),
    relationships=(
        Relationship(subject="man", predicate="holding", object="cup"),
        Relationship(subject="dog", predicate="near", object="table"),
    ),
    exhaustive=ROOM_NAMES,
)
"""A standing man who holds a red cup, and a brown dog that sits near a wooden table; no box touches another."""


def unit(object: str, property: str = "", thing: str = "") -> LinkedUnit:  # noqa: A002 - the fields of a unit
    return LinkedUnit(object=object, property=property, thing=thing)


def said(text: str, *units: LinkedUnit, label: LabelName = "entailment", id: str = "h1") -> PublishedHypothesis:  # noqa: A002 - it is the hypothesis's id
    return PublishedHypothesis(id=id, text=text, label=label, units=units)


def photo(*things: Thing, hypotheses: tuple[PublishedHypothesis, ...]) -> Scene:
    """A photo of which no more is known than what its hypotheses say: nothing is exhaustive."""
    return replace(scene_of(*things), hypotheses=hypotheses)


RIFLE = photo(
    Thing(id="m", name="man", box=Box(0, 0, 40, 90), attributes=("is aiming his rifle at something",)),
    Thing(id="r", name="rifle", box=Box(60, 30, 60, 20)),
    hypotheses=(
        said(
            "the man is aiming his rifle at something.",
            unit("man", "is aiming his rifle at something", "m"),
            unit("rifle", "", "r"),
        ),
    ),
)
"""The example of Chang et al., section 3.4.1."""


def groups(query: Query) -> tuple[Group, ...]:
    """What a hypothesis says is there."""
    assert isinstance(query.meaning, Entails)
    return tuple(each.group for each in query.meaning.units)
