"""Calm places to put things in: sky or wall, ground, and nothing in them that has a name of its own."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from PIL import Image, ImageDraw

from pytest_vqamt.core.errors import RenderError, did_you_mean
from pytest_vqamt.picture_world.art.pen import Rgb

VARIANTS = 4
"""The pictures of each setting, which differ a little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One place."""

    floor_y: tuple[float, float]
    """The band (top, bottom) within which feet stand, as fractions of the height."""
    indoor: bool = False
    """It is under a roof."""
    wall: bool = False
    """Things can hang on the back wall, above the floor band."""


SETTINGS: dict[str, Setting] = {
    "meadow": Setting(floor_y=(0.62, 0.97)),
    "beach": Setting(floor_y=(0.68, 0.97)),
    "street": Setting(floor_y=(0.62, 0.97)),
    "snow": Setting(floor_y=(0.62, 0.97)),
    "kitchen": Setting(floor_y=(0.70, 0.97), indoor=True, wall=True),
    "living room": Setting(floor_y=(0.70, 0.97), indoor=True, wall=True),
    "night": Setting(floor_y=(0.62, 0.97)),
    "desert": Setting(floor_y=(0.62, 0.97)),
}


def draw_background(setting: str, size_px: tuple[int, int], variant: int = 0) -> Image.Image:
    """A fresh RGB picture of the place; ``variant`` picks one of a few slightly different ones."""
    if setting not in SETTINGS:
        raise RenderError(f"expected the name of a setting, but got setting={setting!r} as a background; "
                          f"{did_you_mean(setting, SETTINGS)}")
    return _drawn(setting, size_px, variant % VARIANTS).copy()


class _Scape:
    """The canvas of one background, at twice its size, with heights and widths as fractions."""

    def __init__(self, size_px: tuple[int, int], name: str, variant: int) -> None:
        self.w, self.h = size_px[0] * 2, size_px[1] * 2
        self.image = Image.new("RGB", (self.w, self.h))
        self.draw = ImageDraw.Draw(self.image)
        self.chance = random.Random(f"{name} {variant}")  # the same strokes on every machine
        self.variant = variant

    def band(self, top: float, bottom: float, above: Rgb, below: Rgb) -> None:
        """A band that runs softly from one colour to another."""
        y0, y1 = round(top * self.h), round(bottom * self.h)
        for y in range(y0, y1):
            t = (y - y0) / max(1, y1 - y0 - 1)
            self.draw.line([(0, y), (self.w, y)], fill=_mix(above, below, t))

    def hill(self, x: float, y: float, rx: float, ry: float, rgb: Rgb) -> None:
        self.draw.ellipse([(x - rx) * self.w, (y - ry) * self.h, (x + rx) * self.w, (y + ry) * self.h], fill=rgb)

    def stroke(self, x0: float, y0: float, x1: float, y1: float, rgb: Rgb, width: float = 0.006) -> None:
        self.draw.line([(x0 * self.w, y0 * self.h), (x1 * self.w, y1 * self.h)], fill=rgb,
                       width=max(1, round(width * self.h)))

    def dots(self, count: int, top: float, bottom: float, rgb: Rgb, r: float) -> None:
        for _ in range(count):
            x, y = self.chance.random() * self.w, self.chance.uniform(top, bottom) * self.h
            self.draw.ellipse([x - r * self.h, y - r * self.h, x + r * self.h, y + r * self.h], fill=rgb)

    def flecks(self, count: int, top: float, bottom: float, rgb: Rgb, length: float) -> None:
        for _ in range(count):
            x, y = self.chance.random(), self.chance.uniform(top, bottom)
            self.stroke(x, y, x + length, y, rgb, 0.005)


def _mix(a: Rgb, b: Rgb, t: float) -> Rgb:
    return round(a[0] + (b[0] - a[0]) * t), round(a[1] + (b[1] - a[1]) * t), round(a[2] + (b[2] - a[2]) * t)


def _meadow(s: _Scape) -> None:
    s.band(0, 0.6, (176, 210, 232), (214, 230, 236))
    s.hill(0.15 + 0.2 * s.variant, 0.66, 0.5, 0.17, (186, 208, 160))
    s.hill(0.95 - 0.25 * s.variant, 0.68, 0.55, 0.16, (178, 202, 152))
    s.band(0.58, 1, (172, 200, 142), (156, 188, 126))
    s.flecks(50, 0.6, 1, (148, 180, 120), 0.02)


def _beach(s: _Scape) -> None:
    s.band(0, 0.42, (186, 216, 236), (222, 234, 238))
    s.band(0.42, 0.64, (128, 184, 204), (160, 206, 214))
    for _ in range(14):
        x, y = s.chance.random(), s.chance.uniform(0.45, 0.61)
        s.stroke(x, y, x + 0.08, y, (174, 214, 222), 0.006)
    s.band(0.635, 0.66, (222, 236, 234), (222, 236, 234))
    s.hill(0.1 + 0.25 * s.variant, 0.635, 0.35, 0.012, (222, 236, 234))
    s.band(0.65, 1, (230, 214, 174), (218, 198, 154))
    s.dots(60, 0.68, 1, (206, 186, 142), 0.003)


def _street(s: _Scape) -> None:
    s.band(0, 0.56, (188, 206, 220), (222, 226, 226))
    s.band(0.56, 0.68, (196, 192, 186), (188, 184, 178))
    for i in range(9):
        x = i / 8 + 0.02 * s.variant
        s.stroke(x, 0.56, x - 0.03, 0.68, (178, 174, 168), 0.005)
    s.band(0.68, 0.70, (164, 162, 160), (158, 156, 154))
    s.band(0.70, 1, (128, 130, 134), (120, 122, 127))
    for i in range(5):
        x = i * 0.26 - 0.05 * s.variant
        s.stroke(x, 0.85, x + 0.13, 0.85, (190, 190, 184), 0.018)


def _snow(s: _Scape) -> None:
    s.band(0, 0.6, (164, 182, 202), (190, 202, 216))
    s.hill(0.2 + 0.22 * s.variant, 0.64, 0.5, 0.12, (204, 214, 226))
    s.hill(0.9 - 0.2 * s.variant, 0.66, 0.5, 0.13, (198, 209, 222))
    s.band(0.6, 1, (214, 222, 232), (202, 212, 226))
    s.dots(40, 0, 0.6, (214, 222, 232), 0.005)
    s.flecks(18, 0.63, 1, (190, 202, 218), 0.05)


def _kitchen(s: _Scape) -> None:
    wall = ((226, 220, 204), (212, 222, 216), (216, 220, 228), (230, 214, 204))[s.variant]
    s.band(0, 0.67, wall, wall)
    line = _mix(wall, (120, 120, 120), 0.12)
    for i in range(1, 8):
        s.stroke(0, i / 11, 1, i / 11, line, 0.004)
    for i in range(12):
        s.stroke(i / 11, 0, i / 11, 0.66, line, 0.004)
    s.band(0.66, 0.68, _mix(wall, (110, 100, 90), 0.35), _mix(wall, (110, 100, 90), 0.35))
    a, b = (200, 194, 184), (186, 180, 171)
    s.band(0.68, 1, a, a)
    tops = (0.68, 0.74, 0.82, 0.91, 1.0)
    for row, (top, bottom) in enumerate(pairwise(tops)):
        for col in range(-4, 14):
            if (row + col) % 2:
                s.draw.polygon([(_spread(c, y) * s.w, y * s.h) for c, y in
                                ((col, top), (col + 1, top), (col + 1, bottom), (col, bottom))], fill=b)


def _spread(col: int, y: float) -> float:
    """Where a floor line runs, so that the floor seems to come towards the eye."""
    return 0.5 + (col / 9 - 0.5) * (0.9 + (y - 0.68) * 1.6)


def _living_room(s: _Scape) -> None:
    wall = ((222, 208, 190), (204, 214, 204), (206, 208, 222), (226, 204, 200))[s.variant]
    s.band(0, 0.66, wall, _mix(wall, (120, 110, 100), 0.06))
    for i in range(14):
        s.stroke(i / 13, 0, i / 13, 0.65, _mix(wall, (255, 255, 255), 0.22), 0.012)
    s.band(0.645, 0.68, (232, 226, 216), (222, 216, 206))
    s.band(0.68, 1, (198, 166, 128), (188, 156, 118))
    for y in (0.68, 0.74, 0.82, 0.91):
        s.stroke(0, y, 1, y, (174, 142, 106), 0.005)
    for (top, bottom), shift in zip(((0.68, 0.74), (0.74, 0.82), (0.82, 0.91), (0.91, 1.0)), (0.3, 0.72, 0.15, 0.55),
                                    strict=True):
        x = (shift + 0.23 * s.variant) % 1
        s.stroke(x, top, x, bottom, (174, 142, 106), 0.005)


def _night(s: _Scape) -> None:
    s.band(0, 0.6, (58, 66, 108), (92, 98, 136))
    s.dots(40, 0, 0.52, (204, 206, 198), 0.003)
    s.hill(0.2 + 0.2 * s.variant, 0.66, 0.55, 0.13, (74, 98, 96))
    s.band(0.58, 1, (78, 106, 90), (70, 96, 82))
    s.flecks(44, 0.6, 1, (64, 88, 76), 0.02)


def _desert(s: _Scape) -> None:
    s.band(0, 0.6, (206, 220, 228), (238, 226, 204))
    s.hill(0.25 + 0.15 * s.variant, 0.66, 0.45, 0.15, (222, 190, 146))
    s.hill(0.85 - 0.15 * s.variant, 0.67, 0.5, 0.14, (216, 182, 138))
    s.band(0.6, 1, (222, 188, 142), (208, 172, 126))
    for _ in range(12):
        x, y = s.chance.random(), s.chance.uniform(0.65, 0.98)
        s.draw.arc([x * s.w, y * s.h, (x + 0.16) * s.w, (y + 0.05) * s.h], 200, 340, fill=(200, 164, 118), width=2)


_PAINTERS: dict[str, Callable[[_Scape], None]] = {
    "meadow": _meadow, "beach": _beach, "street": _street, "snow": _snow, "kitchen": _kitchen,
    "living room": _living_room, "night": _night, "desert": _desert,
}


@lru_cache(maxsize=96)
def _drawn(setting: str, size_px: tuple[int, int], variant: int) -> Image.Image:
    scape = _Scape(size_px, setting, variant)  # at twice the size, for smooth edges
    _PAINTERS[setting](scape)
    return scape.image.reduce(2)
