"""Weights in Detectron2's ``.pkl`` files, read without running any code that such a file may carry."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.quiet import first_line

_COUNTED = "running_var"


def read_pickle(path: Path) -> dict[str, Tensor]:
    """The tensors of ``{"model": {name: array}}``, by name.

    ``num_batches_tracked``, which Caffe does not have, is put beside every ``running_var``.

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
        raise ModelError(f"Expected a pickle of {{'model': {{name: array}}}} in {path}, but got {_told(read)}")
    weights = {str(name): _tensor(name, value, path) for name, value in model.items()}
    for name in list(weights):
        stem, _, last = name.rpartition(".")
        if last == _COUNTED:
            weights.setdefault(f"{stem}.num_batches_tracked", torch.tensor(0))
    return weights


class _ArraysOnly(pickle.Unpickler):
    """Makes arrays and what they consist of; anything else is refused before it is imported."""

    def find_class(self, module: str, name: str) -> object:
        # What arrays are made with has moved within numpy; an array itself knows where it is now.
        part = module.replace("numpy._core.", "numpy.core.")
        found = _MAKERS.get((part, name))
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name}, which is no array and is not run")
        return found


def _encoded(text: str, encoding: str) -> bytes:
    """The bytes that Python 2 and old protocols write as text."""
    if encoding.replace("-", "") != "latin1":
        raise pickle.UnpicklingError(f"bytes as {encoding!r}")
    return text.encode("latin1")


_MAKERS: Mapping[tuple[str, str], Callable[..., object]] = {
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
        raise ModelError(f"Expected {name!r} of {path} to be an array of numbers, but got {_told(value)}")
    native = value.astype(value.dtype.newbyteorder("="))  # a copy, which may be written to
    return torch.from_numpy(np.ascontiguousarray(native))


def _told(value: object) -> str:
    return (
        f"{type(value).__name__} with keys {sorted(map(str, value))[:5]}"
        if isinstance(value, Mapping)
        else repr(type(value).__name__)
    )
