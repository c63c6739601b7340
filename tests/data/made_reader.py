"""A reader of scenes that it has anyway, for indexes to be made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from pytest_vqamt.core.scene import Photo, Relationship, Scene
from pytest_vqamt.data.sanity import BoxChecks
from pytest_vqamt.data.scene_index import IndexedScene, SceneIndex
from tests.making import scene_of

NAMES = ("dog", "cat", "cow", "teddy_bear", "car", "tree", "bench")
COLOURS = ("red", "brown", "black")


def made_scenes(n: int) -> tuple[Scene, ...]:
    rng = Random(n)
    found = []
    for number in range(n):
        words = [f"{rng.choice(COLOURS)} {rng.choice(NAMES)}" for _ in range(rng.randrange(6))]
        scene = scene_of(
            *words,
            id=f"s{number}",
            relationships=[Relationship(subject="0", predicate="on", object="1")][: len(words) // 2],
        )
        found.append(replace(scene, photo=Photo(id=f"s{number}.png", digest=""), setting=rng.choice(("", "beach"))))
    return tuple(found)


SCENES = made_scenes(40)


class Reader:
    """Gives scenes that it has anyway, and counts how often it is asked."""

    kind = "made"

    def __init__(
        self, file: Path, *, version: int = 1, settings: str = "", bad: tuple[str, ...] = ("a bad one",)
    ) -> None:
        file.touch()
        self.files = (file,)
        self.version = version
        self.settings = settings
        self.bad = bad
        self.reads = 0

    def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
        self.reads += 1
        yield from self.bad
        for scene in SCENES:
            progress(1)
            yield IndexedScene(scene=scene, photo_file=f"photos/{scene.photo.id}", path=self.files[0])


def scenes_of(index: SceneIndex) -> tuple[Scene, ...]:
    return tuple(index.scene(place) for place in range(len(index)))
