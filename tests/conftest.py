"""Scenes made by hand, small enough to work out every answer about them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing

# Small models are best off with one thread: on a busy machine several wait for each other in every operation. torch
# reads it when it is first imported, which these tests do later.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_the_user_is_read_or_written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept between runs is kept in a folder of these tests, also by the processes that they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VQAMT_CACHE_HOME", str(tmp_path_factory.mktemp("kept")))
        patch.delenv("GITHUB_STEP_SUMMARY", raising=False)  # their summaries are none of the job's that runs them
        yield


@pytest.fixture
def yard() -> Scene:
    """Three dogs (two brown, of which one sits, and a black one), a black cat on a green bench, a red car.

    200 x 100 pixels; no box touches another, but for the cat's and the bench's. All that is there is annotated.
    """
    return Scene(
        id="yard",
        photo=Photo(id="yard.png", digest="00000000000000a1"),
        width=200,
        height=100,
        objects=(
            Thing(id="d1", name="dog", box=Box(0, 60, 20, 20), attributes=("brown", "sitting"), has_mask=True),
            Thing(id="d2", name="dog", box=Box(30, 60, 20, 20), attributes=("brown",), has_mask=True),
            Thing(id="d3", name="dog", box=Box(60, 60, 20, 20), attributes=("black",), has_mask=True),
            Thing(id="c1", name="cat", box=Box(100, 40, 20, 20), attributes=("black",), has_mask=True),
            Thing(id="b1", name="bench", box=Box(95, 55, 40, 30), attributes=("green",), has_mask=True),
            Thing(id="v1", name="car", box=Box(150, 60, 40, 20), attributes=("red",), has_mask=True),
        ),
        relationships=(Relationship(subject="c1", predicate="on", object="b1"),),
        setting="yard",
        exhaustive=frozenset({"dog", "cat", "bench", "car", "cow"}),
    )


@pytest.fixture
def bare() -> Scene:
    """A photo of 64 x 48 pixels with nothing on it."""
    return Scene(
        id="bare",
        photo=Photo(id="bare.png", digest="00000000000000b2"),
        width=64,
        height=48,
        exhaustive=frozenset({"dog", "cat", "bench", "car", "cow"}),
    )
