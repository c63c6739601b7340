"""The next batch is made ready while the model works on one, and several are in flight where the model allows it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.models.wrapped import LoadedModel
from tests.execution.test_memory import OutOfMemoryError
from tests.execution.worlds import Model, Scenes, loaded, query

Ask = Callable[..., QueryRunner]


@pytest.fixture
def store() -> Iterator[AnswerStore]:
    with AnswerStore(None) as opened:
        yield opened


@pytest.fixture
def runner(store: AnswerStore) -> Iterator[Ask]:
    pipeline = InputPipeline(Scenes(1), 4)
    adopted: dict[int, LoadedModel] = {}

    def of(model: object) -> QueryRunner:
        return QueryRunner(adopted.setdefault(id(model), loaded(model)), store, pipeline, lambda _: None)

    yield of
    pipeline.close()


def of(*texts: str) -> dict[str, Query]:
    return {each.id: each for each in map(query, texts)}


@dataclass
class Prepares:
    """Remembers what it prepared and answered, in order, and on which thread."""

    batch_size = 2
    largest_batch = 4
    room: int = 99
    told: list[tuple[str, str]] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)
    lacked: list[str] = field(default_factory=list)

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        assert task is Task.VQA
        self.threads.add(threading.current_thread().name)
        for each in batch:
            each.prepared = f"prepared {each.text}"
        self.told.append(("prepared", "".join(each.text for each in batch)))

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        assert threading.current_thread() is threading.main_thread()
        if len(batch) > self.room:
            raise OutOfMemoryError("CUDA out of memory")
        self.lacked += [each.text for each in batch if each.prepared != f"prepared {each.text}"]
        time.sleep(0.05)  # so long that the next is prepared meanwhile
        self.told.append(("answered", "".join(each.text for each in batch)))
        return ["same" for _ in batch]


def test_a_batch_is_prepared_on_another_thread_while_that_before_is_answered(runner: Ask) -> None:
    model = Prepares()
    model.largest_batch = 2
    runner(model).run(of(*"abcdefgh"))
    assert model.told == [
        ("prepared", "cd"),
        ("answered", "ab"),
        ("prepared", "ef"),
        ("answered", "cd"),
        ("prepared", "gh"),
        ("answered", "ef"),
        ("answered", "gh"),
    ]
    assert model.threads == {"vqamt-prepare"}
    assert model.lacked == ["a", "b"]


def test_what_cannot_be_prepared_is_asked_nevertheless(runner: Ask) -> None:
    class Breaks(Prepares):
        def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
            raise ValueError("no")

    model = Breaks()
    assert runner(model).run(of(*"abc")) == dict.fromkeys(of(*"abc"), Answer("same"))
    assert model.told == [("answered", "ab"), ("answered", "c")]


def test_a_batch_that_was_made_ready_grows_and_shrinks_like_any_other(runner: Ask) -> None:
    grows = Prepares()
    runner(grows).run(of(*"abcdefghijk"))
    assert [texts for what, texts in grows.told if what == "answered"] == ["ab", "cdef", "ghij", "k"]
    assert grows.lacked == ["a", "b", "e", "f"], "what a batch grew by was not prepared"
    runs_out = Prepares(room=2)
    runner(runs_out).run(of(*"ABCDEFGHIJK"))
    assert [texts for what, texts in runs_out.told if what == "answered"] == ["AB", "CD", "EF", "GH", "IJ", "K"]


def test_several_batches_are_asked_at_once_where_the_model_allows_it(runner: Ask) -> None:
    class Meets(Model):
        """Answers only where two batches are with it."""

        batches_at_once = 2
        barrier = threading.Barrier(2)
        lock = threading.Lock()

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            self.barrier.wait(timeout=30)
            with self.lock:
                return Model.answer(self, batch)

    model = Meets(reply=lambda text: f"to {text}")
    asking = runner(model)
    texts = [f"number {place}" for place in range(15)]
    assert asking.run(of(*texts)) == {name: Answer(f"to {each.text}") for name, each in of(*texts).items()}
    assert sorted(model.asked) == sorted(texts)
    assert asking.asked == 15


def test_what_is_under_way_when_a_model_is_given_up_is_kept(runner: Ask, store: AnswerStore) -> None:
    class GivenUp(Model):
        batches_at_once = 2

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            if batch[0].text == "b":
                raise ModelError("no more")
            time.sleep(0.2)
            return ["paid for"]

    asking = runner(GivenUp(batch_size=1))
    with pytest.raises(ModelError, match="no more"):
        asking.run(of("a", "b"))
    assert store.get("undeclared:made", (query("a").id,)) == {query("a").id: Answer("paid for")}
    assert asking.asked == 1


def test_the_part_of_a_batch_that_was_answered_before_a_model_is_given_up_counts(runner: Ask) -> None:
    class GivenUp(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            if len(batch) > 2:
                raise ValueError("too many")
            if batch[0].text == "c":
                raise ModelError("no more")
            return ["paid for" for _ in batch]

    asking = runner(GivenUp())
    with pytest.raises(ModelError, match="no more"):
        asking.run(of("a", "b", "c", "d"))
    assert asking.asked == 2


def test_what_one_of_several_batches_raises_ends_the_asking(runner: Ask) -> None:
    class Ends(Model):
        batches_at_once = 3

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            if batch[0].text == "b":
                raise SystemExit(3)
            over.wait(60)
            return []

    over = threading.Event()
    began = time.monotonic()
    with pytest.raises(SystemExit):
        runner(Ends(batch_size=1)).run(of("a", "b", "c"))
    assert time.monotonic() - began < 10, "nobody waits for the others"
    over.set()
