"""What a model has answered is kept and never asked again, whatever ends the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.prefetch import InputPipeline
from tests.execution.worlds import Model, Scenes, loaded, query

WORDS = [f"number {place}" for place in range(8)]
QUERIES: dict[str, Query] = {each.id: each for each in map(query, WORDS)}

Ask = Callable[[Model], dict[str, Answer | Failure]]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Asks the model all that the file lacks, over a connection of its own, as another process would."""
    pipeline = InputPipeline(Scenes(1), 4)

    def through_the_file(model: Model) -> dict[str, Answer | Failure]:
        with AnswerStore(tmp_path / "answers.sqlite") as store:
            runner = QueryRunner(loaded(model), store, pipeline, lambda _: None)
            known, lacking = runner.look_up(QUERIES.values())
            return {**known, **runner.run(lacking)}

    yield through_the_file
    pipeline.close()


class Remembers(Model):
    """A model that fails, or ends, at some texts, and remembers what it has answered."""

    def __init__(self, at: dict[str, BaseException], batch_size: int = 8) -> None:
        super().__init__(fingerprint="F", batch_size=batch_size)
        self._at = at
        self.answered: list[str] = []

    def answer(self, batch: object) -> list[str]:
        assert isinstance(batch, list | tuple)
        texts = [str(each.text) for each in batch]
        self.calls.append(texts)
        for text in texts:
            if text in self._at:
                raise self._at[text]
        self.answered += texts
        return ["same"] * len(texts)


@pytest.mark.parametrize("bad", [[0], [7], [3, 4], [0, 1, 2, 3], [1, 3, 5, 7]])
def test_a_split_asks_for_no_answer_twice(ask: Ask, bad: list[int]) -> None:
    model = Remembers({WORDS[place]: ValueError("no") for place in bad})
    found = ask(model)
    good = [word for place, word in enumerate(WORDS) if place not in bad]
    assert sorted(model.answered) == sorted(good)
    assert [text for text in WORDS if isinstance(found[query(text).id], Answer)] == good


def test_a_later_run_asks_only_what_failed(ask: Ask) -> None:
    ask(Remembers({WORDS[2]: ValueError("no"), WORDS[5]: ValueError("no")}))
    later = Remembers({})
    assert set(ask(later).values()) == {Answer("same")}
    assert sorted(later.answered) == [WORDS[2], WORDS[5]]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SystemExit(3), ModelError("gone")], ids=repr)
def test_what_ends_the_run_costs_no_more_than_the_batch_it_ends_in(ask: Ask, end: BaseException) -> None:
    first = Remembers({WORDS[5]: end}, batch_size=2)
    with pytest.raises(type(end)):
        ask(first)
    assert first.answered == WORDS[:4]
    later = Remembers({}, batch_size=2)
    ask(later)
    assert later.answered == WORDS[4:]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), ModelError("gone")], ids=repr)
def test_what_was_answered_of_a_batch_that_was_split_is_kept(ask: Ask, end: BaseException) -> None:
    class AtMostFour(Remembers):
        """Cannot take eight at once; the run ends in the second four."""

        def answer(self, batch: object) -> list[str]:
            assert isinstance(batch, list | tuple)
            if len(batch) > 4:
                raise MemoryError("too many at once")
            return super().answer(batch)

    first = AtMostFour({WORDS[5]: end})
    with pytest.raises(type(end)):
        ask(first)
    assert first.answered == WORDS[:4]
    later = Remembers({})
    ask(later)
    assert later.answered == WORDS[4:]


def test_two_at_once_find_each_others_answers(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / "answers.sqlite") as one, AnswerStore(tmp_path / "answers.sqlite") as other:
        one.put("F", {"a": Answer("first")})
        other.put("F", {"a": Answer("second"), "b": Answer("third")})
        for store in (one, other):
            assert store.get("F", ("a", "b")) == {"a": Answer("first"), "b": Answer("third")}


@pytest.mark.parametrize(
    "touch",
    [
        lambda store: store.get("F", ("a",)),
        lambda store: store.cases("a"),
        lambda store: store.put("F", {"a": Answer("yes")}),
    ],
    ids=["get", "case", "put"],
)
def test_a_store_that_was_closed_says_so(touch: Callable[[AnswerStore], object], tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.sqlite")
    store.close()
    store.close()
    with pytest.raises(VqamtError, match="closed database"):
        touch(store)
