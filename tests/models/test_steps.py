"""What was made ready is used, by the very batch it was made for, and memory that runs out costs what is kept first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers import runtime
from pytest_vqamt.models.transformers.runtime import ForwardStep, Runtime, TwoStepModel
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.small.inputs import asked
from tests.rows import each_row

CPU = ModelOptions(device="cpu")

ONE, OTHER = asked("wide", "one"), asked("tall", "other")


class Counting(TwoStepModel):
    """Answers with the texts, counts its steps, keeps something on the device, and raises what it is told to."""

    def __init__(self) -> None:
        self.ready: list[tuple[Task, int]] = []
        self.computed = 0
        self.kept = 1
        self.halved = 0
        self.raises: list[Exception] = []
        super().__init__(Runtime.of(CPU), self)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answer_batch(Task.VQA, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answer_batch(Task.ENTAILMENT, batch)

    def release(self) -> bool:
        had, self.kept = bool(self.kept), 0
        return had

    def halve(self) -> None:
        self.halved += 1

    def _preprocess(self, task: Task, batch: Sequence[ModelInput]) -> ForwardStep:
        self.ready.append((task, len(batch)))
        texts = [each.text for each in batch]

        def rest() -> tuple[Answer, ...]:
            self.computed += 1
            if self.raises:
                raise self.raises.pop()
            assert torch.is_inference_mode_enabled()
            return tuple(map(Answer, texts))

        return rest


def test_what_was_made_ready_is_not_made_again() -> None:
    counting = Counting()
    model, batch = wrap_model("mine", counting, CPU), [ONE, OTHER]
    model.prepare(Task.VQA, batch)
    assert (counting.ready, counting.computed) == ([(Task.VQA, 2)], 0)
    assert model.ask(Task.VQA, batch) == (Answer("one"), Answer("other"))
    assert (counting.ready, counting.computed) == ([(Task.VQA, 2)], 1)
    assert batch[0].prepared is None


def test_a_batch_that_was_not_prepared_is_made_ready_when_it_is_asked() -> None:
    counting = Counting()
    assert counting.answer([ONE]) == (Answer("one"),)
    assert counting.ready == [(Task.VQA, 1)]


@each_row("other", [[ONE], [OTHER], [OTHER, ONE], [ONE, OTHER, ONE]])
def test_a_part_or_another_order_of_what_was_prepared_is_made_ready_anew(other: list[ModelInput]) -> None:
    counting = Counting()
    counting.prepare(Task.VQA, [ONE, OTHER])
    assert counting.answer(other) == tuple(Answer(each.text) for each in other)
    assert counting.ready[1:] == [(Task.VQA, len(other))]


def test_what_was_prepared_for_another_task_or_by_another_model_is_not_used() -> None:
    counting = Counting()
    counting.prepare(Task.VQA, [ONE])
    counting.entail([ONE])
    assert counting.ready[1:] == [(Task.ENTAILMENT, 1)]
    Counting().prepare(Task.ENTAILMENT, [ONE])
    counting.entail([ONE])
    assert counting.ready[2:] == [(Task.ENTAILMENT, 1)]


def test_nothing_is_made_ready_of_nothing() -> None:
    counting = Counting()
    counting.prepare(Task.VQA, [])
    assert counting.answer([]) == ()
    assert not counting.ready


@pytest.fixture(autouse=True)
def _memory_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of torch and transformers, which takes a second; test_batching does it."""
    monkeypatch.setattr(runtime, "free_memory", lambda: None)


def test_where_memory_runs_out_what_is_kept_is_given_up_and_the_batch_asked_again() -> None:
    counting = Counting()
    counting.raises = [torch.OutOfMemoryError("CUDA out of memory")]
    assert counting.answer([ONE]) == (Answer("one"),)
    assert (counting.kept, counting.computed, len(counting.ready)) == (0, 2, 1)
    assert counting.halved == 1


def test_where_nothing_is_kept_or_it_runs_out_again_the_batch_has_failed() -> None:
    counting = Counting()
    counting.raises = [torch.OutOfMemoryError("once more"), torch.OutOfMemoryError("CUDA out of memory")]
    with pytest.raises(torch.OutOfMemoryError, match="once more"):
        counting.answer([ONE])
    counting.raises = [torch.OutOfMemoryError("and again")]
    with pytest.raises(torch.OutOfMemoryError, match="and again"):
        counting.answer([ONE])
    assert counting.computed == 3
    assert counting.halved == 0, "a larger batch is tried again and again: a run would end without caches"


def test_another_exception_costs_nothing_that_is_kept() -> None:
    counting = Counting()
    counting.raises = [ValueError("too dark")]
    with pytest.raises(ValueError, match="too dark"):
        counting.answer([ONE])
    assert (counting.kept, counting.computed) == (1, 1)
