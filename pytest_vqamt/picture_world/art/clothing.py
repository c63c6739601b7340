"""Things to wear or carry, lying or hanging with nobody in them."""

from __future__ import annotations

from pytest_vqamt.data.pictures.art.mud import splash
from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, ink, shade, smooth

_SHIRT = (
    (0.33, 0.02),
    (0.4, 0.1),
    (0.5, 0.13),
    (0.6, 0.1),
    (0.67, 0.02),
    (0.82, 0.08),
    (0.99, 0.36),
    (0.84, 0.46),
    (0.77, 0.37),
    (0.77, 0.98),
    (0.23, 0.98),
    (0.23, 0.37),
    (0.16, 0.46),
    (0.01, 0.36),
    (0.18, 0.08),
)
_DRESS = (
    (0.3, 0.01),
    (0.36, 0.01),
    (0.41, 0.13),
    (0.59, 0.13),
    (0.64, 0.01),
    (0.7, 0.01),
    (0.76, 0.22),
    (0.66, 0.44),
    (0.99, 0.93),
    (0.75, 0.985),
    (0.5, 0.995),
    (0.25, 0.985),
    (0.01, 0.93),
    (0.34, 0.44),
    (0.24, 0.22),
)
_SHOE = smooth(
    (
        (0.06, 0.05),
        (0.2, 0.12),
        (0.36, 0.05),
        (0.5, 0.28),
        (0.74, 0.46),
        (0.94, 0.56),
        (0.98, 0.82),
        (0.6, 0.86),
        (0.3, 0.86),
        (0.03, 0.86),
        (0.03, 0.5),
    )
)
_DOME = (
    (0.02, 0.5),
    *(
        (0.5 - 0.48 * x, 0.5 - y)
        for x, y in (
            (0.97, 0.13),
            (0.87, 0.24),
            (0.71, 0.33),
            (0.5, 0.4),
            (0.26, 0.44),
            (0.0, 0.455),
            (-0.26, 0.44),
            (-0.5, 0.4),
            (-0.71, 0.33),
            (-0.87, 0.24),
            (-0.97, 0.13),
        )
    ),
    (0.98, 0.5),
    (0.82, 0.44),
    (0.66, 0.5),
    (0.5, 0.44),
    (0.34, 0.5),
    (0.18, 0.44),
)
_FURLED = (
    (0.04, 0.9),
    (0.1, 0.96),
    (0.68, 0.66),
    (0.81, 0.45),
    (0.69, 0.43),
    (0.65, 0.35),
    (0.57, 0.31),
    (0.55, 0.19),
    (0.34, 0.32),
)


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
    pen.polygon(
        [(0.245, 0.64), (0.755, 0.64), (0.765, 0.77), (0.235, 0.77)],
        shade(rgb, 0.5) if look.colour != "black" else PALETTE["red"],
    )
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
