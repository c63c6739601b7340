"""A model that gives the outcome of each input by itself: each is handed on at once, and none is asked for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.models.conftest import Ask


class Streaming:
    """Answers backwards, by the number that is the text; odd ones fail if ``odd_fail``."""

    batch_size, largest_batch = 4, 64

    def __init__(self, *, odd_fail: bool = False, outcome: Callable[[str], object] = Answer, most: int = 1000) -> None:
        self.odd_fail = odd_fail
        self.outcome = outcome
        self.most = most
        self.asked: list[str] = []

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        raise AssertionError("a run streams")

    def stream_answers(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, object]]:
        for place in range(min(len(batch), self.most))[::-1]:
            text = batch[place].text
            self.asked.append(text)
            yield place, ValueError(text) if self.odd_fail and int(text) % 2 else self.outcome(text)


def wrapped(model: object) -> LoadedModel:
    return wrap_model("streaming", model, ModelOptions())


@pytest.fixture
def batch(ask: Ask) -> list[ModelInput]:
    return [ask(text=str(number)) for number in range(4)]


def test_outcomes_are_in_the_order_of_the_inputs_and_handed_on_as_they_come(batch: list[ModelInput]) -> None:
    model = Streaming(odd_fail=True)
    given: list[tuple[str, str]] = []
    found = BatchBisector(wrapped(model)).run(
        Task.VQA, batch, lambda inputs, answers: given.append((inputs[0].text, answers[0].text))
    )
    assert found == [Answer("0"), Failure(reason="ValueError: 1"), Answer("2"), Failure(reason="ValueError: 3")]
    assert given == [("2", "2"), ("0", "0")]
    assert model.asked == ["3", "2", "1", "0"], "none twice"


def test_a_batch_that_was_answered_makes_the_next_larger(batch: list[ModelInput]) -> None:
    whole, half = wrapped(Streaming()), wrapped(Streaming(odd_fail=True))
    for model in (whole, half):
        BatchBisector(model).run(Task.VQA, batch)
    assert (whole.batch_size, half.batch_size) == (8, 4)


def test_a_model_that_only_fails_is_disabled_in_the_middle_of_a_batch(ask: Ask) -> None:
    model = Streaming(odd_fail=True)
    with pytest.raises(ModelError, match="failed on each of 32 queries: ValueError: 1"):
        BatchBisector(wrapped(model)).run(Task.VQA, [ask(text="1", trial=number) for number in range(50)])
    assert len(model.asked) == 32


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (Streaming(most=3), "to give 4 outcomes, one per input, but 1 lack"),
        (
            Streaming(outcome=lambda _: 7),
            r"to return an Answer\(text, scores\), a Declined or a str for each input, but got 7",
        ),
    ],
)
def test_what_breaks_the_protocol_disables_the_model(model: Streaming, told: str, batch: list[ModelInput]) -> None:
    loaded = wrapped(model)
    with pytest.raises(ModelError, match=told):
        BatchBisector(loaded).run(Task.VQA, batch)
    with pytest.raises(ModelError, match="Model 'streaming' is disabled: Expected stream_answers"):
        BatchBisector(loaded).run(Task.VQA, batch)


@pytest.mark.parametrize("given", [(4, "yes"), (-1, "yes"), (0, "no"), ([], "yes"), "yes", None], ids=repr)
def test_an_index_that_is_none_of_the_batch_or_comes_twice_disables_the_model(
    given: object, batch: list[ModelInput]
) -> None:
    class Confused(Streaming):
        def stream_answers(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, object]]:
            yield 0, "yes"
            yield given  # type: ignore[misc]  # it is what the test is about

    with pytest.raises(ModelError, match=r"the index of an input, each once, and its outcome, but got .* batch of 4"):
        BatchBisector(wrapped(Confused())).run(Task.VQA, batch)


def test_a_method_that_yields_nothing_at_all_disables_the_model(batch: list[ModelInput]) -> None:
    class Forgetful(Streaming):
        def stream_answers(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, object]]:
            return None  # type: ignore[return-value]  # it is what the test is about

    with pytest.raises(ModelError, match=r"to yield pairs of an index and an outcome, but got None \(NoneType\)"):
        BatchBisector(wrapped(Forgetful())).run(Task.VQA, batch)


def test_what_a_model_raises_in_the_middle_costs_the_one_input_that_it_fails_on(batch: list[ModelInput]) -> None:
    class Breaking(Streaming):
        def stream_answers(self, _task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, object]]:
            yield 0, "streamed"
            raise ConnectionError("gone")

        def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
            if any(each.text == "2" for each in batch):
                raise ValueError("two")
            return tuple(Answer(each.text) for each in batch)

    given: list[str] = []
    found = BatchBisector(wrapped(Breaking())).run(
        Task.VQA, batch, lambda _inputs, answers: given.extend(answer.text for answer in answers)
    )
    assert found == [Answer("streamed"), Answer("1"), Failure(reason="ValueError: two"), Answer("3")]
    assert given == ["streamed", "1", "3"], "each once"


def test_a_method_of_another_purpose_is_not_called(batch: list[ModelInput]) -> None:
    class Other:
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            return ["yes"] * len(batch)

        def stream_answers(self) -> None:
            raise AssertionError("it takes no batch")

    assert BatchBisector(wrapped(Other())).run(Task.VQA, batch) == [Answer("yes")] * 4
