"""Scenes whose things can be cut out, and what was inserted into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Insert
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from tests.making import scene_of, thing_of


def masked(words: str, id: str, box: Box) -> Thing:  # noqa: A002 - a thing's id
    """A thing from its attributes and, last, its name, with a mask."""
    return replace(thing_of(words, id=id, box=box), has_mask=True)


def corpus_of(scenes: Sequence[Scene]) -> Corpus:
    """The corpus of scenes that it can give again."""
    return gather_corpus(scenes, scene=lambda index: scenes[index])


def kennel(
    *dogs: tuple[float, float],
    name: str = "kennel",
    words: str = "brown dog",
    beside: str = "",
    at: tuple[float, float] = (10, 10),
) -> Scene:
    """A scene of one dog in each of the sizes, all at one place; ``beside`` is a thing that overlaps them all."""
    things = [masked(words, str(number), Box(*at, *size)) for number, size in enumerate(dogs)]
    if beside:
        things.append(masked(beside, "beside", Box(*at, 5, 5)))
    return replace(
        scene_of(*things, id=name, exhaustive=("dog", "cat", "car", "frisbee", "puppy", "shirt")), width=900, height=900
    )


def insert_of(picture: Picture) -> Insert:
    """The one edit of a picture that something was inserted into."""
    [edit] = picture.edits
    assert isinstance(edit, Insert)
    return edit
