"""A replica may die: what it was asked is asked of another."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.served.answer_requests import QueryRow, RecipeRow
from pytest_vqamt.serving import ray_backend
from pytest_vqamt.serving.ray_backend import Failover, share_of_device
from pytest_vqamt.serving.replica import Chunk, ChunkResult

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")


class Handle:
    """A replica that dies when ``kills`` says so."""

    def __init__(self, kills: Callable[[Chunk], bool]) -> None:
        self.kills = kills
        self.chunks: list[Chunk] = []
        self.run = self

    async def remote(self, chunk: Chunk) -> ChunkResult:
        from ray.exceptions import RayActorError

        self.chunks.append(chunk)
        if self.kills(chunk):
            raise RayActorError
        return ChunkResult(answers=tuple(Answer(row.text) for row in chunk.queries), busy_s=1.0, batch_size=4)


def chunk(*texts: str) -> Chunk:
    rows = tuple(QueryRow(task=Task.VQA, text=text, picture=0) for text in texts)
    return Chunk(task=Task.VQA, pictures=(RecipeRow({"photo": "p", "digest": "d", "edits": []}),), queries=rows)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_backend, "_PAUSE_S", 0.0)


def asked(handle: Handle, *texts: str) -> ChunkResult:
    made: Any = handle  # stands for a handle of Ray Serve
    return asyncio.run(Failover(made).run(chunk(*texts)))


def test_what_a_dead_replica_was_asked_is_asked_once_more() -> None:
    handle = Handle(lambda _: len(handle.chunks) == 1)
    assert asked(handle, "a", "b").answers == (Answer("a"), Answer("b"))
    assert len(handle.chunks) == 2


def test_a_query_that_kills_replicas_is_found_and_costs_itself_alone() -> None:
    handle = Handle(lambda some: any(row.text == "deadly" for row in some.queries))
    result = asked(handle, "a", "b", "c", "deadly", "e", "f", "g", "h")
    assert [told for told in result.answers if isinstance(told, Answer)] == [Answer(text) for text in "abcefgh"]
    (failure,) = [told for told in result.answers if isinstance(told, Failure)]
    assert result.answers.index(failure) == 3
    assert failure.reason == "Expected an answer, but the replica ended 3 times on this query"
    assert len(handle.chunks) < 16


def test_other_errors_are_not_taken_for_a_death() -> None:
    def raises(_: Chunk) -> bool:
        raise RuntimeError("not of Ray")

    with pytest.raises(RuntimeError, match="not of Ray"):
        asked(Handle(raises), "a")


ROOM = """
import ray
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.serving import ray_backend
from pytest_vqamt.serving.ray_backend import check_room, share_of_device

ray_backend._ROOM_TIMEOUT_S = 2.0
ray.init(address="local", num_cpus=3, num_gpus=2, include_dashboard=False, object_store_memory=100 * 2**20)
for replicas in (2, 3, 4):
    for gpus in (0, 1, share_of_device(replicas, 2)):
        try:
            check_room(replicas, {"num_cpus": 1, "num_gpus": gpus})
        except OptionError as error:
            print(replicas, gpus, error)
        else:
            print(replicas, gpus, "fit")
ray.shutdown()
"""


@pytest.mark.full
def test_a_cluster_without_room_for_the_replicas_is_told_in_one_line() -> None:
    """It has three processors and two GPUs."""
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    done = subprocess.run(
        [sys.executable, "-c", ROOM], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    lines = [line for line in done.stdout.splitlines() if line[:1] in "234"]
    too_many = (
        "Expected room for {}, each on one node with {}, but the cluster has {} free in all: give fewer (--replicas), "
    )
    assert [line.partition("add machines")[0] for line in lines] == [
        "2 0 fit",
        "2 1 fit",
        "2 1.0 fit",
        "3 0 fit",
        f"3 1 {too_many.format('3 replicas', 'CPU 1 and GPU 1', 'CPU 3 of 3 and GPU 2 of 2')}",
        "3 0.5 fit",
        f"4 0 {too_many.format('4 replicas', 'CPU 1', 'CPU 3 of 3')}",
        f"4 1 {too_many.format('4 replicas', 'CPU 1 and GPU 1', 'CPU 3 of 3 and GPU 2 of 2')}",
        f"4 0.5 {too_many.format('4 replicas', 'CPU 1 and GPU 0.5', 'CPU 3 of 3 and GPU 2 of 2')}",
    ]


@pytest.mark.parametrize("devices", [1, 2, 3, 8])
def test_replicas_fit_on_the_devices_that_they_share(devices: int) -> None:
    for replicas in range(1, 40):
        at_one = int(1 / share_of_device(replicas, devices) + 1e-9)
        assert devices * at_one >= replicas
