"""Batches double while all goes well, and halve for good where memory runs out."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.models.batching import BatchSize, BatchSizes, free_memory, is_out_of_memory
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


def test_it_halves_where_memory_runs_out_and_grows_again_after_16_batches_then_64() -> None:
    size = BatchSize(8, largest=64)
    size.grow_after(8)
    size.grow_after(16)
    size.shrink_after(32)
    for batches in (16, 64):
        for _ in range(batches):
            assert size.current == 16
            size.grow_after(16)
        assert size.current == 32
        size.shrink_after(32)
    assert size.current == 16


def test_halves_that_fail_within_a_batch_count_once() -> None:
    size = BatchSize(32)
    # 32 failed, and so did its first half; both of its quarters fitted, and then the other half was cut, too.
    for failed in (16, 16, 32):
        size.shrink_after(failed)
    assert size.current == 8
    for _ in range(16):
        assert size.current == 8
        size.grow_after(8)
    assert size.current == 16


def test_one_alone_is_the_least() -> None:
    size = BatchSize(1)
    size.shrink_after(1)
    assert size.current == 1


@given(st.integers(1, 64), st.integers(1, 512), st.lists(st.booleans(), max_size=40))
def test_it_stays_between_one_and_the_most(first: int, most: int, fits: list[bool]) -> None:
    size = BatchSize(first, largest=most)
    for fit in fits:
        tried = size.current
        if fit:
            size.grow_after(tried)
        else:
            size.shrink_after(tried)
            assert size.current < tried or tried == 1
        assert 1 <= size.current <= max(first, most)


def test_what_the_user_says_does_not_grow() -> None:
    model = wrap_model("m", Grows(), ModelOptions(batch_size=5))
    model.batch.grow_after(5, 300_000)
    assert model.batch_size == 5
    assert wrap_model("m", Grows(), ModelOptions()).batch_size == 4


@each_row(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("CUDA error: out of memory"),
        RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"),
        RuntimeError("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"),
        RuntimeError("Unable to find a valid cuDNN algorithm to run convolution"),
        RuntimeError("HIP error: hipErrorOutOfMemory"),
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


def test_larger_pictures_shrink_with_smaller_ones_but_not_the_other_way_round() -> None:
    sizes = BatchSizes(8, largest=64)
    for size in (8, 16, 32):
        sizes.grow_after(size, 300_000)
    assert [sizes.limit(pixels) for pixels in (10_000, 300_000, 12_000_000)] == [64, 64, 22]
    sizes.shrink_after(16, 1_000_000)
    assert [sizes.limit(pixels) for pixels in (10_000, 300_000, 1_000_000, 12_000_000)] == [64, 64, 8, 8]
    assert sizes.current == 64


def test_a_batch_grows_to_three_gigabytes_at_most_and_holds_what_the_user_names() -> None:
    grown, named = BatchSizes(8, largest=128), BatchSizes(128)
    for size in (8, 16, 32, 64):
        grown.grow_after(size, 12_000_000)
    assert (grown.limit(12_000_000), named.limit(12_000_000)) == (22, 128)
