"""A sketch draws living things: soft outlines, limbs and eyes, with both axes measured in canvas heights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from pytest_vqamt.picture_world.art.pen import PALETTE, Pen, Point, Rgb, shade

NO_PART: Rgb = (0, 0, 0)
INK: Rgb = (30, 28, 32)
PAPER: Rgb = (250, 250, 248)
ROSE: Rgb = (240, 160, 165)

_CURVE_STEPS = 5
_RIM = ((2, 0), (-2, 0), (0, 2), (0, -2), (1, 1), (-1, 1), (1, -1), (-1, -1))


def trim(rgb: Rgb) -> Rgb:
    """The tint for ears, manes and patches: darker, but lighter where darker could not be seen."""
    return shade(rgb, 1.3) if rgb == PALETTE["black"] else shade(rgb, 0.84 if min(rgb) > 200 else 0.68)


def far(rgb: Rgb) -> Rgb:
    """The tint for the legs on the far side."""
    return shade(rgb, 1.12) if rgb == PALETTE["black"] else shade(rgb, 0.82)


def rim(rgb: Rgb) -> Rgb:
    """The colour of the outer edge that sets a thing off from any ground."""
    if rgb == PALETTE["black"]:
        return 142, 142, 152
    return shade(rgb, 0.55 if min(rgb) > 200 else 0.6)


class Sketch:
    """Draws with a pen, x and y both in the same unit; an optional second pen marks which part each dot shows.

    The unit is ``unit`` canvas heights long and (0, 0) lies at ``origin``, in canvas heights.
    """

    def __init__(self, pen: Pen, marks: Pen | None = None, *, unit: float = 1.0, origin: Point = (0.0, 0.0)) -> None:
        self.pen = pen
        self.marks = marks
        self.part = NO_PART
        self._unit = unit
        self._left, self._top = origin
        self._squeeze = pen.h / pen.w

    def _to_pen(self, points: Sequence[Point]) -> list[Point]:
        return [((self._left + x * self._unit) * self._squeeze, self._top + y * self._unit) for x, y in points]

    def polygon(self, points: Sequence[Point], fill: Rgb) -> None:
        at = self._to_pen(points)
        self.pen.polygon(at, fill)
        if self.marks is not None:
            self.marks.polygon(at, self.part)

    def limb(self, points: Sequence[Point], fill: Rgb, width: float) -> None:
        """A bent stroke with round ends and round joints."""
        at = self._to_pen(points)
        self.pen.line(at, fill, width * self._unit)
        if self.marks is not None:
            self.marks.line(at, self.part, width * self._unit)

    def tail(self, points: Sequence[Point], fill: Rgb, width: float) -> None:
        """A stroke that follows a soft curve through the points."""
        self.limb(curve(points, closed=False), fill, width)

    def blob(self, points: Sequence[Point], fill: Rgb) -> None:
        """A closed soft shape through the points."""
        self.polygon(curve(points, closed=True), fill)

    def disc(self, x: float, y: float, rx: float, ry: float, fill: Rgb) -> None:
        (x0, y0), (x1, y1) = self._to_pen([(x - rx, y - ry), (x + rx, y + ry)])
        self.pen.ellipse(x0, y0, x1, y1, fill)
        if self.marks is not None:
            self.marks.ellipse(x0, y0, x1, y1, self.part)

    def oval(self, x: float, y: float, rx: float, ry: float, turn_deg: float, fill: Rgb) -> None:
        """An ellipse turned clockwise."""
        c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        self.polygon([(x + u * rx * c - v * ry * s, y + u * rx * s + v * ry * c) for u, v in _circle()], fill)

    def eye(self, x: float, y: float, r: float, *, closed: bool = False) -> None:
        if closed:
            self.limb([(x - r, y), (x, y + r * 0.6), (x + r, y)], INK, 0.018)
            return
        self.disc(x, y, r * 1.45, r * 1.45, PAPER)
        self.disc(x + r * 0.3, y, r, r, INK)

    def haunch(self, x: float, y: float, fill: Rgb) -> None:
        """The bent line of a folded hind leg."""
        self.tail([(x - 0.06, y - 0.12), (x + 0.08, y - 0.12), (x + 0.15, y), (x + 0.09, y + 0.09)], fill, 0.022)

    def edge(self, rgb: Rgb) -> None:
        """Run a thin edge round everything drawn so far."""
        solid = self.pen.mask()
        grown = solid.copy()
        for at in _RIM:
            grown.paste(255, at, solid)
        grown.paste(0, (0, 0), solid)
        self.pen.canvas.paste((*rgb, 255), (0, 0), grown)


def inset(pen: Pen) -> Sketch:
    """A sketch that leaves room for the edge all round, least below, where a thing stands."""
    return Sketch(pen, unit=0.945, origin=(0.0275 * pen.w / pen.h, 0.04))


@lru_cache(maxsize=1)
def _circle() -> tuple[Point, ...]:
    return tuple((math.cos(math.tau * i / 20), math.sin(math.tau * i / 20)) for i in range(20))


@lru_cache(maxsize=1)
def _weights() -> tuple[tuple[float, float, float, float], ...]:
    out = []
    for i in range(_CURVE_STEPS):
        t = i / _CURVE_STEPS
        out.append((
            0.5 * (-t + 2 * t * t - t**3),
            0.5 * (2 - 5 * t * t + 3 * t**3),
            0.5 * (t + 4 * t * t - 3 * t**3),
            0.5 * (-t * t + t**3),
        ))
    return tuple(out)


def curve(points: Sequence[Point], *, closed: bool) -> list[Point]:
    """A soft curve through the points (a Catmull-Rom spline)."""
    n = len(points)
    if closed:
        quads = [(points[i - 1], points[i], points[(i + 1) % n], points[(i + 2) % n]) for i in range(n)]
    else:
        padded = [points[0], *points, points[-1]]
        quads = [(padded[i], padded[i + 1], padded[i + 2], padded[i + 3]) for i in range(n - 1)]
    out = [
        (a * p[0] + b * q[0] + c * r[0] + d * s[0], a * p[1] + b * q[1] + c * r[1] + d * s[1])
        for p, q, r, s in quads
        for a, b, c, d in _weights()
    ]
    if not closed:
        out.append(points[-1])
    return out
