"""Pictures to what the network takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig

if TYPE_CHECKING:
    from PIL.Image import Image


_LEAST_SIDE = 3
"""The stem has nothing to pool on less: a picture more than 500 times as long as wide is made a little wider."""


def pixels_of(image: Image, config: DetectorConfig, device: torch.device) -> Tensor:
    """The picture resized and the mean subtracted: float32 (1, 3, height, width), about -123 to 152, in BGR.

    Bilinear, without the smoothing that PIL and others do where they make smaller, as the weights were trained.

    Args:
        image: RGB, upright.
        config: sizes, mean and order of the channels.
        device: where the pixels are to be.
    """
    rgb = np.asarray(image.convert("RGB"))
    ordered = rgb[:, :, ::-1] if config.channel_order == "BGR" else rgb
    pixels = torch.from_numpy(ordered.copy()).to(device).permute(2, 0, 1)[None].float()
    width, height = resized(*image.size, config)
    pixels = functional.interpolate(pixels, size=(height, width), mode="bilinear", align_corners=False)
    mean, deviation = (
        torch.tensor(values, device=device)[:, None, None] for values in (config.pixel_mean, config.pixel_std)
    )
    return (pixels - mean) / deviation


def resized(width: int, height: int, config: DetectorConfig) -> tuple[int, int]:
    """Width and height that a picture is resized to: the short side ``min_size``, the long one at most ``max_size``.

    >>> resized(640, 480, DetectorConfig())
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
