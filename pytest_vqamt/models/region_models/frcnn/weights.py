"""Loads the detector's weights strictly: every tensor of the network, in its shape, and no other."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.network import FasterRcnn, cell_anchors
from pytest_vqamt.models.transformers.checkpoint import first_line

_ANCHORS = "proposal_generator.anchor_generator.cell_anchors.0"


def load_network(path: Path, config: DetectorConfig) -> FasterRcnn:
    """The network with the weights of a file, on the CPU, in evaluation mode.

    Args:
        path: pytorch_model.bin, a .safetensors, or a .pkl of Detectron2.
        config: of the network.

    Raises:
        ModelError: the file cannot be read, or is not exactly of this network.
    """
    weights = _read(path, config)
    with torch.device("meta"):
        network = FasterRcnn(config)
    expected = network.state_dict()
    _check_names(weights, expected, path)
    sound = {name: _checked_tensor(name, value, expected[name], path) for name, value in weights.items()}
    network.load_state_dict(sound, strict=True, assign=True)
    return network.eval().requires_grad_(False)


def _read(path: Path, config: DetectorConfig) -> Mapping[str, Tensor]:
    if path.suffix == ".pkl":
        weights = read_pickle(path)
        # Detectron2 keeps anchors as a buffer, which a converted file need not have.
        weights.setdefault(_ANCHORS, cell_anchors(config.anchor_sizes, config.anchor_ratios))
        return weights
    try:
        read: object
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            read = load_file(path)
        else:
            read = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ModelError(
            f"Expected nothing but tensors in {path}, but reading it would run code, or it is no file of torch: take "
            "the published pytorch_model.bin, or save the state_dict alone"
        ) from error
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        raise ModelError(f"Expected weights in {path}, but: {first_line(error)}; copy the file again") from error
    if not isinstance(read, Mapping) or not all(isinstance(value, Tensor) for value in read.values()):
        raise ModelError(
            f"Expected tensors by name in {path}, but got {type(read).__name__} of something else: save the state_dict "
            "alone"
        )
    return {str(name): value for name, value in read.items()}


def _check_names(weights: Mapping[str, Tensor], expected: Mapping[str, Tensor], path: Path) -> None:
    wrong = {
        "missing": sorted(expected.keys() - weights.keys()),
        "unexpected": sorted(weights.keys() - expected.keys()),
        "misshaped": sorted(
            f"{name} {tuple(weights[name].shape)} for {tuple(expected[name].shape)}"
            for name in weights.keys() & expected.keys()
            if weights[name].shape != expected[name].shape
        ),
    }
    if any(wrong.values()):
        told = ", ".join(f"{kind}={names[:3]!r} ({len(names)} in all)" for kind, names in wrong.items() if names)
        raise ModelError(
            f"Expected the {len(expected)} tensors of the region detector in {path}, but got {told}: take the whole of "
            "the published checkpoint, and the config.yaml that belongs to it"
        )


def _checked_tensor(name: str, value: Tensor, expected: Tensor, path: Path) -> Tensor:
    """The tensor in the network's precision."""
    value = value.to(expected.dtype)
    if not value.isfinite().all():
        raise ModelError(f"Expected numbers in {name} of {path}, but some are infinite or none: copy the file again")
    return value


_RUNNING_VAR = "running_var"


def read_pickle(path: Path) -> dict[str, Tensor]:
    """The tensors of ``{"model": {name: array}}``, by name.

    ``num_batches_tracked``, which Caffe does not have, is added to every ``running_var``.

    Raises:
        ModelError: it is no such file, or holds anything but arrays.
    """
    try:
        with path.open("rb") as file:
            # Arrays of Python 2 keep their bytes as text.
            read: object = _ArraysOnly(file, encoding="latin1").load()
    except Exception as error:  # a damaged pickle raises whatever its next opcode happens to do
        raise ModelError(f"Expected a pickle of arrays in {path}, but got {first_line(error)}") from error
    model = read.get("model") if isinstance(read, Mapping) else None
    if not isinstance(model, Mapping) or not model:
        raise ModelError(f"Expected a pickle of {{'model': {{name: array}}}} in {path}, but got {_describe(read)}")
    weights = {str(name): _tensor(name, value, path) for name, value in model.items()}
    for name in list(weights):
        stem, _, last = name.rpartition(".")
        if last == _RUNNING_VAR:
            weights.setdefault(f"{stem}.num_batches_tracked", torch.tensor(0))
    return weights


class _ArraysOnly(pickle.Unpickler):
    """Unpickles arrays and their parts; anything else is refused before it is imported."""

    def find_class(self, module: str, name: str) -> object:
        # What arrays are made with has moved within numpy; an array itself knows where it is now.
        part = module.replace("numpy._core.", "numpy.core.")
        found = _ALLOWED_CALLABLES.get((part, name))
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name}, which is no array and is not run")
        return found


def _encoded(text: str, encoding: str) -> bytes:
    """Bytes that Python 2 and old protocols write as text."""
    if encoding.replace("-", "") != "latin1":
        raise pickle.UnpicklingError(f"bytes as {encoding!r}")
    return text.encode("latin1")


_ALLOWED_CALLABLES: Mapping[tuple[str, str], Callable[..., object]] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],  # type: ignore[dict-item]  # a function
    ("numpy.core.multiarray", "scalar"): np.float64(0).__reduce__()[0],  # type: ignore[dict-item]  # a function
    ("numpy.core.numeric", "_frombuffer"): np.empty(1).__reduce_ex__(5)[0],  # type: ignore[dict-item]  # a function
    ("collections", "OrderedDict"): OrderedDict,
    ("_codecs", "encode"): _encoded,
}


def _tensor(name: object, value: object, path: Path) -> Tensor:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu":
        raise ModelError(f"Expected {name!r} of {path} to be an array of numbers, but got {_describe(value)}")
    native = value.astype(value.dtype.newbyteorder("="))  # a copy, which may be written to
    return torch.from_numpy(np.ascontiguousarray(native))


def _describe(value: object) -> str:
    return (
        f"{type(value).__name__} with keys {sorted(map(str, value))[:5]}"
        if isinstance(value, Mapping)
        else repr(type(value).__name__)
    )
