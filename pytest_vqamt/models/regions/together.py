"""The regions of several pictures side by side, as a model takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vqamt.models.region_models.regions import Regions
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Together:
    """The regions of P pictures.

    Attributes:
        features: (P, 36, 2048), in the precision of the model.
        boxes: (P, 36, 4), as ``Regions`` has them, in the precision of the model.
        counts: int64 (P,), how many of them are real.
    """

    features: torch.Tensor
    boxes: torch.Tensor
    counts: torch.Tensor

    @classmethod
    def of(cls, found: Sequence[Regions], dtype: torch.dtype, runtime: Runtime) -> Together:
        """Not on the device yet, but where it gets them without a wait."""
        import numpy as np
        import torch

        return cls(
            features=runtime.pinned(torch.from_numpy(np.stack([each.features for each in found])).to(dtype)),
            boxes=runtime.pinned(torch.from_numpy(np.stack([each.boxes for each in found])).to(dtype)),
            counts=runtime.pinned(torch.tensor([each.count for each in found])),
        )

    def on(self, runtime: Runtime) -> Together:
        """The same on the device."""
        return Together(
            features=runtime.here(self.features), boxes=runtime.here(self.boxes), counts=runtime.here(self.counts)
        )
