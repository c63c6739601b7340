"""The edits of pictures as values, each with the scene that it results in.

Rendering belongs to ``imaging``. Boxes are in pixels of the picture before the edit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, Protocol

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Region, Relationship, Scene, Thing

Colour = tuple[int, int, int]

GONE_SHARE = 0.5
"""A thing is gone if more than this share of its box is covered."""


class Fill(StrEnum):
    """The filling of an erased box."""

    WHITE = "white"
    MEAN = "mean"
    INPAINT = "inpaint"


class Corruption(StrEnum):
    """The corruptions of VEglue section 6.3, after Hendrycks and Dietterich (2019)."""

    IMPULSE = "impulse"
    ZOOM = "zoom"
    SNOW = "snow"
    CONTRAST = "contrast"


class Edit(Protocol):
    """One edit; a frozen value."""

    def after(self, scene: Scene) -> Scene:
        """The scene of the edited picture."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutout:
    """One thing cut out of a photo by its mask, to be inserted elsewhere."""

    photo: Photo
    thing: Thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Cover ``box``: with white, with ``colour`` (the data set's mean), or by the inpainter that ``method`` names."""

    box: Box
    fill: Fill = Fill.WHITE
    colour: Colour | None = None
    method: str = ""

    def after(self, scene: Scene) -> Scene:
        return with_objects(
            scene,
            (thing for thing in scene.objects if thing.box.share_inside(self.box) <= GONE_SHARE),
            (region for region in scene.regions if region.box.share_inside(self.box) <= GONE_SHARE),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Keep only the part from ``start`` to ``stop`` along one axis."""

    start: int
    stop: int
    axis: Literal["x", "y"] = "x"

    def after(self, scene: Scene) -> Scene:
        if self.axis == "x":
            return crop_scene(scene, Box.from_corners(self.start, 0, self.stop, scene.height))
        return crop_scene(scene, Box.from_corners(0, self.start, scene.width, self.stop))


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """Keep only the rectangle ``box`` (whole pixels)."""

    box: Box

    def after(self, scene: Scene) -> Scene:
        return crop_scene(scene, self.box)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """Paste a cut-out, scaled into ``box``."""

    cutout: Cutout
    box: Box

    def after(self, scene: Scene) -> Scene:
        taken = {thing.id for thing in scene.objects}
        number = next(n for n in range(1, len(taken) + 2) if f"inserted-{n}" not in taken)
        added = replace(self.cutout.thing, id=f"inserted-{number}", box=self.box, has_mask=False)
        return with_objects(scene, (*scene.objects, added), scene.regions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blur:
    """Blur everything outside the boxes ``keep`` with a Gaussian; without boxes, the whole picture."""

    keep: tuple[Box, ...]
    sigma_px: float

    def after(self, scene: Scene) -> Scene:
        return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Paint everything outside the boxes ``keep`` in one ``colour``."""

    keep: tuple[Box, ...]
    colour: Colour

    def after(self, scene: Scene) -> Scene:
        objects = ((thing, self._visible(thing.box)) for thing in scene.objects)
        regions = ((region, self._visible(region.box)) for region in scene.regions)
        return with_objects(
            scene,
            (_with_box(thing, box, has_mask=thing.has_mask) for thing, box in objects if box),
            (Region(name=region.name, box=box) for region, box in regions if box),
        )

    def _visible(self, box: Box) -> Box | None:
        seen = [part for kept in self.keep if (part := box.intersection(kept))]
        return Box.enclosing(seen) if seen else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """Exchange left and right."""

    def after(self, scene: Scene) -> Scene:
        swapped = {
            "to the left of": "to the right of",
            "to the right of": "to the left of",
            "left of": "right of",
            "right of": "left of",
        }
        return replace(
            scene,
            objects=tuple(
                replace(thing, box=thing.box.mirrored(scene.width), has_mask=False) for thing in scene.objects
            ),
            regions=tuple(replace(region, box=region.box.mirrored(scene.width)) for region in scene.regions),
            relationships=tuple(
                replace(r, predicate=swapped.get(r.predicate, r.predicate)) for r in scene.relationships
            ),
            captions=(),
            questions=(),
            hypotheses=(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrupt:
    """Corrupt the picture, or only the inside of ``boxes``; ``severity`` is from 1 to 5."""

    kind: Corruption
    severity: int
    boxes: tuple[Box, ...] = ()

    def after(self, scene: Scene) -> Scene:
        return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Brightness:
    """Add ``offset`` to every channel (uint8, clipped). MetaIC section 5, after DeepTest."""

    offset: int

    def after(self, scene: Scene) -> Scene:
        return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Multiply every channel by ``gain`` (uint8, clipped). MetaIC section 5, after DeepTest."""

    gain: float

    def after(self, scene: Scene) -> Scene:
        return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Shear:
    """Shift each row sideways by ``factor`` times its distance below the middle; the frame stays. After DeepTest."""

    factor: float

    def after(self, scene: Scene) -> Scene:
        middle = scene.height / 2

        def sheared(box: Box) -> Box | None:
            shifts = (self.factor * (box.y - middle), self.factor * (box.y1 - middle))
            return Box.from_corners(box.x + min(shifts), box.y, box.x1 + max(shifts), box.y1).intersection(scene.frame)

        return _reshaped(scene, sheared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reencode:
    """Encode the pixels in a lossless file format and decode them, which changes nothing."""

    def after(self, scene: Scene) -> Scene:
        return scene


EDITS: tuple[type, ...] = (
    Erase, Cut, Crop, Insert, Blur, Mask, Mirror, Corrupt, Brightness, Contrast, Shear, Reencode,
)  # fmt: skip


class _Reshape(Protocol):
    def __call__(self, box: Box) -> Box | None: ...


def _reshaped(scene: Scene, reshape: _Reshape, size: tuple[int, int] | None = None) -> Scene:
    """The scene with ``reshape`` applied to every box; objects whose box becomes None are dropped."""
    objects = ((thing, reshape(thing.box)) for thing in scene.objects)
    regions = ((region, reshape(region.box)) for region in scene.regions)
    return with_objects(
        scene,
        (_with_box(thing, box) for thing, box in objects if box),
        (Region(name=region.name, box=box) for region, box in regions if box),
        size,
    )


def _with_box(thing: Thing, box: Box, *, has_mask: bool = False) -> Thing:
    """The thing with another box. Written out, as ``replace`` takes three times as long; so is ``with_objects``."""
    return Thing(
        id=thing.id,
        name=thing.name,
        box=box,
        attributes=thing.attributes,
        synset=thing.synset,
        has_mask=has_mask,
        fragmented=thing.fragmented,
        multi_coloured=thing.multi_coloured,
    )


def crop_scene(scene: Scene, window: Box) -> Scene:
    """The part of the scene in ``window``: boxes are clipped and moved, and objects outside are dropped."""

    def clipped(box: Box) -> Box | None:
        inside = box.intersection(window)
        return inside.moved(-window.x, -window.y) if inside else None

    return _reshaped(scene, clipped, (round(window.w), round(window.h)))


def with_objects(
    scene: Scene, objects: Iterable[Thing], regions: Iterable[Region], size: tuple[int, int] | None = None
) -> Scene:
    """The scene with other objects. Relationships of removed objects, captions and questions are dropped.

    ``size`` is the new width and height, if they change.
    """
    kept = tuple(objects)
    ids = {thing.id for thing in kept}

    def holds(relationship: Relationship) -> bool:
        return relationship.subject in ids and relationship.object in ids

    width, height = size or (scene.width, scene.height)
    return Scene(
        id=scene.id,
        photo=scene.photo,
        width=width,
        height=height,
        objects=kept,
        regions=tuple(regions),
        relationships=tuple(r for r in scene.relationships if holds(r)),
        setting=scene.setting,
        exhaustive=scene.exhaustive,
    )


def describe_edit(edit: Edit) -> str:
    """The edit as a phrase that continues "this picture was".

    >>> describe_edit(Cut(start=120, stop=320)), describe_edit(Blur(keep=(), sigma_px=6.0))
    ('cut x 120..320', 'blurred, sigma 6')
    """
    match edit:
        case Erase(fill=fill, method=method):
            return f"erased ({_filled(fill, method)})"
        case Cut(start=start, stop=stop, axis=axis):
            return f"cut {axis} {start}..{stop}"
        case Crop(box=box):
            return f"cropped to x {box.x:g}..{box.x1:g}, y {box.y:g}..{box.y1:g}"
        case Insert(cutout=cutout):
            return f"inserted {cutout.thing.name}"
        case Blur(keep=keep, sigma_px=sigma_px):
            return f"blurred{_but_for(len(keep))}, sigma {sigma_px:g}"
        case Mask(keep=keep):
            return f"masked{_but_for(len(keep))}"
        case Mirror():
            return "mirrored"
        case Corrupt(kind=kind, severity=severity, boxes=boxes):
            where = f" in {_boxes(len(boxes))}" if boxes else ""
            return f"corrupted{where} ({kind.value}, severity {severity})"
        case Brightness(offset=offset):
            return f"brightness {offset:+g}"
        case Contrast(gain=gain):
            return f"contrast x {gain:g}"
        case Shear(factor=factor):
            return f"sheared by {factor:g}"
        case Reencode():
            return "re-encoded"
    return type(edit).__name__.lower()


def _filled(fill: Fill, method: str) -> str:
    match fill:
        case Fill.WHITE:
            return "white"
        case Fill.MEAN:
            return "mean colour"
        case Fill.INPAINT:
            return f"inpainted by {method}" if method else "inpainted"


def _but_for(count: int) -> str:
    return f" but for {_boxes(count)}" if count else ""


def _boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"
