"""Of several processes that need the same answers each query is asked by one, and all get the answer."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.leases import RunProcess
from pytest_vqamt.execution.prefetch import InputPipeline
from tests.execution.worlds import Model, Scenes, loaded, query

Process = Callable[[object], QueryRunner]


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    """What one process of a run has: a connection of its own to the file that all share."""
    with ExitStack() as closing:
        pipeline = InputPipeline(Scenes(1), 4)
        closing.callback(pipeline.close)

        def of(model: object) -> QueryRunner:
            store = closing.enter_context(AnswerStore(tmp_path / "answers.sqlite", run=RunProcess(id="run")))
            return QueryRunner(loaded(model), store, pipeline, lambda _: None)

        yield of


def numbered(n: int) -> dict[str, Query]:
    return {each.id: each for each in (query(f"number {place}") for place in range(n))}


def together(*calls: Callable[[], object]) -> list[object]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(timeout=60) for future in [pool.submit(call) for call in calls]]


def slow(text: str) -> str:
    time.sleep(0.001)
    return f"to {text}"


def test_processes_with_the_same_queries_share_them_batch_by_batch(process: Process) -> None:
    queries = numbered(100)
    models = [Model(reply=slow, fingerprint="F") for _ in range(3)]
    askers = [process(model) for model in models]
    found = together(*(lambda runner=runner: runner.run(queries) for runner in askers))
    assert found == [{name: Answer(f"to {each.text}") for name, each in queries.items()}] * 3
    assert Counter(text for model in models for text in model.asked) == {each.text: 1 for each in queries.values()}
    assert sum(runner.asked for runner in askers) == 100
    assert [runner.cached for runner in askers] == [0, 0, 0]
    assert all(model.calls for model in models)


class Holds(Model):
    """Holds its first batch until it is told to go on."""

    def __init__(self, end: Exception | None = None) -> None:
        super().__init__(fingerprint="F", reply=lambda text: f"held {text}")
        self.has_begun, self.may_end = threading.Event(), threading.Event()
        self._end = end

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        self.has_begun.set()
        assert self.may_end.wait(60)
        if self._end is not None:
            raise self._end
        return Model.answer(self, batch)


def test_what_another_asks_is_left_for_the_end_and_then_waited_for(process: Process) -> None:
    queries = numbered(12)
    holds, goes_on = Holds(), Model(fingerprint="F")
    first, second = process(holds), process(goes_on)

    def ask_second() -> dict[str, Answer | Failure]:
        assert holds.has_begun.wait(60)
        threading.Timer(0.2, holds.may_end.set).start()
        return second.run(queries)

    of_first, of_second = together(lambda: first.run(queries), ask_second)
    assert of_first == of_second
    assert goes_on.calls == [[f"number {n}" for n in range(4, 8)], [f"number {n}" for n in range(8, 12)]]
    assert holds.calls == [[f"number {n}" for n in range(4)]]
    assert (first.asked, second.asked) == (4, 8)


@pytest.mark.parametrize("end", [ModelError("gone"), ValueError("not this")], ids=repr)
def test_what_another_fails_on_is_asked_again(process: Process, end: Exception) -> None:
    queries = numbered(4)
    holds, asks = Holds(end), Model(fingerprint="F")
    first, second = process(holds), process(asks)

    def fail() -> None:
        if isinstance(end, ModelError):
            with pytest.raises(ModelError):
                first.run(queries)
        else:
            assert all(isinstance(each, Failure) for each in first.run(queries).values())

    def ask_second() -> dict[str, Answer | Failure]:
        assert holds.has_begun.wait(60)
        threading.Timer(0.1, holds.may_end.set).start()
        return second.run(queries)

    _, found = together(fail, ask_second)
    assert found == dict.fromkeys(queries, Answer("same"))
    assert len(asks.asked) == 4


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(1), ModelError("gone")], ids=repr)
def test_what_ends_the_run_leaves_no_claim(process: Process, end: BaseException) -> None:
    class Ends(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            if len(self.calls) == 1:
                raise end
            return Model.answer(self, batch)

        def prepare(self, task: object, batch: Sequence[ModelInput]) -> None:
            """So that a batch ahead is claimed as well."""

    queries = numbered(12)
    with pytest.raises(type(end)):
        process(Ends(fingerprint="F")).run(queries)
    asks = Model(fingerprint="F")
    began = time.monotonic()
    assert process(asks).run(queries).keys() == queries.keys()
    assert time.monotonic() - began < 5, "and not when a lease has ended"
    assert asks.asked == [f"number {n}" for n in range(4, 12)]


def test_a_store_of_one_process_asks_as_it_would_without_claims() -> None:
    class Alone(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            assert set(threading.enumerate()) <= threads
            return Model.answer(self, batch)

    pipeline = InputPipeline(Scenes(1), 4)
    threads = set(threading.enumerate())
    model = Alone()
    with AnswerStore(None) as store:
        QueryRunner(loaded(model), store, pipeline, lambda _: None).run(numbered(10))
    pipeline.close()
    assert [len(call) for call in model.calls] == [4, 4, 2]
