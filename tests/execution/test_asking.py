"""Each distinct query is asked once, in full batches, and a failing batch costs only the query that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import Asker
from pytest_vqamt.execution.leases import Run
from pytest_vqamt.execution.prefetch import Showing
from tests.execution.worlds import Model, Scenes, loaded, query
from tests.making import scene_of


@dataclass
class Bench:
    """What an asker needs, and what it tells."""

    store: AnswerStore
    showing: Showing
    told: list[int]

    def asker(self, model: object) -> Asker:
        return Asker(loaded(model), self.store, self.showing, self.told.append)


@pytest.fixture
def bench() -> Iterator[Bench]:
    showing = Showing(Scenes(1), 4)
    with AnswerStore(None) as store:
        yield Bench(store=store, showing=showing, told=[])
    showing.close()


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
    asker = bench.asker(model)
    found = asker.ask(queries)
    assert found == {name: Answer(f"to {asked.text}") for name, asked in queries.items()}
    assert [len(call) for call in model.calls] == [4, 4, 2]
    assert bench.told == [4, 4, 2]
    assert (asker.asked, asker.cached) == (10, 0)


def test_a_batch_is_of_one_task(bench: Bench) -> None:
    class Both(Model):
        def entail(self, batch: Sequence[ModelInput]) -> list[str]:
            assert {each.query.task for each in batch} == {Task.ENTAILMENT}
            return ["neutral" for _ in batch]

    model = Both()
    queries = by_id(*(query(f"{place}", task=task) for place in range(3) for task in (Task.ENTAILMENT, Task.VQA)))
    found = bench.asker(model).ask(queries)
    assert model.calls == [["0", "1", "2"]]
    assert sorted(str(getattr(answer, "text", None)) for answer in found.values()) == ["neutral"] * 3 + ["same"] * 3


def test_what_is_asked_of_one_picture_is_asked_together(bench: Bench) -> None:
    first, second = (scene_of("dog", id=name).picture for name in ("first", "second"))
    model = Model(batch_size=3)
    asked = [query(f"{n} of {name}", picture=picture) for n in range(3) for name, picture in zip("ab", (first, second))]  # noqa: B905
    bench.asker(model).ask(by_id(*asked))
    assert model.calls == [["0 of a", "1 of a", "2 of a"], ["0 of b", "1 of b", "2 of b"]]


def test_what_is_known_is_not_asked(bench: Bench) -> None:
    model = Model(fingerprint="F")
    bench.store.put("F", {query("known").id: Answer("from before")})
    asker = bench.asker(model)
    known, lacking = asker.look_up([query("known"), query("new"), query("known"), query("new")])
    assert known == {query("known").id: Answer("from before")}
    assert list(lacking.values()) == [query("new")]
    asker.ask(lacking)
    assert model.asked == ["new"]
    again, nothing = asker.look_up([query("new")])
    assert (again, nothing) == ({query("new").id: Answer("same")}, {})


def test_what_an_earlier_run_has_left_counts_as_cached_once(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with AnswerStore(file, run=Run(id="earlier")) as store:
        store.put("F", {query("known").id: Answer("from before")})
    with AnswerStore(file, run=Run(id="now")) as store:
        first, second = (Asker(loaded(Model(fingerprint="F")), store, bench.showing, print) for _ in range(2))
        for asker in (first, second):
            assert asker.look_up([query("known"), query("known")])[0] == {query("known").id: Answer("from before")}
        assert (first.cached, second.cached) == (1, 0)
        assert (first.asked, second.asked) == (0, 0)


def test_each_batch_is_kept_before_the_next_is_asked(bench: Bench) -> None:
    queries = numbered(8)
    kept_before: list[int] = []

    class Looks(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            kept_before.append(len(bench.store.get("F", tuple(queries))))
            return Model.answer(self, batch)

    bench.asker(Looks(fingerprint="F")).ask(queries)
    assert kept_before == [0, 4]


@pytest.mark.parametrize("bad", range(7))
def test_the_one_bad_query_is_found(bench: Bench, bad: int) -> None:
    model = Model(reply=raises(f"number {bad}"))
    queries = numbered(7)
    found = bench.asker(model).ask(queries)
    for place, (name, asked) in enumerate(queries.items()):
        if place == bad:
            assert found[name] == Failure(reason=f"ValueError: cannot read number {bad}")
        else:
            assert found[name] == Answer(f"to {asked.text}")


def test_a_failure_is_not_kept(bench: Bench) -> None:
    model = Model(reply=raises("number 1"), fingerprint="F")
    queries = numbered(3)
    bench.asker(model).ask(queries)
    assert [name in bench.store.get("F", tuple(queries)) for name in queries] == [True, False, True]


def test_a_long_message_is_cut(bench: Bench) -> None:
    def reply(text: str) -> str:
        raise ValueError("x" * 1000)

    (failure,) = bench.asker(Model(reply=reply)).ask(numbered(1)).values()
    assert isinstance(failure, Failure)
    assert failure.reason == "ValueError: " + "x" * 299 + "…"


def test_a_model_that_fails_on_all_is_given_up_after_32(bench: Bench) -> None:
    model = Model(reply=raises(*(f"number {place}" for place in range(100))), batch_size=1)
    with pytest.raises(ModelError, match="model 'made' to answer, but it failed on each of 32 queries: ValueError: "):
        bench.asker(model).ask(numbered(100))
    assert len(model.calls) == 32


def test_one_that_has_answered_is_not_given_up(bench: Bench) -> None:
    model = Model(reply=raises(*(f"number {place}" for place in range(1, 100))), batch_size=1)
    found = bench.asker(model).ask(numbered(100))
    assert sum(isinstance(each, Failure) for each in found.values()) == 99


def test_a_broken_protocol_is_not_searched_for_a_bad_query(bench: Bench) -> None:
    class Short(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            return Model.answer(self, batch)[1:]

    model = Short()
    with pytest.raises(ModelError, match="to return 4 answers, one per input, but got 3"):
        bench.asker(model).ask(numbered(8))
    assert len(model.calls) == 1


def test_a_picture_that_cannot_be_read_costs_its_queries(bench: Bench) -> None:
    class Looks(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            for each in batch:
                assert each.image.size == (200, 100)
            return Model.answer(self, batch)

    unreadable = scene_of("dog", id="unreadable").picture
    queries = by_id(query("a"), query("b", picture=unreadable), query("c", picture=unreadable), query("d"))
    found = list(bench.asker(Looks()).ask(queries).values())
    failure = Failure(reason="OSError: no such photo")
    assert sorted(found, key=str) == sorted([Answer("same"), Answer("same"), failure, failure], key=str)
