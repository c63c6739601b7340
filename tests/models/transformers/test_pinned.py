"""What a device gets, it gets without a wait; where there is none, nothing is moved."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.runtime import Runtime


def test_on_a_cpu_nothing_is_copied() -> None:
    runtime, tensor = Runtime.of(ModelOptions(device="cpu")), torch.ones(3)
    assert runtime.pin(tensor) is tensor
    assert runtime.to_device(tensor) is tensor


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_what_another_thread_pins_arrives_whole() -> None:
    runtime = Runtime.of(ModelOptions(device="cuda"))
    many = [torch.full((1 << 20,), float(number)) for number in range(20)]
    with ThreadPoolExecutor(1) as pool:
        pinned = list(pool.map(runtime.pin, many))
    assert all(tensor.is_pinned() for tensor in pinned)
    arrived = [runtime.to_device(tensor) for tensor in pinned]
    assert {tensor.device for tensor in arrived} == {runtime.device}
    assert [tensor.sum().item() for tensor in arrived] == [float(number << 20) for number in range(20)]
    assert runtime.pin(arrived[0]) is arrived[0]
