"""Where the weights of a checkpoint go: how large they are, whether they fit, and how they get there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError, OptionError, did_you_mean
from pytest_vqamt.core.input_files import open_input, parse_json, read_text
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.quantised import quantisation_of
from pytest_vqamt.models.transformers.runtime import Runtime, device_of, gigabytes

if TYPE_CHECKING:
    import torch


_FORMATS = ("model.safetensors", "pytorch_model.bin")
"""The names of the weights, in the order in which transformers looks for them."""

_FLOATS: Mapping[str, tuple[str, int]] = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
}
"""For each type of numbers in a file of safetensors that is converted: torch's name for it, and its size in bytes."""

_BYTES: Mapping[str, int] = dict(_FLOATS.values())

_UNKNOWN = ""
"""The type of what torch's older format holds."""

_MOST_HEADER_BYTES = 100_000_000
"""As in the library: a longer header is damage."""

_SPREAD_SHARE = 0.9
"""Of the free memory of each device for the weights of one model: the rest is for what it computes."""

_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
"""The variables that name the GPUs which a process may use."""

_FLASH = "https://github.com/Dao-AILab/flash-attention"

_ATTENTIONS: Mapping[str, tuple[str, str] | None] = {
    "eager": None,
    "sdpa": None,
    "flex_attention": None,
    "flash_attention_2": ("flash_attn", f"pip install flash-attn ({_FLASH})"),
    # The package of that name has version 2 alone.
    "flash_attention_3": ("flash_attn_interface", f"build it from the folder hopper of {_FLASH}"),
}
"""Ways to compute attention in transformers, the module that each imports, and how to get it. Any other name is a
repository, whose code it would fetch and run."""


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The files of a checkpoint's weights; none where one of them is missing."""
    for name in _FORMATS:
        if (folder / name).is_file():
            return (folder / name,)
        # A large model lies in several files, which the index names. Mistral's repositories have another copy beside.
        shards = tuple(sorted(folder / shard for shard in _shards(folder / f"{name}.index.json")))
        if shards and all(shard.is_file() for shard in shards):
            return shards
    return ()


def _shards(index: Path) -> set[str]:
    try:
        return set(cast("dict[str, dict[str, str]]", parse_json(read_text(index)))["weight_map"].values())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # there is none, or it is cut short
        return set()


def weights_bytes(folder: Path, config: Mapping[str, object], dtype: str) -> int:
    """The memory that the weights of a checkpoint take in this precision ("auto": as saved)."""
    # The numbers of quantised weights are not converted; those that are not quantised are few.
    target = 0 if quantisation_of(config) else _BYTES.get(dtype, 0)
    return sum(
        number * target if target and kind in (*_FLOATS, _UNKNOWN) else stored
        for file in weight_files(folder)
        for kind, number, stored in _tensors(file)
    )


def saved_precision(folder: Path, config: Mapping[str, object]) -> str:
    """The precision that transformers takes for ``auto``; "auto" where that shows only once it has loaded the weights.

    It is that of config.json, else that of the first weight: told here if it is the same for all.
    """
    named = config.get("dtype") or config.get("torch_dtype")
    if named is None and not quantisation_of(config):
        kinds = {_FLOATS[kind][0] for file in weight_files(folder) for kind, _, _ in _tensors(file) if kind in _FLOATS}
        named = kinds.pop() if len(kinds) == 1 else None
    return named if isinstance(named, str) and named in ("float32", "float16", "bfloat16") else "auto"


def _tensors(file: Path) -> Iterator[tuple[str, int, int]]:
    """The type, the number of numbers and the bytes of each tensor in a file.

    One that is no safetensors counts as a tensor with the fewest numbers that it can hold. What is damaged is for
    transformers to say.
    """
    header = _header(file) if file.suffix == ".safetensors" else None
    if header is None:
        size = file.stat().st_size
        yield _UNKNOWN, size // 4, size
        return
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        try:
            first, last = tensor["data_offsets"]
            yield str(tensor["dtype"]), prod(tensor["shape"]), last - first
        except (LookupError, TypeError, ValueError):
            continue


def _header(file: Path) -> dict[str, dict[str, list[int]]] | None:
    """The header of a file of safetensors: eight bytes of length, then JSON; None if it cannot be read."""
    with open_input(file) as opened:
        length = int.from_bytes(opened.read(8), "little")
        try:
            found = parse_json(opened.read(length).decode()) if length <= _MOST_HEADER_BYTES else None
        except ValueError:
            return None
    return found if isinstance(found, dict) else None


def spread_devices(options: ModelOptions) -> tuple[str, ...]:
    """The devices of this worker for one model: "cuda:0+cuda:1" names several.

    A second worker takes as many of the devices that are not named, from the first on.

    Raises:
        ModelError: there is no such device, or there are too few for all workers.
    """
    import torch

    if "+" not in options.device:
        return (device_of(options),)
    named = [device_of(replace(options, device=each)) for each in options.device.split("+")]
    count, wanted = torch.cuda.device_count(), len(named)
    if len(set(named)) < wanted:
        raise ModelError(f"Expected different devices, but got {option('device', options.device)}")
    if options.workers * wanted > count:
        most = count // wanted
        raise ModelError(
            f"Expected {count_noun(wanted, 'CUDA device')} for each of {options.workers} workers, "
            f"{options.workers * wanted} in all, but there are {count}: give "
            f"{f'-n {most}' if most > 1 else 'no -n'}, or fewer devices for a model"
        )
    left = [device for device in (f"cuda:{number}" for number in range(count)) if device not in named]
    return tuple([*named, *left][options.worker * wanted :][:wanted])


def overlooked_gpu(options: ModelOptions) -> str:
    """What to do where ``auto`` has found no GPU that the machine seems to have; "" where it seems to have none."""
    import torch

    if options.device == "auto" and options.workers > 1 and torch.backends.mps.is_available():
        return f"several processes share the GPU of a Mac only where {option('device', 'mps')} says so"
    # The user has hidden them.
    hidden = any(os.environ.get(name) in ("", "-1") for name in _VISIBLE)
    if options.device != "auto" or hidden or device_of(replace(options, workers=1)) != "cpu":
        return ""
    signs = {"/dev/nvidia0": "CUDA", "/dev/kfd": "ROCm"}
    found = next((name for name in signs if Path(name).exists()), None)
    if found is None and shutil.which("nvidia-smi"):
        found = "nvidia-smi"
    if found is None:
        return ""
    needed = signs.get(found, "CUDA")
    built = torch.version.hip if needed == "ROCm" else torch.version.cuda
    lacks = "finds no device: check the driver" if built else f"has no {needed}: install a build that has"
    return (
        f"there seems to be a GPU ({found}), but torch {torch.__version__} {lacks} (https://pytorch.org), or give "
        f"{option('device', 'cpu')}"
    )


def check_room(name: str, folder: Path, config: Mapping[str, object], runtime: Runtime) -> None:
    """Checks that the weights fit into the free memory of the devices before any of them is read.

    Raises:
        ModelError: they do not.
    """
    free = [_memory(device) for device in runtime.devices]
    if None in free or not free:
        return
    known = [each for each in free if each is not None]
    needed, room = weights_bytes(folder, config, runtime.dtype), sum(size for size, _ in known)
    if needed <= room:
        return
    raise ModelError(
        f"Expected room for model {name!r} on {runtime.where}, but its weights take {gigabytes(needed)} in "
        f"{runtime.dtype}, and {gigabytes(room)} of {gigabytes(sum(size for _, size in known))} are free there: "
        f"{runtime.more_room}"
    )


def _memory(device: torch.device) -> tuple[int, int] | None:
    """The free and the whole memory of a device; None for the CPU's, of which nobody knows what may be taken."""
    import torch

    if device.type == "cuda":
        free, total = torch.cuda.mem_get_info(device)
        # What torch has taken for models that are gone now.
        return free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device), total
    if device.type == "mps":
        total = torch.mps.recommended_max_memory()
        return total - torch.mps.driver_allocated_memory(), total
    return None


def loading_arguments(runtime: Runtime) -> dict[str, object]:
    """The arguments of ``from_pretrained`` that say where the weights go, and how attention is computed.

    Raises:
        ModelError: several devices take a package that is not installed.
    """
    from transformers.utils.import_utils import is_accelerate_available

    given: dict[str, object] = {"attn_implementation": runtime.attention} if runtime.attention else {}
    if runtime.others and not is_accelerate_available():
        raise ModelError(
            f"Expected accelerate to be installed, which spreads a model over {runtime.where}"
            ', but it is not: pip install "pytest-vqamt[gpu]"'
        )
    if runtime.others:
        memory = {device: _memory(device) or (0, 0) for device in runtime.devices}
        # No "cpu" among them: accelerate would put there what does not fit, and each token would wait for it.
        most = {device.index: int(_SPREAD_SHARE * free) for device, (free, _) in memory.items()}
        given |= {"device_map": "balanced", "max_memory": most}
    # Straight to the device: the memory of the machine would otherwise hold each worker's model for a while.
    elif runtime.device.type != "cpu" and is_accelerate_available():
        given["device_map"] = {"": str(runtime.device)}
    return given


def check_placed(name: str, model: torch.nn.Module, runtime: Runtime) -> None:
    """Checks that all layers of a model that is spread lie on its devices.

    Raises:
        ModelError: some do not fit there.
    """
    placed: Mapping[str, object] = getattr(model, "hf_device_map", {})
    wrong = sorted({str(each) for each in placed.values()} & {"cpu", "disk", "meta"})
    if runtime.others and wrong:
        raise ModelError(no_room_for_layers(name, runtime, wrong[0]))


def no_room_for_layers(name: str, runtime: Runtime, instead: str) -> str:
    """The message for layers that accelerate would put somewhere else."""
    return (
        f"Expected room for model {name!r} on {runtime.where}, but some of its layers would go to the {instead}: give "
        "more cards, or a quantised checkpoint"
    )


def attention_of(settings: Mapping[str, str], runtime: Runtime) -> str:
    """The user's way to compute attention; "" where none is given.

    Raises:
        OptionError: there is none of this name, or it cannot be computed here.
    """
    given = settings.get("attention", "")
    if not given:
        return ""
    if given not in _ATTENTIONS:
        raise OptionError(
            f"Expected attention={'|'.join(_ATTENTIONS)}, but got {setting('attention', given)}; "
            f"{did_you_mean(given, _ATTENTIONS)}"
        )
    if needed := _ATTENTIONS[given]:
        module, how = needed
        if runtime.device.type != "cuda" or runtime.dtype == "float32":
            where = "float32" if runtime.device.type == "cuda" else f"device {runtime.device}"
            raise OptionError(
                f"Expected {setting('attention', given)} on a CUDA device in bfloat16 or float16, but got {where}: "
                "leave it off, or give sdpa"
            )
        # Without it transformers would fetch a kernel from the hub, and run it.
        if find_spec(module) is None:
            raise OptionError(
                f"Expected {module} to be installed for {setting('attention', given)}, but it is not: {how}, or leave "
                "it off"
            )
    return given
