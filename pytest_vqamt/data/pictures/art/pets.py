"""The dog and the cat, standing, sitting and lying, seen from the side and facing right."""

from __future__ import annotations

from pytest_vqamt.data.pictures.art.sketch import INK, PAPER, ROSE, Sketch, far, inset, rim, trim
from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Rgb, shade

CAT_EYE: Rgb = (226, 222, 120)


def draw_dog(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    if look.pose == "sitting":
        s.tail([(0.36, 0.88), (0.22, 0.86), (0.12, 0.72)], rgb, 0.08)
        s.limb([(0.74, 0.55), (0.77, 0.93), (0.84, 0.93)], far(rgb), 0.10)
        s.blob([(0.32, 0.80), (0.42, 0.58), (0.58, 0.38), (0.76, 0.40), (0.78, 0.62), (0.68, 0.88), (0.5, 0.96),
                (0.36, 0.95)], rgb)
        s.disc(0.47, 0.80, 0.17, 0.16, rgb)
        s.haunch(0.47, 0.80, trim(rgb))
        s.limb([(0.48, 0.93), (0.62, 0.93)], rgb, 0.09)
        s.limb([(0.66, 0.55), (0.68, 0.93), (0.75, 0.93)], rgb, 0.10)
        _dog_head(s, rgb, 0.70, 0.28)
    elif look.pose == "lying":
        s.tail([(0.2, 0.85), (0.1, 0.9), (0.06, 0.78)], rgb, 0.07)
        s.limb([(0.75, 0.92), (1.12, 0.92)], far(rgb), 0.10)
        s.blob([(0.12, 0.85), (0.2, 0.66), (0.42, 0.60), (0.68, 0.62), (0.84, 0.66), (0.88, 0.84), (0.8, 0.96),
                (0.4, 0.97), (0.2, 0.96)], rgb)
        s.haunch(0.32, 0.82, trim(rgb))
        s.limb([(0.32, 0.93), (0.5, 0.93)], rgb, 0.09)
        s.limb([(0.72, 0.93), (1.02, 0.93)], rgb, 0.10)
        _dog_head(s, rgb, 0.88, 0.64, asleep=True)
    else:
        s.tail([(0.27, 0.5), (0.15, 0.44), (0.09, 0.24)], rgb, 0.08)
        for x in (0.39, 0.78):
            s.limb([(x, 0.6), (x + 0.02, 0.93), (x + 0.06, 0.93)], far(rgb), 0.09)
        s.blob([(0.2, 0.5), (0.36, 0.42), (0.62, 0.43), (0.82, 0.36), (0.94, 0.45), (0.92, 0.64), (0.74, 0.71),
                (0.5, 0.66), (0.3, 0.69), (0.2, 0.62)], rgb)
        for x in (0.28, 0.86):
            s.limb([(x, 0.6), (x, 0.93), (x + 0.05, 0.93)], rgb, 0.10)
        _dog_head(s, rgb, 0.93, 0.28)
    s.edge(rim(rgb))


def _dog_head(s: Sketch, rgb: Rgb, x: float, y: float, *, asleep: bool = False) -> None:
    s.disc(x, y, 0.17, 0.165, rgb)
    s.oval(x + 0.15, y + 0.06, 0.135, 0.085, 8, rgb)
    s.disc(x + 0.26, y + 0.03, 0.045, 0.04, INK if rgb != PALETTE["black"] else (95, 85, 90))
    s.limb([(x + 0.13, y + 0.12), (x + 0.24, y + 0.11)], trim(rgb), 0.018)
    s.oval(x - 0.09, y + 0.05, 0.075, 0.17, 14, trim(rgb))
    s.eye(x + 0.07, y - 0.05, 0.033, closed=asleep)


def draw_cat(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    if look.pose == "sitting":
        s.tail([(0.4, 0.92), (0.2, 0.92), (0.12, 0.76), (0.2, 0.62), (0.14, 0.5)], rgb, 0.075)
        s.blob([(0.34, 0.84), (0.42, 0.62), (0.52, 0.46), (0.72, 0.46), (0.78, 0.7), (0.76, 0.94), (0.5, 0.96),
                (0.37, 0.95)], rgb)
        s.haunch(0.50, 0.82, trim(rgb))
        for x in (0.64, 0.74):
            s.limb([(x, 0.66), (x, 0.94)], rgb, 0.085)
        s.limb([(0.69, 0.72), (0.69, 0.96)], trim(rgb), 0.016)
        _cat_head(s, rgb, 0.62, 0.30)
    elif look.pose == "lying":
        s.blob([(0.1, 0.88), (0.14, 0.7), (0.34, 0.58), (0.6, 0.6), (0.82, 0.68), (0.92, 0.84), (0.88, 0.96),
                (0.5, 0.97), (0.16, 0.97)], rgb)
        for x in (0.3, 0.42, 0.54):
            s.limb([(x, 0.60), (x - 0.02, 0.70)], trim(rgb), 0.03)
        s.tail([(0.14, 0.86), (0.2, 0.95), (0.4, 0.95), (0.55, 0.9)], trim(rgb), 0.06)
        s.limb([(0.85, 0.93), (1.08, 0.93)], rgb, 0.085)
        _cat_head(s, rgb, 0.88, 0.70, asleep=True)
    else:
        s.tail([(0.24, 0.58), (0.1, 0.5), (0.09, 0.28), (0.2, 0.18), (0.17, 0.06)], rgb, 0.075)
        for x in (0.36, 0.72):
            s.limb([(x, 0.66), (x + 0.02, 0.94), (x + 0.05, 0.94)], far(rgb), 0.08)
        s.blob([(0.18, 0.62), (0.3, 0.52), (0.56, 0.53), (0.78, 0.5), (0.86, 0.6), (0.8, 0.74), (0.55, 0.77),
                (0.3, 0.78), (0.19, 0.72)], rgb)
        for x in (0.36, 0.48, 0.6):
            s.limb([(x, 0.54), (x - 0.01, 0.63)], trim(rgb), 0.03)
        for x in (0.26, 0.8):
            s.limb([(x, 0.66), (x, 0.94), (x + 0.04, 0.94)], rgb, 0.085)
        _cat_head(s, rgb, 0.88, 0.42)
    s.edge(rim(rgb))


def _cat_head(s: Sketch, rgb: Rgb, x: float, y: float, *, asleep: bool = False) -> None:
    for side in (-1, 1):
        s.polygon([(x + side * 0.19, y - 0.28), (x + side * 0.03, y - 0.12), (x + side * 0.19, y)], rgb)
        s.polygon([(x + side * 0.165, y - 0.215), (x + side * 0.08, y - 0.13), (x + side * 0.165, y - 0.06)], ROSE)
    s.disc(x, y, 0.2, 0.165, rgb)
    whisker = shade(rgb, 1.6) if max(rgb) < 150 else shade(rgb, 0.5)
    for side in (-1, 1):
        for dy in (0.045, 0.085):
            s.limb([(x + side * 0.09, y + dy), (x + side * 0.25, y + dy * 1.5 - 0.03)], whisker, 0.01)
        if asleep:
            s.eye(x + side * 0.085, y - 0.01, 0.035, closed=True)
        else:
            s.disc(x + side * 0.085, y - 0.02, 0.045, 0.05, CAT_EYE)
            s.disc(x + side * 0.085, y - 0.02, 0.02, 0.045, INK)
    s.disc(x, y + 0.055, 0.05, 0.035, PAPER if rgb != PALETTE["white"] else shade(rgb, 0.9))
    s.polygon([(x - 0.032, y + 0.025), (x + 0.032, y + 0.025), (x, y + 0.06)], ROSE)
