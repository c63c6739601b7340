"""A batch that would not be full is filled up with what comes later, which is made ready while the model works."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner, QuerySource, no_look_ahead
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

    def of(model: object, more: QuerySource = no_look_ahead, later: QuerySource = no_look_ahead) -> QueryRunner:
        return QueryRunner(adopted.setdefault(id(model), loaded(model)), store, pipeline, lambda _: None, more, later)

    yield of
    pipeline.close()


def of(*texts: str) -> dict[str, Query]:
    return {each.id: each for each in map(query, texts)}


def from_list(*texts: str) -> QuerySource:
    """Gives queries of these texts, each once."""
    left = [query(text) for text in texts]

    def more(task: Task, n: int) -> Sequence[Query]:
        given = [each for each in left if each.task is task][:n]
        for each in given:
            left.remove(each)
        return given

    return more


def test_the_last_batch_is_filled_up(runner: Ask) -> None:
    model = Model()
    more = from_list("later 1", "later 2", "later 3", "later 4")
    first = runner(model, more)
    assert first.run(of("a", "b", "c", "d", "e")).keys() == of("a", "b", "c", "d", "e").keys()
    assert model.calls == [["a", "b", "c", "d"], ["e", "later 1", "later 2", "later 3"]]
    assert first.asked == 5, "the others count where they are needed"
    second = runner(model, more)
    known, lacking = second.look_up(of("later 1", "later 3", "a").values())
    assert known.keys() == of("later 1", "later 3", "a").keys()
    assert not lacking
    assert (second.asked, second.cached) == (2, 0)


def test_a_full_batch_is_left_alone_and_nothing_is_asked_for_its_own_sake(runner: Ask) -> None:
    model = Model()
    runner(model, from_list("later")).run(of("a", "b", "c", "d"))
    runner(model, from_list("later")).run({})
    assert model.calls == [["a", "b", "c", "d"]]


def test_what_is_known_or_about_to_be_asked_fills_nothing_up(runner: Ask, store: AnswerStore) -> None:
    model = Model()
    store.put("undeclared:made", {query("known").id: Answer("same")})
    runner(model, from_list("a", "known", "f", "known", "new")).run(of("a", "b", "c", "d", "f"))
    assert model.calls == [["a", "b", "c", "d"], ["f", "new"]]


def test_each_task_has_its_own(runner: Ask) -> None:
    class Both(Model):
        def entail(self, batch: Sequence[ModelInput]) -> list[str]:
            return Model.answer(self, batch)

    def more(task: Task, n: int) -> Sequence[Query]:
        return given.pop(task, ())

    given = {Task.VQA: (query("asked"),), Task.ENTAILMENT: (query("entailed", task=Task.ENTAILMENT),)}
    model = Both()
    queries = [query("a"), query("b", task=Task.ENTAILMENT)]
    runner(model, more).run({each.id: each for each in queries})
    assert model.calls == [["a", "asked"], ["b", "entailed"]]


def test_what_fails_ahead_of_its_turn_fails_nobody(runner: Ask) -> None:
    def reply(text: str) -> str:
        if text.startswith("bad"):
            raise ValueError("no")
        return "same"

    model = Model(reply=reply)
    first = runner(model, from_list("bad"))
    assert first.run(of("a")) == dict.fromkeys(of("a"), Answer("same"))
    assert (first.asked, first.last_failure) == (1, "")
    asked = len(model.calls)
    second = runner(model, from_list("bad", "good"))
    assert second.run(of("b")) == dict.fromkeys(of("b"), Answer("same"))
    assert model.calls[asked:] == [["b", "good"]], "it fills up no other batch, either"
    third = runner(model)
    assert third.look_up(of("bad").values())[1] == of("bad")
    assert set(third.run(of("bad")).values()) == {Failure(reason="ValueError: no")}
    assert len(model.calls) == asked + 1, "whoever needs it is told what is known, and it is not asked once more"
    assert (third.asked, third.last_failure) == (1, "ValueError: no")
    assert set(third.run(of("bad")).values()) == {Failure(reason="ValueError: no")}
    assert len(model.calls) == asked + 2, "whoever needs it later asks for himself"
    assert str(third.disabled_error()).endswith("it failed on each of 2 queries: ValueError: no")


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
    runner(model, from_list("h")).run(of(*"abcdefg"))
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


@dataclass
class List:
    """Queries that come later, some of which may be given to fill a batch up."""

    left: list[Query]

    def take(self, task: Task, n: int) -> Sequence[Query]:
        given = self.peek(task, n)
        self.left = [each for each in self.left if each not in given]
        return given

    def peek(self, task: Task, n: int) -> Sequence[Query]:
        return [each for each in self.left if each.task is task][:n]


def test_what_the_next_items_ask_is_prepared_while_the_last_batch_is_answered(runner: Ask, store: AnswerStore) -> None:
    model = Prepares()
    model.batch_size = 4
    later = List([query(text) for text in "defghijkl"])
    runner(model, later.take, later.peek).run(of(*"abc"))
    # The next item needs the same in another order, and is filled up with what comes after it.
    later.left = [query(text) for text in "hijkl"]
    runner(model, later.take, later.peek).run(of(*"gfe"))
    assert model.told == [("prepared", "efgh"), ("answered", "abcd"), ("prepared", "ijkl"), ("answered", "efgh")]
    assert model.lacked == [*"abcd"]
    # What then is asked otherwise than was thought is asked nevertheless, and what is known is not made ready for.
    store.put("undeclared:made", {query("m").id: Answer("same")})
    later.left = [query("m"), query("n"), query("l")]
    runner(model, no_look_ahead, later.peek).run(of(*"xki"))
    assert model.told[4:] == [("prepared", "nl"), ("answered", "xki")]
    assert model.lacked == [*"abcd", "x"]


def test_what_cannot_be_prepared_ahead_of_its_turn_is_asked_in_it(runner: Ask) -> None:
    class Breaks(Prepares):
        def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
            raise ValueError("no")

    model = Breaks()
    runner(model, no_look_ahead, List([query("c")]).peek).run(of(*"ab"))
    assert runner(model).run(of("c")) == dict.fromkeys(of("c"), Answer("same"))
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
    asking = runner(model, from_list("later"))
    texts = [f"number {place}" for place in range(15)]
    assert asking.run(of(*texts)) == {name: Answer(f"to {each.text}") for name, each in of(*texts).items()}
    assert sorted(model.asked) == sorted([*texts, "later"])
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

    asking = runner(GivenUp(), from_list("later"))
    with pytest.raises(ModelError, match="no more"):
        asking.run(of("a", "b", "c"))
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
