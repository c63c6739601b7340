"""The Bottom-Up-Top-Down detector: a picture to at most 36 regions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig, read_config
from pytest_vqamt.models.region_models.frcnn.loading import DetectorFiles, read_vocabulary
from pytest_vqamt.models.region_models.frcnn.network import fold_batch_norms
from pytest_vqamt.models.region_models.frcnn.ops import select_regions
from pytest_vqamt.models.region_models.frcnn.weights import load_network
from pytest_vqamt.models.region_models.regions import DetectorSettings
from pytest_vqamt.models.transformers.checkpoint import sha256_of
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    from PIL.Image import Image


VERSION = 1
"""Goes up when regions change for the same weights and settings."""

_PRECISIONS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detection:
    """The regions of a picture, the surest first; n is at most 36.

    Attributes:
        boxes_px: float32 (n, 4), x1 y1 x2 y2 in pixels of the picture, within it.
        features: float32 (n, width), zero or more; of the proposal, from which the box was corrected.
        names, scores: of the likeliest class of each; scores float32 (n,), 0 to 1.
        attributes, attribute_scores: of the likeliest attribute of each; scores float32 (n,), 0 to 1.
            Names and attributes are empty where the detector has no vocabulary.
    """

    boxes_px: NDArray[np.float32]
    features: NDArray[np.float32]
    names: tuple[str, ...]
    scores: NDArray[np.float32]
    attributes: tuple[str, ...]
    attribute_scores: NDArray[np.float32]


class FrcnnDetector:
    """One checkpoint. Pictures are processed one by one: padding them to a batch would change their borders."""

    def __init__(self, files: DetectorFiles, runtime: Runtime, settings: DetectorSettings) -> None:
        """Loads weights, configuration and names.

        Args:
            files: the detector's files.
            runtime: the device; in float32 unless it says bfloat16 or float16.
            settings: the user's settings.

        Raises:
            ModelError: a file is damaged, or they do not belong together.
        """
        config = DetectorConfig() if files.config is None else read_config(files.config)
        self._files = files
        self._runtime = runtime
        self._config = settings.applied(config)
        network = load_network(files.weights, self._config)
        self._vocabulary = (
            None
            if files.vocabulary is None
            else read_vocabulary(files.vocabulary, classes=config.classes, attributes=config.attributes)
        )
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
        """The regions of a picture; none where there is no proposal.

        Args:
            image: RGB, upright, of any size.

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


_LEAST_SIDE = 3
"""The stem cannot pool less: a picture more than 500 times as long as wide is made a little wider."""


def detector_pixels(image: Image, config: DetectorConfig, device: torch.device) -> Tensor:
    """The resized picture minus the mean: float32 (1, 3, height, width), about -123 to 152, in BGR.

    Bilinear, without the antialiasing of PIL, as in the training of the weights.

    Args:
        image: RGB, upright.
        config: sizes, mean and channel order.
        device: of the result.
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
    """Width and height that a picture is resized to: the short side ``min_size``, the long one at most ``max_size``.

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
