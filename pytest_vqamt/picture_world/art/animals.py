"""The table of animals: how each is drawn, how large it is and in which colours and poses it comes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.picture_world.art.pen import (
    INK,
    PALETTE,
    PAPER,
    ROSE,
    Look,
    Pen,
    Rgb,
    Sketch,
    far,
    inset,
    rim,
    row,
    shade,
    trim,
)

BEAK: Rgb = (246, 150, 30)
HORN: Rgb = (236, 224, 190)
HOOF: Rgb = (62, 54, 52)

CAT_EYE: Rgb = (226, 222, 120)

WILD_BEAK: Rgb = (246, 160, 30)
TUSK: Rgb = (248, 240, 214)

STANDING = ("standing",)
PET_POSES = ("standing", "sitting", "lying")


def _legs(s: Sketch, xs: tuple[float, ...], top: float, rgb: Rgb, width: float, hoof: Rgb | None = HOOF) -> None:
    for x in xs:
        s.limb([(x, top), (x, 0.94)], rgb, width)
        if hoof is not None:
            s.limb([(x, 0.935), (x + 0.015, 0.935)], hoof, width)


def _legs_apart(s: Sketch, number: int, ends: tuple[float, float], bottom: float, rgb: Rgb, width: float = 0.065,
                hoof: Rgb | None = None) -> None:
    """Legs that can be counted: as long as each other, evenly apart."""
    for x in row(number, *ends):
        s.limb([(x, 0.5), (x, bottom - width / 2)], rgb, width)
        if hoof is not None:
            s.limb([(x, bottom - width), (x, bottom - width / 2)], hoof, width)


def draw_horse(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    mane = trim(rgb)
    s.tail([(0.2, 0.46), (0.09, 0.52), (0.07, 0.66), (0.1, 0.78)], mane, 0.085)
    if look.parts is None:  # the far legs lie behind the body, the near ones below are drawn over it
        _legs(s, (0.36, 0.76), 0.6, far(rgb), 0.07)
    else:
        _legs_apart(s, look.parts, (0.23, 0.84), 0.975, rgb, hoof=HOOF)
    s.blob([(0.16, 0.48), (0.28, 0.40), (0.5, 0.43), (0.7, 0.40), (0.84, 0.42), (0.88, 0.56), (0.78, 0.66),
            (0.5, 0.64), (0.3, 0.66), (0.18, 0.6)], rgb)
    s.polygon([(0.62, 0.44), (0.82, 0.12), (0.98, 0.16), (0.98, 0.24), (0.87, 0.56), (0.74, 0.6)], rgb)
    if look.parts is None:
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
    patch = shade(rgb, 0.55) if rgb != PALETTE["black"] else shade(rgb, 1.75)  # darker is not seen on black
    if rgb == PALETTE["white"]:
        patch = (92, 88, 92)
    if look.parts is not None:
        _legs_apart(s, look.parts, (0.2, 1.0), 0.9825, rgb, 0.075, HOOF)
        s.lift(0.01, 0.88)  # the body is drawn less high over them, so that more of each leg shows
    s.tail([(0.14, 0.34), (0.06, 0.42), (0.07, 0.62)], rgb, 0.035)
    s.disc(0.07, 0.68, 0.04, 0.07, patch)
    if look.parts is None:
        _legs(s, (0.33, 0.9), 0.6, far(rgb), 0.085)
        s.disc(0.4, 0.72, 0.1, 0.07, ROSE)
    s.blob([(0.12, 0.36), (0.22, 0.28), (0.6, 0.29), (0.98, 0.28), (1.06, 0.4), (1.04, 0.64), (0.9, 0.74),
            (0.5, 0.7), (0.24, 0.72), (0.13, 0.6)], rgb)
    s.blob([(0.28, 0.31), (0.46, 0.30), (0.5, 0.42), (0.38, 0.52), (0.27, 0.44)], patch)
    s.blob([(0.62, 0.48), (0.76, 0.42), (0.84, 0.54), (0.74, 0.66), (0.62, 0.6)], patch)
    if look.parts is None:
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
    if look.parts is None:
        _legs(s, (0.36, 0.78), 0.7, shade(face, 0.85), 0.075, None)
        _legs(s, (0.27, 0.70), 0.7, face, 0.08, None)
    else:
        _legs_apart(s, look.parts, (0.2, 0.84), 0.98, face)
        s.lift(0.105, 0.76)
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
    if look.parts is not None:
        _legs_apart(s, look.parts, (0.26, 0.96), 0.9925, rgb, 0.075, HOOF)
        s.lift(0.15, 0.74)
    s.tail([(0.17, 0.5), (0.09, 0.47), (0.05, 0.38), (0.12, 0.35), (0.13, 0.44), (0.05, 0.5)], trim(rgb), 0.03)
    if look.parts is None:
        _legs(s, (0.4, 0.82), 0.75, far(rgb), 0.105)
    s.blob([(0.14, 0.52), (0.26, 0.3), (0.56, 0.22), (0.86, 0.28), (1.0, 0.5), (0.92, 0.76), (0.6, 0.86),
            (0.28, 0.8)], rgb)
    if look.parts is None:
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
    if look.parts is None:
        s.oval(0.52, 0.21, 0.06, 0.18, -20, far(rgb))
    s.blob([(0.14, 0.8), (0.2, 0.62), (0.38, 0.52), (0.56, 0.54), (0.66, 0.68), (0.64, 0.9), (0.4, 0.96),
            (0.2, 0.95)], rgb)
    s.haunch(0.3, 0.78, trim(rgb))
    s.limb([(0.26, 0.93), (0.44, 0.93)], rgb, 0.08)
    s.limb([(0.6, 0.74), (0.61, 0.93), (0.66, 0.93)], rgb, 0.08)
    if look.parts is None:
        s.oval(0.63, 0.215, 0.065, 0.19, 6, rgb)
        s.oval(0.63, 0.215, 0.03, 0.135, 6, ROSE)
    else:
        for turn_deg in row(look.parts, -40, 16):
            _ear(s, turn_deg, rgb)
    s.disc(0.62, 0.46, 0.17, 0.155, rgb)
    s.disc(0.72, 0.51, 0.08, 0.07, shade(rgb, 1.3))
    s.disc(0.785, 0.475, 0.026, 0.022, ROSE)
    s.eye(0.66, 0.42, 0.03)
    s.edge(rim(rgb))


def _ear(s: Sketch, turn_deg: float, rgb: Rgb) -> None:
    """A rabbit's ear, which is as high as the others."""
    sine, cosine = math.sin(math.radians(turn_deg)), math.cos(math.radians(turn_deg))
    away = (0.434 - math.hypot(0.055 * sine, 0.19 * cosine)) / cosine
    x, y = 0.6 + away * sine, 0.46 - away * cosine
    s.oval(x, y, 0.055, 0.19, turn_deg, rgb)
    s.oval(x, y, 0.025, 0.135, turn_deg, ROSE)


def draw_duck(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    for x in (0.42, 0.56) if look.parts is None else row(look.parts, 0.28, 0.64):
        s.limb([(x, 0.7), (x, 0.94), (x + (0.09 if look.parts is None else 0.05), 0.94)], BEAK, 0.05)
    if look.parts is not None:
        s.lift(0.07, 0.8)
    s.polygon([(0.72, 0.17), (0.99, 0.25), (0.95, 0.33), (0.72, 0.34)], BEAK)
    s.blob([(0.05, 0.42), (0.2, 0.5), (0.42, 0.52), (0.54, 0.5), (0.56, 0.36), (0.74, 0.34), (0.8, 0.58), (0.7, 0.8),
            (0.46, 0.87), (0.22, 0.8), (0.1, 0.62)], rgb)
    s.disc(0.66, 0.24, 0.17, 0.17, rgb)
    s.blob([(0.2, 0.58), (0.4, 0.56), (0.58, 0.6), (0.5, 0.73), (0.34, 0.76)], trim(rgb))
    s.eye(0.71, 0.19, 0.033)
    s.edge(rim(rgb))


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
        if look.parts is None:
            for x in (0.39, 0.78):
                s.limb([(x, 0.6), (x + 0.02, 0.93), (x + 0.06, 0.93)], far(rgb), 0.09)
        else:
            _legs_apart(s, look.parts, (0.25, 0.88), 0.98, rgb)
            s.lift(0.115, 0.86)
        s.tail([(0.27, 0.5), (0.15, 0.44), (0.09, 0.24)], rgb, 0.08)
        s.blob([(0.2, 0.5), (0.36, 0.42), (0.62, 0.43), (0.82, 0.36), (0.94, 0.45), (0.92, 0.64), (0.74, 0.71),
                (0.5, 0.66), (0.3, 0.69), (0.2, 0.62)], rgb)
        if look.parts is None:
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
        if look.parts is None:
            for x in (0.36, 0.72):
                s.limb([(x, 0.66), (x + 0.02, 0.94), (x + 0.05, 0.94)], far(rgb), 0.08)
        else:
            _legs_apart(s, look.parts, (0.24, 0.82), 0.9825, rgb, 0.06)
            s.lift(0.0225, 0.82)
        s.tail([(0.24, 0.58), (0.1, 0.5), (0.09, 0.28), (0.2, 0.18), (0.17, 0.06)], rgb, 0.075)
        s.blob([(0.18, 0.62), (0.3, 0.52), (0.56, 0.53), (0.78, 0.5), (0.86, 0.6), (0.8, 0.74), (0.55, 0.77),
                (0.3, 0.78), (0.19, 0.72)], rgb)
        for x in (0.36, 0.48, 0.6):
            s.limb([(x, 0.54), (x - 0.01, 0.63)], trim(rgb), 0.03)
        if look.parts is None:
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


def draw_elephant(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    s.tail([(0.1, 0.4), (0.05, 0.5), (0.05, 0.62)], trim(rgb), 0.035)
    if look.parts is None:
        for x in (0.38, 0.72):
            s.limb([(x, 0.6), (x, 0.91)], far(rgb), 0.14)
    else:
        _legs_apart(s, look.parts, (0.18, 0.84), 0.975, rgb, 0.095)
    s.blob([(0.08, 0.46), (0.16, 0.22), (0.42, 0.12), (0.7, 0.16), (0.86, 0.3), (0.86, 0.6), (0.7, 0.72), (0.4, 0.7),
            (0.14, 0.7)], rgb)
    if look.parts is None:
        for x in (0.2, 0.82):
            s.limb([(x, 0.6), (x, 0.90)], rgb, 0.15)
            for dx in (-0.04, 0.0, 0.04):
                s.disc(x + dx, 0.955, 0.018, 0.016, shade(rgb, 1.6))
    s.disc(0.95, 0.32, 0.2, 0.21, rgb)
    s.tail([(1.05, 0.36), (1.16, 0.52), (1.16, 0.72), (1.2, 0.84), (1.28, 0.8)], rgb, 0.1)
    s.tail([(1.04, 0.48), (1.1, 0.58), (1.24, 0.58)], TUSK, 0.045)
    s.blob([(0.9, 0.12), (0.76, 0.08), (0.62, 0.2), (0.62, 0.42), (0.72, 0.56), (0.84, 0.5), (0.92, 0.34)], trim(rgb))
    s.blob([(0.87, 0.17), (0.76, 0.13), (0.67, 0.23), (0.67, 0.4), (0.74, 0.5), (0.82, 0.44), (0.87, 0.32)],
           shade(rgb, 1.18))
    s.eye(1.02, 0.26, 0.024)
    s.edge(rim(rgb))


def draw_giraffe(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    spot = shade(rgb, 0.66)
    s.tail([(0.12, 0.54), (0.06, 0.62), (0.06, 0.7)], rgb, 0.022)
    s.disc(0.06, 0.73, 0.022, 0.035, spot)
    if look.parts is None:
        for x in (0.22, 0.44):
            s.limb([(x, 0.62), (x, 0.96)], far(rgb), 0.05)
    else:
        _legs_apart(s, look.parts, (0.13, 0.53), 0.9975, rgb, 0.045, spot)
    s.blob([(0.1, 0.56), (0.2, 0.5), (0.4, 0.46), (0.52, 0.44), (0.55, 0.56), (0.48, 0.66), (0.26, 0.67),
            (0.12, 0.66)], rgb)
    s.polygon([(0.38, 0.5), (0.5, 0.1), (0.6, 0.12), (0.55, 0.56)], rgb)
    if look.parts is None:
        for x in (0.16, 0.5):
            s.limb([(x, 0.6), (x, 0.96)], rgb, 0.055)
            s.limb([(x, 0.965), (x, 0.97)], spot, 0.055)
    for x in (0.535, 0.585):
        s.limb([(x, 0.08), (x + 0.005, 0.025)], spot, 0.018)
        s.disc(x + 0.005, 0.022, 0.017, 0.016, spot)
    s.oval(0.49, 0.09, 0.05, 0.022, 20, trim(rgb))
    s.blob([(0.51, 0.1), (0.56, 0.055), (0.63, 0.07), (0.73, 0.13), (0.73, 0.17), (0.67, 0.19), (0.56, 0.17)], rgb)
    s.oval(0.71, 0.155, 0.03, 0.026, 30, shade(rgb, 1.35))
    s.eye(0.595, 0.095, 0.014)
    for x, y, r in ((0.2, 0.56, 0.038), (0.31, 0.53, 0.036), (0.25, 0.635, 0.03), (0.37, 0.6, 0.04),
                    (0.46, 0.53, 0.036), (0.47, 0.42, 0.032), (0.52, 0.35, 0.026), (0.49, 0.28, 0.026),
                    (0.55, 0.22, 0.022)):
        s.disc(x, y, r, r, spot)
    s.edge(rim(rgb))


def draw_turtle(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    skin = shade(rgb, 1.42)
    if look.parts is not None:
        _legs_apart(s, look.parts, (0.24, 1.06), 0.98, skin, 0.08)
        s.lift(0.1, 0.72)
    s.polygon([(0.16, 0.76), (0.02, 0.86), (0.2, 0.86)], skin)
    if look.parts is None:
        for x in (0.36, 1.02):
            s.limb([(x, 0.76), (x + 0.02, 0.9)], shade(skin, 0.85), 0.15)
        for x in (0.28, 0.92):
            s.limb([(x, 0.76), (x - 0.02, 0.9)], skin, 0.16)
    s.limb([(1.1, 0.74), (1.3, 0.52)], skin, 0.17)
    s.disc(1.34, 0.45, 0.18, 0.17, skin)
    s.blob([(0.12, 0.74), (0.2, 0.42), (0.42, 0.17), (0.66, 0.1), (0.9, 0.18), (1.1, 0.42), (1.18, 0.74), (1.0, 0.82),
            (0.65, 0.84), (0.3, 0.82)], rgb)
    line = trim(rgb)
    s.polygon([(0.5, 0.28), (0.8, 0.28), (0.92, 0.5), (0.8, 0.7), (0.5, 0.7), (0.38, 0.5)], line)
    s.polygon([(0.53, 0.33), (0.77, 0.33), (0.86, 0.5), (0.77, 0.65), (0.53, 0.65), (0.44, 0.5)], rgb)
    for a, b in (((0.5, 0.28), (0.42, 0.18)), ((0.8, 0.28), (0.89, 0.19)), ((0.92, 0.5), (1.14, 0.54)),
                 ((0.38, 0.5), (0.16, 0.54)), ((0.8, 0.7), (0.86, 0.8)), ((0.5, 0.7), (0.44, 0.8))):
        s.limb([a, b], line, 0.04)
    s.eye(1.39, 0.41, 0.045)
    s.limb([(1.38, 0.54), (1.46, 0.53)], shade(skin, 0.5), 0.025)
    s.edge(rim(rgb))


def draw_bird(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    s.polygon([(0.4, 0.58), (0.05, 0.5), (0.12, 0.62), (0.03, 0.72), (0.42, 0.74)], trim(rgb))
    s.blob([(0.74, 0.56), (0.78, 0.28), (0.96, 0.08), (0.92, 0.36), (0.86, 0.58)], far(rgb))
    s.polygon([(1.16, 0.44), (1.37, 0.55), (1.15, 0.61)], WILD_BEAK)
    s.blob([(0.3, 0.64), (0.5, 0.54), (0.76, 0.5), (0.96, 0.42), (1.08, 0.5), (1.06, 0.68), (0.84, 0.82), (0.55, 0.82),
            (0.38, 0.74)], rgb)
    s.disc(1.06, 0.5, 0.175, 0.17, rgb)
    s.blob([(0.52, 0.68), (0.42, 0.4), (0.36, 0.06), (0.58, 0.2), (0.76, 0.42), (0.82, 0.64), (0.68, 0.72)], trim(rgb))
    s.blob([(0.56, 0.62), (0.5, 0.42), (0.43, 0.16), (0.58, 0.28), (0.7, 0.46), (0.75, 0.62), (0.66, 0.66)], rgb)
    s.eye(1.1, 0.45, 0.04)
    s.edge(rim(rgb))


def draw_butterfly(pen: Pen, look: Look) -> None:
    s, rgb = inset(pen), PALETTE[look.colour]
    body = INK if rgb != PALETTE["black"] else (150, 130, 110)
    spot = shade(rgb, 1.55) if rgb != PALETTE["white"] else (205, 205, 210)
    for m in (-1, 1):
        s.tail([(0.6, 0.28), (0.6 + m * 0.06, 0.12), (0.6 + m * 0.15, 0.06)], body, 0.025)
        s.blob([(0.6 + m * x, y) for x, y in ((0.03, 0.56), (0.16, 0.56), (0.38, 0.66), (0.4, 0.84), (0.26, 0.94),
                                              (0.1, 0.8))], far(rgb))
        s.blob([(0.6 + m * x, y) for x, y in ((0.02, 0.5), (0.14, 0.26), (0.36, 0.1), (0.54, 0.14), (0.54, 0.4),
                                              (0.36, 0.58), (0.12, 0.62))], rgb)
        s.disc(0.6 + m * 0.38, 0.31, 0.075, 0.09, spot)
        s.disc(0.6 + m * 0.27, 0.78, 0.055, 0.06, spot)
    s.limb([(0.6, 0.36), (0.6, 0.8)], body, 0.075)
    s.disc(0.6, 0.3, 0.06, 0.06, body)
    s.edge(rim(rgb))


@dataclass(frozen=True, slots=True, kw_only=True)
class Animal:
    """One kind of animal; it faces right, so a scene mirrors it to make it face left."""

    draw: Callable[[Pen, Look], None]
    """Draws it with a pen on a canvas of the given aspect."""
    aspect: float
    """Width of the canvas divided by its height."""
    height: int
    """Usual height of the canvas in a scene of 224 px."""
    colours: tuple[str, ...]
    """Names of the palette, natural ones first."""
    poses: tuple[str, ...] = STANDING
    """The postures in which it can be drawn."""
    place: str = "floor"
    """"floor" or "air"."""


ANIMALS: dict[str, Animal] = {
    "dog": Animal(draw=draw_dog, aspect=1.25, height=50, colours=("brown", "black", "white", "gray", "orange"),
                  poses=PET_POSES),
    "cat": Animal(draw=draw_cat, aspect=1.2, height=46, colours=("orange", "black", "white", "gray", "brown"),
                  poses=PET_POSES),
    "horse": Animal(draw=draw_horse, aspect=1.25, height=72, colours=("brown", "black", "white", "gray")),
    "cow": Animal(draw=draw_cow, aspect=1.42, height=60, colours=("brown", "white", "black")),
    "sheep": Animal(draw=draw_sheep, aspect=1.18, height=50, colours=("white", "gray", "black")),
    "pig": Animal(draw=draw_pig, aspect=1.3, height=44, colours=("pink", "brown", "black", "white")),
    "rabbit": Animal(draw=draw_rabbit, aspect=0.84, height=44, colours=("white", "gray", "brown", "black")),
    "duck": Animal(draw=draw_duck, aspect=1.03, height=40, colours=("yellow", "white", "brown")),
    "elephant": Animal(draw=draw_elephant, aspect=1.35, height=75, colours=("gray", "pink", "blue")),
    "giraffe": Animal(draw=draw_giraffe, aspect=0.77, height=75, colours=("yellow", "orange", "brown")),
    "turtle": Animal(draw=draw_turtle, aspect=1.55, height=34, colours=("green", "brown")),
    "bird": Animal(draw=draw_bird, aspect=1.4, height=36, colours=("red", "blue", "yellow", "green", "black", "white"),
                   poses=("flying",), place="air"),
    "butterfly": Animal(draw=draw_butterfly, aspect=1.2, height=34, poses=("flying",), place="air",
                        colours=("orange", "yellow", "blue", "purple", "pink", "red", "white")),
}
