"""A replica may die: what it was asked is asked of another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.served.requests import QueryRow, RecipeRow
from pytest_vqamt.serving import ray_backend
from pytest_vqamt.serving.ray_backend import Failover
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
