"""Things to travel with; those on wheels look to the right."""

from __future__ import annotations

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Rgb, ink, row, shade, smooth, splash

_GLASS = (188, 226, 244)
_TYRE = (52, 54, 60)
_METAL = (196, 200, 206)
_FRAME = (84, 92, 104)

_PLANE = smooth(((0.02, 0.42), (0.06, 0.38), (0.3, 0.4), (0.7, 0.38), (0.88, 0.42), (0.98, 0.54), (0.9, 0.64),
    (0.6, 0.69), (0.3, 0.64), (0.1, 0.53)))
_HULL = ((0.02, 0.72), (0.98, 0.72), (0.83, 0.97), (0.18, 0.97))


def _wheel(pen: Pen, x: float, y: float, radius: float) -> None:
    pen.circle(x, y, radius, _TYRE, (104, 106, 112), 0.02)
    pen.circle(x, y, radius * 0.45, _METAL)


def _window(pen: Pen, x0: float, y0: float, x1: float, y1: float) -> None:
    pen.rectangle(x0, y0, x1, y1, _GLASS, _FRAME, 0.02, 0.04)


def draw_car(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.polygon([(0.17, 0.45), (0.28, 0.05), (0.64, 0.05), (0.82, 0.45)], rgb, line, 0.035)
    pen.rectangle(0.01, 0.4, 0.99, 0.8, rgb, line, 0.035, 0.14)
    pen.rectangle(0.2, 0.38, 0.78, 0.5, rgb)
    pen.polygon([(0.24, 0.42), (0.32, 0.14), (0.46, 0.14), (0.46, 0.42)], _GLASS, _FRAME, 0.02)
    pen.polygon([(0.51, 0.42), (0.51, 0.14), (0.61, 0.14), (0.74, 0.42)], _GLASS, _FRAME, 0.02)
    pen.line([(0.485, 0.46), (0.485, 0.74)], line, 0.02)
    pen.line([(0.52, 0.54), (0.57, 0.54)], line, 0.035)
    pen.ellipse(0.91, 0.47, 0.98, 0.6, (255, 240, 150), line, 0.02)
    if "dirty" in look.states:
        splash(pen, ((0.36, 0.6, 0.09), (0.62, 0.66, 0.08), (0.12, 0.5, 0.06), (0.84, 0.55, 0.07)))
    for x in row(look.parts or 2, 0.23, 0.77):
        _wheel(pen, x, 0.79, 0.2)


def draw_bus(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.rectangle(0.01, 0.02, 0.99, 0.86, rgb, line, 0.03, 0.1)
    for i in range(4):
        _window(pen, 0.06 + i * 0.175, 0.14, 0.2 + i * 0.175, 0.44)
    _window(pen, 0.78, 0.14, 0.95, 0.82)
    pen.line([(0.865, 0.16), (0.865, 0.8)], _FRAME, 0.02)
    pen.line([(0.04, 0.55), (0.74, 0.55)], shade(rgb, 0.7) if look.colour != "black" else shade(rgb, 1.3), 0.04)
    if "dirty" in look.states:
        splash(pen, ((0.12, 0.66, 0.08), (0.44, 0.66, 0.09), (0.58, 0.56, 0.06), (0.3, 0.54, 0.05)))
    for x in row(look.parts or 2, 0.24, 0.7):
        _wheel(pen, x, 0.85, 0.15)


def draw_truck(pen: Pen, look: Look) -> None:
    """A lorry: a tall load space behind a low cab."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.rectangle(0.02, 0.74, 0.98, 0.84, _FRAME)
    pen.rectangle(0.01, 0.02, 0.64, 0.76, rgb, line, 0.03, 0.03)
    for x in (0.16, 0.32, 0.48):
        pen.line([(x, 0.1), (x, 0.68)], shade(rgb, 0.75) if look.colour != "black" else shade(rgb, 1.25), 0.025)
    pen.polygon([(0.68, 0.28), (0.86, 0.28), (0.94, 0.52), (0.99, 0.56), (0.99, 0.82), (0.68, 0.82)], rgb, line, 0.03)
    pen.polygon([(0.73, 0.35), (0.83, 0.35), (0.89, 0.53), (0.73, 0.53)], _GLASS, _FRAME, 0.02)
    pen.ellipse(0.94, 0.61, 0.985, 0.71, (255, 240, 150), line, 0.015)
    if "dirty" in look.states:
        splash(pen, ((0.12, 0.58, 0.09), (0.4, 0.5, 0.1), (0.56, 0.26, 0.06), (0.8, 0.66, 0.06)))
    for x in (0.17, 0.42, 0.82):
        _wheel(pen, x, 0.84, 0.155)


def draw_bicycle(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    if look.parts is not None:
        _draw_bicycle_apart(pen, look, look.parts)
        return
    for x in (0.21, 0.79):
        pen.circle(x, 0.68, 0.31, None, _TYRE, 0.05)
        for dx, dy in ((0.14, 0.17), (0.14, -0.17)):
            pen.line([(x - dx, 0.68 - dy), (x + dx, 0.68 + dy)], (168, 172, 178), 0.02)
    frame = ([(0.21, 0.68), (0.46, 0.7), (0.71, 0.3), (0.36, 0.3), (0.21, 0.68)], [(0.46, 0.7), (0.33, 0.16)],
        [(0.79, 0.68), (0.69, 0.1)])
    for stroke, width in ((ink(rgb), 0.125), (rgb, 0.095)):
        for points in frame:
            pen.line(points, stroke, width)
        for x in (0.21, 0.79):
            pen.arc(x - 0.24, 0.3, x + 0.24, 1.06, 205, 335, stroke, width - 0.03)
    pen.line([(0.26, 0.13), (0.41, 0.13)], _TYRE, 0.1)
    pen.line([(0.69, 0.08), (0.6, 0.06)], _TYRE, 0.08)
    pen.circle(0.46, 0.7, 0.075, _METAL, _TYRE, 0.025)
    if "dirty" in look.states:
        splash(pen, ((0.36, 0.5, 0.07), (0.22, 0.66, 0.09), (0.62, 0.48, 0.06), (0.78, 0.62, 0.08)))


def _draw_bicycle_apart(pen: Pen, look: Look, wheels: int) -> None:
    """A bicycle with smaller wheels, so that there is room for more."""
    rgb = PALETTE[look.colour]
    hubs = row(wheels, 0.137, 0.863)  # the outer edges stay where those of the usual wheels are
    for x in hubs:
        pen.circle(x, 0.79, 0.2, None, _TYRE, 0.05)
    bar = [(0.36, 0.36), (0.71, 0.36)]
    # The forks meet the bar as far apart as the hubs are.
    forks = [[(x, 0.79), (0.36 + 0.35 * (x - hubs[0]) / (hubs[-1] - hubs[0]), 0.36)] for x in hubs]
    posts = [[(0.36, 0.36), (0.33, 0.16)], [(0.71, 0.36), (0.69, 0.1)]]
    for stroke, width in ((ink(rgb), 0.125), (rgb, 0.095)):
        for points in (bar, *forks, *posts):
            pen.line(points, stroke, width)
    pen.line([(0.26, 0.13), (0.41, 0.13)], _TYRE, 0.1)
    pen.line([(0.69, 0.08), (0.6, 0.06)], _TYRE, 0.08)


def draw_boat(pen: Pen, look: Look) -> None:
    """A sailing boat."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.line([(0.5, 0.03), (0.5, 0.74)], (112, 74, 42), 0.035)
    pen.polygon([(0.55, 0.05), (0.93, 0.62), (0.55, 0.62)], rgb, line, 0.022)
    pen.polygon([(0.45, 0.14), (0.12, 0.62), (0.45, 0.62)], (250, 248, 240), (150, 150, 148), 0.022)
    pen.polygon(_HULL, rgb, line, 0.025)
    pen.line([(0.1, 0.8), (0.9, 0.8)], shade(rgb, 1.6) if look.colour != "white" else (200, 200, 200), 0.035)
    if "dirty" in look.states:
        splash(pen, ((0.3, 0.85, 0.055), (0.62, 0.86, 0.06), (0.66, 0.5, 0.055), (0.3, 0.52, 0.045)))


def draw_airplane(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    far = shade(rgb, 0.82)
    pen.polygon([(0.5, 0.42), (0.42, 0.12), (0.5, 0.12), (0.68, 0.42)], far, line, 0.025)
    pen.polygon([(0.03, 0.42), (0.0, 0.04), (0.11, 0.04), (0.25, 0.42)], rgb, line, 0.025)
    pen.polygon(_PLANE, rgb, line, 0.025)
    for x in (0.34, 0.44, 0.54, 0.64):
        pen.circle(x, 0.475, 0.04, _GLASS, _FRAME, 0.015)
    pen.polygon([(0.78, 0.42), (0.86, 0.43), (0.93, 0.5), (0.78, 0.5)], _GLASS, _FRAME, 0.015)
    pen.polygon([(0.44, 0.58), (0.66, 0.58), (0.36, 0.97), (0.25, 0.97)], rgb, line, 0.025)
    pen.polygon([(0.05, 0.47), (0.17, 0.47), (0.07, 0.66), (0.0, 0.66)], rgb, line, 0.025)
    if "dirty" in look.states:
        splash(pen, ((0.28, 0.52, 0.06), (0.72, 0.58, 0.06), (0.45, 0.72, 0.06), (0.1, 0.26, 0.05)))


def draw_train(pen: Pen, look: Look) -> None:
    """A steam engine."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    dark: Rgb = (70, 74, 84)
    pen.polygon([(0.66, 0.36), (0.7, 0.1), (0.63, 0.02), (0.87, 0.02), (0.8, 0.1), (0.84, 0.36)], dark, (112, 116, 126),
        0.02)
    pen.circle(0.5, 0.34, 0.1, (246, 200, 70), (150, 112, 30), 0.02)
    pen.rectangle(0.3, 0.32, 0.95, 0.7, rgb, line, 0.028, 0.12)
    pen.line([(0.55, 0.34), (0.55, 0.66)], (246, 200, 70), 0.035)
    pen.line([(0.8, 0.34), (0.8, 0.66)], (246, 200, 70), 0.035)
    pen.rectangle(0.04, 0.12, 0.38, 0.78, rgb, line, 0.028, 0.02)
    pen.rectangle(0.0, 0.04, 0.42, 0.14, dark, (112, 116, 126), 0.02, 0.04)
    _window(pen, 0.11, 0.22, 0.31, 0.46)
    pen.polygon([(0.88, 0.7), (0.93, 0.7), (1.0, 0.97), (0.84, 0.97)], dark, (112, 116, 126), 0.015)
    pen.rectangle(0.03, 0.68, 0.92, 0.8, rgb, line, 0.02)
    if "dirty" in look.states:
        splash(pen, ((0.2, 0.58, 0.055), (0.68, 0.5, 0.065), (0.46, 0.58, 0.05)))
    _wheel(pen, 0.21, 0.8, 0.19)
    for x in (0.53, 0.76):
        _wheel(pen, x, 0.855, 0.135)
