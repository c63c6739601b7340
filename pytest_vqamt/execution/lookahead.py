"""Fills batches with queries of later cases and items."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.execution.plan import CaseStream, Job, Sampling
from pytest_vqamt.execution.prefetch import InputPipeline

MAX_WAITING_CASES = 1024
"""Cases sampled before their turn, at most."""
MAX_UPCOMING_ITEMS = 32
"""Upcoming items that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcomingItem:
    """A later item; ``job`` gives None if it cannot be loaded, which the item itself will report."""

    position: int
    job: Callable[[], Job | None]


class LookAhead:
    """Samples the cases of a run, and those of later items early when a batch has room for their queries.

    The remaining cases of the current item come first, then those of the items after it. An item continues from the
    cases that were sampled early, so none is sampled twice or left out. How far it looks ahead depends on counts and
    never on time, and so does the composition of batches.

    Args:
        upcoming: gives the items after the current one on its model and data, in order, as far as they are known.
    """

    def __init__(self, sampling: Sampling, upcoming: Callable[[], Sequence[UpcomingItem]] = tuple) -> None:
        self._sampling = sampling
        self._upcoming = upcoming
        self._current: CaseStream | None = None
        self._streams: dict[int, CaseStream | None] = {}
        self._started: set[int] = set()
        self._pipeline: InputPipeline | None = None
        self._pipeline_of: tuple[object, ...] = ()
        self._process = os.getpid()

    def start(self, job: Job) -> CaseStream:
        """Makes ``job`` the current item and returns its cases."""
        sampled = self._streams.pop(job.position, None)
        self._current = CaseStream(job.plan(self._sampling)) if sampled is None or sampled.is_broken else sampled
        self._started.add(job.position)
        upcoming = {each.position for each in self._next()}  # skipped items are dropped
        self._streams = {position: each for position, each in self._streams.items() if position in upcoming}
        return self._current

    def pipeline(self, job: Job) -> InputPipeline:
        """The input pipeline of an item, which items in a row on the same model and data share."""
        if self._process != os.getpid():
            self._pipeline, self._process = None, os.getpid()  # a fork has none of its threads
        if self._pipeline is None or not all(map(operator.is_, self._pipeline_of, (job.model, job.source))):
            self.close()
            self._pipeline, self._pipeline_of = InputPipeline(job.source, job.model.batch_size), (job.model, job.source)
        return self._pipeline

    def close(self) -> None:
        """Stops prefetching."""
        if self._pipeline is not None:
            self._pipeline.close()
        self._pipeline = None

    def take(self, task: Task, n: int) -> tuple[Query, ...]:
        """Up to ``n`` further queries of ``task`` for the current model, each once; some may have been answered."""
        return tuple(query for _, queries in self._take(task, n) for query in queries)

    def peek(self, task: Task, n: int) -> tuple[Query, ...]:
        """The queries that ``take`` would give next."""
        taken = self._take(task, n)
        for stream, queries in taken:
            stream.put_back(queries)
        return tuple(query for _, queries in taken for query in queries)

    def _take(self, task: Task, n: int) -> list[tuple[CaseStream, list[Query]]]:
        taken: list[tuple[CaseStream, list[Query]]] = []
        for stream in self._streams_of(task):
            queries: list[Query] = []
            while len(queries) < n and (query := stream.look_ahead(task, self._room_of(stream))) is not None:
                queries.append(query)
            taken.append((stream, queries))
            n -= len(queries)
            if not n:
                break
        return taken

    def _next(self) -> list[UpcomingItem]:
        return [each for each in self._upcoming() if each.position not in self._started][:MAX_UPCOMING_ITEMS]

    def _streams_of(self, task: Task) -> Iterator[CaseStream]:
        if self._current is not None:
            yield self._current
        for upcoming in self._next():
            if upcoming.position not in self._streams:
                job = upcoming.job()
                self._streams[upcoming.position] = None if job is None else CaseStream(job.plan(self._sampling))
            stream = self._streams[upcoming.position]
            if stream is not None and not stream.is_broken and task in stream.plan.tasks:
                yield stream

    def _room_of(self, stream: CaseStream) -> int:
        """How many cases of ``stream`` may wait."""
        others = sum(each.waiting for each in self._streams.values() if each is not None and each is not stream)
        if self._current is not None and self._current is not stream:
            others += self._current.waiting
        return MAX_WAITING_CASES - others
