"""Which boxes of a finished picture show what was edited, what is asked about, and everything else.

Geometry alone: no pixels are read. Boxes are in pixels of the finished picture and lie inside its frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Blur, Corrupt, Edit, Erase, Insert, Mask, with_objects
from pytest_vqamt.core.meaning import Meaning, groups_of
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.core.truth import members


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
    of which it has left a part is the smallest around that part. What was laid over it by its mask leaves it as it was.
    """
    seen = replace(photographed, objects=(), regions=(), relationships=())
    labels: list[str] = []
    for edit in picture.edits:
        seen = _after(edit, seen)
        marks = [part for box in _boxes(edit) if (part := box.common(seen.frame))]
        numbered = range(len(labels), len(labels) + len(marks))
        new = (Thing(id=str(number), name="", box=box) for number, box in zip(numbered, marks, strict=True))
        seen = replace(seen, objects=(*seen.objects, *new))
        labels.extend([_label(edit)] * len(marks))
    return tuple(Outline(box=mark.box, label=labels[int(mark.id)], shows=Shows.EDITED) for mark in seen.objects)


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
    """Where the marks in ``seen`` are after one more edit: a mark goes where a thing with its box would go."""
    match edit:
        case Erase(box=cover):
            left = ((mark, _uncovered(mark.box, cover)) for mark in seen.objects)
            return with_objects(seen, (replace(mark, box=box) for mark, box in left if box), ())
        case Insert():
            return seen
    return edit.after(seen)


def _uncovered(box: Box, cover: Box) -> Box | None:
    """The smallest box around what of ``box`` lies outside ``cover``."""
    parts = (
        Box.between(box.x, box.y, min(box.x1, cover.x), box.y1),
        Box.between(max(box.x, cover.x1), box.y, box.x1, box.y1),
        Box.between(box.x, box.y, box.x1, min(box.y1, cover.y)),
        Box.between(box.x, max(box.y, cover.y1), box.x1, box.y1),
    )
    left = [part for part in parts if part.w > 0 and part.h > 0]
    return Box.around(left) if left else None


def _inside(found: Iterable[Outline], frame: Box) -> Iterator[Outline]:
    """The outlines as far as they lie in the frame."""
    for each in found:
        if box := each.box.common(frame):
            yield replace(each, box=box)
