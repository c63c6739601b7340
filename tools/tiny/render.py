"""The training set: scenes of the picture world drawn once, ahead of training, into files that are mapped into memory.

Scenes come from seeds that neither the tests nor the default data use (those have seed 0).
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.picture_world.source import PictureWorld

SIZE_PX = 112
"""The side of the pictures that the model sees."""

CELLS = 7
"""The model's picture features are a grid of so many cells a side."""

SPOTS = 14
"""Dense labels are taken at a grid of so many spots a side, two by two in a cell."""

TRAIN_SEED = 90_001
HELD_OUT_SEED = 90_002

CHUNK = 1000
"""Scenes to a file."""


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """Scenes with their pictures.

    Attributes:
        pictures: uint8, NHWC, RGB.
        spots: uint8, N x SPOTS x SPOTS: 1 + the index of the thing at each spot, 0 for none.
        scenes: the scene graphs, in the same order.
    """

    pictures: NDArray[np.uint8]
    spots: NDArray[np.uint8]
    scenes: list[Scene]


def shrink(image: Image.Image) -> Image.Image:
    """A picture as the model's image processor pads it to a square and shrinks it."""
    if image.width != image.height:
        side = max(image.size)
        square = Image.new("RGB", (side, side), (127, 127, 127))
        square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
        image = square
    return image.resize((SIZE_PX, SIZE_PX), Image.Resampling.BICUBIC)


def render(folder: Path, seed: int, count: int, workers: int = 2) -> None:
    """Draws the first ``count`` scenes of ``seed`` into ``folder``, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done.json"
    if done.exists() and json.loads(done.read_text()) == [seed, count, SIZE_PX]:
        return
    shape = (count, SIZE_PX, SIZE_PX, 3)
    np.lib.format.open_memmap(folder / "pictures.npy", mode="w+", dtype=np.uint8, shape=shape)
    np.lib.format.open_memmap(folder / "spots.npy", mode="w+", dtype=np.uint8, shape=(count, SPOTS, SPOTS))
    jobs = [(folder, seed, start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
    with get_context("spawn").Pool(workers) as pool:
        for ready, _ in enumerate(pool.imap_unordered(_draw, jobs), 1):
            print(f"drawn {min(ready * CHUNK, count):,} of {count:,} scenes of seed {seed}", flush=True)
    done.write_text(json.dumps([seed, count, SIZE_PX]))


def load(folder: Path) -> Rendered:
    """What ``render`` drew into ``folder``."""
    count = json.loads((folder / "done.json").read_text())[1]
    return Rendered(
        pictures=np.load(folder / "pictures.npy", mmap_mode="r"),
        spots=np.load(folder / "spots.npy", mmap_mode="r"),
        scenes=list(_scenes(folder, count)),
    )


def _scenes(folder: Path, count: int) -> Iterator[Scene]:
    for start in range(0, count, CHUNK):
        with (folder / f"scenes-{start}.pickle").open("rb") as file:
            yield from pickle.load(file)


def _draw(job: tuple[Path, int, int, int]) -> None:
    folder, seed, start, end = job
    world = PictureWorld(count=end, seed=seed)
    pictures = np.load(folder / "pictures.npy", mmap_mode="r+")
    spots = np.load(folder / "spots.npy", mmap_mode="r+")
    scenes: list[Scene] = []
    for index in range(start, end):
        scene = world.scene(index)
        pictures[index] = np.asarray(shrink(world.photo(scene.photo)))
        labels = np.asarray(world.label_map(index))
        step = labels.shape[0] // SPOTS
        spots[index] = labels[step // 2 :: step, step // 2 :: step]
        scenes.append(scene)
    with (folder / f"scenes-{start}.pickle").open("wb") as file:
        pickle.dump(scenes, file)
