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
from pytest_vqamt.picture_world.layout import Layout, Placed
from pytest_vqamt.picture_world.looks import SIZE_PX, drawn_thing
from pytest_vqamt.picture_world.pieces import Bitmap

Labels = NDArray[np.uint8]

VISIBLE_SHARE = 0.6
GARMENT_VISIBLE_SHARE = 0.4
GARMENT_PX = 60
LONGER_SIDE_PX = 24
CLEAR_PX = 6
"""One thing is to the left of another where at least so many pixels are between them."""
NEAR_PX = 14

_AS_USUAL: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The visible things of a layout."""

    layout: Layout
    """Without things that are hidden too much."""
    labels: Labels
    """Uint8, HW: 1 + the index of the foremost thing in ``things`` at each pixel, 0 for none. Pixels of a garment have
    its number, although they are part of the person, too."""
    things: tuple[Thing, ...]
    relationships: tuple[Relationship, ...]
    wearers: dict[int, int]
    """The index of the wearer of each garment, by its index."""


@dataclass(slots=True, eq=False)
class _Entry:
    """A thing before its visible part is known."""

    name: str
    attributes: tuple[str, ...]
    block: int
    x: int
    y: int
    mask: Bitmap
    wearer: int | None = None
    host: int | None = None
    predicate: str = ""


def read(layout: Layout) -> Graph | None:
    """Returns the graph without blocks that are hidden too much, None if fewer than 2 things are left."""
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
        layout = Layout(
            layout.setting, layout.variant, tuple(each for i, each in enumerate(layout.placed) if i != gone)
        )
    things = tuple(
        drawn_thing(i, entry.name, box, entry.attributes)
        for i, (entry, box) in enumerate(zip(entries, boxes, strict=True))
    )
    wearers = {i: entry.wearer for i, entry in enumerate(entries) if entry.wearer is not None}
    return Graph(layout, labels, things, tuple(_relationships(entries, boxes)), wearers)


def _entries(placed: tuple[Placed, ...]) -> Iterator[_Entry]:
    number = 0
    for at, each in enumerate(placed):
        host = number
        for part in each.block.parts:
            styled = part.styled
            x, y = each.x + part.x, each.y + part.y
            me = number
            link = host if part.predicate else None
            yield _Entry(
                styled.name, styled.attributes, at, x, y, styled.piece.mask, host=link, predicate=part.predicate
            )
            number += 1
            for (garment, mask), (_, attributes) in zip(styled.piece.parts, styled.garments, strict=True):
                yield _Entry(garment, attributes, at, x, y, mask, wearer=me)
                number += 1


def _labels(entries: list[_Entry]) -> Labels:
    labels = np.zeros((SIZE_PX, SIZE_PX), np.uint8)
    for i, entry in enumerate(entries):
        height, width = entry.mask.shape
        labels[entry.y : entry.y + height, entry.x : entry.x + width][entry.mask] = i + 1
    labels.setflags(write=False)  # the graph is shared
    return labels


def _seen(entries: list[_Entry], labels: Labels) -> tuple[list[int], list[Box]]:
    """Returns the visible pixels of each thing and the box around them; a person's include garments."""
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


def _shows(entry: _Entry, seen: int, box: Box) -> bool:
    whole = int(np.count_nonzero(entry.mask))
    if entry.wearer is not None:
        return seen >= GARMENT_PX and seen >= GARMENT_VISIBLE_SHARE * whole
    return seen >= VISIBLE_SHARE * whole and max(box.w, box.h) >= LONGER_SIDE_PX


def _relationships(entries: list[_Entry], boxes: list[Box]) -> Iterator[Relationship]:
    joined: set[tuple[int, int]] = set()
    for i, entry in enumerate(entries):
        if entry.wearer is not None:
            yield Relationship(subject=str(entry.wearer), predicate="wearing", object=str(i))
        elif entry.host is not None:
            joined.add((entry.host, i))
            if entry.predicate == "holding":
                yield Relationship(subject=str(entry.host), predicate="holding", object=str(i))
            else:
                yield Relationship(subject=str(i), predicate=entry.predicate, object=str(entry.host))
    for a, b in combinations(range(len(entries)), 2):
        left, right = (a, b) if boxes[a].x <= boxes[b].x else (b, a)
        gap = boxes[right].x - boxes[left].x1
        if gap >= CLEAR_PX:
            yield Relationship(subject=str(left), predicate="to the left of", object=str(right))
            yield Relationship(subject=str(right), predicate="to the right of", object=str(left))
        free = entries[a].wearer is None and entries[b].wearer is None and (a, b) not in joined
        if free and gap <= NEAR_PX and _level(boxes[a], boxes[b]):
            yield Relationship(subject=str(a), predicate="near", object=str(b))
            yield Relationship(subject=str(b), predicate="near", object=str(a))


def _level(a: Box, b: Box) -> bool:
    """True if two boxes share at least half of the height of the lower one."""
    return min(a.y1, b.y1) - max(a.y, b.y) >= 0.5 * min(a.h, b.h)


def paint(layout: Layout, numbers: Mapping[int, int] = _AS_USUAL) -> Image.Image:
    """Returns the picture of ``layout``: RGB uint8, 224 x 224; ``numbers`` has numbers of parts by a thing's index."""
    image = draw_background(layout.setting, (SIZE_PX, SIZE_PX), layout.variant)
    thing = 0
    for placed in layout.placed:
        for part in placed.block.parts:
            number = numbers.get(thing)
            drawn = (part.styled.piece if number is None else part.styled.draw(parts=number)).image
            image.paste(drawn, (placed.x + part.x, placed.y + part.y), drawn)
            thing += 1 + len(part.styled.garments)
    return image
