"""Each distinct query is asked once, in full batches, and a failing batch costs only the query that fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import BatchBisector, BusyClock, QueryRunner
from pytest_vqamt.execution.leases import RunProcess
from pytest_vqamt.execution.prefetch import InputPipeline, RenderPrefetcher
from tests.execution.worlds import Model, Scenes, loaded, query
from tests.making import scene_of


@dataclass
class Bench:
    """What an runner needs, and what it tells."""

    store: AnswerStore
    pipeline: InputPipeline
    told: list[int]

    def runner(self, model: object) -> QueryRunner:
        return QueryRunner(loaded(model), self.store, self.pipeline, self.told.append)


@pytest.fixture
def bench() -> Iterator[Bench]:
    pipeline = InputPipeline(Scenes(1), 4)
    with AnswerStore(None) as store:
        yield Bench(store=store, pipeline=pipeline, told=[])
    pipeline.close()


def by_id(*queries: Query) -> dict[str, Query]:
    return {each.id: each for each in queries}


def numbered(n: int) -> dict[str, Query]:
    return by_id(*(query(f"number {place}") for place in range(n)))


def raises(*texts: str) -> Callable[[str], str]:
    def reply(text: str) -> str:
        if text in texts:
            raise ValueError(f"cannot\n  read {text}")
        return f"to {text}"

    return reply


def test_all_is_asked_in_full_batches(bench: Bench) -> None:
    model = Model(reply=lambda text: f"to {text}")
    queries = numbered(10)
    runner = bench.runner(model)
    found = runner.run(queries)
    assert found == {name: Answer(f"to {asked.text}") for name, asked in queries.items()}
    assert [len(call) for call in model.calls] == [4, 4, 2]
    assert bench.told == [4, 4, 2]
    assert (runner.asked, runner.cached) == (10, 0)


def test_a_batch_is_of_one_task(bench: Bench) -> None:
    class Both(Model):
        def entail(self, batch: Sequence[ModelInput]) -> list[str]:
            assert {each.query.task for each in batch} == {Task.ENTAILMENT}
            return ["neutral" for _ in batch]

    model = Both()
    queries = by_id(*(query(f"{place}", task=task) for place in range(3) for task in (Task.ENTAILMENT, Task.VQA)))
    found = bench.runner(model).run(queries)
    assert model.calls == [["0", "1", "2"]]
    assert sorted(str(getattr(answer, "text", None)) for answer in found.values()) == ["neutral"] * 3 + ["same"] * 3


def test_what_is_asked_of_one_picture_is_asked_together(bench: Bench) -> None:
    first, second = (scene_of("dog", id=name).picture for name in ("first", "second"))
    model = Model(batch_size=3)
    asked = [query(f"{n} of {name}", picture=picture) for n in range(3) for name, picture in zip("ab", (first, second))]  # noqa: B905
    bench.runner(model).run(by_id(*asked))
    assert model.calls == [["0 of a", "1 of a", "2 of a"], ["0 of b", "1 of b", "2 of b"]]


def test_what_is_known_is_not_asked(bench: Bench) -> None:
    model = Model(fingerprint="F")
    bench.store.put("F", {query("known").id: Answer("from before")})
    runner = bench.runner(model)
    known, lacking = runner.look_up([query("known"), query("new"), query("known"), query("new")])
    assert known == {query("known").id: Answer("from before")}
    assert list(lacking.values()) == [query("new")]
    runner.run(lacking)
    assert model.asked == ["new"]
    again, nothing = runner.look_up([query("new")])
    assert (again, nothing) == ({query("new").id: Answer("same")}, {})


def test_what_an_earlier_run_has_left_counts_as_cached_once(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with AnswerStore(file, run=RunProcess(id="earlier")) as store:
        store.put("F", {query("known").id: Answer("from before")})
    with AnswerStore(file, run=RunProcess(id="now")) as store:
        first, second = (QueryRunner(loaded(Model(fingerprint="F")), store, bench.pipeline, print) for _ in range(2))
        for runner in (first, second):
            assert runner.look_up([query("known"), query("known")])[0] == {query("known").id: Answer("from before")}
        assert (first.cached, second.cached) == (1, 0)
        assert (first.asked, second.asked) == (0, 0)


def test_each_batch_is_kept_before_the_next_is_asked(bench: Bench) -> None:
    queries = numbered(8)
    kept_before: list[int] = []

    class Looks(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            kept_before.append(len(bench.store.get("F", tuple(queries))))
            return Model.answer(self, batch)

    bench.runner(Looks(fingerprint="F")).run(queries)
    assert kept_before == [0, 4]


@pytest.mark.parametrize("bad", range(7))
def test_the_one_bad_query_is_found(bench: Bench, bad: int) -> None:
    model = Model(reply=raises(f"number {bad}"))
    queries = numbered(7)
    found = bench.runner(model).run(queries)
    for place, (name, asked) in enumerate(queries.items()):
        if place == bad:
            assert found[name] == Failure(reason=f"ValueError: cannot read number {bad}")
        else:
            assert found[name] == Answer(f"to {asked.text}")


def test_a_failure_is_not_kept(bench: Bench) -> None:
    model = Model(reply=raises("number 1"), fingerprint="F")
    queries = numbered(3)
    bench.runner(model).run(queries)
    assert [name in bench.store.get("F", tuple(queries)) for name in queries] == [True, False, True]


def test_a_long_message_is_cut(bench: Bench) -> None:
    def reply(text: str) -> str:
        raise ValueError("x" * 20_000)

    (failure,) = bench.runner(Model(reply=reply)).run(numbered(1)).values()
    assert isinstance(failure, Failure)
    assert failure.reason == "ValueError: " + "x" * 9_988 + "... (20,012 characters)"


def test_a_model_that_fails_on_all_is_given_up_after_32(bench: Bench) -> None:
    model = Model(reply=raises(*(f"number {place}" for place in range(100))), batch_size=1)
    with pytest.raises(ModelError, match="model 'made' to answer, but it failed on each of 32 queries: ValueError: "):
        bench.runner(model).run(numbered(100))
    assert len(model.calls) == 32


def test_one_that_has_answered_in_an_earlier_run_may_fail_on_as_many(bench: Bench, tmp_path: Path) -> None:
    known = numbered(50)
    model = Model(fingerprint="F", reply=raises(*(f"number {place}" for place in range(50, 150))), batch_size=1)
    with AnswerStore(tmp_path / "answers.sqlite", run=RunProcess(id="earlier")) as store:
        store.put("F", {name: Answer("from before") for name in known})
    with AnswerStore(tmp_path / "answers.sqlite", run=RunProcess(id="now")) as store:
        runner = QueryRunner(loaded(model), store, bench.pipeline, bench.told.append)
        _, lacking = runner.look_up(numbered(100).values())
        assert all(isinstance(each, Failure) for each in runner.run(lacking).values()), "what is left fails each time"
        with pytest.raises(ModelError, match="failed on each of 51 queries"):
            runner.run(by_id(query("number 100")))


def test_one_that_has_answered_is_not_given_up(bench: Bench) -> None:
    model = Model(reply=raises(*(f"number {place}" for place in range(1, 100))), batch_size=1)
    found = bench.runner(model).run(numbered(100))
    assert sum(isinstance(each, Failure) for each in found.values()) == 99


def test_a_broken_protocol_is_not_searched_for_a_bad_query(bench: Bench) -> None:
    class Short(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            return Model.answer(self, batch)[1:]

    model = Short()
    with pytest.raises(ModelError, match="to return 4 answers, one per input, but got 3"):
        bench.runner(model).run(numbered(8))
    assert len(model.calls) == 1


def test_a_picture_that_cannot_be_read_costs_its_queries(bench: Bench) -> None:
    class Looks(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            for each in batch:
                assert each.image.size == (200, 100)
            return Model.answer(self, batch)

    unreadable = scene_of("dog", id="unreadable").picture
    queries = by_id(query("a"), query("b", picture=unreadable), query("c", picture=unreadable), query("d"))
    found = list(bench.runner(Looks()).run(queries).values())
    failure = Failure(reason="OSError: no such photo")
    assert sorted(found, key=str) == sorted([Answer("same"), Answer("same"), failure, failure], key=str)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What a clock shows that the test sets."""
    shown = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: shown[0])
    return shown


def test_time_counts_while_at_least_one_is_inside(clock: list[float]) -> None:
    busy = BusyClock()
    clock[0] = 103.0
    assert busy.seconds == 0
    with busy:
        clock[0] = 104.0
        assert busy.seconds == 1
        with busy:
            clock[0] = 106.0
        clock[0] = 107.0
    clock[0] = 110.0
    assert busy.seconds == 4


def test_what_was_raised_is_over(clock: list[float]) -> None:
    def fail() -> None:
        with busy:
            clock[0] = 100.5
            raise KeyError

    busy = BusyClock()
    with pytest.raises(KeyError):
        fail()
    clock[0] = 120.0
    assert busy.seconds == 0.5


def inputs(*texts: str) -> list[ModelInput]:
    pictures = RenderPrefetcher(Scenes(1), 4)
    return [ModelInput(query(text), pictures.image) for text in texts]


def refuses(text: str) -> str:
    if text.startswith("bad"):
        raise ValueError(f"no {text}")
    return f"to {text}"


def test_answers_come_in_the_order_of_the_inputs() -> None:
    found = BatchBisector(loaded(Model(reply=refuses))).run(Task.VQA, inputs("a", "bad b", "c", "bad d", "e"))
    assert found == [
        Answer("to a"),
        Failure(reason="ValueError: no bad b"),
        Answer("to c"),
        Failure(reason="ValueError: no bad d"),
        Answer("to e"),
    ]


def test_what_is_answered_is_handed_over_before_the_rest_is_asked() -> None:
    model = Model(reply=refuses)
    kept: list[tuple[list[str], int]] = []

    def keep(some: Sequence[ModelInput], answers: Sequence[Answer]) -> None:
        assert [answer.text for answer in answers] == [f"to {each.text}" for each in some]
        kept.append(([each.text for each in some], len(model.calls)))

    BatchBisector(loaded(model)).run(Task.VQA, inputs("a", "b", "c", "bad"), keep)
    # All four fail; the first two are answered; of the others one is, and one not.
    assert kept == [(["a", "b"], 2), (["c"], 4)]


def test_counts_hold_from_several_threads() -> None:
    model = loaded(Model(reply=refuses))
    bisector = BatchBisector(model)
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda n: bisector.run(Task.VQA, inputs(f"good {n}", f"bad {n}")), range(100)):
            pass
    assert (bisector.succeeded, bisector.failed) == (100, 100)
    assert (model.health.answered, model.health.failed) == (100, 100)


def test_a_model_that_was_given_up_on_one_thread_is_asked_by_no_other() -> None:
    model = Model(reply=lambda text: refuses(f"bad {text}"), batch_size=1)
    bisector = BatchBisector(loaded(model))
    for number in range(31):
        bisector.run(Task.VQA, inputs(str(number)))
    with pytest.raises(ModelError, match="it failed on each of 32 queries: ValueError: no bad 31"):
        bisector.run(Task.VQA, inputs("31"))
    with pytest.raises(ModelError, match="is disabled"):
        bisector.run(Task.VQA, inputs("32"))
    assert len(model.calls) == 32


def test_time_with_two_batches_counts_once() -> None:
    begun, may_end = threading.Barrier(3), threading.Event()

    class Waits(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            begun.wait(30)
            assert may_end.wait(30)
            return ["same" for _ in batch]

    bisector = BatchBisector(loaded(Waits()))
    assert bisector.busy_s == 0
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(bisector.run, Task.VQA, inputs(text)) for text in "ab"]
        begun.wait(30)
        assert not may_end.wait(0.2)
        assert bisector.busy_s >= 0.2, "it is at work now"
        may_end.set()
        for each in asked:
            each.result(timeout=30)
    after = bisector.busy_s
    assert after >= 0.2
    assert not threading.Event().wait(0.05)
    assert bisector.busy_s == after, "it is at rest"
