"""What a file of features says of one photo, and whether it can be true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.region_models.regions import REGIONS, WIDTH, Regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_BEYOND_PX = 1.5
"""How far a box may reach beyond its picture: detectors round, and some count pixels from 1."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FeatureRow:
    """The regions of one photo as a file has them, unchecked.

    Attributes:
        where: the file and the row, for messages.
        boxes_px: (n, 4), x1 y1 x2 y2 in pixels.
        features: (n, 2048).
        width, height: of the photo that the features are of.
    """

    where: str
    boxes_px: NDArray[np.generic]
    features: NDArray[np.generic]
    width: int
    height: int


class FeatureTable(Protocol):
    """A file of features."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The photo that each row is of."""
        ...

    def row(self, number: int) -> FeatureRow:
        """Reads one row.

        Raises:
            DataError: it cannot be read.
        """
        ...


def regions_of(row: FeatureRow) -> Regions:
    """The row as 36 regions.

    Raises:
        DataError: it holds something else than the features of at most 36 boxes of a picture.
    """
    import numpy as np

    _check_shapes(row)
    boxes_px = row.boxes_px.astype(np.float32)
    features = row.features.astype(np.float32)
    if not np.isfinite(features).all() or not np.isfinite(boxes_px).all():
        raise DataError(f"{row.where}: Expected finite features and boxes, but some are not: extract them again")
    _check_boxes(row, boxes_px)
    return Regions.of(boxes_px, features, width=row.width, height=row.height)


def _check_shapes(row: FeatureRow) -> None:
    boxes, features = row.boxes_px.shape, row.features.shape
    if len(features) != 2 or features[1] != WIDTH or not 1 <= features[0] <= REGIONS:
        raise DataError(
            f"{row.where}: Expected features of shape (n, {WIDTH}), n from 1 to {REGIONS}, but got "
            f"features={features!r}: take those of the Bottom-Up-Top-Down detector, the best 36 of each photo at most"
        )
    if boxes != (features[0], 4):
        raise DataError(f"{row.where}: Expected boxes of shape {(features[0], 4)!r}, but got boxes={boxes!r}")
    if row.width < 1 or row.height < 1:
        raise DataError(f"{row.where}: Expected a size in pixels, but got {row.width} x {row.height}")


def _check_boxes(row: FeatureRow, boxes_px: NDArray[np.float32]) -> None:
    x1, y1, x2, y2 = boxes_px.T
    if (x1 > x2).any() or (y1 > y2).any():
        raise DataError(
            f"{row.where}: Expected boxes as x1 y1 x2 y2, but some end before they begin: are they x y w h?"
        )
    if boxes_px.max() <= 1 < max(row.width, row.height):
        raise DataError(f"{row.where}: Expected boxes in pixels, but all lie within [0, 1]: multiply them by the size")
    if boxes_px.min() < -_BEYOND_PX or (x2 > row.width + _BEYOND_PX).any() or (y2 > row.height + _BEYOND_PX).any():
        raise DataError(
            f"{row.where}: Expected boxes within the photo of {row.width} x {row.height} pixels, but some reach beyond "
            "it: give the size and the boxes of the same picture"
        )
