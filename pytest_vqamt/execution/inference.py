"""Runs a model on queries: each distinct query once over all processes, in full batches, preprocessed ahead."""

from __future__ import annotations

import time
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import islice
from threading import Lock
from typing import TypeAlias

from pytest_vqamt.core.daemon_executor import WAIT_SLICE_S, DaemonExecutor
from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import error_text, shortened
from pytest_vqamt.execution.answer_cache import AnswerStore, CachedAnswers
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.models.batching import BatchSizes, free_memory, is_out_of_memory, pixels_of
from pytest_vqamt.models.wrapped import LoadedModel

OnAnswers: TypeAlias = Callable[[Sequence[ModelInput], Sequence[Answer]], object]
"""Is called with the inputs that were answered, one part of a batch at a time."""

_MIN_PREFETCHED = 64
"""Upcoming queries whose pictures are announced to the pipeline, at least."""

_PENDING_TIMEOUT_S = 5.0
"""How long to wait for the batches in flight when the model is disabled."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.1
"""Between two checks for answers of other processes."""

_MAX_REASON = 10_000
"""The longest text of an exception in a failure, in characters."""

_DISABLED_AFTER = 32
"""Failed queries, with none answered, after which the model is disabled."""

_OUT_OF_USERS_MEMORY = (
    "memory ran out on a single query: load the model in a lower precision or a smaller one, call it under "
    "torch.inference_mode(), or run fewer workers on one device"
)


def _out_of_memory() -> str:
    return (
        f"memory ran out on a single query: give {option('dtype', 'bfloat16')} where it is float32, fewer workers on "
        "one device, or a smaller or quantised model"
    )


def unwritten_queries(model: LoadedModel, queries: Sequence[Query]) -> list[Query]:
    """The queries to which a model of written answers has no answer yet; empty for any other model."""
    return [query for query in queries if model.deferred.lacks(query)] if model.deferred else []


class QueryRunner:
    """Answers queries from the store, or by running one model.

    Args:
        pipeline: renders and preprocesses the inputs.
        lossless: whether pictures are sent without loss.
        on_answered: is called with the number of queries answered.

    Attributes:
        asked: distinct queries that this process sent to the model and that are needed here first.
        cached: distinct queries that the store answered from an earlier run and that are needed here first.
        needed: the ids of all queries that were looked up, as numbers, a third of the memory of texts.
    """

    def __init__(
        self,
        model: LoadedModel,
        store: AnswerStore,
        pipeline: InputPipeline,
        on_answered: Callable[[int], None],
        *,
        lossless: bool = False,
    ) -> None:
        self.asked = 0
        self.cached = 0
        self.needed = array("Q")
        self._failed = 0
        self._succeeded = 0
        self._reason = ""
        self._expected: set[str] = set()
        self._bisector = BatchBisector(model)
        self._model = model
        self._store = store
        self._fingerprint = model.fingerprint_of(lossless=lossless)
        self._lossless = lossless
        self._pipeline = pipeline
        self._on_answered = on_answered

    @property
    def last_failure(self) -> str:
        """The latest exception of the model as text; empty if the model has answered anything."""
        return "" if self._succeeded else self._reason

    @property
    def busy_s(self) -> float:
        """How long the model has had at least one batch, in seconds."""
        return self._bisector.busy_s

    def look_up(self, queries: Iterable[Query]) -> tuple[dict[str, Answer], dict[str, Query]]:
        """Returns the stored answers by query id, and the distinct queries without one."""
        # Cases share queries, as a source question with several follow-ups: each is looked up once.
        distinct = {query.id: query for query in queries}
        self.needed.extend(int(name, 16) for name in distinct)
        found = self._store.use(self._fingerprint, tuple(distinct))
        self.cached += found.cached
        self._model.health.cached += found.cached
        return found.answers, {name: query for name, query in distinct.items() if name not in found.answers}

    def run(
        self, queries: dict[str, Query], *, helps_while: Callable[[], bool] | None = None
    ) -> dict[str, Answer | Failure]:
        """Runs the model on distinct ``queries`` and stores each batch; returns the answers by query id.

        With ``helps_while`` it helps another process with them as long as that is true: from the last one on, without
        those that others lease. A model that takes several batches at once cannot help.

        Raises:
            ModelError: the model breaks its protocol, or has failed on every query so far.
        """
        found: dict[str, Answer | Failure] = {}
        if not queries:
            return found
        batches = LeasedBatches(
            self._store,
            self._fingerprint,
            queries.values(),
            self._model.batch,
            backwards=helps_while is not None,
        )
        self._expected.clear()
        try:
            # Models that wait for a server declare several.
            if self._model.batches_at_once > 1:
                self._run_concurrently(batches, found)
            else:
                self._run_sequentially(batches, found, helps_while)
        finally:
            self.asked += batches.release()
        return found

    def disabled_error(self) -> ModelError:
        """The error for a model that has failed on every query of this item."""
        return self._bisector.disabled_error(self._failed, self._reason)

    def _run_sequentially(
        self, batches: LeasedBatches, found: dict[str, Answer | Failure], helps_while: Callable[[], bool] | None
    ) -> None:
        """Runs the model on this thread, while the next batch is preprocessed if the model can do that."""
        upcoming: list[Query] = []
        while helps_while is None or helps_while():
            # The batch size is known only now: memory may have run out on the batch before.
            batch = batches.resized(upcoming, upcoming[0].task) if upcoming else batches.next()
            self._record_cached(batches, found)
            if not batch:
                # All queries of this process are answered: the rest is at work in other processes.
                if helps_while or not batches.wait():
                    return
                continue
            # Leasing a batch ahead keeps it from other processes, so it is done only where it is of use.
            upcoming = batches.next() if self._model.preprocess else []
            self._prefetch(batch, upcoming, batches)
            # Taken before `preprocess`, which replaces the inputs that are ready.
            inputs = self._pipeline.inputs(batch, lossless=self._lossless)
            if self._model.preprocess:
                self._pipeline.preprocess(self._model, upcoming)
            self._record_batch(batches, inputs, self._infer(inputs), found)

    def _run_concurrently(self, batches: LeasedBatches, found: dict[str, Answer | Failure]) -> None:
        """Keeps several batches in flight, so that a slow query does not hold up the next batch."""
        in_flight: dict[Future[list[Answer | Failure]], list[ModelInput]] = {}
        with DaemonExecutor(self._model.batches_at_once, "vqamt-infer") as executor, _finishing(in_flight):
            while True:
                while len(in_flight) < self._model.batches_at_once and (batch := batches.next()):
                    self._prefetch(batch, (), batches)
                    inputs = self._pipeline.inputs(batch, lossless=self._lossless)
                    in_flight[executor.submit(partial(self._preprocess_and_infer, inputs))] = inputs
                self._record_cached(batches, found)
                if not in_flight:
                    if not batches.wait():
                        return
                    continue
                # In slices, so that Ctrl-C ends the run while a slow server answers.
                done, _ = wait(in_flight, timeout=WAIT_SLICE_S, return_when=FIRST_COMPLETED)
                for future in [each for each in in_flight if each in done]:
                    self._record_batch(batches, in_flight.pop(future), future.result(), found)

    def _prefetch(self, batch: Sequence[Query], upcoming: Sequence[Query], batches: LeasedBatches) -> None:
        """Announces the pictures of the batch and of the next one, unless they are queued already."""
        pictures = [picture for some in (batch, upcoming) for query in some for picture in query.pictures]
        # Announcing anew walks over all pending queries: once is enough as long as the pictures are known.
        if all(picture.digest in self._expected for picture in pictures):
            return
        # Other processes may take some of a shared store's queries: pictures far ahead would be rendered in vain.
        size = self._model.batch_size
        later = batches.pending(max(_MIN_PREFETCHED, 2 * size) if self._store.is_shared else None)
        pictures += [picture for query in later for picture in query.pictures]
        self._expected = {picture.digest for picture in pictures}
        self._pipeline.expect(pictures, size)

    def _preprocess_and_infer(self, inputs: Sequence[ModelInput]) -> list[Answer | Failure]:
        self._model.prepare(inputs[0].query.task, inputs)
        return self._infer(inputs)

    def _infer(self, inputs: Sequence[ModelInput]) -> list[Answer | Failure]:
        def store(answered: Sequence[ModelInput], answers: Sequence[Answer]) -> None:
            by_id = {each.query.id: answer for each, answer in zip(answered, answers, strict=True)}
            self._store.put(self._fingerprint, by_id)

        return self._bisector.run(inputs[0].query.task, inputs, store)

    def _record_batch(
        self,
        batches: LeasedBatches,
        inputs: Sequence[ModelInput],
        answers: Sequence[Answer | Failure],
        found: dict[str, Answer | Failure],
    ) -> None:
        by_id = {each.query.id: answer for each, answer in zip(inputs, answers, strict=True)}
        batches.finish(by_id)
        for answer in answers:
            if isinstance(answer, Failure):
                self._failed += 1
                # The last reason, for the error that the model is disabled with.
                self._reason = answer.reason
            else:
                self._succeeded += 1
        found.update(by_id)
        self.asked += len(answers)
        self._on_answered(len(answers))

    def _record_cached(self, batches: LeasedBatches, found: dict[str, Answer | Failure]) -> None:
        """Counts the answers that other processes have stored meanwhile."""
        if (others := batches.take_cached()).answers:
            # Not counted as sent: another process has done that.
            found |= others.answers
            self.cached += others.cached
            self._on_answered(len(others.answers))


@contextmanager
def _finishing(in_flight: Collection[Future[list[Answer | Failure]]]) -> Iterator[None]:
    """Waits a little for the batches in flight when the model is disabled: they are paid for, and count."""
    try:
        yield
    except ModelError:
        wait(tuple(in_flight), timeout=_PENDING_TIMEOUT_S)
        raise


class LeasedBatches:
    """Batches of the queries of one model, each query leased before it is given out.

    Queries leased by other processes come last: this process waits for their answers. Batches come task by task, from
    small pictures to large ones, so that few are padded, and with all queries about one picture in a row, so that it is
    rendered, and may be encoded, once.
    """

    def __init__(
        self,
        store: AnswerStore,
        fingerprint: str,
        queries: Iterable[Query],
        sizes: BatchSizes,
        *,
        backwards: bool = False,
    ) -> None:
        """``sizes`` says how large a batch may be now; one that is more than half full ends before it is much padded.

        ``backwards`` begins with what comes last, so that two processes with the same queries meet in the middle.
        """
        self._cached = CachedAnswers({}, 0)
        self._store = store
        self._fingerprint = fingerprint
        self._sizes = sizes
        self._unleased = _by_picture(queries)
        if backwards:
            for each in self._unleased.values():
                each.reverse()
        self._leased: dict[Task, deque[Query]] = {task: deque() for task in Task}  # and in no batch yet
        self._of_others: dict[str, Query] = {}
        self._unanswered: dict[str, None] = {}

    def next(self) -> list[Query]:
        """The next batch; empty if only the queries of other processes are left."""
        for task in Task:
            if batch := self.resized([], task):
                return batch
        return []

    def resized(self, batch: Sequence[Query], task: Task) -> list[Query]:
        """The batch filled up, or cut down, to the size that holds now; the next one begins with what is cut off."""
        leased, unleased = self._leased[task], self._unleased[task]
        leased.extendleft(reversed(batch))  # which reverses what it adds
        resized: list[Query] = []
        while some := leased or unleased:
            taken: list[Query] = []
            pixels = [pixels_of((each,)) for each in resized]
            while some:
                pixels.append(pixels_of((some[0],)))
                if not self._is_batch(pixels):
                    break
                taken.append(some.popleft())
            if not taken:
                break
            resized += taken if some is leased else self._lease(taken)
        return resized

    def _is_batch(self, pixels: Sequence[int]) -> bool:
        """True if pictures of so many pixels make one batch."""
        largest = max(pixels)
        limit = self._sizes.limit(largest)
        if 2 * len(pixels) <= limit:
            return True
        padding = 1 - sum(pixels) / max(1, len(pixels) * largest)
        return len(pixels) <= limit and padding <= self._sizes.most_padding(largest)

    def pending(self, n: int | None) -> list[Query]:
        """The next ``n`` queries that are in no batch yet; None for all."""
        queries = (query for task in Task for some in (self._leased, self._unleased) for query in some[task])
        return list(islice(queries, n))

    def wait(self) -> bool:
        """Waits until other processes have answered or released a query; False if they lease none.

        This process must hold no lease meanwhile: two processes would wait for each other.
        """
        pause = _FIRST_PAUSE_S
        while self._of_others:
            # Answered, or free again because their process failed or died: leasing tells which.
            if released := self._store.released(self._fingerprint, tuple(self._of_others)):
                # One batch at most: the rest of a dead process is left to others that wait, too.
                most = self._sizes.limit(pixels_of(self._of_others[query_id] for query_id in released))
                for query in self._lease([self._of_others.pop(query_id) for query_id in released[:most]]):
                    self._leased[query.task].append(query)
                return True
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_PAUSE_S)
        return False

    def take_cached(self) -> CachedAnswers:
        """The answers of other processes that were found since the last call."""
        cached, self._cached = self._cached, CachedAnswers({}, 0)
        return cached

    def finish(self, answers: Mapping[str, Answer | Failure]) -> None:
        """Takes the outcome of a batch, whose answers have been stored, and releases the failed queries."""
        for query_id in answers:
            self._unanswered.pop(query_id, None)
        self._store.release(self._fingerprint, [name for name, each in answers.items() if isinstance(each, Failure)])

    def release(self) -> int:
        """Releases all leases; returns how many needed queries were answered in batches that did not finish."""
        answered = 0
        with suppress(VqamtError):  # a worse error is being raised, and the leases end with the process
            # A part of a batch may have been answered and stored before the model raised.
            answered = len(self._store.get(self._fingerprint, tuple(self._unanswered)))
            self._store.release(self._fingerprint, tuple(self._unanswered))
        self._unanswered.clear()
        return answered

    def _lease(self, wanted: Sequence[Query]) -> list[Query]:
        by_id = {query.id: query for query in wanted}
        found, leased = self._store.lease(self._fingerprint, tuple(by_id))
        if found.answers:
            so_far = self._cached
            self._cached = CachedAnswers(so_far.answers | found.answers, so_far.cached + found.cached)
        self._unanswered |= dict.fromkeys(leased)
        settled = {*found.answers, *leased}
        self._of_others |= {name: query for name, query in by_id.items() if name not in settled}
        return [by_id[name] for name in leased]


def _by_picture(queries: Iterable[Query]) -> dict[Task, deque[Query]]:
    of_picture: dict[Task, dict[str, list[Query]]] = {task: {} for task in Task}
    for query in queries:
        of_picture[query.task].setdefault(query.picture.digest, []).append(query)
    return {
        task: deque(query for some in sorted(pictures.values(), key=pixels_of) for query in some)
        for task, pictures in of_picture.items()
    }


class OutOfMemoryError(Exception):
    """Memory ran out on a single query."""


class BatchBisector:
    """Runs a model on batches, and halves a failing batch until the failing query is found. Thread-safe.

    Attributes:
        succeeded, failed: queries that were answered, and on which the model raised.
    """

    def __init__(self, model: LoadedModel) -> None:
        self.succeeded = 0
        self.failed = 0
        self._fitted_in_halves = 0  # the size of the last batch that failed as a whole only
        self._model = model
        self._lock = Lock()
        self._clock = BusyClock()

    @property
    def busy_s(self) -> float:
        """How long the model has had at least one batch, in seconds."""
        return self._clock.seconds

    def run(
        self, task: Task, inputs: Sequence[ModelInput], on_answers: OnAnswers | None = None
    ) -> list[Answer | Failure]:
        """Returns an answer or a failure for each input, in order; ``on_answers`` gets answers as they come.

        Raises:
            ModelError: the model breaks its protocol, or has failed on every query so far.
        """
        # A streaming model gives each outcome by itself, so there is nothing to bisect.
        if self._model.streamed is not None:
            return self._stream(task, inputs, on_answers)
        return self._attempt(task, inputs, on_answers)[0]

    def disabled_error(self, failed: int, reason: str) -> ModelError:
        """The error for a model that has failed on each of ``failed`` queries, the last time for ``reason``."""
        error = ModelError(
            f"Expected model {self._model.name!r} to answer, but it failed on "
            f"{'its only query' if failed == 1 else f'each of {failed:,} queries'}: {reason}"
        )
        # An exception of the user's own code is reported with its traceback.
        raised = self._model.health.user_error(reason)
        return error if raised is None else error.about(raised, str(error))

    def _stream(self, task: Task, inputs: Sequence[ModelInput], on_answers: OnAnswers | None) -> list[Answer | Failure]:
        """Runs a model that gives the outcome of each input by itself.

        If it raises, the inputs that it has not answered are run as a batch, which finds the one that it fails on.
        """
        found: dict[int, Answer | Failure] = {}
        pixels = pixels_of(each.query for each in inputs)
        with self._lock:
            self._model.health.calls += 1
        with self._clock, closing(self._model.stream(task, inputs)) as outcomes:
            while True:
                try:
                    place, outcome = next(outcomes)
                except ModelError:
                    # A broken protocol concerns every input: trying them one by one would not help.
                    raise
                except StopIteration:
                    break
                except Exception as error:  # a model may raise anything
                    with self._lock:
                        self._model.health.count_raised(error)
                    break
                # One input failed, and the stream goes on.
                if isinstance(outcome, Exception):
                    found[place] = self._failure(outcome, inputs[place])
                    continue
                found[place] = outcome
                with self._lock:
                    self.succeeded += 1
                    self._model.health.count_answers([outcome])
                if on_answers is not None:
                    on_answers([inputs[place]], [outcome])
        if rest := [place for place in range(len(inputs)) if place not in found]:
            found.update(zip(rest, self._attempt(task, [inputs[place] for place in rest], on_answers)[0], strict=True))
        with self._lock:
            # Most inputs were answered, so the failures are theirs and not the batch's.
            if 2 * sum(isinstance(each, Answer) for each in found.values()) > len(inputs):
                self._model.batch.grow_after(len(inputs), pixels)
        return [found[place] for place in range(len(inputs))]

    def _attempt(
        self, task: Task, inputs: Sequence[ModelInput], on_answers: OnAnswers | None
    ) -> tuple[list[Answer | Failure], int]:
        """Returns the outcomes, and how many inputs are too large for memory on their own."""
        health = self._model.health
        pixels = pixels_of(each.query for each in inputs)
        with self._lock:
            health.calls += 1
        try:
            with self._clock:
                answers = self._model.ask(task, inputs)
        except ModelError:
            raise
        except Exception as error:  # a model may raise anything; the one bad query is found and reported
            ran_out = is_out_of_memory(error)
            # Running out of memory is expected while the batch size is found: it is no error of the model.
            if not ran_out:
                with self._lock:
                    health.count_raised(error)
            advice = _OUT_OF_USERS_MEMORY if self._model.is_users else _out_of_memory()
            # Advice that the user can follow: options do not reach a model that the user has loaded.
            cause = OutOfMemoryError(f"{advice} ({error})") if ran_out else error
        else:
            with self._lock:
                self._model.batch.grow_after(len(inputs), pixels)
                if len(inputs) >= self._fitted_in_halves:
                    self._fitted_in_halves = 0
                self.succeeded += len(answers)
                health.count_answers(answers)
            if on_answers is not None:
                on_answers(inputs, answers)
            return list(answers), 0
        if ran_out:
            with self._model.watching_device():  # an earlier error of the device may only show here
                free_memory()  # only here, where the exception no longer holds the tensors of the failed batch
        if len(inputs) == 1:
            return [self._failure(cause, inputs[0])], int(ran_out)
        middle = len(inputs) // 2
        first, first_too_large = self._attempt(task, inputs[:middle], on_answers)
        second, second_too_large = self._attempt(task, inputs[middle:], on_answers)
        found, too_large = first + second, first_too_large + second_too_large
        with self._lock:
            # Not every library names memory: a size that fails twice in a row as a whole, and in halves does not, is
            # too large. Two inputs stay together, since an exception by chance would cost the answer to a single one.
            is_size = not ran_out and len(inputs) > 2 and all(isinstance(each, Answer) for each in found)
            fails_again = is_size and 0 < self._fitted_in_halves <= len(inputs)
            if is_size:
                self._fitted_in_halves = len(inputs)
            # Where single inputs are too large for memory, a smaller size would not help.
            if (ran_out and not too_large) or fails_again:
                self._model.batch.shrink_after(len(inputs), pixels)
            elif not (ran_out or is_size) and 2 * sum(isinstance(each, Answer) for each in found) > len(inputs):
                self._model.batch.grow_after(len(inputs), pixels)  # the failure was not due to the batch size
        return found, too_large

    def _failure(self, error: Exception, item: ModelInput) -> Failure:
        # In one line, as reports and pytest's summary show it.
        reason = shortened(" ".join(error_text(error).split()), _MAX_REASON)
        health = self._model.health
        with self._lock:
            self.failed += 1
            health.failed += 1
            if self._model.is_users and not isinstance(error, VqamtError | OutOfMemoryError):
                health.keep_user_error(error, reason, f"in model {self._model.name!r}, for {_described(item)}")
            # A run that goes on sends only what is left, which may be just the queries that fail each time.
            if health.failed >= max(_DISABLED_AFTER, health.cached + 1) and not health.answered:
                disabled = self.disabled_error(health.failed, reason)
                health.disabled_reason = str(disabled)
                raise disabled from error
        return Failure(reason=reason)


def _described(item: ModelInput) -> str:
    query = item.query
    edits = ", ".join(type(edit).__name__.lower() for edit in query.picture.edits)
    asked = repr(shortened(query.text)) if query.text else query.task.value
    return f"{asked} about photo {query.picture.photo.id!r}{f' with {edits}' if edits else ''}"


class BusyClock:
    """Measures the time in which at least one thread is inside its context."""

    def __init__(self) -> None:
        self._inside = 0
        self._since = 0.0
        self._total = 0.0
        self._lock = Lock()

    @property
    def seconds(self) -> float:
        with self._lock:
            return self._total + (time.monotonic() - self._since if self._inside else 0.0)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._since = time.monotonic()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._total += time.monotonic() - self._since
