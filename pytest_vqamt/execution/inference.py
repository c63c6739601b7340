"""Queries to answers: each distinct one once over all processes, in full batches, made ready ahead of the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from functools import partial

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.aside import LOOK_UP_S, Aside
from pytest_vqamt.execution.batches import Batches, More
from pytest_vqamt.execution.prefetch import Showing
from pytest_vqamt.execution.splitting import Splitting
from pytest_vqamt.models.protocol import LoadedModel

_EXPECTED = 64
"""At least so many queries that come next have their pictures told."""

_OTHERS_S = 5.0
"""For so long at most whoever gives a model up waits for the other batches that it has."""


def nothing_more(_task: Task, _n: int) -> Sequence[Query]:
    """Of an asker that knows of no queries but those it is told to ask."""
    return ()


class Asker:
    """Gets the answers of one model, out of the store where they are there.

    Where a batch would not be full, ``more`` is asked for queries that come later. Their answers are kept, and count
    as asked when they are needed. ``later`` tells which come after those, so that the model can be made ready.

    Attributes:
        asked: distinct queries that the model was asked, by this process, and are needed here first.
        cached: distinct queries that the store answered from an earlier run, and that are needed here first.
    """

    def __init__(
        self,
        model: LoadedModel,
        store: AnswerStore,
        showing: Showing,
        answered: Callable[[int], None],
        more: More = nothing_more,
        later: More = nothing_more,
    ) -> None:
        self.asked = 0
        self.cached = 0
        self._failed = 0
        self._succeeded = 0
        self._reason = ""
        self._expected: set[str] = set()
        self._splitting = Splitting(model)
        self._model = model
        self._store = store
        self._showing = showing
        self._answered = answered
        self._more = more
        self._later = later

    @property
    def last_failure(self) -> str:
        """The latest exception of the model, in words; empty where it has answered something."""
        return "" if self._succeeded else self._reason

    @property
    def busy_s(self) -> float:
        """For how long the model has had a batch to answer, in seconds."""
        return self._splitting.busy_s

    def look_up(self, queries: Iterable[Query]) -> tuple[dict[str, Answer], dict[str, Query]]:
        """What the store answers of ``queries``, by query id, and the distinct queries that it lacks."""
        distinct = {query.id: query for query in queries}
        found = self._store.use(self._model.fingerprint, tuple(distinct))
        self.cached += found.cached
        self.asked += found.ahead
        return found.answers, {name: query for name, query in distinct.items() if name not in found.answers}

    def ask(self, queries: dict[str, Query]) -> dict[str, Answer | Failure]:
        """The answers to distinct ``queries``, by query id; kept in the store a batch at a time.

        Raises:
            ModelError: the model breaks its protocol, or has failed on everything it was asked.
        """
        found: dict[str, Answer | Failure] = {}
        failed_ahead = self._model.standing.failed_ahead
        if failed := {name: failed_ahead.pop(name) for name in queries if name in failed_ahead}:
            self._enter_needed(failed, found)
        lacking = [query for name, query in queries.items() if name not in failed]
        if not lacking:
            return found
        batches = Batches(self._store, self._model.fingerprint, lacking, self._more, self._later, failed_ahead)
        self._expected.clear()
        try:
            if self._model.batches_at_once > 1:
                self._side_by_side(batches, found)
            else:
                self._in_turn(batches, found)
        finally:
            self.asked += batches.let_go()
        return found

    def hopeless(self) -> ModelError:
        """What is to be said of a model that has failed on everything in this item."""
        return self._splitting.hopeless(self._failed, self._reason)

    def _in_turn(self, batches: Batches, found: dict[str, Answer | Failure]) -> None:
        """Asks on this very thread, and has what comes next made ready meanwhile where the model does that ahead."""
        coming: list[Query] = []
        while True:
            # Only now is it known how many at once: memory may have run out on the batch before.
            size = self._model.batch_size
            batch = batches.resized(coming, coming[0].task, size) if coming else batches.next(size)
            self._enter_found(batches, found)
            if not batch:
                if not batches.wait(size):
                    return
                continue
            coming = batches.next(size) if self._model.readies else []
            later = coming or batches.later(batch[0].task, size)
            self._expect(batch, later, batches)
            shown = self._showing.inputs(batch)
            if self._model.readies:
                self._showing.make_ready(self._model, later)
            self._enter(batches, shown, self._asked(shown, batches), found)

    def _side_by_side(self, batches: Batches, found: dict[str, Answer | Failure]) -> None:
        """Asks several batches at once, so that the slowest query of one does not hold up the next."""
        under_way: dict[Future[list[Answer | Failure]], list[ModelInput]] = {}
        with Aside(self._model.batches_at_once, "vqamt-ask") as aside, _waiting_for(under_way):
            while True:
                while len(under_way) < self._model.batches_at_once and (batch := batches.next(self._model.batch_size)):
                    self._expect(batch, (), batches)
                    shown = self._showing.inputs(batch)
                    under_way[aside.start(partial(self._prepared_and_asked, shown, batches))] = shown
                self._enter_found(batches, found)
                if not under_way:
                    if not batches.wait(self._model.batch_size):
                        return
                    continue
                done, _ = wait(under_way, timeout=LOOK_UP_S, return_when=FIRST_COMPLETED)
                for future in [each for each in under_way if each in done]:
                    self._enter(batches, under_way.pop(future), future.result(), found)

    def _expect(self, batch: Sequence[Query], coming: Sequence[Query], batches: Batches) -> None:
        """Has the pictures drawn that come next, where they are not known to be next."""
        shown = [query.picture for some in (batch, coming) for query in some]
        if all(picture.digest in self._expected for picture in shown):
            return
        # Of what is shared others may take some; those that come much later would be drawn for nothing.
        size = self._model.batch_size
        later = batches.coming(max(_EXPECTED, 2 * size) if self._store.is_shared else None)
        shown += [query.picture for query in later]
        self._expected = {picture.digest for picture in shown}
        self._showing.expect(shown, size)

    def _prepared_and_asked(self, shown: Sequence[ModelInput], batches: Batches) -> list[Answer | Failure]:
        self._model.prepare(shown[0].query.task, shown)
        return self._asked(shown, batches)

    def _asked(self, shown: Sequence[ModelInput], batches: Batches) -> list[Answer | Failure]:
        def keep(inputs: Sequence[ModelInput], answers: Sequence[Answer]) -> None:
            kept = {each.query.id: answer for each, answer in zip(inputs, answers, strict=True)}
            self._store.put(self._model.fingerprint, kept, ahead=batches.asked_ahead)

        return self._splitting.ask(shown[0].query.task, shown, keep)

    def _enter(
        self,
        batches: Batches,
        shown: Sequence[ModelInput],
        answers: Sequence[Answer | Failure],
        found: dict[str, Answer | Failure],
    ) -> None:
        """Takes in what became of a batch."""
        of_batch = {each.query.id: answer for each, answer in zip(shown, answers, strict=True)}
        batches.answered(of_batch)
        self._model.standing.failed_ahead |= {
            name: answer
            for name, answer in of_batch.items()
            if name in batches.asked_ahead and isinstance(answer, Failure)
        }
        self._enter_needed({name: each for name, each in of_batch.items() if name not in batches.asked_ahead}, found)

    def _enter_needed(self, needed: Mapping[str, Answer | Failure], found: dict[str, Answer | Failure]) -> None:
        """Counts what was asked here, now or ahead of its turn, for those who need it now."""
        for answer in needed.values():
            if isinstance(answer, Failure):
                self._failed += 1
                self._reason = answer.reason
            else:
                self._succeeded += 1
        found.update(needed)
        self.asked += len(needed)
        self._answered(len(needed))

    def _enter_found(self, batches: Batches, found: dict[str, Answer | Failure]) -> None:
        """Takes in what other processes have answered meanwhile."""
        if (others := batches.take_found()).answers:
            found |= others.answers
            self.cached += others.cached
            self.asked += others.ahead
            self._answered(len(others.answers))


@contextmanager
def _waiting_for(under_way: Collection[Future[list[Answer | Failure]]]) -> Iterator[None]:
    """Where the model is given up, waits a little for what it is being asked: that is paid for, and counts."""
    try:
        yield
    except ModelError:
        wait(tuple(under_way), timeout=_OTHERS_S)
        raise


def missing(model: LoadedModel, queries: Sequence[Query]) -> list[Query]:
    """The queries that a model of written answers lacks; none for any other model."""
    return [query for query in queries if model.deferred.lacks(query)] if model.deferred else []
