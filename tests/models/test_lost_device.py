"""A device that is lost is told from one without memory, and from a call that was wrong, by type and text."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.execution.prefetch import RenderPrefetcher
from pytest_vqamt.models.lost_device import DeviceLostError, is_device_lost
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.execution.worlds import Scenes, query


class AcceleratorError(RuntimeError):
    """As torch's, from 2.8 on."""


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))


# As these libraries write them; the first lines of torch's have five of advice below them.
LOST = (
    "CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert' in https://docs.nvidia.com/",
    "CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported",
    "CUDA error: unspecified launch failure",
    "CUDA error: uncorrectable ECC error encountered",
    "CUDA error: uncorrectable NVLink error detected during the execution",
    "CUDA error: unknown error",
    "CUDA driver error: invalid program counter",
    "CUDA error: operation not supported on global/shared address space",
    "HIP error: an illegal memory access was encountered",
    "hipErrorLaunchFailure: unspecified launch failure",
    "cudaErrorIllegalAddress: an illegal memory access was encountered",
    "CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered",
    "CUDA failure 700: an illegal memory access was encountered ; GPU=0",
    "Execution was aborted due to an error: Caused GPU Hang Error (00000003:kIOGPUCommandBufferCallbackErrorHang)",
    "Ignored (for causing prior/excessive GPU errors) (00000004:kIOGPUCommandBufferCallbackErrorSubmissionsIgnored)",
    "level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)",
    "Unable to determine the device handle for GPU 0000:41:00.0: GPU is lost. Reboot the system to recover this GPU",
)
ALIVE = (
    "CUDA out of memory. Tried to allocate 2.00 GiB",
    "CUDA error: out of memory",
    "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx(...)`",
    "CUDA error: invalid configuration argument",
    "CUDA error: no kernel image is available for execution on the device",
    "CUDA error: too many resources requested for launch",
    "CUDA error: operation not supported",
    "MPS backend out of memory (MPS allocated: 17.00 GB)",
    "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
    "expected scalar type Half but found Float",
    "index out of range in self",
)


@pytest.mark.parametrize("text", LOST)
def test_lost(torch: None, text: str) -> None:
    assert is_device_lost(RuntimeError(text))


@pytest.mark.parametrize("text", ALIVE)
@pytest.mark.parametrize("kind", [RuntimeError, ValueError])
def test_alive(torch: None, text: str, kind: type[Exception]) -> None:
    assert not is_device_lost(kind(text))


def test_the_type_alone_tells_a_new_text_and_no_library_is_needed() -> None:
    assert is_device_lost(AcceleratorError("CUDA error: something new"))
    assert not is_device_lost(AcceleratorError("CUDA error: invalid argument"))
    assert not is_device_lost(AcceleratorError("CUDA error: out of memory"))


def test_the_text_of_a_server_is_about_another_device(monkeypatch: pytest.MonkeyPatch, torch: None) -> None:
    assert not is_device_lost(ModelError(LOST[0]))
    assert not is_device_lost(ValueError(f"the server said: {LOST[0]}"))
    for name in ("torch", "cupy", "jax", "tensorflow", "onnxruntime", "mlx", "paddle"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert not is_device_lost(RuntimeError(f"500: {LOST[0]}")), "a process without such a library has no device"


def test_what_caused_an_error_counts_even_in_a_ring(torch: None) -> None:
    outer, inner = ValueError("generation failed"), RuntimeError(LOST[0])
    outer.__cause__, inner.__cause__ = inner, outer
    assert is_device_lost(outer)
    outer.__cause__ = ValueError("another")
    assert not is_device_lost(outer)


class Loses:
    """Answers so many batches, and then has no device."""

    batch_size = 4

    def __init__(self, good: int) -> None:
        self.left = good
        self.calls: list[int] = []

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        self.calls.append(len(batch))
        if len(self.calls) > self.left:
            raise AcceleratorError(LOST[0])
        return ["yes"] * len(batch)


def inputs(count: int) -> list[ModelInput]:
    pictures = RenderPrefetcher(Scenes(1), 4)
    return [ModelInput(query(str(number)), pictures.image) for number in range(count)]


def loaded(model: object) -> LoadedModel:
    return wrap_model("m", model, ModelOptions())


def test_a_batch_on_a_lost_device_is_not_halved_stored_or_counted() -> None:
    model = Loses(1)
    wrapped = loaded(model)
    bisector, stored = BatchBisector(wrapped), list[Answer]()
    bisector.run(Task.VQA, inputs(4), lambda _inputs, answers: stored.extend(answers))
    for _ in range(2):
        with pytest.raises(DeviceLostError) as raised:
            bisector.run(Task.VQA, inputs(4), lambda _inputs, answers: stored.extend(answers))
        assert str(raised.value) == (
            "Model 'm' has lost its device: AcceleratorError: CUDA error: device-side assert triggered"
        )
    assert model.calls == [4, 4], "the model is not called again"
    assert (len(stored), bisector.failed, wrapped.health.failed, wrapped.health.calls_raised) == (4, 0, 0, 0)


class Streams(Loses):
    """Gives the error as the outcome of one input, or raises it."""

    def __init__(self, *, raises: bool) -> None:
        super().__init__(0)
        self.raises = raises

    def stream_answers(self, task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, object]]:
        yield 0, Answer("yes")
        if self.raises:
            raise AcceleratorError(LOST[1])
        yield 1, AcceleratorError(LOST[1])


@pytest.mark.parametrize("raises", [True, False])
def test_one_that_streams_keeps_what_it_has_answered(raises: bool) -> None:
    stored = list[Answer]()
    bisector = BatchBisector(loaded(Streams(raises=raises)))
    with pytest.raises(DeviceLostError):
        bisector.run(Task.VQA, inputs(3), lambda _inputs, answers: stored.extend(answers))
    assert [each.text for each in stored] == ["yes"]
    assert bisector.failed == 0


def test_memory_that_cannot_be_freed_shows_an_earlier_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def freed() -> None:
        raise AcceleratorError(LOST[1])

    class Full(Loses):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            raise MemoryError

    monkeypatch.setattr("pytest_vqamt.execution.inference.free_memory", freed)
    with pytest.raises(DeviceLostError):
        BatchBisector(loaded(Full(0))).run(Task.VQA, inputs(2))


def test_other_errors_are_found_as_before() -> None:
    class Wrong(Loses):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            self.calls.append(len(batch))
            raise AcceleratorError("CUDA error: invalid configuration argument")

    model = Wrong(0)
    assert all(isinstance(each, Failure) for each in BatchBisector(loaded(model)).run(Task.VQA, inputs(2)))
    assert model.calls == [2, 1, 1]
