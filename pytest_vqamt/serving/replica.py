"""The model in a replica: chunks of queries are gathered to full batches, prepared, and asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Protocol, TypeAlias, cast

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Failure, ModelInput, Query, Task
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.imaging.inpainting import method_of
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.served.protocol import QueryResult, ServedData
from pytest_vqamt.models.served.requests import QueryRow
from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.limits import PictureResolver, ResolvedPicture
from pytest_vqamt.serving.messages import Chunk, ChunkResult, ReplicaInfo

ResolvedQuery: TypeAlias = "tuple[QueryRow, ResolvedPicture | QueryResult]"
"""A query with its picture, or with why there is none."""

_MOST_PIXELS = 200_000_000
"""Of the pictures that the model is shown at once: 0.8 GB, for a pixel takes four bytes."""


class _Gathered(Protocol):
    """What ``serve.batch`` makes of a method that takes a list of chunks."""

    async def __call__(self, chunk: Chunk) -> ChunkResult: ...

    def set_max_batch_size(self, new_max_batch_size: int) -> None: ...


class Replica:
    """One replica. Ray Serve makes it, calls its methods from one event loop, and starts another where it dies."""

    def __init__(self, offer: ServeConfig) -> None:
        if not offer.cluster:
            listen_on_loopback_only()
        self._refused = ""
        self._asked_in_vain = False
        try:
            self._load(offer)
        except VqamtError as error:
            self._refused = str(error)  # told as a value: what is raised here Ray would try again, and tell at length

    def introduction(self) -> ReplicaInfo:
        """What is served here."""
        if self._refused:
            return ReplicaInfo(refused=self._refused)
        return ReplicaInfo(
            tasks=self._model.tasks,
            fingerprint=self._model.fingerprint,
            persistent=self._model.persistent,
            batch_size=self._model.batch_size,
            data=self._data,
        )

    def check_health(self) -> None:
        """Has Ray replace a replica that was asked though it has no model; Ray asks it every now and then.

        Not before: of the first replicas the introduction tells why, and nothing is to be tried again.
        """
        if self._asked_in_vain:
            raise ModelError(self._refused)

    async def ask(self, chunk: Chunk) -> ChunkResult:
        """What became of each query of the chunk."""
        if self._refused:
            self._asked_in_vain = True
            raise ModelError(self._refused)
        return await self._gathered(chunk)

    def _load(self, offer: ServeConfig) -> None:
        from ray import serve

        if offer.inpaint:
            method_of(offer.inpaint)
        self._model: LoadedModel = Catalogue().load(offer.model, offer.model_options)
        self._bisector = BatchBisector(self._model)
        loaded = [sources.load(spec, allow_bad_records=True) for spec in offer.data]  # no recipe is of a bad record
        at_once = self._model.batches_at_once
        self._preparing = ThreadPoolExecutor(1, thread_name_prefix="vqamt-prepare")
        self._asking = ThreadPoolExecutor(at_once, thread_name_prefix="vqamt-ask")
        self._gallery = PictureResolver(loaded, self._model.batch_size)
        self._data = tuple(ServedData(spec=source.spec, digest=source.digest) for source in loaded)
        gather = serve.batch(
            max_batch_size=self._model.batch_size,
            batch_wait_timeout_s=offer.wait_ms / 1000,
            max_concurrent_batches=at_once + 1,  # one more is prepared meanwhile
            batch_size_fn=self._queries_in,
        )
        self._gathered = cast("_Gathered", gather(self._answered))

    def _queries_in(self, chunks: Sequence[Chunk]) -> int:
        """How many there are. One chunk is never too many, though batches may have become smaller since it was made."""
        count = sum(len(chunk.queries) for chunk in chunks)
        return count if len(chunks) > 1 else min(count, self._model.batch_size)

    async def _answered(self, chunks: list[Chunk]) -> list[ChunkResult]:
        """What became of chunks that were gathered to a batch, chunk by chunk."""
        loop = asyncio.get_running_loop()
        told: list[list[QueryResult]] = [[] for _ in chunks]
        given_up, busy_s = "", 0.0
        for task in dict.fromkeys(chunk.task for chunk in chunks):
            places = [place for place, chunk in enumerate(chunks) if chunk.task is task]
            asked = await loop.run_in_executor(self._preparing, self._shown, [chunks[i] for i in places])
            found: list[QueryResult] = []
            while asked:
                some = asked[: fitting_count(asked)]
                del asked[: len(some)]  # what is unpacked of their pictures goes with them
                answers, took_s = await self._told(task, some)
                busy_s += took_s
                if isinstance(answers, str):
                    given_up = answers
                    answers = [Failure(reason=given_up)] * len(some)
                found += answers
            following = iter(found)
            for place in places:
                told[place] = [next(following) for _ in chunks[place].queries]
        size = self._model.batch_size
        self._gathered.set_max_batch_size(size)
        return [
            ChunkResult(
                told=tuple(each),
                given_up=given_up,
                busy_s=0.0 if place else busy_s,
                batch_size=size,
            )
            for place, each in enumerate(told)
        ]

    def _shown(self, chunks: Sequence[Chunk]) -> list[ResolvedQuery]:
        """The queries of the chunks in order, each with its picture, or with why there is none."""
        found: list[ResolvedQuery] = []
        for chunk in chunks:
            shown = [self._gallery.show(row) for row in chunk.pictures]
            found += [(row, shown[row.picture]) for row in chunk.queries]
        return found

    async def _told(self, task: Task, asked: Sequence[ResolvedQuery]) -> tuple[list[QueryResult] | str, float]:
        """What ``_timed`` gives of queries that are prepared first."""
        loop = asyncio.get_running_loop()
        inputs = await loop.run_in_executor(self._preparing, self._prepared, task, asked)
        return await loop.run_in_executor(self._asking, self._timed, task, inputs)

    def _prepared(self, task: Task, asked: Sequence[ResolvedQuery]) -> list[ModelInput | QueryResult]:
        """What the model is asked, in order; in the place of what it cannot be asked, the reason."""
        self._gallery.expect([shown for _, shown in asked if isinstance(shown, tuple)], self._model.batch_size)
        made = [_input(row, shown) for row, shown in asked]
        if inputs := [each for each in made if isinstance(each, ModelInput)]:
            self._model.prepare(task, inputs)
        return made

    def _timed(self, task: Task, made: Sequence[ModelInput | QueryResult]) -> tuple[list[QueryResult] | str, float]:
        """What ``_asked`` gives, and how long the model had it."""
        began = time.monotonic()
        return self._asked(task, made), time.monotonic() - began

    def _asked(self, task: Task, made: Sequence[ModelInput | QueryResult]) -> list[QueryResult] | str:
        """What the model answers, in order; or why it can be asked no more."""
        inputs = [each for each in made if isinstance(each, ModelInput)]
        answers: Iterator[QueryResult]
        try:
            answers = iter([told for batch in self._batches_of(inputs) for told in self._bisector.run(task, batch)])
        except ModelError as error:
            health = self._model.health
            if not health.answered and health.failed and health.disabled_reason == str(error):
                # It has failed at whatever it was asked until now. Who asked that may be to blame, so others may ask.
                health.failed, health.disabled_reason = 0, ""
                answers = iter([Failure(reason=str(error))] * len(inputs))
            else:
                return str(error)
        return [next(answers) if isinstance(each, ModelInput) else each for each in made]

    def _batches_of(self, inputs: Sequence[ModelInput]) -> Iterator[Sequence[ModelInput]]:
        """The inputs in batches of as many as the model takes when their turn comes."""
        start = 0
        while start < len(inputs):
            size = self._model.batch_size
            yield inputs[start : start + size]
            start += size


def fitting_count(asked: Sequence[ResolvedQuery], most_pixels: int = _MOST_PIXELS) -> int:
    """How many of the first queries the model is shown at once: as many as there is room for their pictures, or one.

    Each has its own copy, also of a picture that another asks about.
    """
    pixels = 0
    for count, (_, shown) in enumerate(asked):
        if isinstance(shown, tuple):
            pixels += shown[0].scene.width * shown[0].scene.height
        if count and pixels > most_pixels:
            return count
    return len(asked)


def _input(row: QueryRow, shown: ResolvedPicture | QueryResult) -> ModelInput | QueryResult:
    if not isinstance(shown, tuple):
        return shown
    picture, drawn = shown
    try:
        query = Query(picture=picture, text=row.text, meaning=row.meaning or Describe(), task=row.task, trial=row.trial)
    except (TypeError, ValueError) as error:
        return Failure(reason=f"Expected a query that can be asked, but got {type(error).__name__}: {error}")
    return ModelInput(query, drawn)


_REPLICA = "ray.serve._private.replica"
_ADD_PORT = "add_port_to_grpc_server"
_EVERYWHERE = "[::]:"


def listen_on_loopback_only() -> None:
    """Has the replica that this process becomes listen on the loopback for other deployments.

    Ray's own processes and workers keep to the address of their node, which is 127.0.0.1 here. A replica of Ray Serve
    binds its gRPC port to all addresses, whatever that is (2.60, ``Replica._on_initialized``), and there is no setting;
    it does so after the constructor of the deployment. Without this the port is open to others, and wants Ray's token.
    """
    module = import_module(_REPLICA)
    add_port = getattr(module, _ADD_PORT, None)
    if add_port is None:  # other versions of Ray Serve have no such port, or another way
        return

    def added(server: object, address: str) -> object:
        return add_port(server, address.replace(_EVERYWHERE, "127.0.0.1:"))

    setattr(module, _ADD_PORT, added)
