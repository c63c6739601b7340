"""Axis-parallel boxes in pixels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

from pytest_vqamt.core.codec import registered


@registered
@dataclass(frozen=True, slots=True)
class Box:
    """A box ``x, y, w, h`` in pixels; the origin is the top left corner of the picture, y grows downwards.

    >>> Box(0, 0, 10, 10).iou(Box(5, 0, 10, 10))
    0.3333333333333333
    """

    x: float
    y: float
    w: float
    h: float

    @property
    def x1(self) -> float:
        return self.x + self.w

    @property
    def y1(self) -> float:
        return self.y + self.h

    @property
    def area(self) -> float:
        return self.w * self.h

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.w / 2, self.y + self.h / 2

    @classmethod
    def from_corners(cls, x0: float, y0: float, x1: float, y1: float) -> Box:
        return cls(x0, y0, x1 - x0, y1 - y0)

    @classmethod
    def enclosing(cls, boxes: Iterable[Box]) -> Box:
        """The smallest box that contains all of ``boxes``, of which there must be one or more."""
        every = tuple(boxes)
        return cls.from_corners(
            min(b.x for b in every), min(b.y for b in every), max(b.x1 for b in every), max(b.y1 for b in every)
        )

    def intersection(self, other: Box) -> Box | None:
        """The box that both boxes cover; None if it has no area."""
        x0, y0 = max(self.x, other.x), max(self.y, other.y)
        # Sums rather than x1 and y1, as properties cost time in the calls that are made most often.
        x1, y1 = min(self.x + self.w, other.x + other.w), min(self.y + self.h, other.y + other.h)
        return Box(x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else None

    def overlaps(self, other: Box) -> bool:
        x0, y0 = max(self.x, other.x), max(self.y, other.y)
        return min(self.x + self.w, other.x + other.w) > x0 and min(self.y + self.h, other.y + other.h) > y0

    def share_inside(self, other: Box) -> float:
        """The share of this box's area that lies inside ``other``, in [0, 1]."""
        x0, y0 = max(self.x, other.x), max(self.y, other.y)
        x1, y1 = min(self.x + self.w, other.x + other.w), min(self.y + self.h, other.y + other.h)
        return (x1 - x0) * (y1 - y0) / self.area if x1 > x0 and y1 > y0 else 0.0

    def iou(self, other: Box) -> float:
        """Intersection over union, in [0, 1]."""
        common = self.intersection(other)
        return common.area / (self.area + other.area - common.area) if common else 0.0

    def gap(self, other: Box) -> float:
        """The distance of the two boxes in pixels, 0 if they touch or overlap.

        >>> Box(0, 0, 10, 10).gap(Box(13, 14, 5, 5))
        5.0
        """
        return hypot(max(0, self.x - other.x1, other.x - self.x1), max(0, self.y - other.y1, other.y - self.y1))

    def grown(self, margin: float) -> Box:
        """The box with ``margin`` more on each side."""
        return Box(self.x - margin, self.y - margin, self.w + 2 * margin, self.h + 2 * margin)

    def moved(self, dx: float, dy: float) -> Box:
        return Box(self.x + dx, self.y + dy, self.w, self.h)

    def mirrored(self, width: float) -> Box:
        return Box(width - self.x1, self.y, self.w, self.h)

    def scaled(self, across: float, down: float) -> Box:
        return Box(self.x * across, self.y * down, self.w * across, self.h * down)
