"""Each worker has a device of its own, and shares one only where the user says so."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers import runtime
from pytest_vqamt.models.transformers.placement import spread_devices
from pytest_vqamt.models.transformers.runtime import Runtime, device_of
from tests.rows import each_row


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """So many devices, as far as torch is asked."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: request.param > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: request.param)


@pytest.mark.parametrize("devices", [0], indirect=True)
def test_without_devices_it_is_the_processor(devices: None) -> None:
    assert device_of(ModelOptions(workers=8, worker=3)) == "cpu"
    with pytest.raises(ModelError, match=r"=cuda:0 to be there, .* finds no CUDA device: give --vqamt-device=cpu"):
        device_of(ModelOptions(device="cuda:0"))


@pytest.mark.parametrize("devices", [4], indirect=True)
def test_each_worker_has_its_own(devices: None) -> None:
    assert [device_of(ModelOptions(worker=worker, workers=4)) for worker in range(4)] == [
        "cuda:0",
        "cuda:1",
        "cuda:2",
        "cuda:3",
    ]


@pytest.mark.parametrize("devices", [2], indirect=True)
def test_more_workers_than_devices_share_only_where_the_user_says_so(devices: None) -> None:
    with pytest.raises(ModelError, match=r"at most 2 workers for 2 CUDA devices, .* -n 3: give -n 2, or .*=cuda to"):
        device_of(ModelOptions(workers=3))
    assert [device_of(ModelOptions(device="cuda", worker=worker, workers=3)) for worker in range(3)] == [
        "cuda:0",
        "cuda:1",
        "cuda:0",
    ]
    assert device_of(ModelOptions(device="cuda:1", worker=0, workers=3)) == "cuda:1"
    assert device_of(ModelOptions(device="cpu", workers=3)) == "cpu"


@pytest.mark.parametrize("devices", [2], indirect=True)
def test_a_number_with_zeros_before_it_is_the_device_that_torch_calls_by_fewer(devices: None) -> None:
    """torch.device refuses "cuda:01" with an error of its own, and two spellings of one are no two devices."""
    assert torch.device(device_of(ModelOptions(device="cuda:01"))) == torch.device("cuda:1")
    with pytest.raises(ModelError, match="Expected different devices, but got --vqamt-device=cuda:0"):
        spread_devices(ModelOptions(device="cuda:0+cuda:00"))


@pytest.mark.parametrize("devices", [2], indirect=True)
def test_a_device_that_is_not_there_is_refused(devices: None) -> None:
    with pytest.raises(ModelError, match="from cuda:0 to cuda:1, but got device='cuda:2'"):
        device_of(ModelOptions(device="cuda:2"))


@pytest.mark.parametrize("devices", [2], indirect=True)
def test_what_chooses_no_device_takes_that_of_the_worker_on_each_thread(
    devices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []

    class Here:
        def __init__(self, device: torch.device) -> None:
            self.device = device

        def __enter__(self) -> None:
            taken.append(self.device)

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    monkeypatch.setattr(torch.cuda, "device", Here)
    here = Runtime.of(ModelOptions(worker=1, workers=2))
    with here.inference(), here.preprocessing():
        assert taken == [torch.device("cuda:1")] * 3
    Runtime.of(ModelOptions(device="cpu"))
    assert len(taken) == 3


def test_precisions() -> None:
    assert Runtime.of(ModelOptions(device="cpu")).dtype == "float32"
    assert Runtime.of(ModelOptions(device="cpu", dtype="bf16")).dtype == "bfloat16"
    with pytest.raises(OptionError, match="but got --vqamt-dtype='flaot32'; did you mean 'float32'"):
        Runtime.of(ModelOptions(device="cpu", dtype="flaot32"))


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the process may use, and no more threads than torch was told to take."""
    monkeypatch.setattr(runtime, "available_cores", lambda: 8)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    assert Runtime.of(ModelOptions(device="cpu")).threads is None
    assert Runtime.of(ModelOptions(device="cpu", workers=3)).threads == 2
    assert Runtime.of(ModelOptions(device="cpu", workers=100)).threads == 1
    assert Runtime.of(ModelOptions(device="cpu", workers=3), threads=1).threads == 1
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    assert Runtime.of(ModelOptions(device="cpu", workers=3)).threads == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call on this system")
def test_cores_that_the_process_may_not_use_are_not_counted() -> None:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert runtime.available_cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
    assert runtime.available_cores() == len(allowed)


def test_threads_are_as_before_afterwards() -> None:
    before = torch.get_num_threads()
    with Runtime(device=torch.device("cpu"), dtype="float32", threads=1).inference():
        assert torch.get_num_threads() == 1
        assert torch.is_inference_mode_enabled()
    assert torch.get_num_threads() == before


def test_the_fingerprint_tells_precisions_apart_and_not_the_devices_of_one_kind() -> None:
    plain = Runtime(device=torch.device("cpu"), dtype="float32")
    assert plain.fingerprint("m", 1, "f", "s") != plain.fingerprint("m", 1, "f", "t")
    assert plain.fingerprint("m", 1, "f") != plain.fingerprint("m", 2, "f")
    half = Runtime(device=torch.device("cpu"), dtype="bfloat16")
    assert plain.fingerprint("m", 1, "f") != half.fingerprint("m", 1, "f")
    other = Runtime(device=torch.device("cpu"), dtype="float32", threads=3)
    assert plain.fingerprint("m", 1, "f") == other.fingerprint("m", 1, "f")
    first, second = (Runtime(device=torch.device(f"cuda:{number}"), dtype="float32") for number in range(2))
    assert first.fingerprint("m", 1, "f") == second.fingerprint("m", 1, "f") != plain.fingerprint("m", 1, "f")


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


@each_row(
    ("kind", "shape"),
    [(torch.nn.Conv1d, (2, 3, 40)), (torch.nn.Conv2d, (2, 3, 40, 24)), (torch.nn.Conv3d, (2, 3, 4, 9, 9))],
)
def test_convolutions_of_16_bits_on_a_cpu_are_those_of_float32_rounded(
    kind: type[torch.nn.Conv1d | torch.nn.Conv2d | torch.nn.Conv3d], shape: tuple[int, ...]
) -> None:
    torch.manual_seed(0)
    layer = kind(3, 5, 3).to(torch.bfloat16)
    exact = kind(3, 5, 3)
    exact.load_state_dict({name: value.float() for name, value in layer.state_dict().items()})
    placed = Runtime.of(ModelOptions(device="cpu", dtype="bfloat16")).place(torch.nn.Sequential(layer))
    pixels = torch.randn(shape).to(torch.bfloat16)
    with torch.inference_mode():
        assert torch.equal(placed(pixels), exact(pixels.float()).to(torch.bfloat16))
    assert layer.weight.dtype is torch.bfloat16
