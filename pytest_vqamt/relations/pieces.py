"""Where a picture can be cut so that no box is split and every piece holds a thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Literal, NamedTuple, TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.whole_pixels import covered

Axis: TypeAlias = Literal["x", "y"]
AXES: tuple[Axis, ...] = ("x", "y")


class Span(NamedTuple):
    """The pixels from ``start`` to before ``stop`` on one axis; whether a thing is there, not just a crowd."""

    start: int
    stop: int
    holds_a_thing: bool = True


def pieces(scene: Scene, axis: Axis) -> tuple[Span, ...]:
    """The pieces into which the scene's picture falls on ``axis``, in order; at most one where it cannot be cut.

    Boxes of things and crowds count in whole pixels, rounded outwards. A cut runs in the middle of every stretch of
    pixels that no box covers and that has things on both sides. What holds only a crowd stays with the next piece, or
    with the last one where there is no next.
    """
    size = scene.width if axis == "x" else scene.height
    things = (_span(scene, thing.box, axis, holds_a_thing=True) for thing in scene.objects)
    crowds = (_span(scene, region.box, axis, holds_a_thing=False) for region in scene.regions)
    groups = _with_a_thing(_apart(span for span in chain(things, crowds) if span))
    cuts = [(before.stop + after.start) // 2 for before, after in pairwise(groups)]
    return tuple(Span(start, stop) for start, stop in pairwise((0, *cuts, size))) if groups else ()


def _span(scene: Scene, box: Box, axis: Axis, *, holds_a_thing: bool) -> Span | None:
    inside = covered(box, scene)
    if inside is None:
        return None
    if axis == "x":
        return Span(int(inside.x), int(inside.x1), holds_a_thing)
    return Span(int(inside.y), int(inside.y1), holds_a_thing)


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans that touch or overlap made into one: what is left has a pixel or more between."""
    group: Span | None = None
    for span in sorted(spans):
        if group is None:
            group = span
        elif span.start <= group.stop:
            group = _joined(group, span)
        else:
            yield group
            group = span
    if group:
        yield group


def _with_a_thing(groups: Iterable[Span]) -> list[Span]:
    """Each group that lacks a thing made into one with the next, the last one with the one before; none of none."""
    found: list[Span] = []
    for group in groups:
        if found and not found[-1].holds_a_thing:
            group = _joined(found.pop(), group)
        found.append(group)
    if len(found) > 1 and not found[-1].holds_a_thing:
        last = found.pop()
        found.append(_joined(found.pop(), last))
    return found if any(group.holds_a_thing for group in found) else []


def _joined(one: Span, other: Span) -> Span:
    return Span(min(one.start, other.start), max(one.stop, other.stop), one.holds_a_thing or other.holds_a_thing)
