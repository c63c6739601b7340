"""Scenes in one line, for tests that make their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import Group, Meaning
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Photo, Region, Relationship, Scene, Thing
from pytest_vqamt.sampling.chooser import RandomChooser

T = TypeVar("T")

WIDTH, HEIGHT = 200, 100


def scene_of(
    *named: str | Thing,
    id: str = "made",  # noqa: A002 - it is the scene's id
    crowds: Iterable[str] = (),
    relationships: Sequence[Relationship] = (),
    exhaustive: Iterable[str] = (),
) -> Scene:
    """A scene of the things, side by side; "brown dog" is a dog with the attribute "brown", "teddy_bear" two words.

    Each thing's id is its place, from 0.
    """
    things = tuple(
        each if isinstance(each, Thing) else thing_of(each, id=str(place), box=Box(place * 20 + 1, 10, 15, 15))
        for place, each in enumerate(named)
    )
    return Scene(
        id=id,
        photo=Photo(id=f"{id}.png", digest=f"digest of {id}"),
        width=WIDTH,
        height=HEIGHT,
        objects=things,
        regions=tuple(Region(name=name, box=Box(0, 50, 50, 50)) for name in crowds),
        relationships=tuple(relationships),
        exhaustive=frozenset(exhaustive),
    )


def thing_of(words: str, *, id: str = "0", box: Box = Box(0, 0, 10, 10), multi_coloured: bool = False) -> Thing:  # noqa: A002, B008 - a thing's id; a frozen box
    """A thing from its attributes and, last, its name."""
    *attributes, name = (word.replace("_", " ") for word in words.split())
    return Thing(id=id, name=name, box=box, attributes=tuple(attributes), multi_coloured=multi_coloured)


def group_of(words: str) -> Group:
    """A group from its attributes and, last, its name."""
    *attributes, name = (word.replace("_", " ") for word in words.split())
    return Group(name=name, attributes=tuple(attributes))


def case_of(*meanings: Meaning, task: Task = Task.VQA, relation: str = "ours.test") -> Case:
    """A case of an empty picture that asks each meaning in turn."""
    picture = scene_of().picture
    return Case(
        relation=relation,
        variant="",
        scene="made",
        queries=tuple(
            Query(picture=picture, text=f"question {number}", meaning=meaning, task=task)
            for number, meaning in enumerate(meanings, start=1)
        ),
        expected="as the test says",
    )


def answers_of(*texts: str) -> tuple[Answer, ...]:
    return tuple(Answer(text) for text in texts)


def choosers(n: int) -> Iterable[RandomChooser]:
    """As many seeded choosers, each with other choices."""
    return (RandomChooser(Random(seed)) for seed in range(n))


class FirstOption:
    """A chooser that always makes the simplest choice: what a case is like after shrinking."""

    def one(self, options: Sequence[T]) -> T:
        return options[0]

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        return tuple(options[:k])

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        return next(option for option, weight in zip(options, weights, strict=True) if weight)

    def chance(self, p: float) -> bool:
        return False

    def between(self, lo: int, hi: int) -> int:
        return lo
