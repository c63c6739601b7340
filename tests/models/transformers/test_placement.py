"""Large and quantised checkpoints: where they go, what is refused in a line, and what a user is told.

No GPU is needed: torch is asked about devices that are not there, and a class that only notes how it is loaded.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn import Linear, Module, Parameter

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers import placement
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, load_weights, runtime_for
from pytest_vqamt.models.transformers.placement import (
    overlooked_gpu,
    saved_precision,
    spread_devices,
    weight_files,
    weights_bytes,
)
from pytest_vqamt.models.transformers.runtime import Runtime, device_of
from pytest_vqamt.models.transformers.tiny import WEIGHTS
from tests.rows import each_row

GB = 10**9
DEEP = (99_999).to_bytes(8, "little") + b"[" * 99_999


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Four cards with so much free memory of 80 GB, as far as torch is asked."""
    free = dict.fromkeys(range(4), 80 * GB)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(free))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free[torch.device(device).index], 80 * GB))
    monkeypatch.setattr(torch.cuda, "set_device", lambda _device: None)
    for name in ("memory_reserved", "memory_allocated"):
        monkeypatch.setattr(torch.cuda, name, lambda _device: 0)
    return free


@pytest.fixture
def accelerate(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> bool:
    """Whether transformers finds accelerate; it does without a parameter."""
    found = bool(getattr(request, "param", True))
    monkeypatch.setattr("transformers.utils.import_utils.is_accelerate_available", lambda: found)
    return found


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    folder = Path(shutil.copytree(WEIGHTS, tmp_path / "checkpoint"))
    return Checkpoint(folder=folder, name="org/name")


def configure(checkpoint: Checkpoint, **changes: object) -> dict[str, Any]:
    file = checkpoint.folder / "config.json"
    config = {**json.loads(file.read_text()), **changes}
    file.write_text(json.dumps(config))
    return config


class Loading(Module):
    """Notes how it is loaded, and refuses to move, as weights do that are spread or quantised."""

    given: dict[str, object]
    where: torch.device = torch.device("cpu")
    hf_device_map: dict[str, object]
    error: Exception | None = None

    @classmethod
    def from_pretrained(cls, _folder: Path, **given: object) -> tuple[Loading, dict[str, object]]:
        cls.given = given
        if cls.error is not None:
            raise cls.error
        model = cls()
        model.weight = Parameter(torch.ones(2))
        return model, {}


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Loading, "error", None)
    monkeypatch.setattr(Loading, "hf_device_map", {}, raising=False)
    monkeypatch.setattr(Loading, "to", lambda self, _device: self)


def loaded(checkpoint: Checkpoint, device: str, **settings: str) -> Loading:
    options = ModelOptions(device=device, settings=settings)
    return load_weights(Loading, checkpoint, runtime_for(checkpoint, options, spreads=True))


# How weights get there.


@pytest.mark.usefixtures("cards", "accelerate")
def test_weights_go_straight_to_the_device(checkpoint: Checkpoint) -> None:
    loaded(checkpoint, "cuda:1")
    assert Loading.given["device_map"] == {"": "cuda:1"}
    loaded(checkpoint, "cpu")
    assert "device_map" not in Loading.given


@pytest.mark.usefixtures("cards", "accelerate")
@pytest.mark.parametrize("accelerate", [False], indirect=True)
def test_without_accelerate_they_go_through_the_memory_of_the_machine(checkpoint: Checkpoint) -> None:
    loaded(checkpoint, "cuda:1")
    assert "device_map" not in Loading.given
    with pytest.raises(
        ModelError, match=r'accelerate .* spreads .*cuda:0 and cuda:1.*: pip install "pytest-vqamt\[gpu'
    ):
        loaded(checkpoint, "cuda:0+cuda:1")


@pytest.mark.usefixtures("accelerate")
def test_one_model_is_spread_over_the_named_cards_alone(checkpoint: Checkpoint, cards: dict[int, int]) -> None:
    cards[2] = 10 * GB
    loaded(checkpoint, "cuda:0+cuda:2")
    assert Loading.given["device_map"] == "balanced"
    assert Loading.given["max_memory"] == {0: 72 * GB, 2: 9 * GB}


@pytest.mark.usefixtures("cards", "accelerate")
@pytest.mark.parametrize("place", ["cpu", "disk"])
def test_layers_that_would_be_kept_elsewhere_are_refused(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(Loading, "hf_device_map", {"model.a": 0, "model.b": place})
    with pytest.raises(ModelError, match=f"but some of its layers would go to the {place}: give more cards"):
        loaded(checkpoint, "cuda:0+cuda:1")


def test_weights_that_are_there_are_not_moved() -> None:
    class Placed(Linear):
        def to(self, *_arguments: object, **_settings: object) -> Any:
            raise AssertionError("it refuses")

    assert Runtime.of(ModelOptions(device="cpu")).place(Placed(2, 2)).training is False


# Which devices.


@each_row(
    ("device", "worker", "workers", "wanted"),
    [
        ("cuda:0+cuda:1", 0, 1, ("cuda:0", "cuda:1")),
        ("cuda:0+cuda:1", 1, 2, ("cuda:2", "cuda:3")),
        ("cuda:3+cuda:1", 0, 2, ("cuda:3", "cuda:1")),
        ("cuda:3+cuda:1", 1, 2, ("cuda:0", "cuda:2")),
        ("cuda:2", 0, 1, ("cuda:2",)),
        ("auto", 3, 4, ("cuda:3",)),
    ],
)
@pytest.mark.usefixtures("cards")
def test_each_worker_has_devices_of_its_own(device: str, worker: int, workers: int, wanted: tuple[str, ...]) -> None:
    assert spread_devices(ModelOptions(device=device, worker=worker, workers=workers)) == wanted


@each_row(
    ("device", "workers", "told"),
    [
        ("cuda:0+cuda:1", 3, "2 CUDA devices for each of 3 workers, 6 in all, but there are 4: give -n 2, or fewer"),
        ("cuda:0+cuda:1+cuda:2", 2, "3 CUDA devices for each of 2 workers, 6 in all, but there are 4: give no -n, or"),
        ("cuda:0+cuda:4", 1, "from cuda:0 to cuda:3, but got device='cuda:4'"),
        ("cuda:1+cuda:1", 1, "Expected different devices, but got --vqamt-device=cuda:1+cuda:1"),
    ],
)
@pytest.mark.usefixtures("cards")
def test_devices_that_do_not_fit_are_refused(device: str, workers: int, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        spread_devices(ModelOptions(device=device, workers=workers))
    assert told in str(caught.value)


@pytest.mark.usefixtures("cards")
def test_a_model_that_is_not_spread_takes_one_device(checkpoint: Checkpoint) -> None:
    with pytest.raises(ModelError, match=r"one --vqamt-device, .* but got 'cuda:0\+cuda:1': give cuda:0"):
        runtime_for(checkpoint, ModelOptions(device="cuda:0+cuda:1"))


def test_the_gpu_of_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ModelError, match=r"=mps on a Mac .* finds none: give --vqamt-device=cpu"):
        device_of(ModelOptions(device="mps"))
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert device_of(ModelOptions(device="mps", workers=2)) == device_of(ModelOptions()) == "mps"
    assert overlooked_gpu(ModelOptions()) == ""
    # Its workers would share the one GPU, and each holds the model.
    shared = ModelOptions(workers=2)
    assert device_of(shared) == "cpu"
    assert overlooked_gpu(shared).endswith("only where --vqamt-device=mps says so")


# Whether they fit.


def test_the_size_of_weights_is_read_from_their_headers(checkpoint: Checkpoint) -> None:
    weights = load_file(checkpoint.folder / "model.safetensors")
    numbers = sum(tensor.numel() for tensor in weights.values() if tensor.is_floating_point())
    others = sum(tensor.nbytes for tensor in weights.values() if not tensor.is_floating_point())
    config = configure(checkpoint)
    sizes = {dtype: weights_bytes(checkpoint.folder, config, dtype) - others for dtype in ("float32", "bfloat16")}
    assert sizes == {"float32": 4 * numbers, "bfloat16": 2 * numbers}
    saved = weights_bytes(checkpoint.folder, config, "auto")
    assert saved == sum(tensor.nbytes for tensor in weights.values())
    # Quantised numbers stay as they are.
    quantised = configure(checkpoint, quantization_config={"quant_method": "awq"})
    assert weights_bytes(checkpoint.folder, quantised, "float32") == saved


def test_several_files_count_once_each_and_copies_beside_them_do_not(tmp_path: Path) -> None:
    for name in ("model-00001-of-00002", "model-00002-of-00002", "consolidated"):
        save_file({name: torch.zeros(100)}, tmp_path / f"{name}.safetensors")
    names = [f"model-0000{number}-of-00002" for number in (1, 2)]
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {name: f"{name}.safetensors" for name in names}}))
    assert [file.stem for file in weight_files(tmp_path)] == names
    assert weights_bytes(tmp_path, {}, "bfloat16") == 400
    (tmp_path / f"{names[1]}.safetensors").unlink()
    assert weight_files(tmp_path) == ()


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 20, (8).to_bytes(8, "little") + b'{"a": 1}', DEEP])
def test_damaged_weights_are_for_their_reader_to_tell(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    assert weights_bytes(tmp_path, {}, "float32") <= len(content)
    assert saved_precision(tmp_path, {}) == "auto"


def test_a_model_that_does_not_fit_is_told_before_it_is_read(checkpoint: Checkpoint, cards: dict[int, int]) -> None:
    cards[0] = 1_000
    Loading.given = {}
    with pytest.raises(ModelError) as caught:
        loaded(checkpoint, "cuda:0")
    said = str(caught.value)
    assert "room for model 'org/name' on cuda:0, but its weights take " in said
    assert " and 0 MB of 80.0 GB are free there: give " in said
    assert "more cards for one model (--vqamt-device=cuda:0+cuda:1)" in said
    assert "\n" not in said
    assert Loading.given == {}
    # Together they have room.
    cards[1] = 80 * GB
    runtime_for(checkpoint, ModelOptions(device="cuda:0+cuda:1"), spreads=True)


@pytest.mark.usefixtures("cards", "accelerate")
def test_layers_for_which_there_is_no_room_are_told_as_such(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Loading, "error", ValueError("some modules need to be offloaded: give an offload_folder"))
    with pytest.raises(ModelError, match="some of its layers would go to the disk: give more cards"):
        loaded(checkpoint, "cuda:0+cuda:1")


@pytest.mark.usefixtures("cards")
def test_memory_that_runs_out_while_loading_is_told_as_such(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Loading, "error", torch.OutOfMemoryError("CUDA out of memory"))
    said = []
    for dtype in ("float32", "float16"):
        runtime = runtime_for(checkpoint, ModelOptions(device="cuda:0", dtype=dtype))
        with pytest.raises(ModelError, match="room for the model on cuda:0, but it ran out of memory: give ") as caught:
            load_weights(Loading, checkpoint, runtime)
        said.append(str(caught.value).partition(": give ")[2].partition(",")[0])
    assert said == ["--vqamt-dtype=bfloat16", "more cards for one model (--vqamt-device=cuda:0+cuda:1)"]


@pytest.mark.usefixtures("cards")
def test_cards_that_are_not_there_are_not_advised() -> None:
    one = Runtime(device=torch.device("cuda:0"), dtype="bfloat16")
    everything = Runtime(device=one.device, others=tuple(torch.device("cuda", n) for n in (1, 2, 3)), dtype="bfloat16")
    assert "more cards for one model" in one.more_room
    assert "more cards" not in everything.more_room


# Quantised.


@each_row(
    ("quantisation", "told"),
    [
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "(bitsandbytes), which takes accelerate and bitsandb"),
        ({"load_in_8bit": True}, "(bitsandbytes), which takes accelerate and bitsandbytes, not installed here: pip in"),
        ({"quant_method": "gptq", "bits": 4}, "(gptq), which takes optimum and gptqmodel, not installed here: pip in"),
        ({"quant_method": "awq", "bits": 4}, "(awq), which takes accelerate and gptqmodel, not installed here: pip i"),
        ({"quant_method": "compressed-tensors"}, "which takes compressed_tensors, not installed here: pip install com"),
        ({"quant_method": "fp8"}, '(fp8), which takes accelerate, not installed here: pip install "pytest-vqamt[gpu]"'),
        (
            {"quant_method": "fbgemm_fp8"},
            "(fbgemm_fp8), which takes a GPU, and here is none, or --vqamt-device names n",
        ),
    ],
)
def test_a_quantised_checkpoint_names_what_it_lacks(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, quantisation: dict[str, object], told: str
) -> None:
    monkeypatch.setattr("pytest_vqamt.models.transformers.quantised.find_spec", lambda _name: None)
    configure(checkpoint, quantization_config=quantisation)
    with pytest.raises(ModelError) as caught:
        loaded(checkpoint, "cpu")
    assert told in str(caught.value)
    assert "'org/name' is quantised" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_with_its_package_transformers_loads_it(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_vqamt.models.transformers.quantised.find_spec", lambda _name: object())
    configure(checkpoint, quantization_config={"quant_method": "awq"})
    assert isinstance(loaded(checkpoint, "cpu"), Loading)
    monkeypatch.setattr(Loading, "error", ImportError("gptqmodel 1.0 is too old"))
    with pytest.raises(
        ModelError, match=r"quantised \(awq\), and transformers cannot load it: ImportError: gptqmodel 1"
    ):
        loaded(checkpoint, "cpu")


def test_an_unknown_method_is_for_transformers_to_tell(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Loading, "error", ValueError("Unknown quantization type, got new"))
    configure(checkpoint, quantization_config={"quant_method": "new"})
    with pytest.raises(ModelError, match=r"quantised \(new\), and transformers cannot load it: ValueError: Unknown"):
        loaded(checkpoint, "cpu")


# Attention.


def test_attention_is_loaded_as_the_user_says(checkpoint: Checkpoint) -> None:
    loaded(checkpoint, "cpu", attention="eager")
    assert Loading.given["attn_implementation"] == "eager"
    loaded(checkpoint, "cpu")
    assert "attn_implementation" not in Loading.given


@each_row(
    ("attention", "told"),
    [
        ("spda", "attention=eager|sdpa|flex_attention|flash_attention_2|flash_attention_3, but got "),
        # The code of a repository, which would be fetched and run.
        ("kernels-community/flash-attn2", "Expected attention=eager|sdpa|"),
        (
            "flash_attention_2",
            "on a CUDA device in bfloat16 or float16, but got device cpu: leave it off, or give sdpa",
        ),
    ],
)
def test_attention_that_cannot_be_is_refused(checkpoint: Checkpoint, attention: str, told: str) -> None:
    with pytest.raises(OptionError) as caught:
        loaded(checkpoint, "cpu", attention=attention)
    assert told in str(caught.value)


@pytest.mark.usefixtures("cards")
def test_flash_attention_takes_its_package_and_two_bytes(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(checkpoint, dtype="float32")
    with pytest.raises(OptionError, match="but got float32: leave it off, or give sdpa"):
        loaded(checkpoint, "cuda:0", attention="flash_attention_2")
    configure(checkpoint, dtype="bfloat16")
    monkeypatch.setattr(placement, "find_spec", lambda _name: None)
    with pytest.raises(OptionError, match=r"flash_attn to be installed for .*flash_attention_2, but it is not: pip"):
        loaded(checkpoint, "cuda:0", attention="flash_attention_2")
    with pytest.raises(OptionError, match=r"flash_attn_interface to be .*: build it from the folder hopper of https"):
        loaded(checkpoint, "cuda:0", attention="flash_attention_3")
    monkeypatch.setattr(placement, "find_spec", lambda _name: object())
    loaded(checkpoint, "cuda:0", attention="flash_attention_2")
    assert Loading.given["attn_implementation"] == "flash_attention_2"


def test_attention_that_a_model_lacks_is_told_as_such(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Loading, "error", ValueError("Loading does not support an attention of this kind"))
    with pytest.raises(
        OptionError, match=r"attention that Loading has, but got .*attention=flex_attention: ValueError"
    ):
        loaded(checkpoint, "cpu", attention="flex_attention")


# The fingerprint.


def test_precision_and_kind_of_device_are_part_of_the_fingerprint(
    checkpoint: Checkpoint, cards: dict[int, int]
) -> None:
    def made(**options: Any) -> str:
        return runtime_for(checkpoint, ModelOptions(**options)).fingerprint("m", 1, "f", "s")

    configure(checkpoint, dtype="bfloat16")
    processor = made(device="cpu")
    # As it was before devices were part of it: cached answers are kept.
    assert f" settings={digest('float32', 's')} " in processor
    assert made(device="cpu", dtype="auto") == made(device="cpu", dtype="bfloat16") != processor
    assert made(device="cuda:0") == made(device="cuda:1") == made(device="cuda:0", dtype="bf16")
    assert made(device="cuda:0") != made(device="cpu", dtype="bfloat16")
    assert made(device="cuda:0", dtype="float32") != processor
    assert made(device="cpu", settings={"attention": "eager"}) != processor


@each_row(
    ("config", "tensors", "wanted"),
    [
        ({"dtype": "bfloat16"}, {"a": torch.float32}, "bfloat16"),
        ({"torch_dtype": "float16"}, {"a": torch.float32}, "float16"),
        ({}, {"a": torch.bfloat16, "b": torch.int64}, "bfloat16"),
        ({}, {"a": torch.bfloat16, "b": torch.float32}, "auto"),
        ({"dtype": "float64"}, {"a": torch.float32}, "auto"),
        ({"dtype": 5}, {"a": torch.float32}, "auto"),
    ],
)
def test_the_precision_that_auto_means(
    tmp_path: Path, config: dict[str, object], tensors: dict[str, torch.dtype], wanted: str
) -> None:
    save_file({name: torch.zeros(2, dtype=dtype) for name, dtype in tensors.items()}, tmp_path / "model.safetensors")
    assert saved_precision(tmp_path, config) == wanted


# What is told.


def test_the_line_about_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _device: "NVIDIA H100")
    layer = Linear(1000, 1000, bias=False)
    runtime = Runtime(device=torch.device("cpu"), dtype="float32", note="there seems to be a GPU")
    assert runtime.describe(layer) == "on the CPU, float32, 4 MB: there seems to be a GPU"
    quantised = SimpleNamespace(to_dict=lambda: {"quantization_config": {"quant_method": "awq"}})
    monkeypatch.setattr(layer, "config", quantised, raising=False)
    assert runtime.describe(layer).startswith("on the CPU, float32, quantised (awq), 4 MB")
    both = Runtime(device=torch.device("cuda:0"), others=(torch.device("cuda:1"),), dtype="bfloat16")
    said = both.describe(Linear(10_000, 10_000, bias=False, dtype=torch.bfloat16))
    assert said == "on cuda:0 (NVIDIA H100) + cuda:1 (NVIDIA H100), bfloat16, 0.2 GB"


def test_a_gpu_that_torch_cannot_use_is_not_passed_over_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(Path, "exists", lambda self: str(self) == "/dev/nvidia0")
    for name in placement._VISIBLE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(torch.version, "cuda", None)
    said = overlooked_gpu(ModelOptions())
    assert said.startswith(
        f"there seems to be a GPU (/dev/nvidia0), but torch {torch.__version__} has no CUDA: install"
    )
    assert said.endswith("or give --vqamt-device=cpu")
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    assert "finds no device: check the driver" in overlooked_gpu(ModelOptions())
    # Where the user says so nothing is told.
    assert overlooked_gpu(ModelOptions(device="cpu")) == ""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert overlooked_gpu(ModelOptions()) == ""


def test_a_command_of_the_driver_is_a_sign_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(Path, "exists", lambda _self: False)
    for name in placement._VISIBLE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert overlooked_gpu(ModelOptions()) == ""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert overlooked_gpu(ModelOptions()).startswith("there seems to be a GPU (nvidia-smi), but torch ")


# Convolutions.


def test_convolutions_of_float32_on_cuda_are_not_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    def rounded(device: str) -> bool:
        with Runtime(device=torch.device(device), dtype="float32")._exact():
            return torch.backends.cudnn.allow_tf32

    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    assert [rounded("cpu"), rounded("cuda:0"), torch.backends.cudnn.allow_tf32] == [True, False, True]
