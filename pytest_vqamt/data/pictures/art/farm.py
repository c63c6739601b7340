"""The animals of the farm: horse, cow, sheep, pig, rabbit and duck, seen from the side and facing right."""

from __future__ import annotations

from pytest_vqamt.data.pictures.art.sketch import INK, PAPER, ROSE, Sketch, far, inset, rim, trim
from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Rgb, shade

BEAK: Rgb = (246, 150, 30)
HORN: Rgb = (236, 224, 190)
HOOF: Rgb = (62, 54, 52)


def _legs(s: Sketch, xs: tuple[float, ...], top: float, rgb: Rgb, width: float, hoof: Rgb | None = HOOF) -> None:
    for x in xs:
        s.limb([(x, top), (x, 0.94)], rgb, width)
        if hoof is not None:
            s.limb([(x, 0.935), (x + 0.015, 0.935)], hoof, width)


def draw_horse(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    mane = trim(rgb)
    s.tail([(0.2, 0.46), (0.09, 0.52), (0.07, 0.66), (0.1, 0.78)], mane, 0.085)
    _legs(s, (0.36, 0.76), 0.6, far(rgb), 0.07)
    s.blob([(0.16, 0.48), (0.28, 0.40), (0.5, 0.43), (0.7, 0.40), (0.84, 0.42), (0.88, 0.56), (0.78, 0.66),
            (0.5, 0.64), (0.3, 0.66), (0.18, 0.6)], rgb)
    s.polygon([(0.62, 0.44), (0.82, 0.12), (0.98, 0.16), (0.98, 0.24), (0.87, 0.56), (0.74, 0.6)], rgb)
    _legs(s, (0.26, 0.83), 0.58, rgb, 0.08)
    s.tail([(0.86, 0.06), (0.74, 0.18), (0.68, 0.32), (0.6, 0.43)], mane, 0.085)
    s.polygon([(0.86, 0.12), (0.88, 0.01), (0.95, 0.10)], rgb)
    s.blob([(0.84, 0.14), (0.94, 0.07), (1.04, 0.13), (1.19, 0.27), (1.19, 0.36), (1.1, 0.37), (0.98, 0.29),
            (0.88, 0.26)], rgb)
    s.oval(1.15, 0.32, 0.06, 0.05, 40, trim(rgb))
    s.disc(1.17, 0.31, 0.012, 0.012, INK)
    s.tail([(0.9, 0.07), (0.97, 0.09), (0.99, 0.14)], mane, 0.04)
    s.eye(0.99, 0.17, 0.022)
    s.edge(rim(rgb))


def draw_cow(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    patch = shade(rgb, 0.55) if rgb != PALETTE["black"] else shade(rgb, 1.75)
    if rgb == PALETTE["white"]:
        patch = (92, 88, 92)
    s.tail([(0.14, 0.34), (0.06, 0.42), (0.07, 0.62)], rgb, 0.035)
    s.disc(0.07, 0.68, 0.04, 0.07, patch)
    _legs(s, (0.33, 0.9), 0.6, far(rgb), 0.085)
    s.disc(0.4, 0.72, 0.1, 0.07, ROSE)
    s.blob([(0.12, 0.36), (0.22, 0.28), (0.6, 0.29), (0.98, 0.28), (1.06, 0.4), (1.04, 0.64), (0.9, 0.74),
            (0.5, 0.7), (0.24, 0.72), (0.13, 0.6)], rgb)
    s.blob([(0.28, 0.31), (0.46, 0.30), (0.5, 0.42), (0.38, 0.52), (0.27, 0.44)], patch)
    s.blob([(0.62, 0.48), (0.76, 0.42), (0.84, 0.54), (0.74, 0.66), (0.62, 0.6)], patch)
    _legs(s, (0.22, 0.99), 0.62, rgb, 0.095)
    for side in (-1, 1):
        s.tail([(1.14 + side * 0.06, 0.16), (1.14 + side * 0.15, 0.12), (1.14 + side * 0.14, 0.03)], HORN, 0.045)
        s.oval(1.14 + side * 0.17, 0.24, 0.085, 0.05, side * 18, patch)
    s.blob([(1.02, 0.2), (1.14, 0.13), (1.26, 0.2), (1.26, 0.36), (1.22, 0.5), (1.06, 0.5), (1.02, 0.36)], rgb)
    s.disc(1.15, 0.47, 0.125, 0.085, ROSE)
    for side in (-1, 1):
        s.disc(1.15 + side * 0.05, 0.46, 0.02, 0.024, shade(ROSE, 0.55))
        s.eye(1.14 + side * 0.06, 0.28, 0.024)
    s.edge(rim(rgb))


def draw_sheep(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    face = (70, 64, 66) if rgb != PALETTE["black"] else (176, 164, 154)
    _legs(s, (0.36, 0.78), 0.7, shade(face, 0.85), 0.075, None)
    _legs(s, (0.27, 0.70), 0.7, face, 0.08, None)
    wool = ((0.2, 0.42), (0.34, 0.28), (0.52, 0.23), (0.7, 0.26), (0.84, 0.36), (0.88, 0.54), (0.78, 0.68),
            (0.6, 0.73), (0.4, 0.73), (0.24, 0.66), (0.16, 0.54))
    for x, y in wool:
        s.disc(x, y, 0.125, 0.125, rgb)
    s.disc(0.52, 0.5, 0.3, 0.22, rgb)
    for x, y in ((0.34, 0.42), (0.52, 0.38), (0.44, 0.56), (0.63, 0.54)):
        s.tail([(x - 0.06, y), (x, y + 0.05), (x + 0.06, y)], trim(rgb), 0.022)
    s.oval(0.84, 0.4, 0.09, 0.045, -25, face)
    s.oval(0.98, 0.42, 0.115, 0.155, -22, face)
    for x, y in ((0.86, 0.28), (0.95, 0.25), (1.03, 0.29)):
        s.disc(x, y, 0.07, 0.065, rgb)
    s.oval(0.855, 0.42, 0.085, 0.042, -35, shade(face, 0.8))
    s.eye(1.0, 0.39, 0.026)
    s.edge(rim(rgb))


def draw_pig(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    s.tail([(0.17, 0.5), (0.09, 0.47), (0.05, 0.38), (0.12, 0.35), (0.13, 0.44), (0.05, 0.5)], trim(rgb), 0.03)
    _legs(s, (0.4, 0.82), 0.75, far(rgb), 0.105)
    s.blob([(0.14, 0.52), (0.26, 0.3), (0.56, 0.22), (0.86, 0.28), (1.0, 0.5), (0.92, 0.76), (0.6, 0.86),
            (0.28, 0.8)], rgb)
    _legs(s, (0.3, 0.9), 0.78, rgb, 0.115)
    s.disc(1.0, 0.46, 0.21, 0.21, rgb)
    s.polygon([(0.84, 0.16), (1.02, 0.26), (0.86, 0.40)], trim(rgb))
    s.polygon([(1.12, 0.15), (1.17, 0.34), (1.02, 0.28)], trim(rgb))
    s.disc(1.17, 0.51, 0.085, 0.11, trim(rgb))
    s.disc(1.165, 0.505, 0.07, 0.095, shade(rgb, 1.25))
    for dx in (-0.028, 0.03):
        s.disc(1.165 + dx, 0.51, 0.017, 0.033, shade(rgb, 0.45))
    s.eye(1.03, 0.39, 0.027)
    s.edge(rim(rgb))


def draw_rabbit(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    s.disc(0.12, 0.76, 0.1, 0.1, PAPER if rgb != PALETTE["white"] else shade(rgb, 0.94))
    s.oval(0.52, 0.21, 0.06, 0.18, -20, far(rgb))
    s.blob([(0.14, 0.8), (0.2, 0.62), (0.38, 0.52), (0.56, 0.54), (0.66, 0.68), (0.64, 0.9), (0.4, 0.96),
            (0.2, 0.95)], rgb)
    s.haunch(0.3, 0.78, trim(rgb))
    s.limb([(0.26, 0.93), (0.44, 0.93)], rgb, 0.08)
    s.limb([(0.6, 0.74), (0.61, 0.93), (0.66, 0.93)], rgb, 0.08)
    s.oval(0.63, 0.215, 0.065, 0.19, 6, rgb)
    s.oval(0.63, 0.215, 0.03, 0.135, 6, ROSE)
    s.disc(0.62, 0.46, 0.17, 0.155, rgb)
    s.disc(0.72, 0.51, 0.08, 0.07, shade(rgb, 1.3))
    s.disc(0.785, 0.475, 0.026, 0.022, ROSE)
    s.eye(0.66, 0.42, 0.03)
    s.edge(rim(rgb))


def draw_duck(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    for x in (0.42, 0.56):
        s.limb([(x, 0.82), (x, 0.94), (x + 0.09, 0.94)], BEAK, 0.05)
    s.polygon([(0.72, 0.17), (0.99, 0.25), (0.95, 0.33), (0.72, 0.34)], BEAK)
    s.blob([(0.05, 0.42), (0.2, 0.5), (0.42, 0.52), (0.54, 0.5), (0.56, 0.36), (0.74, 0.34), (0.8, 0.58), (0.7, 0.8),
            (0.46, 0.87), (0.22, 0.8), (0.1, 0.62)], rgb)
    s.disc(0.66, 0.24, 0.17, 0.17, rgb)
    s.blob([(0.2, 0.58), (0.4, 0.56), (0.58, 0.6), (0.5, 0.73), (0.34, 0.76)], trim(rgb))
    s.eye(0.71, 0.19, 0.033)
    s.edge(rim(rgb))
