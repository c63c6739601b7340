"""Regions of pictures, as arrays and as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray


REGIONS = 36
"""The number of regions of a picture that LXMERT and VisualBERT take."""

FEATURE_WIDTH = 2048
"""The number of features of a region."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Regions:
    """The 36 regions of a picture."""

    boxes: NDArray[np.float32]
    """Float32 (36, 4), x1 y1 x2 y2 as shares of width and height, in [0, 1]."""
    features: NDArray[np.float32]
    """Float32 (36, 2048), zero or more."""
    count: int
    """How many rows are real, the first ones; the others are zero."""

    @classmethod
    def of(cls, boxes_px: NDArray[np.float32], features: NDArray[np.float32], *, width: int, height: int) -> Regions:
        """Boxes (n, 4), x1 y1 x2 y2 in pixels, and features (n, 2048) of a picture: copied, with zeros up to 36."""
        import numpy as np

        count = len(boxes_px)
        boxes, filled = np.zeros((REGIONS, 4), np.float32), np.zeros((REGIONS, FEATURE_WIDTH), np.float32)
        # Detectors and files may put an edge a pixel outside of the picture.
        boxes[:count] = np.clip(boxes_px / np.array([width, height, width, height], np.float32), 0, 1)
        filled[:count] = features
        return cls(boxes=boxes, features=filled, count=count)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RegionTensors:
    """The regions of P pictures as tensors."""

    features: torch.Tensor
    """(P, 36, 2048), in the model's precision."""
    boxes: torch.Tensor
    """(P, 36, 4), as in ``Regions``, in the model's precision."""
    counts: torch.Tensor
    """Int64 (P,), how many are real."""

    @classmethod
    def of(cls, found: Sequence[Regions], dtype: torch.dtype, runtime: Runtime) -> RegionTensors:
        """Stacks regions in pinned memory."""
        import numpy as np
        import torch

        return cls(
            features=runtime.pin(torch.from_numpy(np.stack([each.features for each in found])).to(dtype)),
            boxes=runtime.pin(torch.from_numpy(np.stack([each.boxes for each in found])).to(dtype)),
            # The mask of real regions is made from these on the device.
            counts=runtime.pin(torch.tensor([each.count for each in found])),
        )

    def on(self, runtime: Runtime) -> RegionTensors:
        """The same on the device."""
        return RegionTensors(
            features=runtime.to_device(self.features),
            boxes=runtime.to_device(self.boxes),
            counts=runtime.to_device(self.counts),
        )
