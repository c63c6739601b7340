"""Four places for one inserted thing, one at each level of overlap (Yu et al., ISSTA 2022, section 3.2.2).

Of each box, the share of its area that is covered counts. Rule R1: that of the largest thing lies in the interval of
the level. Rule R2: that of any other is at most the upper end.

Its size and its place at the highest level are drawn at random until they obey. For the other levels it is moved along
the line from the centre of the largest thing through its own, up to the edge of the picture, by bisection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import ceil, exp, floor, inf, sqrt
from random import Random
from typing import NamedTuple

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.edits import LARGEST_SCALE, Place, Size, pixel_box
from pytest_vqamt.relations.soundness import is_salient_size

HIGHEST = "45"

_MAX_TRIES = 300
"""The authors' code draws up to 3,000 times, all over the picture; here each draw touches the largest thing."""
_MAX_BISECTIONS = 100


def place_at_all_levels(
    layout: OverlapLayout, areas: AreaRange, cut_out: tuple[float, float], random: Random
) -> Mapping[str, Box] | None:
    """The box of a cut-out of this width and height at each level, in whole pixels; None where one is not found."""
    first = place_at_highest_level(layout, areas, cut_out, random)
    if first is None:
        return None
    boxes: dict[str, Box] = {}
    for level in LEVELS:
        edges = first if level == HIGHEST else place_by_bisection(layout, first, level)
        if edges is None:
            return None
        boxes[level] = Box.from_corners(*edges)
    return boxes


def min_covering_area(layout: OverlapLayout) -> float:
    """The area that covers enough of the largest thing, and not more."""
    return LEVELS[HIGHEST][0] * layout.largest[0].area


def place_at_highest_level(
    layout: OverlapLayout, areas: AreaRange, cut_out: tuple[float, float], random: Random
) -> Edges | None:
    """A size, and a place for it at the highest level.

    Sizes that the cut-out cannot have or that cover too little are not tried, nor are places beside the largest thing.
    """
    least, most = max(areas.low, min_covering_area(layout)), min(areas.high, max_cutout_area(cut_out, layout.frame))
    if most < least:
        return None
    largest, frame = layout.largest[0], layout.frame
    across, down = _Reach.of(largest.x0, largest.x1, frame.w), _Reach.of(largest.y0, largest.y1, frame.h)
    for _ in range(_MAX_TRIES):
        size = size_of_area(cut_out, least + random.random() * (most - least))
        if not (areas.hold(size) and is_salient_size(*size, frame)):
            continue
        thing = _edges(across.place(size[0], random.random()), down.place(size[1], random.random()), size)
        if (
            layout.holds(thing)
            and layout.stands(thing, HIGHEST) is LevelFit.WELL
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


def place_by_bisection(layout: OverlapLayout, first: Edges, level: str) -> Edges | None:
    """The place that bisection finds for a thing that was drawn at ``first``."""
    largest = layout.largest[0]
    size = round(first.x1 - first.x0), round(first.y1 - first.y0)
    start = (largest.x0 + largest.x1) / 2, (largest.y0 + largest.y1) / 2
    way = first.x0 + size[0] / 2 - start[0], first.y0 + size[1] / 2 - start[1]
    if not any(way):
        return None
    inner = 0.0
    outer = min(map(_to_the_edge, start, way, size, (layout.frame.w, layout.frame.h)))
    known: dict[Place, LevelFit] = {}  # whole pixels: bisection soon comes to the same places again and again
    for _ in range(_MAX_BISECTIONS):
        middle = (inner + outer) / 2
        if middle in (inner, outer):
            return None
        x = round(start[0] + middle * way[0] - size[0] / 2)
        y = round(start[1] + middle * way[1] - size[1] / 2)
        stands = known.get((x, y))
        if stands is None:
            thing = _edges(x, y, size)
            # The centre of the largest thing may be so near to the edge that what is put there reaches beyond.
            stands = layout.stands(thing, level) if layout.holds(thing) else LevelFit.TOO_FAR_IN
            if stands is LevelFit.WELL:
                return thing if layout.spares_the_others(thing, level) else None
            known[x, y] = stands
        if stands is LevelFit.TOO_FAR_IN:
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


LEVELS: Mapping[str, tuple[float, float]] = {"0": (0.0, 0.0), "15": (0.0, 0.15), "30": (0.15, 0.30), "45": (0.30, 0.45)}
"""By name, the ends of each interval; the lower one does not belong to it, unless both are 0."""


def annotated_boxes(scene: Scene) -> list[Box]:
    """The boxes of all things and crowds, as annotated."""
    return [*(thing.box for thing in scene.objects), *(region.box for region in scene.regions)]


class LevelFit(Enum):
    """How a thing stands to the largest one, by rule R1: well, or it has to move."""

    WELL = auto()
    TOO_FAR_IN = auto()
    TOO_FAR_OUT = auto()


class Edges(NamedTuple):
    """Where a box begins and ends, in pixels: a tuple, since thousands are tried."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def of(cls, box: Box) -> Edges:
        return cls(box.x, box.y, box.x1, box.y1)

    @property
    def area(self) -> float:
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def share_under(self, other: Edges) -> float:
        """The part of this box's area that ``other`` covers.

        >>> Edges(0, 0, 10, 10).share_under(Edges(5, 8, 20, 20))
        0.1
        """
        x0, y0, x1, y1 = self
        left, top, right, bottom = other
        # Written out: millions of places are tried, and calls of min and max would be most of the work.
        width = (x1 if x1 <= right else right) - (x0 if x0 >= left else left)
        height = (y1 if y1 <= bottom else bottom) - (y0 if y0 >= top else top)
        return width * height / ((x1 - x0) * (y1 - y0)) if width > 0 and height > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapLayout:
    """The boxes of a background: of the largest thing or crowd, and of the others.

    Each stands here twice, as annotated and in the whole pixels that it covers: the rules hold for both.
    """

    frame: Box
    largest: tuple[Edges, ...]
    others: tuple[Edges, ...]

    @classmethod
    def of(cls, scene: Scene) -> OverlapLayout | None:
        """The layout of a scene; None where it has no thing."""
        boxes = [box for box in annotated_boxes(scene) if box.area > 0]
        if not (scene.objects and boxes):
            return None
        twice = [tuple(Edges.of(each) for each in (box, pixel_box(box, scene)) if each) for box in boxes]
        largest = twice.pop(max(range(len(boxes)), key=lambda number: boxes[number].area))
        return cls(frame=scene.frame, largest=largest, others=tuple(edges for both in twice for edges in both))

    def stands(self, thing: Edges, level: str) -> LevelFit:
        """How ``thing`` stands to the largest one."""
        low, high = LEVELS[level]
        shares = [each.share_under(thing) for each in self.largest]
        if max(shares) > high:
            return LevelFit.TOO_FAR_IN
        return LevelFit.TOO_FAR_OUT if high and min(shares) <= low else LevelFit.WELL

    def spares_the_others(self, thing: Edges, level: str) -> bool:
        """Whether ``thing`` obeys rule R2."""
        _, high = LEVELS[level]
        return all(each.share_under(thing) <= high for each in self.others)

    def holds(self, thing: Edges) -> bool:
        """Whether all of ``thing`` is in the picture."""
        return thing.x0 >= 0 and thing.y0 >= 0 and thing.x1 <= self.frame.w and thing.y1 <= self.frame.h


MIN_LARGEST_SHARE = 0.03
"""The largest thing takes at least so much of the picture: where it is smaller, nothing is salient."""
MAX_SALIENT_SHARE = 0.7
"""Where the salient area is more of the picture, there is no room beside it."""

_ROOMY_SHARE = 0.4
_ROOMY = (0.8, 1.3)
_FULL = (0.1, 0.37)
"""Between which parts of the salient area an inserted thing has its own, where that is under the share, and else."""


class AreaRange(NamedTuple):
    """From which area to which, in square pixels."""

    low: float
    high: float

    def hold(self, size: Size) -> bool:
        """Whether a thing of this size has such an area."""
        return self.low <= size[0] * size[1] <= self.high


def salient_area(areas: Sequence[float], picture_area: float) -> float:
    """``S = sum of a_i softmax(a_i / picture area)``: a mean of one area or more in which large ones weigh more.

    >>> round(salient_area([2000, 1000], 10_000), 1)
    1525.0
    """
    weights = [exp(area / picture_area) for area in areas]
    return sum(area * weight for area, weight in zip(areas, weights, strict=True)) / sum(weights)


def insertion_area_range(salient: float, picture_area: float) -> AreaRange:
    """Between which areas that of an inserted thing is drawn, by the salient area of what is there.

    >>> areas_beside(1000, 10_000), areas_beside(5000, 10_000)
    (Areas(low=800.0, high=1300.0), Areas(low=500.0, high=1850.0))
    """
    low, high = _ROOMY if salient < _ROOMY_SHARE * picture_area else _FULL
    return AreaRange(low * salient, high * salient)


def max_cutout_area(cut_out: tuple[float, float], frame: Box) -> float:
    """The area up to which a cut-out of this width and height can be enlarged: at most twice, and into ``frame``."""
    width, height = cut_out
    return min(LARGEST_SCALE, frame.w / width, frame.h / height) ** 2 * width * height


def size_of_area(cut_out: tuple[float, float], area: float) -> Size:
    """The size in whole pixels at which a cut-out of this width and height has about this area; its aspect ratio stays.

    >>> scaled((40, 10), 1600)
    (80, 20)
    """
    width, height = cut_out
    scale = sqrt(area / (width * height))
    return round(width * scale), round(height * scale)
