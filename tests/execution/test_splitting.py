"""A batch that fails is split down to what fails, from as many threads as there are."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.execution.inference import Splitting
from pytest_vqamt.execution.prefetch import RenderAhead
from tests.execution.worlds import Model, Scenes, loaded, query


def inputs(*texts: str) -> list[ModelInput]:
    pictures = RenderAhead(Scenes(1), 4)
    return [ModelInput(query(text), pictures.image) for text in texts]


def refuses(text: str) -> str:
    if text.startswith("bad"):
        raise ValueError(f"no {text}")
    return f"to {text}"


def test_answers_come_in_the_order_of_the_inputs() -> None:
    found = Splitting(loaded(Model(reply=refuses))).ask(Task.VQA, inputs("a", "bad b", "c", "bad d", "e"))
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

    Splitting(loaded(model)).ask(Task.VQA, inputs("a", "b", "c", "bad"), keep)
    # All four fail; the first two are answered; of the others one is, and one not.
    assert kept == [(["a", "b"], 2), (["c"], 4)]


def test_counts_hold_from_several_threads() -> None:
    model = loaded(Model(reply=refuses))
    splitting = Splitting(model)
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda n: splitting.ask(Task.VQA, inputs(f"good {n}", f"bad {n}")), range(100)):
            pass
    assert (splitting.succeeded, splitting.failed) == (100, 100)
    assert (model.standing.answered, model.standing.failed) == (100, 100)


def test_a_model_that_was_given_up_on_one_thread_is_asked_by_no_other() -> None:
    model = Model(reply=lambda text: refuses(f"bad {text}"), batch_size=1)
    splitting = Splitting(loaded(model))
    for number in range(31):
        splitting.ask(Task.VQA, inputs(str(number)))
    with pytest.raises(ModelError, match="it failed on each of 32 queries: ValueError: no bad 31"):
        splitting.ask(Task.VQA, inputs("31"))
    with pytest.raises(ModelError, match="was given up before"):
        splitting.ask(Task.VQA, inputs("32"))
    assert len(model.calls) == 32


def test_time_with_two_batches_counts_once() -> None:
    begun, may_end = threading.Barrier(3), threading.Event()

    class Waits(Model):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            begun.wait(30)
            assert may_end.wait(30)
            return ["same" for _ in batch]

    splitting = Splitting(loaded(Waits()))
    assert splitting.busy_s == 0
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(splitting.ask, Task.VQA, inputs(text)) for text in "ab"]
        begun.wait(30)
        assert not may_end.wait(0.2)
        assert splitting.busy_s >= 0.2, "it is at work now"
        may_end.set()
        for each in asked:
            each.result(timeout=30)
    after = splitting.busy_s
    assert after >= 0.2
    assert not threading.Event().wait(0.05)
    assert splitting.busy_s == after, "it is at rest"
