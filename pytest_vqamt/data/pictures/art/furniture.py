"""Things to furnish a room with."""

from __future__ import annotations

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, ink, shade

_GLOW = (255, 236, 130)
_LINEN = (250, 249, 244)


def draw_chair(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    for x in (0.155, 0.765):
        pen.rectangle(x, 0.5, x + 0.08, 0.85, shade(rgb, 0.78), line, 0.015)
    for x in (0.1, 0.43, 0.76):
        pen.rectangle(x, 0.1, x + 0.14, 0.5, rgb, line, 0.018)
    pen.rectangle(0.08, 0.005, 0.92, 0.17, rgb, line, 0.018, 0.04)
    pen.polygon([(0.1, 0.43), (0.9, 0.43), (0.985, 0.53), (0.015, 0.53)], shade(rgb, 1.12), line, 0.018)
    pen.rectangle(0.01, 0.52, 0.99, 0.61, rgb, line, 0.018, 0.02)
    for x in (0.03, 0.83):
        pen.rectangle(x, 0.6, x + 0.14, 0.995, rgb, line, 0.018)


def draw_table(pen: Pen, look: Look) -> None:
    rgb = PALETTE[look.colour]
    line = ink(rgb)
    back = shade(rgb, 0.78)
    for x in (0.17, 0.78):
        pen.rectangle(x, 0.3, x + 0.05, 0.85, back, line, 0.018)
    for x in (0.05, 0.86):
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
