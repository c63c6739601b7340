"""The Bottom-Up-Top-Down detector: a picture to at most 36 regions."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import open_input
from pytest_vqamt.models.region_models.frcnn.detector_config import DetectorConfig, read_config, with_sizes
from pytest_vqamt.models.region_models.frcnn.loading import DetectorFiles, read_vocabulary
from pytest_vqamt.models.region_models.frcnn.network import FasterRcnn, cell_anchors, fold_batch_norms
from pytest_vqamt.models.region_models.frcnn.ops import select_regions
from pytest_vqamt.models.transformers.checkpoint import first_line
from pytest_vqamt.models.transformers.file_digests import sha256_of
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    from PIL.Image import Image


VERSION = 1
"""Goes up when regions change for the same weights and settings."""

_PRECISIONS = {"bfloat16": torch.bfloat16, "float16": torch.float16}

_LEAST_SIDE = 3
"""The stem cannot pool less: a picture more than 500 times as long as wide is made a little wider."""

# The names of tensors in Detectron2's state_dict.
_ANCHORS = "proposal_generator.anchor_generator.cell_anchors.0"

_RUNNING_VAR = "running_var"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detection:
    """The regions of a picture, the surest first; n is at most 36."""

    boxes_px: NDArray[np.float32]
    """Float32 (n, 4), x1 y1 x2 y2 in pixels of the picture, within it."""
    features: NDArray[np.float32]
    """Float32 (n, width), zero or more; of the proposal, from which the box was corrected."""
    names: tuple[str, ...]
    """Of the likeliest class of each; empty where the detector has no vocabulary."""
    scores: NDArray[np.float32]
    """Float32 (n,), 0 to 1: of the likeliest class."""
    attributes: tuple[str, ...]
    """The likeliest attribute of each; empty where the detector has no vocabulary."""
    attribute_scores: NDArray[np.float32]
    """Float32 (n,), 0 to 1: of the likeliest attribute."""


class FrcnnDetector:
    """One checkpoint. Pictures are processed one by one: padding them to a batch would change their borders."""

    def __init__(self, files: DetectorFiles, runtime: Runtime, settings: Mapping[str, str]) -> None:
        """Loads weights, configuration and names; float32 unless the runtime says bfloat16 or float16.

        Raises:
            ModelError: a file is damaged, or they do not belong together.
        """
        config = DetectorConfig() if files.config is None else read_config(files.config)
        self._files = files
        self._runtime = runtime
        self._config = with_sizes(config, settings)
        network = load_network(files.weights, self._config)
        self._vocabulary = (
            None
            if files.vocabulary is None
            else read_vocabulary(files.vocabulary, classes=config.classes, attributes=config.attributes)
        )
        # In float32, before the precision is reduced.
        fold_batch_norms(network)
        self._precision = _PRECISIONS.get(runtime.dtype, torch.float32)
        network.reduce(self._precision)
        self._network = runtime.place(network)

    @cached_property
    def fingerprint(self) -> str:
        names = self._vocabulary.digest if self._vocabulary else ""
        settings = digest(self._config.digest, names, str(self._precision))
        return (
            f"regions-{VERSION} weights={sha256_of(self._files.weights)} settings={settings} torch=={torch.__version__}"
        )

    def find(self, image: Image) -> Detection:
        """The regions of an upright RGB picture of any size; none where there is no proposal.

        Raises:
            FloatingPointError: the network overflows, as it may in float16.
        """
        with self._runtime.inference(), _deterministic(self._runtime.device):
            pixels = detector_pixels(image, self._config, self._runtime.device)
            found = self._network(pixels)
            kept = select_regions(found.boxes, found.scores, self._config.overlaps)
            boxes, features, scores, classes, attribute_scores, attributes = (
                each[kept].cpu().numpy()
                for each in (
                    found.boxes,
                    found.features,
                    found.scores,
                    found.classes,
                    found.attribute_scores,
                    found.attributes,
                )
            )
        # Boxes back in pixels of the picture; rounding of the resized size may put an edge a little outside.
        size = np.array(image.size * 2, np.float32)
        scale = size / np.array((pixels.shape[3], pixels.shape[2]) * 2, np.float32)
        vocabulary = self._vocabulary
        return Detection(
            boxes_px=np.minimum(boxes * scale, size),
            features=features,
            names=tuple(vocabulary.objects[each] for each in classes) if vocabulary else (),
            scores=scores,
            attributes=tuple(vocabulary.attributes[each] for each in attributes) if vocabulary else (),
            attribute_scores=attribute_scores,
        )


@contextmanager
def _deterministic(device: torch.device) -> Iterator[None]:
    """Makes float32 on CUDA deterministic and exact; by default convolutions there are rounded to 10 bits."""
    if device.type != "cuda":
        yield
        return
    with torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False):
        yield


def detector_pixels(image: Image, config: DetectorConfig, device: torch.device) -> Tensor:
    """The resized RGB picture minus the mean: float32 (1, 3, height, width), about -123 to 152, in BGR.

    Bilinear, without the antialiasing of PIL, as in the training of the weights.
    """
    rgb = np.asarray(image.convert("RGB"))
    ordered = rgb[:, :, ::-1] if config.channel_order == "BGR" else rgb
    pixels = torch.from_numpy(ordered.copy()).to(device).permute(2, 0, 1)[None].float()
    width, height = resized_shape(*image.size, config)
    pixels = functional.interpolate(pixels, size=(height, width), mode="bilinear", align_corners=False)
    mean, deviation = (
        torch.tensor(values, device=device)[:, None, None] for values in (config.pixel_mean, config.pixel_std)
    )
    return (pixels - mean) / deviation


def resized_shape(width: int, height: int, config: DetectorConfig) -> tuple[int, int]:
    """Width and height of the resized picture: the short side is ``min_size``, the long one at most ``max_size``.

    >>> resized_shape(640, 480, DetectorConfig())
    (1067, 800)
    """
    scale = config.min_size / min(width, height)
    # Step by step, since the original rounds at each.
    new_width, new_height = (scale * width, config.min_size) if height < width else (config.min_size, scale * height)
    longest = max(new_width, new_height)
    if longest > config.max_size:
        scale = config.max_size / longest
        new_width, new_height = new_width * scale, new_height * scale
    return max(_LEAST_SIDE, int(new_width + 0.5)), max(_LEAST_SIDE, int(new_height + 0.5))


def load_network(path: Path, config: DetectorConfig) -> FasterRcnn:
    """The network with the weights of a .bin, a .safetensors or Detectron2's .pkl, on the CPU, in evaluation mode.

    Raises:
        ModelError: the file cannot be read, or is not exactly of this network.
    """
    weights = _read(path, config)
    # Built without memory, and then given the tensors of the file (assign=True).
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
            # Weights only: a pickle may run code.
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
        differences = ", ".join(f"{kind}={names[:3]!r} ({len(names)} in all)" for kind, names in wrong.items() if names)
        raise ModelError(
            f"Expected the {len(expected)} tensors of the region detector in {path}, but got {differences}: take the "
            "whole of the published checkpoint, and the config.yaml that belongs to it"
        )


def _checked_tensor(name: str, value: Tensor, expected: Tensor, path: Path) -> Tensor:
    """The tensor in the network's precision."""
    # Checkpoints may be saved in 16 bits.
    value = value.to(expected.dtype)
    if not value.isfinite().all():
        raise ModelError(f"Expected numbers in {name} of {path}, but some are infinite or none: copy the file again")
    return value


def read_pickle(path: Path) -> dict[str, Tensor]:
    """The tensors of ``{"model": {name: array}}``, by name.

    ``num_batches_tracked``, which Caffe does not have, is added to every ``running_var``.

    Raises:
        ModelError: it is no such file, or holds anything but arrays.
    """
    try:
        with open_input(path) as file:
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
    """Replaces ``codecs.encode``, by which Python 2 and old protocols restore bytes."""
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
