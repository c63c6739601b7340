"""Outlines of masks as polygons, simplified as far as they stay true."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.ndimage import find_objects, label  # type: ignore[import-untyped]  # its stubs are a package of their own
from skimage.measure import approximate_polygon, find_contours, grid_points_in_poly

from pytest_vqamt.data.graphs import Polygons

if TYPE_CHECKING:
    from numpy.typing import NDArray


Mask: TypeAlias = "NDArray[np.bool_]"
Ring: TypeAlias = "NDArray[np.float64]"

_LEAST_COVERED = 0.98
"""Specks are left out as long as this share of the mask stays covered."""

_GRID = (100, 100)
"""Points over both outlines that overlaps are measured at."""
_LOOSEST_PX = 2.0
"""The largest tolerance, for large things."""
_LOOSENESS = 0.02
"""The tolerance of an outline, as a share of area by length: the areas differ by 4 % at most."""


def outlines(mask: Mask, *, left: int = 0, top: int = 0) -> Polygons:
    """The polygons of a mask (bool, HW), one for each of its pieces, the largest first; none for an empty mask.

    The corner of the mask's first pixel is at ``left``, ``top`` in the picture. The pixels of a piece share sides. A
    hole is joined to the outer line by a line there and back. Lines are simplified within ``_LOOSENESS``.
    """
    pieces, _ = label(mask)
    areas = np.bincount(pieces.ravel())[1:]
    places = find_objects(pieces)
    covered, enough, found = 0, _LEAST_COVERED * areas.sum(), []
    # The largest pieces first; specks are left out once enough is covered.
    for number in np.argsort(-areas, kind="stable"):
        if covered >= enough:
            break
        covered += int(areas[number])
        down, across = places[number]
        piece = pieces[down, across] == number + 1
        found.append(_polygon(piece, int(areas[number]), left + across.start, top + down.start))
    return tuple(found)


def overlap(one: Polygons, other: Polygons) -> float:
    """The intersection over union of two outlines, by the points of a grid over both."""
    corners = [np.reshape(polygon, (-1, 2)) for polygon in (*one, *other)]
    least, most = np.min(np.concatenate(corners), axis=0), np.max(np.concatenate(corners), axis=0)
    scale = (np.array(_GRID) - 1) / (most - least)
    inside: list[Mask] = [
        grid_points_in_poly(_GRID, (each - least) * scale)  # type: ignore[no-untyped-call]  # not annotated
        for each in corners
    ]
    first, second = np.any(inside[: len(one)], axis=0), np.any(inside[len(one) :], axis=0)
    return float((first & second).sum() / max(1, (first | second).sum()))


def _polygon(piece: Mask, area: int, left: int, top: int) -> tuple[float, ...]:
    """The outline of one piece with its holes, in pixels of the picture."""
    # The line needs pixels outside of the piece.
    padded = np.pad(piece, 1).astype(np.float64)
    rings: list[Ring] = find_contours(padded, 0.5)  # type: ignore[no-untyped-call]  # not annotated
    rings.sort(key=lambda ring: -abs(_area(ring)))
    length = sum(float(np.hypot(*np.diff(ring, axis=0).T).sum()) for ring in rings)
    tolerance = min(_LOOSEST_PX, _LOOSENESS * area / length)
    simplified: list[Ring] = [
        approximate_polygon(_turns(ring), tolerance)  # type: ignore[no-untyped-call]  # not annotated
        for ring in rings
    ]
    # A ring of three points encloses nothing: the first is the last.
    simpler = [ring for ring in simplified if len(ring) > 3]
    outer = simpler[0]
    # From the outer line to each hole and back again, as one polygon cannot have holes otherwise.
    path = np.concatenate([outer[:-1], *(part for hole in simpler[1:] for part in (outer[:1], hole))])
    # The first pixel's centre, 0.5 from its corner, is at 1 in what was padded.
    ys, xs = path[:, 0] - 0.5 + top, path[:, 1] - 0.5 + left
    return tuple(float(number) for corner in zip(xs, ys, strict=True) for number in corner)


def _turns(ring: Ring) -> Ring:
    """The corners of a closed line at which it turns, with the first and the last."""
    steps = np.diff(ring, axis=0)
    turns = np.ones(len(ring), np.bool_)
    turns[1:-1] = (steps[1:] != steps[:-1]).any(axis=1)
    return ring[turns]


def _area(ring: Ring) -> float:
    """The area inside a closed line, by the shoelace formula; its sign says which way the line runs."""
    ys, xs = ring[:, 0], ring[:, 1]
    return float(np.dot(xs[:-1], ys[1:]) - np.dot(xs[1:], ys[:-1])) / 2
