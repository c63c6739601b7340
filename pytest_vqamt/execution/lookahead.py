"""What fills a batch that would not be full: the queries of the cases that come next."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.execution.plan import CaseStream, Job, Sampling
from pytest_vqamt.execution.prefetch import InputPipeline

MAX_WAITING_CASES = 1024
"""At most so many cases wait that were drawn before their turn."""
MAX_UPCOMING_ITEMS = 32
"""Of the items that come next, so many are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpcomingItem:
    """An item that has its turn later; ``job`` gives None where it cannot be made ready, which it will tell itself."""

    position: int
    job: Callable[[], Job | None]


def no_upcoming_items() -> Sequence[UpcomingItem]:
    """Of an item that is run by itself."""
    return ()


class LookAhead:
    """Draws the cases of a run, those of its next items before their turn where a batch has room for their queries.

    First come the cases of the item at hand whose turn has not come, then those of the items after it, in their order
    and as their plans draw them. When its turn comes, an item takes what was drawn of it and goes on from there:
    nothing is drawn twice, nor left out. How much is drawn ahead hangs on numbers and on no clock, and so does what
    batches are made of.

    Args:
        sampling: how all cases are drawn.
        coming: the items after the one at hand on its model and its data, in their order, as far as they are known.
    """

    def __init__(self, sampling: Sampling, coming: Callable[[], Sequence[UpcomingItem]] = no_upcoming_items) -> None:
        self._sampling = sampling
        self._coming = coming
        self._at_hand: CaseStream | None = None
        self._drawings: dict[int, CaseStream | None] = {}
        self._had: set[int] = set()
        self._showing: InputPipeline | None = None
        self._shown: tuple[object, ...] = ()
        self._process = os.getpid()

    def turn_of(self, job: Job) -> CaseStream:
        """The cases of an item, whose turn has come."""
        drawn = self._drawings.pop(job.position, None)
        self._at_hand = CaseStream(job.plan(self._sampling)) if drawn is None or drawn.is_spoilt else drawn
        self._had.add(job.position)
        still = {each.position for each in self._next()}  # one that was passed over need not wait any longer
        self._drawings = {position: each for position, each in self._drawings.items() if position in still}
        return self._at_hand

    def showing(self, job: Job) -> InputPipeline:
        """What the model of an item is shown, which goes on as long as items ask the same model about the same data."""
        if self._process != os.getpid():
            self._showing, self._process = None, os.getpid()  # its threads are not in a fork, nor is there any to end
        if self._showing is None or not all(map(operator.is_, self._shown, (job.model, job.source))):
            self.close()
            self._showing, self._shown = InputPipeline(job.source, job.model.batch_size), (job.model, job.source)
        return self._showing

    def close(self) -> None:
        """Ends what is under way for what comes next."""
        if self._showing is not None:
            self._showing.close()
        self._showing = None

    def more(self, task: Task, n: int) -> tuple[Query, ...]:
        """Up to ``n`` further queries of ``task`` for the model at hand, each once.

        Some may have been answered before: that is for whoever asks to find out.
        """
        return tuple(query for _, queries in self._found(task, n) for query in queries)

    def later(self, task: Task, n: int) -> tuple[Query, ...]:
        """What ``more`` gives next."""
        found = self._found(task, n)
        for drawing, queries in found:
            drawing.put_back(queries)
        return tuple(query for _, queries in found for query in queries)

    def _found(self, task: Task, n: int) -> list[tuple[CaseStream, list[Query]]]:
        found: list[tuple[CaseStream, list[Query]]] = []
        for drawing in self._in_turn(task):
            queries: list[Query] = []
            while len(queries) < n and (query := drawing.look_ahead(task, self._room_of(drawing))) is not None:
                queries.append(query)
            found.append((drawing, queries))
            n -= len(queries)
            if not n:
                break
        return found

    def _next(self) -> list[UpcomingItem]:
        return [each for each in self._coming() if each.position not in self._had][:MAX_UPCOMING_ITEMS]

    def _in_turn(self, task: Task) -> Iterator[CaseStream]:
        if self._at_hand is not None:
            yield self._at_hand
        for coming in self._next():
            if coming.position not in self._drawings:
                job = coming.job()
                self._drawings[coming.position] = None if job is None else CaseStream(job.plan(self._sampling))
            drawing = self._drawings[coming.position]
            if drawing is not None and not drawing.is_spoilt and drawing.plan.relation.info.task is task:
                yield drawing

    def _room_of(self, drawing: CaseStream) -> int:
        """How many cases of it may wait."""
        others = sum(each.waiting for each in self._drawings.values() if each is not None and each is not drawing)
        if self._at_hand is not None and self._at_hand is not drawing:
            others += self._at_hand.waiting
        return MAX_WAITING_CASES - others
