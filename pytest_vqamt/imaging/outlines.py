"""Which boxes of a finished picture show what was edited, what is asked about, and everything else.

Geometry alone: no pixels are read. Boxes are in pixels of the finished picture and lie inside its frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Blur, Corrupt, Edit, Erase, Insert, Mask
from pytest_vqamt.core.meaning import Meaning, groups_of, members
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing


class Shows(StrEnum):
    """Why a box is outlined; also the words of a legend."""

    OTHER = "everything else"
    ASKED = "asked about"
    EDITED = "edited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A box of the finished picture, with a word or two on what it shows."""

    box: Box
    label: str
    shows: Shows


def outlines(picture: Picture, meaning: Meaning, photographed: Scene) -> tuple[Outline, ...]:
    """All boxes of ``picture``, the less important first, so that they can be drawn in this order.

    ``photographed`` is the scene of the picture's photo before any edit. What was inserted is not listed among
    everything else a second time.
    """
    scene = picture.scene
    about = asked(scene, meaning)
    there_before = {thing.id for thing in photographed.objects}
    others = [thing for thing in scene.objects if thing.id in there_before and thing.id not in about]
    found = (
        *(Outline(box=region.box, label=f"{region.name} (crowd)", shows=Shows.OTHER) for region in scene.regions),
        *(Outline(box=thing.box, label=thing.name, shows=Shows.OTHER) for thing in others),
        *about.values(),
    )
    return (*_inside(found, scene.frame), *edited(picture, photographed))


def asked(scene: Scene, meaning: Meaning) -> dict[str, Outline]:
    """The things of ``scene`` that the groups of ``meaning`` name, by their ids, with the attributes asked for."""
    found: dict[str, Outline] = {}
    for group in groups_of(meaning):
        for thing in members(group, scene):
            label = " ".join((*group.attributes, thing.name))
            found.setdefault(thing.id, Outline(box=thing.box, label=label, shows=Shows.ASKED))
    return found


def edited(picture: Picture, photographed: Scene) -> tuple[Outline, ...]:
    """Where each edit of a part of the picture is to be seen, carried through the edits that followed.

    An edit of the whole picture has no box. A box of which a later edit has left nothing to be seen is dropped, and one
    of which it has left a part is the smallest around that part. What is laid over it by its mask leaves it as it was.
    """
    seen = replace(photographed, objects=(), regions=(), relationships=())
    labels: list[str] = []
    for edit in picture.edits:
        seen = _after(edit, seen)
        marks = [part for box in _boxes(edit) if (part := box.common(seen.frame))]
        new = (Thing(id=str(number), name="", box=box) for number, box in enumerate(marks, start=len(labels)))
        seen = replace(seen, objects=(*seen.objects, *new))
        labels.extend([_label(edit)] * len(marks))
    parts: dict[str, list[Box]] = {}
    for piece in seen.objects:
        parts.setdefault(piece.id, []).append(piece.box)
    return tuple(
        Outline(box=Box.around(boxes), label=labels[int(number)], shows=Shows.EDITED) for number, boxes in parts.items()
    )


def _boxes(edit: Edit) -> tuple[Box, ...]:
    match edit:
        case Erase(box=box) | Insert(box=box):
            return (box,)
        case Blur(keep=boxes) | Mask(keep=boxes) | Corrupt(boxes=boxes):
            return boxes
    return ()


def _label(edit: Edit) -> str:
    match edit:
        case Erase():
            return "erased"
        case Insert(cutout=cutout):
            return f"inserted {cutout.thing.name}"
        case Corrupt():
            return "corrupted"
    return "kept"


def _after(edit: Edit, seen: Scene) -> Scene:
    """Where the marks in ``seen`` are after one more edit: they go where things with their boxes would go.

    What covers a part of a mark leaves it in pieces, things with one id, so that nothing is seen where nothing is left.
    """
    match edit:
        case Erase(box=cover):
            return _in_pieces(seen, lambda box: _outside(box, cover))
        case Mask(keep=keep):
            return _in_pieces(seen, lambda box: [part for kept in keep if (part := box.common(kept))])
        case Insert():
            return seen
    return edit.after(seen)


def _in_pieces(seen: Scene, pieces: Callable[[Box], list[Box]]) -> Scene:
    return replace(seen, objects=tuple(replace(mark, box=box) for mark in seen.objects for box in pieces(mark.box)))


def _outside(box: Box, cover: Box) -> list[Box]:
    """What of ``box`` lies outside ``cover``: above, below, to the left and to the right of it."""
    top, bottom = max(box.y, min(box.y1, cover.y)), min(box.y1, max(box.y, cover.y1))
    parts = (
        Box.between(box.x, box.y, box.x1, top),
        Box.between(box.x, bottom, box.x1, box.y1),
        Box.between(box.x, top, min(box.x1, cover.x), bottom),
        Box.between(max(box.x, cover.x1), top, box.x1, bottom),
    )
    return [part for part in parts if part.w > 0 and part.h > 0]


def _inside(found: Iterable[Outline], frame: Box) -> Iterator[Outline]:
    """The outlines as far as they lie in the frame."""
    for each in found:
        if box := each.box.common(frame):
            yield replace(each, box=box)
