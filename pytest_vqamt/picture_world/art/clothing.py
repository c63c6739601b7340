"""Things to wear or carry, lying or hanging."""

from __future__ import annotations

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Point, ink, row, shade, smooth, splash

_SHIRT = ((0.33, 0.02), (0.4, 0.1), (0.5, 0.13), (0.6, 0.1), (0.67, 0.02), (0.82, 0.08), (0.99, 0.36), (0.84, 0.46),
    (0.77, 0.37), (0.77, 0.98), (0.23, 0.98), (0.23, 0.37), (0.16, 0.46), (0.01, 0.36), (0.18, 0.08))
_DRESS = ((0.3, 0.01), (0.36, 0.01), (0.41, 0.13), (0.59, 0.13), (0.64, 0.01), (0.7, 0.01), (0.76, 0.22), (0.66, 0.44),
    (0.99, 0.93), (0.75, 0.985), (0.5, 0.995), (0.25, 0.985), (0.01, 0.93), (0.34, 0.44), (0.24, 0.22))
_SHOE = smooth(((0.06, 0.05), (0.2, 0.12), (0.36, 0.05), (0.5, 0.28), (0.74, 0.46), (0.94, 0.56), (0.98, 0.82),
    (0.6, 0.86), (0.3, 0.86), (0.03, 0.86), (0.03, 0.5)))
_DOME = ((0.02, 0.5), *((0.5 - 0.48 * x, 0.5 - y) for x, y in ((0.97, 0.13), (0.87, 0.24), (0.71, 0.33), (0.5, 0.4),
    (0.26, 0.44), (0.0, 0.455), (-0.26, 0.44), (-0.5, 0.4), (-0.71, 0.33), (-0.87, 0.24), (-0.97, 0.13))), (0.98, 0.5),
    (0.82, 0.44), (0.66, 0.5), (0.5, 0.44), (0.34, 0.5), (0.18, 0.44))
_FURLED = ((0.04, 0.9), (0.1, 0.96), (0.68, 0.66), (0.81, 0.45), (0.69, 0.43), (0.65, 0.35), (0.57, 0.31), (0.55, 0.19),
    (0.34, 0.32))

_DARK = (44, 46, 52)
_KITE = ((0.5, 0.005), (0.98, 0.3), (0.5, 0.72), (0.02, 0.3))


def draw_shirt(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.polygon(_SHIRT, rgb)
    pen.decorate(look.pattern, rgb)
    pen.polygon(_SHIRT, None, line, 0.026)
    pen.line([(0.23, 0.37), (0.24, 0.26)], line, 0.02)
    pen.line([(0.77, 0.37), (0.76, 0.26)], line, 0.02)
    pen.line([(0.31, 0.04), (0.39, 0.15), (0.5, 0.19), (0.61, 0.15), (0.69, 0.04)], line, 0.022)
    if "dirty" in look.states:
        splash(pen, ((0.38, 0.46, 0.07), (0.6, 0.66, 0.08), (0.36, 0.82, 0.06), (0.62, 0.34, 0.045)))


def draw_dress(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.polygon(_DRESS, rgb)
    pen.decorate(look.pattern, rgb)
    pen.polygon(_DRESS, None, line, 0.022)
    pen.line([(0.35, 0.43), (0.65, 0.43)], line, 0.045)
    if look.pattern == "plain":
        pen.line([(0.42, 0.56), (0.32, 0.9)], line, 0.018)
        pen.line([(0.58, 0.56), (0.68, 0.9)], line, 0.018)


def draw_hat(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    crown = ((0.24, 0.72), (0.29, 0.12), (0.4, 0.02), (0.5, 0.07), (0.6, 0.02), (0.71, 0.12), (0.76, 0.72))
    pen.ellipse(0.005, 0.56, 0.995, 0.985, rgb)
    pen.polygon(crown, rgb)
    pen.decorate(look.pattern, rgb)
    pen.ellipse(0.005, 0.56, 0.995, 0.985, None, line, 0.03)
    pen.polygon([(0.245, 0.64), (0.755, 0.64), (0.765, 0.77), (0.235, 0.77)],
        shade(rgb, 0.5) if look.colour != "black" else PALETTE["red"])
    pen.line(crown, line, 0.03)
    pen.arc(0.235, 0.68, 0.765, 0.86, 0, 180, line, 0.03)


def draw_bag(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    body = ((0.1, 0.36), (0.9, 0.36), (0.985, 0.92), (0.93, 0.985), (0.07, 0.985), (0.015, 0.92))
    pen.polygon(body, rgb)
    pen.decorate(look.pattern, rgb)
    pen.polygon(body, None, line, 0.028)
    pen.arc(0.24, 0.01, 0.76, 0.72, 180, 360, line, 0.115)
    pen.arc(0.255, 0.03, 0.745, 0.72, 180, 360, rgb, 0.065)
    pen.line([(0.09, 0.38), (0.3, 0.6), (0.7, 0.6), (0.91, 0.38)], line, 0.028)
    pen.rectangle(0.43, 0.54, 0.57, 0.7, (250, 214, 100), (140, 104, 30), 0.02, 0.02)


def draw_shoe(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.polygon(_SHOE, rgb, line, 0.035)
    pen.rectangle(0.01, 0.82, 0.995, 0.985, (244, 242, 236), (136, 134, 130), 0.03, 0.07)
    lace = (250, 250, 246) if look.colour != "white" else (96, 100, 110)
    for x, y in ((0.42, 0.22), (0.5, 0.34), (0.6, 0.44)):
        pen.line([(x, y), (x - 0.1, y + 0.14)], lace, 0.06)
    pen.line([(0.72, 0.5), (0.7, 0.8)], line, 0.03)


def draw_umbrella(pen: Pen, look: Look) -> None:
    """Open, a dome on a stick; closed, rolled up and leaning."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    stick = (104, 76, 52)
    if "open" in look.states:
        pen.polygon(_DOME, rgb)
        pen.decorate(look.pattern, rgb)
        pen.polygon(_DOME, None, line, 0.026)
        pen.line([(0.34, 0.48), (0.5, 0.05), (0.66, 0.48)], line, 0.018)
        pen.line([(0.5, 0.05), (0.5, 0.015)], stick, 0.03)
        pen.line([(0.5, 0.46), (0.5, 0.9)], stick, 0.045)
        pen.arc(0.3, 0.8, 0.523, 0.99, 0, 180, stick, 0.045)
        return
    pen.polygon(_FURLED, rgb)
    pen.decorate(look.pattern, rgb)
    pen.line([(0.68, 0.32), (0.8, 0.2)], stick, 0.055)
    pen.arc(0.72, 0.03, 0.97, 0.28, 215, 380, stick, 0.06)
    pen.line([(0.07, 0.93), (0.03, 0.97)], stick, 0.045)
    pen.polygon(_FURLED, None, line, 0.026)
    pen.line([(0.1, 0.9), (0.66, 0.38)], line, 0.02)
    pen.line([(0.27, 0.47), (0.53, 0.71)], shade(rgb, 0.76), 0.05)


def draw_ball(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.circle(0.5, 0.5, 0.495, rgb)
    pen.decorate(look.pattern, rgb)
    pen.circle(0.5, 0.5, 0.495, None, line, 0.035)
    if look.pattern == "plain":
        pen.arc(-0.55, -0.1, 0.34, 1.1, 320, 40, line, 0.035)
        pen.arc(0.66, -0.1, 1.55, 1.1, 140, 220, line, 0.035)
        pen.line([(0.03, 0.5), (0.97, 0.5)], line, 0.035)
        pen.ellipse(0.4, 0.12, 0.58, 0.26, shade(rgb, 1.6) if look.colour != "white" else shade(rgb, 0.88))


def draw_balloon(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.ellipse(0.02, 0.005, 0.98, 0.68, rgb)
    pen.decorate(look.pattern, rgb)
    pen.ellipse(0.02, 0.005, 0.98, 0.68, None, line, 0.02)
    pen.polygon([(0.5, 0.66), (0.62, 0.75), (0.38, 0.75)], rgb, line, 0.018)
    pen.line([(0.5, 0.76), (0.42, 0.82), (0.57, 0.89), (0.48, 0.98)], (110, 110, 116), 0.022)
    if look.pattern == "plain":
        pen.ellipse(0.2, 0.1, 0.4, 0.28, shade(rgb, 1.6))


def draw_kite(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pen.polygon(_KITE, rgb)
    pen.decorate(look.pattern, rgb)
    pen.polygon(_KITE, None, line, 0.024)
    pen.line([(0.5, 0.01), (0.5, 0.71)], line, 0.02)
    pen.line([(0.03, 0.3), (0.97, 0.3)], line, 0.02)
    pen.line([(0.5, 0.72), (0.38, 0.79), (0.6, 0.88), (0.48, 0.98)], (110, 110, 116), 0.02)
    for x, y in ((0.42, 0.79), (0.56, 0.89)):
        pen.polygon([(x - 0.13, y - 0.04), (x, y), (x + 0.13, y - 0.04), (x + 0.13, y + 0.04), (x, y),
            (x - 0.13, y + 0.04)], rgb, line, 0.014)


def draw_teddy_bear(pen: Pen, look: Look) -> None:
    """A sitting toy bear with pads on its feet and a seam down its belly."""
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    pale = shade(rgb, 1.5) if look.colour != "white" else (240, 214, 190)
    for x in (0.16, 0.84):
        pen.circle(x, 0.13, 0.12, rgb, line, 0.022)
        pen.circle(x, 0.13, 0.06, pale)
    for x in (0.0, 0.74):
        pen.ellipse(x, 0.48, x + 0.26, 0.74, rgb, line, 0.022)
    pen.ellipse(0.16, 0.42, 0.84, 0.97, rgb, line, 0.022)
    pen.ellipse(0.32, 0.54, 0.68, 0.84, pale)
    for x in (0.2, 0.8):
        pen.circle(x, 0.86, 0.135, rgb, line, 0.022)
        pen.circle(x, 0.87, 0.07, pale)
    pen.ellipse(0.1, 0.02, 0.9, 0.52, rgb, line, 0.022)
    pen.ellipse(0.32, 0.26, 0.68, 0.48, pale)
    for x in (0.33, 0.67):
        pen.circle(x, 0.22, 0.035, _DARK)
    pen.ellipse(0.43, 0.28, 0.57, 0.36, _DARK)
    pen.line([(0.5, 0.36), (0.5, 0.42)], _DARK, 0.02)


def draw_robot(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    metal = (178, 184, 194) if look.colour != "gray" else (214, 218, 226)
    pen.line([(0.5, 0.12), (0.5, 0.04)], (96, 100, 110), 0.03)
    pen.circle(0.5, 0.04, 0.04, PALETTE["red"] if look.colour != "red" else PALETTE["yellow"])
    ends, half = ((0.36, 0.64), 0.12) if look.parts is None else ((0.24, 0.76), 0.09)
    for x in row(look.parts or 2, *ends):
        pen.rectangle(x - half / 2, 0.78, x + half / 2, 0.92, metal, ink(metal), 0.015)
        pen.rectangle(x - half, 0.89, x + half, 0.99, rgb, line, 0.02, 0.03)
    for x, hand in ((0.02, 0.07), (0.86, 0.93)):
        pen.rectangle(x, 0.48, x + 0.12, 0.68, metal, ink(metal), 0.015, 0.04)
        pen.circle(hand + 0.005, 0.72, 0.065, rgb, line, 0.02)
    pen.rectangle(0.16, 0.44, 0.84, 0.82, rgb, line, 0.024, 0.05)
    pen.rectangle(0.12, 0.1, 0.88, 0.42, rgb, line, 0.024, 0.06)
    for x in (0.33, 0.67):
        pen.circle(x, 0.23, 0.075, (255, 255, 250), line, 0.015)
        pen.circle(x, 0.23, 0.035, _DARK)
    pen.line([(0.34, 0.35), (0.66, 0.35)], _DARK, 0.03)
    pen.rectangle(0.3, 0.53, 0.7, 0.7, metal, ink(metal), 0.015, 0.02)
    for x, name in ((0.4, "red"), (0.5, "yellow"), (0.6, "green")):
        pen.circle(x, 0.615, 0.03, PALETTE[name])


def draw_drum(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    wood, skin, cord = (196, 146, 88), (250, 246, 232), (255, 232, 150) if look.colour != "yellow" else (150, 100, 40)
    pen.rectangle(0.03, 0.36, 0.97, 0.86, rgb)
    pen.ellipse(0.03, 0.72, 0.97, 0.99, rgb, line, 0.025)
    pen.rectangle(0.045, 0.5, 0.955, 0.85, rgb)
    pen.line([(0.04, 0.4), (0.04, 0.86)], line, 0.025)
    pen.line([(0.96, 0.4), (0.96, 0.86)], line, 0.025)
    pen.line([(0.07, 0.5), (0.22, 0.85), (0.36, 0.56), (0.5, 0.9), (0.64, 0.56), (0.78, 0.85), (0.93, 0.5)], cord,
        0.035)
    pen.ellipse(0.01, 0.2, 0.99, 0.56, rgb, line, 0.025)
    pen.ellipse(0.07, 0.24, 0.93, 0.5, skin, line, 0.02)
    sticks: tuple[tuple[Point, Point], ...] = (((0.08, 0.06), (0.56, 0.4)), ((0.92, 0.06), (0.44, 0.36)))
    if look.parts is not None:
        sticks = tuple(
            ((start, 0.06), (end, 0.36))
            for start, end in zip(row(look.parts, 0.14, 0.86), row(look.parts, 0.3, 0.7), strict=True)
        )
    for start, end in sticks:
        pen.line([start, end], ink(wood), 0.085)
        pen.line([start, end], wood, 0.05)
        pen.circle(*end, 0.06, wood, ink(wood), 0.018)
