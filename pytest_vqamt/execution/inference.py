"""Queries to answers: each distinct one once over all processes, in full batches, made ready ahead of the model."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from threading import Lock
from typing import TypeAlias

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore, CachedAnswers
from pytest_vqamt.execution.prefetch import WAIT_SLICE_S, DaemonExecutor, InputPipeline
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.models.batching import free_memory, is_out_of_memory

_EXPECTED = 64
"""At least so many queries that come next have their pictures told."""

_OTHERS_S = 5.0
"""For so long at most whoever gives a model up waits for the other batches that it has."""


def no_look_ahead(_task: Task, _n: int) -> Sequence[Query]:
    """Of an asker that knows of no queries but those it is told to ask."""
    return ()


class QueryRunner:
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
        showing: InputPipeline,
        answered: Callable[[int], None],
        more: QuerySource = no_look_ahead,
        later: QuerySource = no_look_ahead,
    ) -> None:
        self.asked = 0
        self.cached = 0
        self._failed = 0
        self._succeeded = 0
        self._reason = ""
        self._expected: set[str] = set()
        self._splitting = BatchBisector(model)
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
        prefetch_failures = self._model.health.prefetch_failures
        if failed := {name: prefetch_failures.pop(name) for name in queries if name in prefetch_failures}:
            self._enter_needed(failed, found)
        lacking = [query for name, query in queries.items() if name not in failed]
        if not lacking:
            return found
        batches = LeasedBatches(
            self._store, self._model.fingerprint, lacking, self._more, self._later, prefetch_failures
        )
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

    def _in_turn(self, batches: LeasedBatches, found: dict[str, Answer | Failure]) -> None:
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
            coming = batches.next(size) if self._model.preprocess else []
            later = coming or batches.later(batch[0].task, size)
            self._expect(batch, later, batches)
            shown = self._showing.inputs(batch)
            if self._model.preprocess:
                self._showing.make_ready(self._model, later)
            self._enter(batches, shown, self._asked(shown, batches), found)

    def _side_by_side(self, batches: LeasedBatches, found: dict[str, Answer | Failure]) -> None:
        """Asks several batches at once, so that the slowest query of one does not hold up the next."""
        under_way: dict[Future[list[Answer | Failure]], list[ModelInput]] = {}
        with DaemonExecutor(self._model.batches_at_once, "vqamt-ask") as aside, _waiting_for(under_way):
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
                done, _ = wait(under_way, timeout=WAIT_SLICE_S, return_when=FIRST_COMPLETED)
                for future in [each for each in under_way if each in done]:
                    self._enter(batches, under_way.pop(future), future.result(), found)

    def _expect(self, batch: Sequence[Query], coming: Sequence[Query], batches: LeasedBatches) -> None:
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

    def _prepared_and_asked(self, shown: Sequence[ModelInput], batches: LeasedBatches) -> list[Answer | Failure]:
        self._model.prepare(shown[0].query.task, shown)
        return self._asked(shown, batches)

    def _asked(self, shown: Sequence[ModelInput], batches: LeasedBatches) -> list[Answer | Failure]:
        def keep(inputs: Sequence[ModelInput], answers: Sequence[Answer]) -> None:
            kept = {each.query.id: answer for each, answer in zip(inputs, answers, strict=True)}
            self._store.put(self._model.fingerprint, kept, ahead=batches.asked_ahead)

        return self._splitting.ask(shown[0].query.task, shown, keep)

    def _enter(
        self,
        batches: LeasedBatches,
        shown: Sequence[ModelInput],
        answers: Sequence[Answer | Failure],
        found: dict[str, Answer | Failure],
    ) -> None:
        """Takes in what became of a batch."""
        of_batch = {each.query.id: answer for each, answer in zip(shown, answers, strict=True)}
        batches.answered(of_batch)
        self._model.health.prefetch_failures |= {
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

    def _enter_found(self, batches: LeasedBatches, found: dict[str, Answer | Failure]) -> None:
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


def unwritten_queries(model: LoadedModel, queries: Sequence[Query]) -> list[Query]:
    """The queries that a model of written answers lacks; none for any other model."""
    return [query for query in queries if model.deferred.lacks(query)] if model.deferred else []


QuerySource: TypeAlias = Callable[[Task, int], Sequence[Query]]
"""Up to so many further queries of a task, which are not needed yet."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.1
"""Between two looks at what another process is about to answer."""


class LeasedBatches:
    """Makes batches of the queries of one model, each claimed before it is given out.

    What another process asks is left until all else has been asked, and then waited for. Batches come task by task, all
    that is asked of one picture in a row: it is drawn, and may be encoded, once.

    Args:
        more: gives what a batch is filled up with.
        later: gives what ``more`` would give next.
        failed_ahead: the ids of queries that are not to fill a batch up again.

    Attributes:
        asked_ahead: the ids of queries in batches that only fill them up.
    """

    def __init__(
        self,
        store: AnswerStore,
        fingerprint: str,
        queries: Iterable[Query],
        more: QuerySource,
        later: QuerySource,
        prefetch_failures: Iterable[str] = (),
    ) -> None:
        self.asked_ahead: set[str] = set()
        self._found = CachedAnswers({}, 0, 0)
        self._store = store
        self._fingerprint = fingerprint
        self._more = more
        self._later = later
        self._left = _by_picture(queries)
        self._met = {query.id for some in self._left.values() for query in some} | set(prefetch_failures)
        self._mine: dict[Task, deque[Query]] = {task: deque() for task in Task}  # claimed, and in no batch yet
        self._theirs: dict[str, Query] = {}
        self._claimed: dict[str, None] = {}

    def next(self, size: int) -> list[Query]:
        """The next batch; nothing where nothing is left but what other processes ask."""
        for task in Task:
            if batch := self.resized([], task, size):
                return batch
        return []

    def resized(self, batch: Sequence[Query], task: Task, size: int) -> list[Query]:
        """The batch filled up to ``size``, or cut down to it: what is cut off comes next."""
        self._mine[task].extendleft(reversed(batch[size:]))
        made = list(batch[:size])
        while (room := size - len(made)) > 0:
            if self._mine[task]:
                made.append(self._mine[task].popleft())
            elif wanted := list(islice(_popped(self._left[task]), room)):
                made += self._claim(wanted)
            elif made and (filling := self._filling(task, room)):
                made += self._claim_ahead(filling)
            else:
                break
        return made

    def coming(self, n: int | None) -> list[Query]:
        """The next ``n`` queries that are not in a batch yet; None for all."""
        return list(islice((query for task in Task for some in (self._mine, self._left) for query in some[task]), n))

    def later(self, task: Task, n: int) -> list[Query]:
        """Up to ``n`` queries that are asked next, as far as that is known, once nothing is left here.

        They are neither claimed nor needed: they are to be made ready for.
        """
        if self.coming(1):
            return []
        new = {query.id: query for query in self._later(task, n) if query.id not in self._met}
        known = self._store.get(self._fingerprint, tuple(new))
        return [query for name, query in new.items() if name not in known]

    def wait(self, size: int) -> bool:
        """Waits until something can be done about what others ask; False where they ask nothing more of this.

        Nothing claimed may be unanswered meanwhile: two processes would wait for each other.
        """
        pause = _FIRST_PAUSE_S
        while self._theirs:
            settled = self._store.settled(self._fingerprint, tuple(self._theirs))
            if settled:
                wanted = [self._theirs.pop(query_id) for query_id in settled[:size]]
                for query in self._claim(wanted):
                    self._mine[query.task].append(query)
                return True
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_PAUSE_S)
        return False

    def take_found(self) -> CachedAnswers:
        """What others have answered meanwhile, since this was last called."""
        found, self._found = self._found, CachedAnswers({}, 0, 0)
        return found

    def answered(self, found: dict[str, Answer | Failure]) -> None:
        """Tells what became of a batch; the answers of it have been kept."""
        for query_id in found:
            self._claimed.pop(query_id, None)
        self._store.let_go(self._fingerprint, [name for name, each in found.items() if isinstance(each, Failure)])

    def let_go(self) -> int:
        """Ends all claims. How many of what is needed have an answer, of batches that were never told of as a whole."""
        answered = 0
        with suppress(VqamtError):  # something worse is under way, and the claims end with the process
            needed = [name for name in self._claimed if name not in self.asked_ahead]
            answered = len(self._store.get(self._fingerprint, needed))
            self._store.let_go(self._fingerprint, tuple(self._claimed))
        self._claimed.clear()
        return answered

    def _claim(self, wanted: Sequence[Query]) -> list[Query]:
        by_id = {query.id: query for query in wanted}
        found, mine = self._store.claim(self._fingerprint, tuple(by_id))
        if found.answers:
            so_far = self._found
            answers = so_far.answers | found.answers
            self._found = CachedAnswers(answers, so_far.cached + found.cached, so_far.ahead + found.ahead)
        self._claimed |= dict.fromkeys(mine)
        settled = {*found.answers, *mine}
        self._theirs |= {name: query for name, query in by_id.items() if name not in settled}
        return [by_id[name] for name in mine]

    def _filling(self, task: Task, room: int) -> list[Query]:
        """What is not needed yet, and has not been met here."""
        while got := self._more(task, room):
            if new := [query for query in got if query.id not in self._met]:
                return new
        return []

    def _claim_ahead(self, wanted: Sequence[Query]) -> list[Query]:
        by_id = {query.id: query for query in wanted}
        self._met |= by_id.keys()
        _, mine = self._store.claim(self._fingerprint, tuple(by_id), ahead=True)
        self._claimed |= dict.fromkeys(mine)
        self.asked_ahead |= set(mine)
        return [by_id[name] for name in mine]


def _popped(queries: deque[Query]) -> Iterable[Query]:
    while queries:
        yield queries.popleft()


def _by_picture(queries: Iterable[Query]) -> dict[Task, deque[Query]]:
    of_picture: dict[Task, dict[str, list[Query]]] = {task: {} for task in Task}
    for query in queries:
        of_picture[query.task].setdefault(query.picture.digest, []).append(query)
    return {task: deque(query for some in pictures.values() for query in some) for task, pictures in of_picture.items()}


_OUT_OF_MEMORY = (
    "memory ran out on a single query: give --vqamt-dtype=bfloat16, fewer workers on one device, or a smaller model"
)
_HOPELESS = 32
"""After so many queries that failed, with none answered, the model is given up."""

OnAnswers: TypeAlias = Callable[[Sequence[ModelInput], Sequence[Answer]], object]
"""Is told what has been answered, a piece of a batch at a time."""


class OutOfMemoryError(Exception):
    """There was no room for a batch."""


class BatchBisector:
    """Asks a model batch by batch; several threads may do so at once.

    Attributes:
        succeeded, failed: queries that were answered, and that the model raised at.
    """

    def __init__(self, model: LoadedModel) -> None:
        self.succeeded = 0
        self.failed = 0
        self._model = model
        self._lock = Lock()
        self._busy = BusyClock()

    @property
    def busy_s(self) -> float:
        """For how long the model has had at least one batch, in seconds."""
        return self._busy.seconds

    def ask(self, task: Task, inputs: Sequence[ModelInput], keep: OnAnswers | None = None) -> list[Answer | Failure]:
        """What became of each input, in their order; ``keep`` gets what is answered as soon as it is.

        Raises:
            ModelError: the model breaks its protocol, or has failed on everything it was asked.
        """
        return self._attempt(task, inputs, keep)[0]

    def hopeless(self, failed: int, reason: str) -> ModelError:
        """What is to be said of a model that has failed on all of so many queries, lastly because of ``reason``."""
        return ModelError(
            f"Expected model {self._model.name!r} to answer, but it failed on each of {failed} queries: {reason}"
        )

    def _attempt(
        self, task: Task, inputs: Sequence[ModelInput], keep: OnAnswers | None
    ) -> tuple[list[Answer | Failure], int]:
        """What became of each, and how many of them are too large for memory on their own."""
        try:
            with self._busy:
                answers = self._model.ask(task, inputs)
        except ModelError:
            raise
        except Exception as error:  # a model may raise anything; the one bad query is found and reported
            shrink_after = is_out_of_memory(error)
            failed = OutOfMemoryError(f"{_OUT_OF_MEMORY} ({error})") if shrink_after else error
        else:
            with self._lock:
                self._model.batch.grow_after(len(inputs))
                self.succeeded += len(answers)
                self._model.health.answered += len(answers)
            if keep is not None:
                keep(inputs, answers)
            return list(answers), 0
        if shrink_after:
            free_memory()  # out here the exception is gone, which holds on to all that the model had computed
        found, too_large = self._split(task, inputs, failed, keep)
        with self._lock:
            if shrink_after and not too_large:
                self._model.batch.shrink_after(len(inputs))  # it was too many, and no one of them too large
            elif not shrink_after and 2 * sum(isinstance(each, Answer) for each in found) > len(inputs):
                self._model.batch.grow_after(len(inputs))  # what failed was not for their number
        return found, too_large

    def _split(
        self, task: Task, inputs: Sequence[ModelInput], error: Exception, keep: OnAnswers | None
    ) -> tuple[list[Answer | Failure], int]:
        if len(inputs) == 1:
            return [self._failure(error)], int(isinstance(error, OutOfMemoryError))
        middle = len(inputs) // 2
        first, of_first = self._attempt(task, inputs[:middle], keep)
        second, of_second = self._attempt(task, inputs[middle:], keep)
        return first + second, of_first + of_second

    def _failure(self, error: Exception) -> Failure:
        reason = f"{type(error).__name__}: {_one_line(str(error))}"
        health = self._model.health
        with self._lock:
            self.failed += 1
            health.failed += 1
            if health.failed >= _HOPELESS and not health.answered:
                told = self.hopeless(health.failed, reason)
                health.disabled_reason = str(told)
                raise told from error
        return Failure(reason=reason)


def _one_line(text: str, at_most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= at_most else f"{line[: at_most - 1]}…"


class BusyClock:
    """Counts the time in which at least one thread is inside; time with several counts once."""

    def __init__(self) -> None:
        self._inside = 0
        self._since = 0.0
        self._before = 0.0
        self._lock = Lock()

    @property
    def seconds(self) -> float:
        """So far, by a clock that nobody sets."""
        with self._lock:
            return self._before + (time.monotonic() - self._since if self._inside else 0.0)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._since = time.monotonic()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._before += time.monotonic() - self._since
