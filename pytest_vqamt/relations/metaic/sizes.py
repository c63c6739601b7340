"""How large an inserted thing is: about as salient as what is there (Yu et al., ISSTA 2022, section 3.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import NamedTuple

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations.room import LARGEST_SCALE, Size

LEAST_SHARE = 0.03
"""The largest thing takes at least so much of the picture: where it is smaller, nothing is salient."""
MOST_SHARE = 0.7
"""Where the salient area is more of the picture, there is no room beside it."""

_ROOMY_SHARE = 0.4
_ROOMY = (0.8, 1.3)
_FULL = (0.1, 0.37)
"""Between which parts of the salient area an inserted thing has its own, where that is under the share, and else."""


class Areas(NamedTuple):
    """From which area to which, in square pixels."""

    low: float
    high: float

    def hold(self, size: Size) -> bool:
        """Whether a thing of this size has such an area."""
        return self.low <= size[0] * size[1] <= self.high


def salient_area(areas: Sequence[float], picture_area: float) -> float:
    """``S = sum of a_i softmax(a_i / picture area)``: a mean of one area or more in which large ones weigh more.

    >>> round(salient_area([2000, 1000], 10_000), 1)
    1525.0
    """
    weights = [exp(area / picture_area) for area in areas]
    return sum(area * weight for area, weight in zip(areas, weights, strict=True)) / sum(weights)


def areas_beside(salient: float, picture_area: float) -> Areas:
    """Between which areas that of an inserted thing is drawn, by the salient area of what is there.

    >>> areas_beside(1000, 10_000), areas_beside(5000, 10_000)
    (Areas(low=800.0, high=1300.0), Areas(low=500.0, high=1850.0))
    """
    low, high = _ROOMY if salient < _ROOMY_SHARE * picture_area else _FULL
    return Areas(low * salient, high * salient)


def largest_area(cut_out: tuple[float, float], frame: Box) -> float:
    """The area up to which a cut-out of this width and height can be enlarged: at most twice, and into ``frame``."""
    width, height = cut_out
    return min(LARGEST_SCALE, frame.w / width, frame.h / height) ** 2 * width * height


def scaled(cut_out: tuple[float, float], area: float) -> Size:
    """The size in whole pixels at which a cut-out of this width and height has about this area; its aspect ratio stays.

    >>> scaled((40, 10), 1600)
    (80, 20)
    """
    width, height = cut_out
    scale = sqrt(area / (width * height))
    return round(width * scale), round(height * scale)
