"""Things to use at home."""

from __future__ import annotations

import math

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, ink, row, shade, smooth, splash

_PAGE = (252, 250, 243)
_WATER = (120, 205, 245)
_RICE = (255, 238, 196)
_SCREEN = (176, 228, 250)
_DARK = (44, 48, 56)

_VASE = smooth(((0.3, 0.04), (0.7, 0.04), (0.62, 0.2), (0.7, 0.32), (0.95, 0.5), (0.95, 0.7), (0.74, 0.92), (0.7, 0.98),
    (0.3, 0.98), (0.26, 0.92), (0.05, 0.7), (0.05, 0.5), (0.3, 0.32), (0.38, 0.2)))
_CUP = ((0.03, 0.2), (0.77, 0.2), (0.7, 0.9), (0.6, 0.98), (0.2, 0.98), (0.1, 0.9))
_BOWL = smooth(((0.01, 0.36), (0.25, 0.36), (0.5, 0.36), (0.75, 0.36), (0.99, 0.36), (0.93, 0.62), (0.75, 0.86),
    (0.5, 0.92), (0.25, 0.86), (0.07, 0.62)))
_BOTTLE = ((0.36, 0.1), (0.64, 0.1), (0.64, 0.28), (0.86, 0.38), (0.97, 0.5), (0.97, 0.94), (0.9, 0.99), (0.1, 0.99),
    (0.03, 0.94), (0.03, 0.5), (0.14, 0.38), (0.36, 0.28))
_HOLLOW = ((0.45, 0.12), (0.55, 0.12), (0.55, 0.33), (0.7, 0.42), (0.77, 0.52), (0.77, 0.9), (0.23, 0.9), (0.23, 0.52),
    (0.3, 0.42), (0.45, 0.33))
_BUCKET = ((0.06, 0.38), (0.94, 0.38), (0.8, 0.98), (0.2, 0.98))

_GLOW = (255, 236, 130)
_LINEN = (250, 249, 244)


def draw_cup(pen: Pen, look: Look) -> None:
    """A mug, seen a little from above so that one can look into it."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.ellipse(0.6, 0.32, 0.98, 0.78, None, line, 0.125)
    pen.ellipse(0.615, 0.35, 0.955, 0.75, None, rgb, 0.075)
    body = Pen(pen.size_px) if look.pattern != "plain" else pen
    body.polygon(_CUP, rgb)
    if body is not pen:
        body.decorate(look.pattern, rgb)
        pen.canvas.alpha_composite(body.canvas)
    pen.polygon(_CUP, None, line, 0.03)
    if "dirty" in look.states:
        splash(pen, ((0.26, 0.6, 0.085), (0.54, 0.72, 0.08), (0.56, 0.46, 0.05)))
    full = "full" in look.states
    pen.ellipse(0.02, 0.03, 0.78, 0.36, rgb, line, 0.03)
    inside = shade(rgb, 0.6 if look.colour != "white" else 0.76)
    pen.ellipse(0.08, 0.08, 0.72, 0.32, _WATER if full else inside, line, 0.02)
    if full:
        pen.arc(0.18, 0.13, 0.54, 0.27, 180, 290, (240, 252, 255), 0.035)


def draw_bottle(pen: Pen, look: Look) -> None:
    """A glass bottle: the full one dark up to its cork, the empty one hollow and without a cork."""
    rgb = PALETTE[look.colour]
    if "full" in look.states:
        pen.rectangle(0.38, 0.005, 0.62, 0.12, (190, 142, 92), (112, 78, 44), 0.015)
        pen.polygon(_BOTTLE, rgb, ink(rgb), 0.02)
        pen.line([(0.22, 0.54), (0.22, 0.88)], shade(rgb, 1.55), 0.045)
        return
    pen.polygon(_BOTTLE, rgb, ink(rgb), 0.02)
    pen.polygon(_HOLLOW, shade(rgb, 1.78))
    pen.line([(0.62, 0.52), (0.62, 0.7)], (255, 255, 255), 0.04)
    pen.rectangle(0.3, 0.05, 0.7, 0.125, rgb, ink(rgb), 0.015, 0.02)


def draw_bowl(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.rectangle(0.32, 0.84, 0.68, 0.99, rgb)
    pen.polygon(_BOWL, rgb)
    pen.decorate(look.pattern, rgb)
    pen.polygon(_BOWL, None, line, 0.03)
    pen.line([(0.32, 0.98), (0.68, 0.98)], line, 0.04)
    pen.ellipse(0.01, 0.2, 0.99, 0.54, rgb, line, 0.03)
    pen.ellipse(0.07, 0.25, 0.93, 0.49, shade(rgb, 0.75 if look.colour != "white" else 0.87), line, 0.02)
    if "full" in look.states:
        pen.pie(0.13, 0.06, 0.87, 0.74, 180, 360, _RICE)
        pen.ellipse(0.11, 0.31, 0.89, 0.48, _RICE)
        pen.arc(0.13, 0.06, 0.87, 0.74, 180, 360, (190, 160, 100), 0.03)
        for x, y in ((0.3, 0.26), (0.46, 0.19), (0.64, 0.24), (0.4, 0.36), (0.58, 0.38), (0.76, 0.34)):
            pen.line([(x, y), (x + 0.04, y + 0.03)], (206, 176, 116), 0.035)


def draw_book(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    if "open" in look.states:
        pen.polygon([(0.0, 0.14), (0.44, 0.22), (0.56, 0.22), (1.0, 0.14), (1.0, 0.9), (0.56, 0.98), (0.44, 0.98),
            (0.0, 0.9)], rgb, line, 0.03)
        for side in (-1, 1):
            pen.polygon([(0.5, 0.15), (0.5 + side * 0.17, 0.03), (0.5 + side * 0.34, 0.07), (0.5 + side * 0.34, 0.64),
                (0.5 + side * 0.17, 0.64), (0.5, 0.74)], _PAGE, (168, 164, 152), 0.025)
            for y in (0.22, 0.35, 0.48):
                pen.line([(0.5 + side * 0.1, y), (0.5 + side * 0.28, y - 0.06)], (150, 150, 156), 0.03)
        return
    pen.rectangle(0.17, 0.01, 0.83, 0.99, shade(rgb, 0.8), line, 0.025, 0.06)
    pen.rectangle(0.22, 0.86, 0.83, 0.94, _PAGE, (168, 164, 152), 0.015)
    pen.rectangle(0.17, 0.01, 0.83, 0.87, rgb, line, 0.028, 0.06)
    pen.line([(0.28, 0.04), (0.28, 0.84)], line, 0.03)
    pen.rectangle(0.39, 0.18, 0.72, 0.4, shade(rgb, 1.75) if look.colour != "white" else shade(rgb, 0.8), line, 0.015)


def draw_box(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.rectangle(0.1, 0.34, 0.9, 0.985, rgb)
    pen.decorate(look.pattern, rgb)
    pen.rectangle(0.1, 0.34, 0.9, 0.985, None, line, 0.028)
    if "open" in look.states:
        pen.polygon([(0.2, 0.16), (0.8, 0.16), (0.9, 0.36), (0.1, 0.36)], shade(rgb, 0.45), line, 0.025)
        pen.polygon([(0.2, 0.16), (0.1, 0.36), (0.0, 0.22), (0.09, 0.02)], shade(rgb, 0.85), line, 0.025)
        pen.polygon([(0.8, 0.16), (0.9, 0.36), (1.0, 0.22), (0.91, 0.02)], shade(rgb, 0.85), line, 0.025)
        pen.polygon([(0.1, 0.35), (0.9, 0.35), (0.98, 0.54), (0.02, 0.54)], shade(rgb, 1.2), line, 0.025)
        return
    pen.polygon([(0.22, 0.02), (0.78, 0.02), (0.9, 0.35), (0.1, 0.35)],
        shade(rgb, 1.17) if look.colour != "white" else shade(rgb, 0.92), line, 0.028)
    tape = (236, 216, 168)
    pen.polygon([(0.46, 0.02), (0.54, 0.02), (0.56, 0.35), (0.56, 0.54), (0.44, 0.54), (0.44, 0.35)], tape, ink(tape),
        0.015)


def draw_clock(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    pen.circle(0.5, 0.5, 0.495, rgb, ink(rgb), 0.03)
    pen.circle(0.5, 0.5, 0.33, (253, 252, 246), ink(rgb), 0.02)
    for x, y in ((0.5, 0.2), (0.8, 0.5), (0.5, 0.74), (0.2, 0.5)):
        pen.circle(x, y, 0.03, _DARK)
    if look.parts is not None:  # hands of one length at thirds of the dial, so that none hides another
        for hand in range(look.parts):
            turn = math.tau * hand / 3
            pen.line([(0.5, 0.5), (0.5 + 0.24 * math.sin(turn), 0.5 - 0.24 * math.cos(turn))], _DARK, 0.05)
        return
    pen.line([(0.5, 0.5), (0.5, 0.26)], _DARK, 0.045)
    pen.line([(0.5, 0.5), (0.67, 0.58)], _DARK, 0.055)


def draw_vase(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.polygon(_VASE, rgb)
    pen.decorate(look.pattern, rgb)
    pen.polygon(_VASE, None, line, 0.026)
    pen.ellipse(0.22, 0.005, 0.78, 0.12, rgb, line, 0.022)
    pen.ellipse(0.3, 0.03, 0.7, 0.095, shade(rgb, 0.45))
    if look.pattern == "plain":
        pen.ellipse(0.17, 0.5, 0.3, 0.68, shade(rgb, 1.5))


def draw_bucket(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.arc(0.06, 0.02, 0.94, 0.86, 185, 355, (120, 124, 132), 0.045)
    pen.polygon(_BUCKET, rgb, line, 0.028)
    pen.line([(0.17, 0.8), (0.83, 0.8)], line, 0.03)
    pen.ellipse(0.03, 0.25, 0.97, 0.54, rgb, line, 0.028)
    full = "full" in look.states
    pen.ellipse(0.1, 0.3, 0.9, 0.5, _WATER if full else shade(rgb, 0.45), line, 0.02)
    if full:
        pen.arc(0.2, 0.34, 0.6, 0.46, 180, 300, (240, 252, 255), 0.03)
        pen.arc(0.45, 0.35, 0.8, 0.47, 0, 110, (240, 252, 255), 0.03)
    for x in (0.06, 0.94):
        pen.circle(x, 0.4, 0.045, (120, 124, 132))


def draw_laptop(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    if "open" in look.states:
        pen.rectangle(0.13, 0.01, 0.87, 0.64, rgb, line, 0.028, 0.05)
        pen.rectangle(0.21, 0.1, 0.79, 0.54, _SCREEN, (70, 84, 104), 0.02)
        pen.polygon([(0.28, 0.52), (0.44, 0.12), (0.56, 0.12), (0.4, 0.52)], (222, 244, 254))
        pen.polygon([(0.13, 0.63), (0.87, 0.63), (1.0, 0.9), (0.0, 0.9)], rgb, line, 0.028)
        pen.polygon([(0.19, 0.67), (0.81, 0.67), (0.86, 0.77), (0.14, 0.77)],
            _DARK if look.colour != "black" else (130, 132, 138))
        pen.polygon([(0.42, 0.8), (0.58, 0.8), (0.6, 0.87), (0.4, 0.87)], shade(rgb,
            0.75 if look.colour != "black" else 1.3))
        pen.rectangle(0.0, 0.88, 1.0, 0.985, shade(rgb, 0.85), line, 0.025, 0.04)
        return
    pen.polygon([(0.14, 0.4), (0.86, 0.4), (1.0, 0.86), (0.0, 0.86)], rgb, line, 0.03)
    pen.rectangle(0.0, 0.85, 1.0, 0.99, shade(rgb, 0.8), line, 0.022, 0.04)
    pen.ellipse(0.44, 0.56, 0.56, 0.7, shade(rgb, 1.6) if look.colour != "white" else shade(rgb, 0.75))


def draw_television(pen: Pen, look: Look) -> None:
    """An old television with knobs and an aerial."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    for x in row(look.parts or 2, 0.3, 0.7):
        pen.line([(0.5, 0.26), (x, 0.03)], (96, 100, 110), 0.035)
        pen.circle(x, 0.035, 0.035, (96, 100, 110))
    for x in (0.14, 0.76):
        pen.rectangle(x, 0.88, x + 0.1, 0.99, (74, 66, 60))
    pen.rectangle(0.01, 0.22, 0.99, 0.93, rgb, line, 0.028, 0.09)
    if "on" in look.states:
        pen.rectangle(0.09, 0.32, 0.7, 0.82, _SCREEN, (60, 66, 76), 0.03, 0.08)
        pen.polygon([(0.2, 0.79), (0.38, 0.35), (0.54, 0.35), (0.36, 0.79)], (240, 251, 255))
    else:
        pen.rectangle(0.09, 0.32, 0.7, 0.82, (88, 96, 106), (50, 54, 60), 0.03, 0.08)
    knob = (246, 232, 190)
    for y in (0.42, 0.58):
        pen.circle(0.845, y, 0.06, knob, ink(knob), 0.02)
    for y in (0.72, 0.79):
        pen.line([(0.79, y), (0.9, y)], line, 0.025)


def draw_key(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    parts = ([(0.4, 0.5), (0.94, 0.5)], [(0.89, 0.5), (0.89, 0.82)], [(0.7, 0.5), (0.7, 0.76)])
    for stroke, extra in ((ink(rgb), 0.06), (rgb, 0.0)):
        for points in parts:
            pen.line(points, stroke, 0.17 + extra)
        pen.ellipse(0.03 - extra / 4, 0.04 - extra / 2, 0.47 + extra / 4, 0.96 + extra / 2, None, stroke, 0.22 + extra)
    pen.ellipse(0.14, 0.27, 0.36, 0.73, None, ink(rgb), 0.03)


def draw_candle(pen: Pen, look: Look) -> None:
    """A burning candle on a small plate."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    plate = (206, 178, 96)
    pen.ellipse(0.0, 0.84, 1.0, 1.0, plate, ink(plate), 0.022)
    pen.rectangle(0.24, 0.36, 0.76, 0.94, rgb, line, 0.026, 0.05)
    pen.ellipse(0.24, 0.3, 0.76, 0.44, shade(rgb, 1.35) if look.colour != "white" else rgb, line, 0.022)
    pen.line([(0.5, 0.37), (0.5, 0.28)], _DARK, 0.03)
    pen.polygon([(0.5, 0.0), (0.62, 0.14), (0.66, 0.22), (0.6, 0.3), (0.5, 0.33), (0.4, 0.3), (0.34, 0.22),
        (0.38, 0.14)], (250, 150, 30), (214, 100, 20), 0.012)
    pen.ellipse(0.43, 0.17, 0.57, 0.31, (255, 238, 120))


def draw_chair(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    if look.parts is None:  # else all legs stand in one row, to be counted
        for x in (0.155, 0.765):
            pen.rectangle(x, 0.5, x + 0.08, 0.85, shade(rgb, 0.78), line, 0.015)
    for x in (0.1, 0.43, 0.76):
        pen.rectangle(x, 0.1, x + 0.14, 0.5, rgb, line, 0.018)
    pen.rectangle(0.08, 0.005, 0.92, 0.17, rgb, line, 0.018, 0.04)
    pen.polygon([(0.1, 0.43), (0.9, 0.43), (0.985, 0.53), (0.015, 0.53)], shade(rgb, 1.12), line, 0.018)
    pen.rectangle(0.01, 0.52, 0.99, 0.61, rgb, line, 0.018, 0.02)
    if look.parts is None:
        for x in (0.03, 0.83):
            pen.rectangle(x, 0.6, x + 0.14, 0.995, rgb, line, 0.018)
    else:
        for x in row(look.parts, 0.03, 0.87):
            pen.rectangle(x, 0.6, x + 0.1, 0.995, rgb, line, 0.018)


def draw_table(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    back = shade(rgb, 0.78)
    if look.parts is None:  # as of the chair
        for x in (0.17, 0.78):
            pen.rectangle(x, 0.3, x + 0.05, 0.85, back, line, 0.018)
    for x in row(look.parts or 2, 0.05, 0.86):
        pen.rectangle(x, 0.3, x + 0.09, 0.99, rgb, line, 0.022)
    pen.polygon([(0.12, 0.01), (0.88, 0.01), (0.99, 0.24), (0.01, 0.24)], shade(rgb, 1.12), line, 0.025)
    pen.rectangle(0.005, 0.22, 0.995, 0.36, rgb, line, 0.025, 0.02)


def draw_bed(pen: Pen, look: Look) -> None:
    """A bed from the side: head on the left, the blanket in the colour."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    wood = (150, 100, 58) if look.colour != "brown" else (196, 150, 98)
    pen.rectangle(0.3, 0.4, 0.955, 0.9, rgb, None, 0.0, 0.08)
    pen.decorate(look.pattern, rgb)
    pen.rectangle(0.3, 0.4, 0.955, 0.9, None, line, 0.025, 0.08)
    pen.rectangle(0.05, 0.5, 0.32, 0.76, _LINEN, (160, 158, 150), 0.02)
    pen.rectangle(0.05, 0.74, 0.31, 0.86, wood, ink(wood), 0.02)
    pen.rectangle(0.29, 0.4, 0.36, 0.9, shade(rgb, 1.2) if look.colour != "white" else shade(rgb, 0.86), line, 0.02)
    pen.rectangle(0.07, 0.34, 0.29, 0.54, _LINEN, (150, 148, 140), 0.025, 0.09)
    pen.rectangle(0.005, 0.01, 0.065, 0.99, wood, ink(wood), 0.022, 0.03)
    pen.rectangle(0.935, 0.34, 0.995, 0.99, wood, ink(wood), 0.022, 0.03)


def draw_couch(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    for x in (0.1, 0.82):
        pen.rectangle(x, 0.86, x + 0.07, 0.99, (92, 62, 38))
    pen.rectangle(0.08, 0.02, 0.92, 0.7, rgb, None, 0.0, 0.12)
    pen.rectangle(0.12, 0.52, 0.88, 0.9, rgb)
    pen.rectangle(0.005, 0.3, 0.18, 0.9, rgb, None, 0.0, 0.12)
    pen.rectangle(0.82, 0.3, 0.995, 0.9, rgb, None, 0.0, 0.12)
    pen.decorate(look.pattern, rgb)
    pen.arc(0.08, 0.02, 0.24, 0.3, 180, 270, line, 0.025)
    pen.arc(0.76, 0.02, 0.92, 0.3, 270, 360, line, 0.025)
    pen.line([(0.16, 0.03), (0.84, 0.03)], line, 0.025)
    pen.line([(0.5, 0.05), (0.5, 0.75)], line, 0.025)
    pen.rectangle(0.17, 0.54, 0.5, 0.74, None, line, 0.025, 0.06)
    pen.rectangle(0.5, 0.54, 0.83, 0.74, None, line, 0.025, 0.06)
    pen.line([(0.18, 0.89), (0.82, 0.89)], line, 0.025)
    pen.rectangle(0.005, 0.3, 0.18, 0.9, None, line, 0.025, 0.12)
    pen.rectangle(0.82, 0.3, 0.995, 0.9, None, line, 0.025, 0.12)


def draw_shelf(pen: Pen, look: Look) -> None:
    """An empty shelf with three compartments."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.rectangle(0.05, 0.03, 0.95, 0.92, shade(rgb, 0.85 if look.colour != "black" else 1.12))
    for y in (0.08, 0.37, 0.66):
        pen.rectangle(0.1, y, 0.9, y + 0.045, shade(rgb, 0.66 if look.colour != "black" else 0.5))
    for x in (0.005, 0.875):
        pen.rectangle(x, 0.03, x + 0.12, 0.995, rgb, line, 0.014)
    for y in (0.3, 0.59, 0.87):
        pen.rectangle(0.1, y, 0.9, y + 0.08, rgb, line, 0.014)
    pen.rectangle(0.0, 0.0, 1.0, 0.09, rgb, line, 0.016)


def draw_lamp(pen: Pen, look: Look) -> None:
    """A lamp on a foot; when it is on, light falls from the shade and shines around it."""
    rgb = PALETTE[look.colour]
    foot = (118, 98, 82)
    if "on" in look.states:
        pen.polygon([(0.24, 0.55), (0.76, 0.55), (0.92, 0.93), (0.08, 0.93)], _GLOW)
        for start, end in (
            ((0.5, 0.09), (0.5, 0.02)),
            ((0.22, 0.13), (0.12, 0.06)),
            ((0.78, 0.13), (0.88, 0.06)),
            ((0.1, 0.34), (0.02, 0.3)),
            ((0.9, 0.34), (0.98, 0.3)),
        ):
            pen.line([start, end], (255, 206, 40), 0.04)
    pen.rectangle(0.46, 0.55, 0.54, 0.94, foot)
    pen.ellipse(0.24, 0.88, 0.76, 0.995, foot, ink(foot), 0.018)
    pen.polygon([(0.32, 0.14), (0.68, 0.14), (0.96, 0.61), (0.04, 0.61)], rgb, ink(rgb), 0.026)
