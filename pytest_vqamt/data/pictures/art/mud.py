"""Mud that makes a thing dirty."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.picture_world.art.pen import Pen, Rgb

MUD: Rgb = (98, 64, 30)
_BLOT = ((0.0, 0.0, 1.25, 0.85), (0.7, 0.45, 0.75, 0.65), (-1.75, -0.6, 0.32, 0.32), (1.5, -0.95, 0.26, 0.26))
"""One blot as (x, y, half width, half height) in its radius: a lump of two, and two drops that flew off."""


def splash(pen: Pen, blots: Sequence[tuple[float, float, float]]) -> None:
    """Draw a blot of mud at each (x, y, radius), every other one mirrored so that they do not look stamped."""
    for number, (x, y, radius) in enumerate(blots):
        across = radius * pen.h / pen.w * (-1 if number % 2 else 1)
        for dx, dy, half_width, half_height in _BLOT:
            middle, rx, ry = x + dx * across, abs(half_width * across), half_height * radius
            top = y + dy * radius - ry
            pen.ellipse(middle - rx, top, middle + rx, top + 2 * ry, MUD)
