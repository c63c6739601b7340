"""Batches double while all goes well, and halve for good where memory runs out."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.models.batching import BatchSize, free_memory, is_out_of_memory
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.rows import each_row


class Grows:
    batch_size = 4
    largest_batch = 20

    def answer(self, batch: object) -> list[str]:
        return []


def test_it_doubles_up_to_the_most() -> None:
    size = BatchSize(4, largest=20)
    sizes = []
    for _ in range(5):
        sizes.append(size.current)
        size.grow_after(size.current)
    assert sizes == [4, 8, 16, 20, 20]


def test_a_last_batch_that_is_not_full_says_nothing() -> None:
    size = BatchSize(8, largest=64)
    size.grow_after(3)
    assert size.current == 8


def test_it_halves_where_memory_runs_out_and_stays_there() -> None:
    size = BatchSize(8, largest=64)
    size.grow_after(8)
    size.grow_after(16)
    size.shrink_after(32)
    assert size.current == 16
    size.grow_after(16)
    assert size.current == 16


def test_one_alone_is_the_least() -> None:
    size = BatchSize(1)
    size.shrink_after(1)
    assert size.current == 1


@given(st.integers(1, 64), st.integers(1, 512), st.lists(st.booleans(), max_size=40))
def test_it_stays_between_one_and_the_most(first: int, most: int, fits: list[bool]) -> None:
    size = BatchSize(first, largest=most)
    lowest_failure = 10**9
    for fit in fits:
        tried = size.current
        if fit:
            size.grow_after(tried)
        else:
            size.shrink_after(tried)
            lowest_failure = min(lowest_failure, tried)
        assert 1 <= size.current <= max(first, most)
        assert size.current < lowest_failure or size.current == 1


def test_what_the_user_says_does_not_grow() -> None:
    model = wrap_model("m", Grows(), ModelOptions(batch_size=5))
    model.batch.grow_after(5)
    assert model.batch_size == 5
    assert wrap_model("m", Grows(), ModelOptions()).batch_size == 4


@each_row(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("CUDA error: out of memory"),
        RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory"),
    ],
)
def test_exceptions_that_say_that_memory_ran_out(error: Exception) -> None:
    assert is_out_of_memory(error)


@each_row("error", [RuntimeError("out of memory"), ValueError("CUDA out of memory"), KeyError("CUDA")])
def test_exceptions_that_do_not(error: Exception) -> None:
    assert not is_out_of_memory(error)


def test_freeing_memory_wakes_no_device() -> None:
    free_memory()
    assert not torch.cuda.is_initialized()  # type: ignore[no-untyped-call]  # torch does not annotate it
