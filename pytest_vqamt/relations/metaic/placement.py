"""Four places for one inserted thing, one at each level of overlap (Yu et al., ISSTA 2022, section 3.2.2).

Its size and its place at the highest level are drawn at random until they obey. For the other levels it is moved along
the line from the centre of the largest thing through its own, up to the edge of the picture, by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, inf
from random import Random
from typing import NamedTuple

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations.metaic.overlap import LEVELS, Edges, Layout, Stands
from pytest_vqamt.relations.metaic.sizes import Areas, largest_area, scaled
from pytest_vqamt.relations.recognisable import is_large_enough
from pytest_vqamt.relations.room import Place, Size

HIGHEST = "45"

_TRIES = 300
"""The authors' code draws up to 3,000 times, all over the picture; here each draw touches the largest thing."""
_STEPS = 100


def places(layout: Layout, areas: Areas, cut_out: tuple[float, float], random: Random) -> Mapping[str, Box] | None:
    """The box of a cut-out of this width and height at each level, in whole pixels; None where one is not found."""
    first = drawn(layout, areas, cut_out, random)
    if first is None:
        return None
    boxes: dict[str, Box] = {}
    for level in LEVELS:
        edges = first if level == HIGHEST else on_the_line(layout, first, level)
        if edges is None:
            return None
        boxes[level] = Box.between(*edges)
    return boxes


def least_area(layout: Layout) -> float:
    """The area that covers enough of the largest thing, and not more."""
    return LEVELS[HIGHEST][0] * layout.largest[0].area


def drawn(layout: Layout, areas: Areas, cut_out: tuple[float, float], random: Random) -> Edges | None:
    """A size, and a place for it at the highest level.

    Sizes that the cut-out cannot have or that cover too little are not tried, nor are places beside the largest thing.
    """
    least, most = max(areas.low, least_area(layout)), min(areas.high, largest_area(cut_out, layout.frame))
    if most < least:
        return None
    largest, frame = layout.largest[0], layout.frame
    across, down = _Reach.of(largest.x0, largest.x1, frame.w), _Reach.of(largest.y0, largest.y1, frame.h)
    for _ in range(_TRIES):
        size = scaled(cut_out, least + random.random() * (most - least))
        if not (areas.hold(size) and is_large_enough(*size, frame)):
            continue
        thing = _edges(across.place(size[0], random.random()), down.place(size[1], random.random()), size)
        if (
            layout.holds(thing)
            and layout.stands(thing, HIGHEST) is Stands.WELL
            and layout.spares_the_others(thing, HIGHEST)
        ):
            return thing
    return None


class _Reach(NamedTuple):
    """On one axis, from which whole pixel to before which one a thing reaches, and how many there are."""

    start: int
    stop: int
    limit: int

    @classmethod
    def of(cls, start: float, stop: float, limit: float) -> _Reach:
        return cls(floor(start), ceil(stop), floor(limit))

    def place(self, length: int, chance: float) -> int:
        """Where what is so long touches the thing and ends within the limit, by a number from 0 to before 1."""
        first, last = max(0, self.start - length + 1), min(self.limit - length, self.stop - 1)
        return first + int(chance * (last - first + 1))


def on_the_line(layout: Layout, first: Edges, level: str) -> Edges | None:
    """The place that bisection finds for a thing that was drawn at ``first``."""
    largest = layout.largest[0]
    size = round(first.x1 - first.x0), round(first.y1 - first.y0)
    start = (largest.x0 + largest.x1) / 2, (largest.y0 + largest.y1) / 2
    way = first.x0 + size[0] / 2 - start[0], first.y0 + size[1] / 2 - start[1]
    if not any(way):
        return None
    inner = 0.0
    outer = min(map(_to_the_edge, start, way, size, (layout.frame.w, layout.frame.h)))
    known: dict[Place, Stands] = {}  # whole pixels: bisection soon comes to the same places again and again
    for _ in range(_STEPS):
        middle = (inner + outer) / 2
        if middle in (inner, outer):
            return None
        x = round(start[0] + middle * way[0] - size[0] / 2)
        y = round(start[1] + middle * way[1] - size[1] / 2)
        stands = known.get((x, y))
        if stands is None:
            thing = _edges(x, y, size)
            # The centre of the largest thing may be so near to the edge that what is put there reaches beyond.
            stands = layout.stands(thing, level) if layout.holds(thing) else Stands.TOO_FAR_IN
            if stands is Stands.WELL:
                return thing if layout.spares_the_others(thing, level) else None
            known[x, y] = stands
        if stands is Stands.TOO_FAR_IN:
            inner = middle
        else:
            outer = middle
    return None


def _to_the_edge(start: float, way: float, length: int, limit: float) -> float:
    """How often one can go a way along one axis before what is so long reaches the edge."""
    if way > 0:
        return (limit - length / 2 - start) / way
    return (length / 2 - start) / way if way < 0 else inf


def _edges(x: int, y: int, size: Size) -> Edges:
    return Edges(x, y, x + size[0], y + size[1])
