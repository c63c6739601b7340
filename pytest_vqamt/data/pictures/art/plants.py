"""Things that grow."""

from __future__ import annotations

from math import cos, pi, sin

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Rgb, ink, shade, smooth

_BARK = (128, 84, 48)
_GREEN = (70, 160, 76)
_TALL_CROWN = (
    (0.5, 0.14, 0.13),
    (0.32, 0.28, 0.14),
    (0.68, 0.28, 0.14),
    (0.26, 0.46, 0.13),
    (0.74, 0.46, 0.13),
    (0.5, 0.44, 0.2),
    (0.5, 0.3, 0.18),
)
_SHORT_CROWN = (
    (0.5, 0.54, 0.13),
    (0.27, 0.62, 0.12),
    (0.73, 0.62, 0.12),
    (0.34, 0.74, 0.11),
    (0.66, 0.74, 0.11),
    (0.5, 0.67, 0.16),
)
_BUSH = ((0.2, 0.66, 0.3), (0.8, 0.66, 0.3), (0.36, 0.36, 0.33), (0.64, 0.36, 0.33), (0.5, 0.62, 0.36))
_LEAF_LEFT = smooth(((0.48, 0.9), (0.26, 0.86), (0.08, 0.68), (0.3, 0.7)))
_LEAF_RIGHT = smooth(((0.52, 0.86), (0.7, 0.66), (0.92, 0.64), (0.74, 0.82)))
_PETALS = tuple((0.5 + 0.29 * cos(pi * k / 3), 0.31 + 0.205 * sin(pi * k / 3)) for k in range(6))


def _clump(pen: Pen, balls: tuple[tuple[float, float, float], ...], rgb: Rgb, rim: float) -> None:
    """Round leaves that melt into one outlined crown."""
    line = ink(rgb)
    for x, y, radius in balls:
        pen.circle(x, y, radius + rim, line)
    for x, y, radius in balls:
        pen.circle(x, y, radius, rgb)


def draw_tree(pen: Pen, look: Look) -> None:
    """The tall tree is nearly twice as high as the short one, and slimmer for its height."""
    rgb = PALETTE[look.colour]
    tall = "tall" in look.states
    crown, trunk_top = (_TALL_CROWN, 0.5) if tall else (_SHORT_CROWN, 0.8)
    half = 0.07 if tall else 0.09
    pen.polygon(
        [(0.5 - half, trunk_top), (0.5 + half, trunk_top), (0.53 + half, 0.99), (0.47 - half, 0.99)],
        _BARK,
        ink(_BARK),
        0.012,
    )
    _clump(pen, crown, rgb, 0.012)
    shadow = shade(rgb, 0.8 if look.colour != "black" else 1.2)
    for x, y, radius in crown[1:4]:
        pen.arc(x - radius, y - radius / 2, x + radius, y + radius / 2, 30, 150, shadow, 0.016)


def draw_flower(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    centre = (
        PALETTE["yellow"]
        if look.colour not in ("yellow", "white", "orange")
        else PALETTE["brown"]
        if look.colour != "white"
        else PALETTE["yellow"]
    )
    pen.line([(0.5, 0.4), (0.5, 0.98)], ink(_GREEN), 0.07)
    pen.line([(0.5, 0.4), (0.5, 0.98)], _GREEN, 0.045)
    pen.polygon(_LEAF_LEFT, _GREEN, ink(_GREEN), 0.016)
    pen.polygon(_LEAF_RIGHT, _GREEN, ink(_GREEN), 0.016)
    for x, y in _PETALS:
        pen.circle(x, y, 0.14, rgb, line, 0.02)
    pen.circle(0.5, 0.31, 0.1, centre, ink(centre), 0.018)


def draw_cactus(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    arms = ([(0.5, 0.66), (0.14, 0.66), (0.14, 0.36)], [(0.5, 0.54), (0.86, 0.54), (0.86, 0.22)])
    for stroke, extra in ((ink(rgb), 0.04), (rgb, 0.0)):
        for points in arms:
            pen.line(points, stroke, 0.13 + extra)
            pen.circle(*points[1], (0.13 + extra) / 2, stroke)
        pen.rectangle(0.33 - extra / 2, 0.025 - extra / 2, 0.67 + extra / 2, 0.98 + extra / 2, stroke, None, 0.0, 0.12)
    spine = shade(rgb, 1.75) if look.colour != "white" else shade(rgb, 0.6)
    for x, y in (
        (0.42, 0.14),
        (0.56, 0.22),
        (0.44, 0.34),
        (0.57, 0.44),
        (0.43, 0.56),
        (0.57, 0.68),
        (0.44, 0.8),
        (0.56, 0.9),
        (0.14, 0.46),
        (0.86, 0.32),
    ):
        pen.line([(x, y), (x + 0.05, y + 0.035)], spine, 0.022)


def draw_bush(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    _clump(pen, _BUSH, rgb, 0.03)
    pen.rectangle(0.1, 0.8, 0.9, 0.985, rgb, None, 0.0, 0.1)
    pen.line([(0.12, 0.98), (0.88, 0.98)], ink(rgb), 0.03)
    for x, y in ((0.2, 0.6), (0.36, 0.32), (0.6, 0.28), (0.5, 0.58), (0.78, 0.6), (0.34, 0.82), (0.66, 0.84)):
        pen.arc(x - 0.06, y - 0.1, x + 0.06, y + 0.1, 200, 340, shade(rgb, 0.68), 0.035)
