"""Each distinct query once: what was answered is remembered, and what is under way is waited for."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.execution.serving.remembered import Remembered
from pytest_vqamt.models.served.protocol import QueryRow, Request, Told
from pytest_vqamt.serving.messages import Chunk, Outcome

AskModel: TypeAlias = "Callable[[Chunk], Awaitable[Outcome]]"


class GivenUpError(Exception):
    """The model can be asked no more; the text says why."""


class Once:
    """Requests to answers, over all requests of a server.

    Attributes:
        received: queries of all requests.
        asked: distinct ones that the model was asked.
        busy_s: for how long it had a batch, summed over replicas.
        batch_size: how many queries a chunk has at most.
    """

    def __init__(self, ask: AskModel, remembered: Remembered, batch_size: int) -> None:
        self.received = 0
        self.asked = 0
        self.busy_s = 0.0
        self.batch_size = batch_size
        self._ask = ask
        self._remembered = remembered
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="vqamt-remember")
        self._under_way: dict[str, asyncio.Future[Told]] = {}
        self._chunks: set[asyncio.Task[None]] = set()

    @property
    def remembered(self) -> int:
        """How many answers are kept."""
        return len(self._remembered)

    @property
    def under_way(self) -> int:
        """How many distinct queries wait for the model, or are with it."""
        return len(self._under_way)

    async def answers(self, request: Request) -> list[Told]:
        """What is told to each query of the request, in order.

        What it asks first is asked to the end, though whoever sent it may have gone: it comes again, and finds it.

        Raises:
            GivenUpError: the model can be asked no more.
        """
        self.received += len(request.queries)
        keys = [request.key(place) for place in range(len(request.queries))]
        loop = asyncio.get_running_loop()
        known: dict[str, Told] = dict(await loop.run_in_executor(self._disk, self._remembered.get, list(set(keys))))
        new: dict[str, int] = {}
        waited: dict[str, asyncio.Future[Told]] = {}
        for place, key in enumerate(keys):
            if key in known or key in waited:
                continue
            if key not in self._under_way:
                self._under_way[key] = loop.create_future()
                new[key] = place
            waited[key] = self._under_way[key]
        for some, chunk in _chunks(request, new, self.batch_size):
            running = loop.create_task(self._asked(some, chunk))
            self._chunks.add(running)
            running.add_done_callback(self._chunks.discard)
        if waited:
            await asyncio.wait(waited.values())
        return [known[key] if key in known else waited[key].result() for key in keys]

    async def _asked(self, keys: tuple[str, ...], chunk: Chunk) -> None:
        """Asks the model, remembers its answers, and tells those who wait."""
        loop = asyncio.get_running_loop()
        try:
            outcome = await self._ask(chunk)
            self.asked += len(keys)
            self.busy_s += outcome.busy_s
            self.batch_size = max(1, outcome.batch_size)
            if outcome.given_up:
                raise GivenUpError(outcome.given_up)
            found = {key: told for key, told in zip(keys, outcome.told, strict=True) if isinstance(told, Answer)}
            try:
                await loop.run_in_executor(self._disk, self._remembered.put, found)
            except (
                sqlite3.Error
            ) as error:  # what was answered is told all the same, and asked again should it be wanted
                with suppress(OSError):  # the log is on the same disk
                    print(f"not remembered: {error!r}", file=sys.stderr, flush=True)
        except Exception as error:  # whoever waits is told, and answers for it
            for key in keys:
                future = self._under_way.pop(key)
                future.set_exception(error)
                future.exception()  # looked at: its requests may all have gone
        else:
            for key, told in zip(keys, outcome.told, strict=True):
                self._under_way.pop(key).set_result(told)


def _chunks(request: Request, new: dict[str, int], size: int) -> Iterator[tuple[tuple[str, ...], Chunk]]:
    """What is new in a request in chunks of one task, all that is asked of one picture in a row, with its keys."""
    for task in Task:
        wanted = [(key, request.queries[place]) for key, place in new.items() if request.queries[place].task is task]
        wanted.sort(key=lambda each: each[1].picture)
        for start in range(0, len(wanted), size):
            some = wanted[start : start + size]
            yield tuple(key for key, _ in some), _chunk(request, task, [row for _, row in some])


def _chunk(request: Request, task: Task, rows: list[QueryRow]) -> Chunk:
    places = {picture: place for place, picture in enumerate(dict.fromkeys(row.picture for row in rows))}
    return Chunk(
        task=task,
        pictures=tuple(request.pictures[picture] for picture in places),
        queries=tuple(replace(row, picture=places[row.picture]) for row in rows),
    )
