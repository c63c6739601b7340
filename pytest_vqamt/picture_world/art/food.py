"""Things to eat."""

from __future__ import annotations

from math import cos, pi, sin

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Rgb, ink, shade, smooth

_STEM = (104, 66, 34)
_LEAF = (70, 165, 75)
_CREAM = (255, 246, 226)
_CRUST = (205, 142, 70)

_APPLE = smooth(((0.5, 0.31), (0.7, 0.22), (0.93, 0.34), (0.97, 0.6), (0.84, 0.86), (0.65, 0.98), (0.5, 0.94),
    (0.35, 0.98), (0.16, 0.86), (0.03, 0.6), (0.07, 0.34), (0.3, 0.22)))
_PEAR = smooth(((0.5, 0.17), (0.66, 0.24), (0.72, 0.42), (0.9, 0.6), (0.95, 0.78), (0.8, 0.95), (0.5, 0.99),
    (0.2, 0.95), (0.05, 0.78), (0.1, 0.6), (0.28, 0.42), (0.34, 0.24)))
_BANANA = smooth(((0.84, 0.02), (0.93, 0.05), (0.92, 0.2), (0.98, 0.45), (0.86, 0.75), (0.6, 0.95), (0.3, 0.97),
    (0.06, 0.86), (0.03, 0.75), (0.25, 0.74), (0.5, 0.63), (0.7, 0.42), (0.79, 0.2)))
_CARROT = smooth(((0.1, 0.96), (0.04, 0.97), (0.05, 0.91), (0.28, 0.5), (0.42, 0.32), (0.58, 0.29), (0.7, 0.4),
    (0.69, 0.56), (0.53, 0.7)))
_STRAWBERRY = smooth(((0.5, 0.2), (0.8, 0.17), (0.96, 0.36), (0.9, 0.6), (0.7, 0.87), (0.5, 0.99), (0.3, 0.87),
    (0.1, 0.6), (0.04, 0.36), (0.2, 0.17)))
_LEAF_SHAPE = smooth(((0.53, 0.2), (0.6, 0.06), (0.78, 0.0), (0.92, 0.03), (0.82, 0.16), (0.68, 0.21)))

_BARK = (128, 84, 48)
_GREEN = (70, 160, 76)
_TALL_CROWN = ((0.5, 0.14, 0.13), (0.32, 0.28, 0.14), (0.68, 0.28, 0.14), (0.26, 0.46, 0.13), (0.74, 0.46, 0.13),
    (0.5, 0.44, 0.2), (0.5, 0.3, 0.18))
_SHORT_CROWN = ((0.5, 0.54, 0.13), (0.27, 0.62, 0.12), (0.73, 0.62, 0.12), (0.34, 0.74, 0.11), (0.66, 0.74, 0.11),
    (0.5, 0.67, 0.16))
_BUSH = ((0.2, 0.66, 0.3), (0.8, 0.66, 0.3), (0.36, 0.36, 0.33), (0.64, 0.36, 0.33), (0.5, 0.62, 0.36))
_LEAF_LEFT = smooth(((0.48, 0.9), (0.26, 0.86), (0.08, 0.68), (0.3, 0.7)))
_LEAF_RIGHT = smooth(((0.52, 0.86), (0.7, 0.66), (0.92, 0.64), (0.74, 0.82)))
_PETALS = tuple((0.5 + 0.29 * cos(pi * k / 3), 0.31 + 0.205 * sin(pi * k / 3)) for k in range(6))


def draw_apple(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    pen.polygon(_APPLE, rgb, ink(rgb), 0.035)
    pen.line([(0.5, 0.32), (0.5, 0.18), (0.45, 0.04)], _STEM, 0.07)
    pen.polygon(_LEAF_SHAPE, _LEAF, ink(_LEAF), 0.025)
    pen.ellipse(0.16, 0.37, 0.33, 0.6, shade(rgb, 1.5))


def draw_pear(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    pen.line([(0.5, 0.2), (0.52, 0.12), (0.6, 0.03)], _STEM, 0.06)
    pen.polygon(_PEAR, rgb, ink(rgb), 0.03)
    pen.ellipse(0.2, 0.58, 0.36, 0.8, shade(rgb, 1.5))


def draw_banana(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    pen.polygon(_BANANA, rgb, ink(rgb), 0.035)
    pen.line([(0.15, 0.83), (0.38, 0.83), (0.62, 0.74), (0.8, 0.54), (0.86, 0.25)], shade(rgb, 0.78), 0.035)
    pen.line([(0.87, 0.05), (0.88, 0.1)], _STEM, 0.09)
    pen.line([(0.06, 0.8), (0.07, 0.83)], _STEM, 0.08)


def draw_carrot(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    for tip in ((0.58, 0.06), (0.8, 0.04), (0.95, 0.2), (0.95, 0.42)):
        pen.line([(0.6, 0.4), tip], ink(_LEAF), 0.12)
        pen.line([(0.6, 0.4), tip], _LEAF, 0.075)
    pen.polygon(_CARROT, rgb, ink(rgb), 0.03)
    for start, end in (((0.33, 0.47), (0.45, 0.55)), ((0.55, 0.63), (0.46, 0.55)), ((0.2, 0.68), (0.29, 0.74))):
        pen.line([start, end], shade(rgb, 0.68), 0.03)


def draw_strawberry(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    pen.polygon(_STRAWBERRY, rgb, ink(rgb), 0.035)
    for x, y in (
        (0.28, 0.42),
        (0.5, 0.5),
        (0.72, 0.42),
        (0.36, 0.66),
        (0.62, 0.68),
        (0.5, 0.84),
        (0.18, 0.56),
        (0.82, 0.57),
    ):
        pen.ellipse(x - 0.025, y - 0.04, x + 0.025, y + 0.04, (255, 232, 150))
    pen.polygon([(0.5, 0.38), (0.4, 0.26), (0.18, 0.3), (0.3, 0.17), (0.22, 0.04), (0.42, 0.1), (0.5, 0.0), (0.58, 0.1),
        (0.78, 0.04), (0.7, 0.17), (0.82, 0.3), (0.6, 0.26)], _LEAF, ink(_LEAF), 0.025)


def draw_cake(pen: Pen, look: Look) -> None:
    """Two tiers with icing and a cherry, on a plate."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    icing = _CREAM if look.colour != "white" else PALETTE["pink"]
    pen.ellipse(0.0, 0.84, 1.0, 1.0, (222, 226, 232), (140, 146, 156), 0.02)
    for left, right, top, bottom in ((0.08, 0.92, 0.5, 0.86), (0.24, 0.76, 0.2, 0.5)):
        pen.rectangle(left, top, right, bottom + 0.05, rgb, line, 0.025, 0.05)
        pen.rectangle(left, top, right, top + 0.1, icing, None, 0.0, 0.05)
        step = (right - left) / 6
        for i in range(6):
            x, drip = left + i * step, 0.16 if i % 2 else 0.1
            pen.rectangle(x + 0.01, top + 0.03, x + step - 0.01, top + drip, icing, None, 0.0, 0.035)
    pen.circle(0.5, 0.1, 0.1, PALETTE["red"], ink(PALETTE["red"]), 0.02)


def draw_pizza(pen: Pen, look: Look) -> None:
    """A slice with its crust on top."""
    rgb = PALETTE[look.colour]
    topping = PALETTE["red"] if look.colour != "red" else (255, 240, 200)
    pen.polygon([(0.04, 0.13), (0.96, 0.13), (0.55, 0.98), (0.46, 0.99)], rgb, ink(rgb), 0.03)
    for x, y, radius in ((0.32, 0.32, 0.085), (0.66, 0.36, 0.085), (0.48, 0.6, 0.08)):
        pen.circle(x, y, radius, topping, shade(topping, 0.8), 0.015)
    pen.rectangle(0.0, 0.015, 1.0, 0.18, _CRUST, ink(_CRUST), 0.022, 0.08)


def draw_sandwich(pen: Pen, look: Look) -> None:
    """Half a sandwich, cut from corner to corner, with its filling in sight."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.rectangle(0.03, 0.8, 0.97, 0.985, rgb, line, 0.03, 0.05)
    pen.rectangle(0.04, 0.7, 0.96, 0.82, PALETTE["red"], ink(PALETTE["red"]), 0.015)
    pen.polygon([(0.06, 0.64), (0.94, 0.64), (0.9, 0.7), (0.72, 0.88), (0.54, 0.7), (0.08, 0.7)], (255, 205, 60))
    for i in range(6):
        pen.ellipse(i * 0.166, 0.56, i * 0.166 + 0.17, 0.72, _LEAF, ink(_LEAF), 0.02)
    pen.rectangle(0.03, 0.42, 0.97, 0.62, shade(rgb, 0.88), line, 0.03, 0.04)
    pen.polygon([(0.02, 0.47), (0.56, 0.01), (0.64, 0.01), (0.98, 0.47)], rgb, line, 0.03)
    pen.line([(0.12, 0.4), (0.56, 0.06), (0.64, 0.06), (0.89, 0.4)], shade(rgb, 0.78), 0.05)


def _clump(pen: Pen, balls: tuple[tuple[float, float, float], ...], rgb: Rgb, rim: float) -> None:
    """Round leaves that melt into one outlined crown."""
    line = ink(rgb)
    for x, y, radius in balls:  # all outlines first, so that those within the crown are covered
        pen.circle(x, y, radius + rim, line)
    for x, y, radius in balls:
        pen.circle(x, y, radius, rgb)


def draw_tree(pen: Pen, look: Look) -> None:
    """The tall tree is nearly twice as high as the short one, and slimmer for its height."""
    rgb = PALETTE[look.colour]
    tall = "tall" in look.states
    crown, trunk_top = (_TALL_CROWN, 0.5) if tall else (_SHORT_CROWN, 0.8)
    half = 0.07 if tall else 0.09
    pen.polygon([(0.5 - half, trunk_top), (0.5 + half, trunk_top), (0.53 + half, 0.99), (0.47 - half, 0.99)], _BARK,
        ink(_BARK), 0.012)
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
