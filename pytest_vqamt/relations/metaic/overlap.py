"""How much of what is there an inserted thing may cover (Yu et al., ISSTA 2022, section 3.2.2).

Of each box, the share of its area that is covered counts. Rule R1: that of the largest thing lies in the interval of
the level. Rule R2: that of any other is at most the upper end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.whole_pixels import covered

LEVELS: Mapping[str, tuple[float, float]] = {"0": (0.0, 0.0), "15": (0.0, 0.15), "30": (0.15, 0.30), "45": (0.30, 0.45)}
"""By name, the ends of each interval; the lower one does not belong to it, unless both are 0."""


def boxes_of(scene: Scene) -> list[Box]:
    """The boxes of all things and crowds, as annotated."""
    return [*(thing.box for thing in scene.objects), *(region.box for region in scene.regions)]


class Stands(Enum):
    """How a thing stands to the largest one, by rule R1: well, or it has to move."""

    WELL = auto()
    TOO_FAR_IN = auto()
    TOO_FAR_OUT = auto()


class Edges(NamedTuple):
    """Where a box begins and ends, in pixels: a tuple, since thousands are tried."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def of(cls, box: Box) -> Edges:
        return cls(box.x, box.y, box.x1, box.y1)

    @property
    def area(self) -> float:
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def share_under(self, other: Edges) -> float:
        """The part of this box's area that ``other`` covers.

        >>> Edges(0, 0, 10, 10).share_under(Edges(5, 8, 20, 20))
        0.1
        """
        x0, y0, x1, y1 = self
        left, top, right, bottom = other
        # Written out: millions of places are tried, and calls of min and max would be most of the work.
        width = (x1 if x1 <= right else right) - (x0 if x0 >= left else left)
        height = (y1 if y1 <= bottom else bottom) - (y0 if y0 >= top else top)
        return width * height / ((x1 - x0) * (y1 - y0)) if width > 0 and height > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The boxes of a background: of the largest thing or crowd, and of the others.

    Each stands here twice, as annotated and in the whole pixels that it covers: the rules hold for both.
    """

    frame: Box
    largest: tuple[Edges, ...]
    others: tuple[Edges, ...]

    @classmethod
    def of(cls, scene: Scene) -> Layout | None:
        """The layout of a scene; None where it has no thing."""
        boxes = [box for box in boxes_of(scene) if box.area > 0]
        if not (scene.objects and boxes):
            return None
        twice = [tuple(Edges.of(each) for each in (box, covered(box, scene)) if each) for box in boxes]
        largest = twice.pop(max(range(len(boxes)), key=lambda number: boxes[number].area))
        return cls(frame=scene.frame, largest=largest, others=tuple(edges for both in twice for edges in both))

    def stands(self, thing: Edges, level: str) -> Stands:
        """How ``thing`` stands to the largest one."""
        low, high = LEVELS[level]
        shares = [each.share_under(thing) for each in self.largest]
        if max(shares) > high:
            return Stands.TOO_FAR_IN
        return Stands.TOO_FAR_OUT if high and min(shares) <= low else Stands.WELL

    def spares_the_others(self, thing: Edges, level: str) -> bool:
        """Whether ``thing`` obeys rule R2."""
        _, high = LEVELS[level]
        return all(each.share_under(thing) <= high for each in self.others)

    def holds(self, thing: Edges) -> bool:
        """Whether all of ``thing`` is in the picture."""
        return thing.x0 >= 0 and thing.y0 >= 0 and thing.x1 <= self.frame.w and thing.y1 <= self.frame.h
