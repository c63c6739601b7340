"""The scene graph of a layout: what is visible of each thing, exactly, and how things stand to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Relationship, Thing
from pytest_vqamt.picture_world.art.backgrounds import draw_background
from pytest_vqamt.picture_world.layout import Placed, SceneLayout
from pytest_vqamt.picture_world.looks import SIZE_PX, drawn_thing
from pytest_vqamt.picture_world.pieces import Bitmap

Labels = NDArray[np.uint8]

VISIBLE_SHARE = 0.6
"""The least share of a thing's pixels that nothing covers."""
GARMENT_VISIBLE_SHARE = 0.4
"""The same of a garment, which arms and held things cross."""
GARMENT_PX = 60
"""The fewest visible pixels of a garment."""
LONGER_SIDE_PX = 24
"""The least longer side of the visible part of a thing."""
CLEAR_PX = 6
"""One thing is to the left of another where at least so many pixels are between them."""
NEAR_PX = 14
"""Things at one level are near each other up to this gap."""

_AS_USUAL: Mapping[int, int] = MappingProxyType({})
_WHERE_IT_WAS: Mapping[int, tuple[int, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The visible things of a layout."""

    layout: SceneLayout
    """Without things that are hidden too much."""
    labels: Labels
    """Uint8, HW: 1 + the index of the foremost thing in ``things`` at each pixel, 0 for none. Pixels of a garment have
    its number, although they are part of the person, too."""
    things: tuple[Thing, ...]
    """The id of each is its index, as a text."""
    relationships: tuple[Relationship, ...]
    wearers: dict[int, int]
    """The index of the wearer of each garment, by its index."""


@dataclass(slots=True, eq=False)
class _Unseen:
    """A thing before its visible part is known."""

    name: str
    attributes: tuple[str, ...]
    block: int
    """The index of its block in ``SceneLayout.placed``."""
    x: int
    y: int
    mask: Bitmap
    """All of it, also what is covered; its top left corner is at (x, y)."""
    wearer: int | None = None
    """The index of the person, of a garment."""
    host: int | None = None
    """The index of the thing that it stands on or under, or of the person who holds it."""
    predicate: str = ""
    """"on", "under" or "holding"; "" without a host."""


def read(layout: SceneLayout) -> Graph | None:
    """The graph without blocks that are hidden too much; None if fewer than 2 things are left."""
    # One block a round: without it, things behind it may be visible enough.
    while True:
        entries = list(_entries(layout.placed))
        if sum(entry.wearer is None for entry in entries) < 2:
            return None
        labels = _labels(entries)
        seen, boxes = _seen(entries, labels)
        bad = next((i for i, entry in enumerate(entries) if not _shows(entry, seen[i], boxes[i])), None)
        if bad is None:
            break
        gone = entries[bad].block
        # The whole block: a table whose cup is hidden would have a cup drawn on it that no annotation knows.
        layout = SceneLayout(
            layout.setting, layout.variant, tuple(each for i, each in enumerate(layout.placed) if i != gone)
        )
    things = tuple(
        drawn_thing(i, entry.name, box, entry.attributes)
        for i, (entry, box) in enumerate(zip(entries, boxes, strict=True))
    )
    wearers = {i: entry.wearer for i, entry in enumerate(entries) if entry.wearer is not None}
    return Graph(layout, labels, things, tuple(_relationships(entries, boxes)), wearers)


def _entries(placed: tuple[Placed, ...]) -> Iterator[_Unseen]:
    number = 0
    for at, each in enumerate(placed):
        host = number
        for part in each.block.parts:
            styled = part.styled
            x, y = each.x + part.x, each.y + part.y
            me = number
            link = host if part.predicate else None  # the first part is the host itself
            yield _Unseen(
                styled.name, styled.attributes, at, x, y, styled.piece.mask, host=link, predicate=part.predicate
            )
            number += 1
            for (garment, mask), (_, attributes) in zip(styled.piece.parts, styled.garments, strict=True):
                yield _Unseen(garment, attributes, at, x, y, mask, wearer=me)
                number += 1


def _labels(entries: list[_Unseen]) -> Labels:
    # In the order of drawing, so that the foremost thing is written last; at most 8 things and garments fit in a byte.
    labels = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    for i, entry in enumerate(entries):
        height, width = entry.mask.shape
        labels[entry.y : entry.y + height, entry.x : entry.x + width][entry.mask] = i + 1
    labels.setflags(write=False)  # the graph is shared
    return labels


def _seen(entries: list[_Unseen], labels: Labels) -> tuple[list[int], list[Box]]:
    """The visible pixels of each thing and the box around them; a person's include garments."""
    worn: dict[int, list[int]] = {}
    for i, entry in enumerate(entries):
        if entry.wearer is not None:
            worn.setdefault(entry.wearer, []).append(i)
    seen: list[int] = []
    boxes: list[Box] = []
    for i, entry in enumerate(entries):
        height, width = entry.mask.shape
        window = labels[entry.y : entry.y + height, entry.x : entry.x + width]
        visible = window == i + 1
        for garment in worn.get(i, ()):
            visible |= window == garment + 1
        ys = np.flatnonzero(visible.any(axis=1))
        xs = np.flatnonzero(visible.any(axis=0))
        seen.append(int(np.count_nonzero(visible)))
        if len(xs):
            x, y = entry.x + int(xs[0]), entry.y + int(ys[0])
            boxes.append(Box(x, y, int(xs[-1] - xs[0]) + 1, int(ys[-1] - ys[0]) + 1))
        else:
            boxes.append(Box(entry.x, entry.y, 0, 0))
    return seen, boxes


def _shows(entry: _Unseen, seen: int, box: Box) -> bool:
    whole = int(np.count_nonzero(entry.mask))
    if entry.wearer is not None:
        return seen >= GARMENT_PX and seen >= GARMENT_VISIBLE_SHARE * whole
    return seen >= VISIBLE_SHARE * whole and max(box.w, box.h) >= LONGER_SIDE_PX


def _relationships(entries: list[_Unseen], boxes: list[Box]) -> Iterator[Relationship]:
    joined: set[tuple[int, int]] = set()
    for i, entry in enumerate(entries):
        if entry.wearer is not None:
            yield Relationship(subject=str(entry.wearer), predicate="wearing", object=str(i))
        elif entry.host is not None:
            joined.add((entry.host, i))
            if entry.predicate == "holding":  # the person is the subject; of "on" and "under" the host is the object
                yield Relationship(subject=str(entry.host), predicate="holding", object=str(i))
            else:
                yield Relationship(subject=str(i), predicate=entry.predicate, object=str(entry.host))
    for a, b in combinations(range(len(entries)), 2):
        left, right = (a, b) if boxes[a].x <= boxes[b].x else (b, a)
        gap = boxes[right].x - boxes[left].x1
        if gap >= CLEAR_PX:
            yield Relationship(subject=str(left), predicate="to the left of", object=str(right))
            yield Relationship(subject=str(right), predicate="to the right of", object=str(left))
        # What is worn, held or stood on is more than near.
        free = entries[a].wearer is None and entries[b].wearer is None and (a, b) not in joined
        if free and gap <= NEAR_PX and _level(boxes[a], boxes[b]):
            yield Relationship(subject=str(a), predicate="near", object=str(b))
            yield Relationship(subject=str(b), predicate="near", object=str(a))


def _level(a: Box, b: Box) -> bool:
    """True if two boxes share at least half of the height of the less high one."""
    return min(a.y1, b.y1) - max(a.y, b.y) >= 0.5 * min(a.h, b.h)


def paint(
    layout: SceneLayout,
    numbers: Mapping[int, int] = _AS_USUAL,
    moved: Mapping[int, tuple[int, int]] = _WHERE_IT_WAS,
) -> Image.Image:
    """The picture of ``layout``: RGB uint8, 224 x 224.

    By a thing's index, ``numbers`` has numbers of parts, and ``moved`` how far the first thing of a block is drawn to
    the right and downwards of its place, with its block.
    """
    image = draw_background(layout.setting, (SIZE_PX, SIZE_PX), layout.variant)
    thing = 0
    for placed in layout.placed:
        dx, dy = moved.get(thing, (0, 0))
        for part in placed.block.parts:
            number = numbers.get(thing)
            drawn = (part.styled.piece if number is None else part.styled.draw(parts=number)).image
            image.paste(drawn, (placed.x + part.x + dx, placed.y + part.y + dy), drawn)
            thing += 1 + len(part.styled.garments)  # garments are things, too, and drawn with their person
    return image
