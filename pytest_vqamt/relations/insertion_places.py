"""Placement of an inserted thing at each level of overlap (Yu et al., ISSTA 2022, section 3.2.2).

Rule R1: the covered share of the largest thing's area lies in the interval of the level. Rule R2: that of any other
thing is at most the upper end of the interval.

The size and the place at the highest level are sampled by rejection. The places at the other levels are found by
bisection on the line from the centre of the largest thing through the centre of the inserted one to the edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import ceil, exp, floor, inf, sqrt
from random import Random
from typing import NamedTuple

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.salience import is_salient_size
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.edits import LARGEST_SCALE, Place, Size, pixel_box

HIGHEST = "45"

_MAX_TRIES = 300
"""The authors' code draws up to 3,000 times in the whole picture; here each draw touches the largest thing."""
# As published; halving reaches a pixel long before.
_MAX_BISECTIONS = 100

LEVELS: Mapping[str, tuple[float, float]] = {"0": (0.0, 0.0), "15": (0.0, 0.15), "30": (0.15, 0.30), "45": (0.30, 0.45)}
"""The interval of each level, without its lower end unless both are 0."""

# Both limits are from the authors' code; the paper does not have them.
MIN_LARGEST_SHARE = 0.03
"""The least share of the picture that the largest thing takes: below it nothing is salient."""
MAX_SALIENT_SHARE = 0.7
"""The largest salient share of the picture that leaves room."""

# Yu et al.: [0.8, 1.3] of the salient area where that is under 0.4 of the picture, else [0.1, 0.37].
_ROOMY_SHARE = 0.4
_ROOMY = (0.8, 1.3)
_FULL = (0.1, 0.37)
"""The area range of an insertion as factors of the salient area, below ``_ROOMY_SHARE`` and from there on."""


def place_at_all_levels(
    layout: OverlapLayout, areas: AreaRange, cut_out: tuple[float, float], random: Random
) -> Mapping[str, Box] | None:
    """Returns the box of a cut-out of this size at each level, in whole pixels; None if one level has none."""
    # In the order of the paper: the highest level is sampled and fixes the size, the others are on a line from there.
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
    """Returns the least area that can cover enough of the largest thing."""
    return LEVELS[HIGHEST][0] * layout.largest[0].area


def place_at_highest_level(
    layout: OverlapLayout, areas: AreaRange, cut_out: tuple[float, float], random: Random
) -> Edges | None:
    """Samples a size and a place at the highest level, among those that touch the largest thing."""
    # A smaller thing could not cover 0.3 of the largest one at all, so those sizes are not drawn.
    least, most = max(areas.low, min_covering_area(layout)), min(areas.high, max_cutout_area(cut_out, layout.frame))
    if most < least:
        return None
    largest, frame = layout.largest[0], layout.frame
    across, down = _Reach.of(largest.x0, largest.x1, frame.w), _Reach.of(largest.y0, largest.y1, frame.h)
    for _ in range(_MAX_TRIES):
        size = size_of_area(cut_out, least + random.random() * (most - least))
        # By the rounded size, which may leave the range that the drawn area was in.
        if not (areas.hold(size) and is_salient_size(*size, frame)):
            continue
        thing = _edges(across.place(size[0], random.random()), down.place(size[1], random.random()), size)
        if (
            layout.holds(thing)
            and layout.level_fit(thing, HIGHEST) is LevelFit.FITS
            and layout.obeys_r2(thing, HIGHEST)
        ):
            return thing
    return None


class _Reach(NamedTuple):
    """The whole pixels of a thing on one axis, from ``start`` to before ``stop``, and the length of the axis."""

    start: int
    stop: int
    limit: int

    @classmethod
    def of(cls, start: float, stop: float, limit: float) -> _Reach:
        return cls(floor(start), ceil(stop), floor(limit))

    def place(self, length: int, chance: float) -> int:
        """Returns a start at which a box of this length touches the thing inside the frame; ``chance`` is in [0, 1)."""
        first, last = max(0, self.start - length + 1), min(self.limit - length, self.stop - 1)
        return first + int(chance * (last - first + 1))


def place_by_bisection(layout: OverlapLayout, first: Edges, level: str) -> Edges | None:
    """Bisects for a place at ``level`` on the line through ``first``."""
    largest = layout.largest[0]
    size = round(first.x1 - first.x0), round(first.y1 - first.y0)
    start = (largest.x0 + largest.x1) / 2, (largest.y0 + largest.y1) / 2
    way = first.x0 + size[0] / 2 - start[0], first.y0 + size[1] / 2 - start[1]
    # Centre on centre: there is no line to move along.
    if not any(way):
        return None
    inner = 0.0
    outer = min(map(_to_the_edge, start, way, size, (layout.frame.w, layout.frame.h)))
    known: dict[Place, LevelFit] = {}  # bisection soon repeats places, which are in whole pixels
    for _ in range(_MAX_BISECTIONS):
        middle = (inner + outer) / 2
        # Floating-point numbers have no middle left, so the places will not change any more.
        if middle in (inner, outer):
            return None
        x = round(start[0] + middle * way[0] - size[0] / 2)
        y = round(start[1] + middle * way[1] - size[1] / 2)
        stands = known.get((x, y))
        if stands is None:
            thing = _edges(x, y, size)
            # Near the centre of the largest thing the box may reach beyond the frame.
            stands = layout.level_fit(thing, level) if layout.holds(thing) else LevelFit.TOO_FAR_IN
            # R2 is not searched for: where R1 fits and R2 does not, another cut-out is tried.
            if stands is LevelFit.FITS:
                return thing if layout.obeys_r2(thing, level) else None
            known[x, y] = stands
        if stands is LevelFit.TOO_FAR_IN:
            inner = middle
        else:
            outer = middle
    return None


def _to_the_edge(start: float, way: float, length: int, limit: float) -> float:
    """Returns how many steps of ``way`` a box of this length can move on one axis before it reaches the edge."""
    if way > 0:
        return (limit - length / 2 - start) / way
    return (length / 2 - start) / way if way < 0 else inf


def _edges(x: int, y: int, size: Size) -> Edges:
    return Edges(x, y, x + size[0], y + size[1])


def annotated_boxes(scene: Scene) -> list[Box]:
    """Returns the boxes of all things and crowds, as annotated."""
    return [*(thing.box for thing in scene.objects), *(region.box for region in scene.regions)]


class LevelFit(Enum):
    """How a place fits rule R1: it does, or must move outwards or inwards."""

    FITS = auto()
    TOO_FAR_IN = auto()
    TOO_FAR_OUT = auto()


class Edges(NamedTuple):
    """The edges of a box in pixels. A tuple, since thousands are tried."""

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
        """Returns the share of this box's area that ``other`` covers.

        >>> Edges(0, 0, 10, 10).share_under(Edges(5, 8, 20, 20))
        0.1
        """
        x0, y0, x1, y1 = self
        left, top, right, bottom = other
        # Without min and max, whose calls would dominate over millions of places.
        width = (x1 if x1 <= right else right) - (x0 if x0 >= left else left)
        height = (y1 if y1 <= bottom else bottom) - (y0 if y0 >= top else top)
        return width * height / ((x1 - x0) * (y1 - y0)) if width > 0 and height > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapLayout:
    """The boxes of a background: of the largest thing or crowd, and of the others.

    Each box is here twice, as annotated and in whole pixels: the rules hold for both.
    """

    frame: Box
    """The whole picture."""
    largest: tuple[Edges, ...]
    """The box of the largest thing or crowd, as annotated first; the box in pixels follows if it is in the frame."""
    others: tuple[Edges, ...]
    """Those of all others, in one row."""

    @classmethod
    def of(cls, scene: Scene) -> OverlapLayout | None:
        """Returns the layout of a scene; None without things."""
        boxes = [box for box in annotated_boxes(scene) if box.area > 0]
        if not (scene.objects and boxes):
            return None
        twice = [tuple(Edges.of(each) for each in (box, pixel_box(box, scene)) if each) for box in boxes]
        largest = twice.pop(max(range(len(boxes)), key=lambda number: boxes[number].area))
        return cls(frame=scene.frame, largest=largest, others=tuple(edges for both in twice for edges in both))

    def level_fit(self, thing: Edges, level: str) -> LevelFit:
        """Returns whether ``thing`` obeys rule R1 at this level, or where it must move."""
        low, high = LEVELS[level]
        shares = [each.share_under(thing) for each in self.largest]
        # By the larger share of the two boxes above, by the smaller one below: both must lie in the interval.
        if max(shares) > high:
            return LevelFit.TOO_FAR_IN
        return LevelFit.TOO_FAR_OUT if high and min(shares) <= low else LevelFit.FITS

    def obeys_r2(self, thing: Edges, level: str) -> bool:
        _, high = LEVELS[level]
        return all(each.share_under(thing) <= high for each in self.others)

    def holds(self, thing: Edges) -> bool:
        """True if ``thing`` is inside the frame."""
        return thing.x0 >= 0 and thing.y0 >= 0 and thing.x1 <= self.frame.w and thing.y1 <= self.frame.h


class AreaRange(NamedTuple):
    """A range of areas in square pixels."""

    low: float
    high: float

    def hold(self, size: Size) -> bool:
        """True if the range has the area of this size."""
        return self.low <= size[0] * size[1] <= self.high


def salient_area(areas: Sequence[float], picture_area: float) -> float:
    """Returns ``S = sum of a_i softmax(a_i / picture area)``, a mean that weighs large areas more.

    >>> round(salient_area([2000, 1000], 10_000), 1)
    1525.0
    """
    weights = [exp(area / picture_area) for area in areas]
    return sum(area * weight for area, weight in zip(areas, weights, strict=True)) / sum(weights)


def insertion_area_range(salient: float, picture_area: float) -> AreaRange:
    """Returns the area range of an insertion for the salient area of the scene.

    >>> insertion_area_range(1000, 10_000), insertion_area_range(5000, 10_000)
    (AreaRange(low=800.0, high=1300.0), AreaRange(low=500.0, high=1850.0))
    """
    low, high = _ROOMY if salient < _ROOMY_SHARE * picture_area else _FULL
    return AreaRange(low * salient, high * salient)


def max_cutout_area(cut_out: tuple[float, float], frame: Box) -> float:
    """Returns the largest area of a cut-out of this size, enlarged at most twice and within ``frame``."""
    width, height = cut_out
    return min(LARGEST_SCALE, frame.w / width, frame.h / height) ** 2 * width * height


def size_of_area(cut_out: tuple[float, float], area: float) -> Size:
    """Returns the size in whole pixels at which a cut-out has about this area, with its aspect ratio.

    >>> size_of_area((40, 10), 1600)
    (80, 20)
    """
    width, height = cut_out
    scale = sqrt(area / (width * height))
    return round(width * scale), round(height * scale)
