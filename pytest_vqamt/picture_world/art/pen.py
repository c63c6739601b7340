"""A drawing pen in unit coordinates, anti-aliased by supersampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw

Rgb = tuple[int, int, int]
Point = tuple[float, float]

SUPERSAMPLING = 2
"""How many times larger all is drawn than it comes out, for smooth edges."""

PALETTE: dict[str, Rgb] = {
    "red": (214, 40, 40),
    "orange": (245, 134, 28),
    "yellow": (250, 211, 50),
    "green": (56, 152, 67),
    "blue": (43, 96, 205),
    "purple": (128, 62, 165),
    "pink": (244, 142, 180),
    "brown": (126, 78, 42),
    "black": (38, 38, 42),
    "gray": (140, 143, 149),
    "white": (246, 246, 243),
}
"""The named colours, which differ at a glance."""

_TINTS: dict[str, Rgb] = {
    "red": (225, 96, 96),
    "orange": (189, 103, 22),
    "yellow": (252, 231, 144),
    "green": (122, 203, 84),
    "blue": (104, 142, 220),
    "purple": (168, 104, 212),
    "pink": (249, 192, 213),
    "brown": (175, 120, 70),
    "black": (68, 78, 100),
    "gray": (184, 186, 189),
    "white": (207, 207, 204),
}
"""The colour of a pattern on a thing of each colour, as ``tint`` says."""
_TINT_OF: dict[Rgb, Rgb] = {rgb: _TINTS[name] for name, rgb in PALETTE.items()}

MUD: Rgb = (98, 64, 30)
_BLOT = ((0.0, 0.0, 1.25, 0.85), (0.7, 0.45, 0.75, 0.65), (-1.75, -0.6, 0.32, 0.32), (1.5, -0.95, 0.26, 0.26))
"""One blot as (x, y, half width, half height) in its radius: a lump of two, and two drops that flew off."""

NO_PART: Rgb = (0, 0, 0)
"""What the second pen of a sketch draws where no part is to be marked: it covers marks that lie behind."""
INK: Rgb = (30, 28, 32)
PAPER: Rgb = (250, 250, 248)
ROSE: Rgb = (240, 160, 165)

_CURVE_STEPS = 5
"""The corners for each point of a curve."""
_RIM = ((2, 0), (-2, 0), (0, 2), (0, -2), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""By how many drawn pixels the edge grows in each direction: two, and as far diagonally."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How one thing looks; all that a drawing function may depend on."""

    colour: str
    """The one colour that the thing is described by, a key of PALETTE."""
    pattern: str = "plain"
    """Plain, striped, dotted or checked, in a tint of the colour, so that a person would name the same colour."""
    states: frozenset[str] = frozenset()
    """Words such as "open", "full", "on", "dirty"."""
    pose: str = ""
    """Of people and animals."""
    variant: int = 0
    """A small free number for harmless variety (hair, face, window count)."""
    parts: int | None = None
    """The number of its legs, say, drawn apart from each other; None draws them as usual."""


def shade(rgb: Rgb, factor: float) -> Rgb:
    """The colour made darker (factor below 1) or lighter (above 1, towards white)."""
    if factor <= 1:
        r, g, b = (round(c * factor) for c in rgb)
    else:
        r, g, b = (round(c + (255 - c) * (factor - 1)) for c in rgb)
    return r, g, b


def ink(rgb: Rgb) -> Rgb:
    """The colour of a thing's outline: darker than the thing, but lighter than a black one, so that both are seen."""
    return shade(rgb, 1.35) if max(rgb) < 60 else shade(rgb, 0.58)


def tint(rgb: Rgb) -> Rgb:
    """The colour of a pattern on a thing: as far from the thing's as one can go and still call it by the same name.

    Every colour of the palette is the one that its own tint is nearest to (RGB distance).
    """
    return _TINT_OF.get(rgb, shade(rgb, 1.22))


@lru_cache(maxsize=512)
def smooth(points: tuple[Point, ...], steps: int = 5) -> tuple[Point, ...]:
    """A closed curve through the points (Catmull-Rom), as a polygon of ``steps`` corners for each of them."""
    curve = []
    for i in range(len(points)):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (points[(i + k - 1) % len(points)] for k in range(4))
        for step in range(steps):
            t = step / steps
            a, b, c, d = -t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2
            curve.append(((a * ax + b * bx + c * cx + d * dx) / 2, (a * ay + b * by + c * cy + d * dy) / 2))
    return tuple(curve)


class Pen:
    """Draws shapes on a transparent canvas; (0, 0) is the top left corner and (1, 1) the bottom right one.

    Radii and widths are fractions of the canvas *height*. The picture comes out as RGBA uint8 of
    ``size_px`` = (width, height).
    """

    def __init__(self, size_px: tuple[int, int]) -> None:
        self.size_px = size_px
        self.w = size_px[0] * SUPERSAMPLING
        self.h = size_px[1] * SUPERSAMPLING
        self.canvas = Image.new("RGBA", (self.w, self.h), (0, 0, 0, 0))
        self._draw = ImageDraw.Draw(self.canvas)

    def _at(self, x: float, y: float) -> Point:
        return x * self.w, y * self.h

    def ellipse(self, x0: float, y0: float, x1: float, y1: float, fill: Rgb | None, outline: Rgb | None = None,
                width: float = 0.012) -> None:
        self._draw.ellipse([*self._at(x0, y0), *self._at(x1, y1)], fill=fill, outline=outline,
                           width=self.stroke(width) if outline else 0)

    def rectangle(self, x0: float, y0: float, x1: float, y1: float, fill: Rgb | None, outline: Rgb | None = None,
                  width: float = 0.012, radius: float = 0.0) -> None:
        box = [*self._at(x0, y0), *self._at(x1, y1)]
        stroke = self.stroke(width) if outline else 0
        if radius:
            self._draw.rounded_rectangle(box, radius * self.h, fill=fill, outline=outline, width=stroke)
        else:
            self._draw.rectangle(box, fill=fill, outline=outline, width=stroke)

    def polygon(self, points: Sequence[Point], fill: Rgb | None, outline: Rgb | None = None,
                width: float = 0.012) -> None:
        at = [self._at(x, y) for x, y in points]
        if fill is not None:
            self._draw.polygon(at, fill=fill)
        if outline is not None:
            # To the second point again: Pillow rounds joints between lines alone, and the first corner is one, too.
            self._draw.line([*at, at[0], at[1]], fill=outline, width=self.stroke(width), joint="curve")

    def line(self, points: Sequence[Point], fill: Rgb, width: float) -> None:
        """A line with round ends and joints: limbs, handles, strings."""
        at = [self._at(x, y) for x, y in points]
        stroke = self.stroke(width)
        self._draw.line(at, fill=fill, width=stroke, joint="curve")
        if stroke > 2:  # Pillow's lines have square ends, which are not visible on thinner ones
            r = stroke / 2
            for x, y in (at[0], at[-1]):
                self._draw.ellipse([x - r, y - r, x + r, y + r], fill=fill)

    def arc(self, x0: float, y0: float, x1: float, y1: float, start_deg: float, end_deg: float, fill: Rgb,
            width: float) -> None:
        self._draw.arc([*self._at(x0, y0), *self._at(x1, y1)], start_deg, end_deg, fill=fill, width=self.stroke(width))

    def pie(self, x0: float, y0: float, x1: float, y1: float, start_deg: float, end_deg: float, fill: Rgb) -> None:
        self._draw.pieslice([*self._at(x0, y0), *self._at(x1, y1)], start_deg, end_deg, fill=fill)

    def stroke(self, width: float) -> int:
        return max(1, round(width * self.h))

    def circle(self, x: float, y: float, radius: float, fill: Rgb | None, outline: Rgb | None = None,
               width: float = 0.012) -> None:
        """A true circle on a canvas of any shape; its radius is a fraction of the height."""
        rx = radius * self.h / self.w  # x is a fraction of the width
        self.ellipse(x - rx, y - radius, x + rx, y + radius, fill, outline, width)

    def decorate(self, pattern: str, rgb: Rgb) -> None:
        """Lay a pattern over all that is drawn so far, in a tint of ``rgb``."""
        if pattern != "plain":
            self.texture(self.mask(), pattern, tint(rgb))

    def mask(self) -> Image.Image:
        """What is drawn so far, as an L mask of the supersampled canvas."""
        return self.canvas.getchannel("A")

    def texture(self, region: Image.Image, pattern: str, rgb: Rgb, *, step: float | None = None) -> None:
        """Lay a pattern in ``rgb`` over the part of the drawing that ``region`` (L, supersampled size) covers.

        ``step`` is the distance between two stripes, dots or squares as a fraction of the canvas height; left
        out, it suits a thing that fills the canvas.
        """
        if pattern == "plain":
            return
        tile = _pattern(pattern, self.w, self.h, None if step is None else max(4, round(step * self.h)))
        self.canvas.paste((*rgb, 255), (0, 0), ImageChops.multiply(tile, region))

    def finish(self) -> Image.Image:
        """The drawing at its final size: RGBA, straight alpha."""
        return self.canvas.reduce(SUPERSAMPLING)


@lru_cache(maxsize=256)
def _pattern(name: str, width: int, height: int, step_px: int | None = None) -> Image.Image:
    tile = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(tile)
    step = max(6, round(min(width, height) / 5)) if step_px is None else step_px
    if name == "striped":
        for y in range(0, height, step):
            draw.rectangle([0, y, width, y + step // 2 - 1], fill=255)
    elif name == "dotted":
        r = step * 0.28
        for row, y in enumerate(range(step // 2, height + step, step)):
            for x in range(step // 2 + (row % 2) * step // 2, width + step, step):
                draw.ellipse([x - r, y - r, x + r, y + r], fill=255)
    elif name == "checked":
        for row, y in enumerate(range(0, height, step)):
            for x in range((row % 2) * step, width, 2 * step):
                draw.rectangle([x, y, x + step - 1, y + step - 1], fill=255)
    else:
        raise ValueError(f"Expected pattern to be plain, striped, dotted or checked, but got pattern={name!r}")
    return tile


def splash(pen: Pen, blots: Sequence[tuple[float, float, float]]) -> None:
    """Draw a blot of mud at each (x, y, radius), every other one mirrored so that they do not look stamped."""
    for number, (x, y, radius) in enumerate(blots):
        across = radius * pen.h / pen.w * (-1 if number % 2 else 1)
        for dx, dy, half_width, half_height in _BLOT:
            middle, rx, ry = x + dx * across, abs(half_width * across), half_height * radius
            top = y + dy * radius - ry
            pen.ellipse(middle - rx, top, middle + rx, top + 2 * ry, MUD)


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


def row(number: int, first: float, last: float) -> tuple[float, ...]:
    """Places from first to last, evenly apart; a single one is in the middle.

    >>> row(3, 0.0, 1.0), row(1, 0.0, 1.0)
    ((0.0, 0.5, 1.0), (0.5,))
    """
    if number == 1:
        return ((first + last) / 2,)
    return tuple(first + (last - first) * place / (number - 1) for place in range(number))


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
        self._lift = 0.0, 1.0

    def lift(self, top: float, factor: float) -> None:
        """Makes what is drawn from now on lower, by this factor; what is at ``top`` stays there."""
        self._lift = top * (1 - factor), factor

    def _to_pen(self, points: Sequence[Point]) -> list[Point]:
        offset, factor = self._lift
        return [
            ((self._left + x * self._unit) * self._squeeze, self._top + (offset + y * factor) * self._unit)
            for x, y in points
        ]

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
        # The shape shifted in all directions, without the shape itself.
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
        padded = [points[0], *points, points[-1]]  # a spline needs a point before and after each stretch
        quads = [(padded[i], padded[i + 1], padded[i + 2], padded[i + 3]) for i in range(n - 1)]
    out = [
        (a * p[0] + b * q[0] + c * r[0] + d * s[0], a * p[1] + b * q[1] + c * r[1] + d * s[1])
        for p, q, r, s in quads
        for a, b, c, d in _weights()
    ]
    if not closed:
        out.append(points[-1])
    return out
