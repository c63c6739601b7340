"""How many legs, say, a rendered picture shows, counted in its pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from math import cos, radians, sin

import numpy as np

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.imaging.render import render
from pytest_vqamt.picture_world.graph import paint
from pytest_vqamt.picture_world.source import PictureWorld
from tests.soundness.pixels import Bitmap

ROWS: Mapping[str, tuple[float, float]] = {
    "leg": (0.82, 0.93),
    "leg of elephant": (0.9, 0.96),  # below its trunk
    "wheel": (0.94, 0.98),
    "wheel of bicycle": (0.975, 1.0),  # where the ring of its tyre is one stretch
    "ear": (0.04, 0.14),
    "antenna": (0.01, 0.1),
    "drumstick": (0.02, 0.12),
}
"""Where parts of each name are apart: the first and the last row to look at, in heights of the box from its top."""

_HANDS = 0.17
"""How far from the middle of a clock to look for its hands, in heights of the box."""
_DARK = 120


def seen(picture: Picture, thing: str, part: str, source: PictureWorld) -> int:
    """The number of parts that the picture shows of the thing; no edit but ``Redraw`` may have been made."""
    box, name = picture.scene.thing(thing).box, picture.scene.thing(thing).name
    image = np.asarray(render(picture, source)).astype(np.int16)
    if part == "hand":
        return _hands(image.max(axis=2), box)
    drawn = np.asarray((image != _without(thing, picture, source)).any(axis=2))
    first, last = (round(box.y + share * box.h) for share in ROWS.get(f"{part} of {name}", ROWS[part]))
    columns = slice(round(box.x), round(box.x1))
    found = Counter(_stretches(drawn[row, columns]) for row in range(first, max(first + 1, last)))
    return found.most_common(1)[0][0]


def _without(thing: str, picture: Picture, source: PictureWorld) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    """The picture without the thing, and without what stands on it."""
    layout = source.graph(source.place(picture.photo.id)).layout
    number = 0
    left = []
    for placed in layout.placed:
        first = number
        number += sum(1 + len(part.styled.garments) for part in placed.block.parts)
        if not first <= int(thing) < number:
            left.append(placed)
    return np.asarray(paint(replace(layout, placed=tuple(left)))).astype(np.int16)


def _stretches(row: Iterable[np.bool_] | Bitmap) -> int:
    """In how many stretches the row shows the thing."""
    return sum(bool(now) and not before for before, now in pairwise((False, *row)))


def _hands(brightness: np.ndarray[tuple[int, ...], np.dtype[np.int16]], box: Box) -> int:
    """How many dark stretches a circle around the middle of the clock has."""
    x, y, radius = box.x + box.w / 2, box.y + box.h / 2, _HANDS * box.h
    ring = [
        brightness[int(y - radius * cos(radians(turn))), int(x + radius * sin(radians(turn)))] < _DARK
        for turn in range(-30, 330, 3)
    ]
    return _stretches(ring)
