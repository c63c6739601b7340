"""What models that look at regions get of a picture, and who gives it to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.query import ModelInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


REGIONS = 36
"""How many regions LXMERT and VisualBERT take of a picture."""

WIDTH = 2048
"""How many features a region has."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Regions:
    """The 36 regions of a picture.

    Attributes:
        boxes: float32 (36, 4), x1 y1 x2 y2 as shares of the picture's width and height, in [0, 1].
        features: float32 (36, 2048), zero or more.
        count: how many rows are real, the first ones; all the others are zero.
    """

    boxes: NDArray[np.float32]
    features: NDArray[np.float32]
    count: int

    @classmethod
    def of(cls, boxes_px: NDArray[np.float32], features: NDArray[np.float32], *, width: int, height: int) -> Regions:
        """The regions of a picture of ``width`` x ``height`` pixels, filled up with zeros to 36; copies both arrays.

        Args:
            boxes_px: float32 (n, 4), x1 y1 x2 y2 in pixels of the picture, n at most 36.
            features: float32 (n, 2048).
            width: of the picture, in pixels.
            height: of the picture, in pixels.
        """
        import numpy as np

        count = len(boxes_px)
        boxes, filled = np.zeros((REGIONS, 4), np.float32), np.zeros((REGIONS, WIDTH), np.float32)
        boxes[:count] = np.clip(boxes_px / np.array([width, height, width, height], np.float32), 0, 1)
        filled[:count] = features
        return cls(boxes=boxes, features=filled, count=count)


class RegionSource(Protocol):
    """Gives the regions of pictures: a detector, a cache in front of one, or a file of features made elsewhere."""

    @property
    def fingerprint(self) -> str:
        """Everything that can change a region: weights, settings, versions."""
        ...

    def ready(self, batch: Sequence[ModelInput]) -> Sequence[Regions | None]:
        """For each input the regions that are there already; None, and its picture drawn, where a detector must look.

        This may be called on another thread while ``regions`` is at work.
        """
        ...

    def regions(self, batch: Sequence[ModelInput]) -> Sequence[Regions]:
        """The regions of each input's picture, in order."""
        ...
