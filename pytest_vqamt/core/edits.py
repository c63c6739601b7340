"""The edits of pictures as values, each with the scene that it results in.

Rendering belongs to ``imaging``. Boxes are in pixels of the picture before the edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, cos, radians, sin
from typing import Literal, Protocol

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.plain_text import count_noun
from pytest_vqamt.core.scene import Inscription, Parts, Photo, Region, Relationship, Scene, Thing

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


class FileForm(StrEnum):
    """The forms of a PNG file beside plain RGB."""

    ALPHA = "alpha"
    PALETTE = "palette"
    GRAYSCALE = "grayscale"


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
        added = _with_box(self.cutout.thing, self.box, id_=f"inserted-{number}")
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
            objects=tuple(_with_box(thing, thing.box.mirrored(scene.width)) for thing in scene.objects),
            regions=tuple(replace(region, box=region.box.mirrored(scene.width)) for region in scene.regions),
            inscriptions=(),
            relationships=_renamed(scene.relationships, swapped),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """Move the content by ``dx`` to the right and ``dy`` downwards, in whole pixels; the frame stays.

    The margin that comes free repeats the pixels of the nearest edge, so a thing that touches it still does.
    """

    dx: int
    dy: int

    def after(self, scene: Scene) -> Scene:
        def moved(box: Box) -> Box | None:
            x0, x1 = _moved(box.x, box.x1, self.dx, scene.width)
            y0, y1 = _moved(box.y, box.y1, self.dy, scene.height)
            return Box.from_corners(x0, y0, x1, y1).intersection(scene.frame)

        return _reshaped(scene, moved)


def _moved(start: float, end: float, by: int, size: int) -> tuple[float, float]:
    """The ends on one axis; one that reaches into the outermost pixel is at the edge afterwards, too."""
    return (
        0 if by > 0 and start < 1 else start + by,
        size if by < 0 and end > size - 1 else end + by,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad:
    """Put a margin of one ``colour`` around the picture; the widths are in pixels."""

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0
    colour: Colour = (0, 0, 0)

    def after(self, scene: Scene) -> Scene:
        size = scene.width + self.left + self.right, scene.height + self.top + self.bottom
        return _with_boxes(scene, lambda box: box.moved(self.left, self.top), size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescale:
    """Scale the picture to ``width`` x ``height`` pixels."""

    width: int
    height: int

    def after(self, scene: Scene) -> Scene:
        across, down = self.width / scene.width, self.height / scene.height
        return _with_boxes(scene, lambda box: box.scaled(across, down), (self.width, self.height))


@dataclass(frozen=True, slots=True, kw_only=True)
class Jpeg:
    """Encode the picture as JPEG of this ``quality`` (1 to 95), and decode it."""

    quality: int

    def after(self, scene: Scene) -> Scene:
        return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate:
    """Turn the whole picture clockwise by ``degrees``: 90, 180 or 270."""

    degrees: int

    def after(self, scene: Scene) -> Scene:
        width, height = scene.width, scene.height

        def turned(box: Box) -> Box:
            match self.degrees:
                case 90:
                    return Box(height - box.y1, box.x, box.h, box.w)
                case 180:
                    return Box(width - box.x1, height - box.y1, box.w, box.h)
                case _:
                    return Box(box.y, width - box.x1, box.h, box.w)

        size = (width, height) if self.degrees == 180 else (height, width)
        return replace(
            _with_boxes(scene, turned, size),
            relationships=_renamed(scene.relationships, _TURNED.get(self.degrees, {})),
            captions=(),
            questions=(),
            hypotheses=(),
        )


MOST_TILTED = 10
"""The most degrees of a tilt, either way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tilt:
    """Turn the picture by up to ``MOST_TILTED`` ``degrees``, clockwise if above 0, with corners of one ``colour``.

    The frame grows so that nothing is cut off.
    """

    degrees: int
    colour: Colour = (127, 127, 127)

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height in pixels of the frame around a tilted picture."""
        angle = radians(abs(self.degrees))
        across, down = cos(angle), sin(angle)
        return ceil(round(width * across + height * down, 6)), ceil(round(width * down + height * across, 6))

    def after(self, scene: Scene) -> Scene:
        width, height = self.size(scene.width, scene.height)
        angle = radians(self.degrees)

        def tilted(box: Box) -> Box:
            corners = [(x - scene.width / 2, y - scene.height / 2) for x in (box.x, box.x1) for y in (box.y, box.y1)]
            xs = [x * cos(angle) - y * sin(angle) + width / 2 for x, y in corners]
            ys = [x * sin(angle) + y * cos(angle) + height / 2 for x, y in corners]
            return Box.from_corners(min(xs), min(ys), max(xs), max(ys))

        return _with_boxes(scene, tilted, (width, height))


_CLOCKWISE = (
    ("above", "right of", "below", "left of"),
    ("above", "to the right of", "below", "to the left of"),
)
"""Each predicate is followed by what it becomes in a picture that is turned by 90 degrees."""

_TURNED: Mapping[int, Mapping[str, str]] = {
    90 * turns: {names[place]: names[(place + turns) % 4] for names in _CLOCKWISE for place in range(4)}
    for turns in (1, 2, 3)
}
"""What each predicate becomes in a picture that is turned by so many degrees."""


def _renamed(relationships: tuple[Relationship, ...], names: Mapping[str, str]) -> tuple[Relationship, ...]:
    return tuple(
        [
            Relationship(subject=each.subject, predicate=names[each.predicate], object=each.object)
            if each.predicate in names
            else each
            for each in relationships
        ]
    )


BESIDE = "beside-"
"""The prefix of the ids of the second picture's things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Put a second picture to the right of the first, scaled to its height, with a strip of ``colour`` between them.

    ``second`` has only what the whole scene needs (``Picture.beside``); ``gap`` is the width of the strip in pixels.
    """

    second: Scene
    gap: int = 0
    colour: Colour = (255, 255, 255)

    def place(self, scene: Scene) -> Box:
        """The place of the second picture, beside ``scene``."""
        scale = scene.height / self.second.height
        return Box(scene.width + self.gap, 0, max(1, round(self.second.width * scale)), scene.height)

    def after(self, scene: Scene) -> Scene:
        place = self.place(scene)
        across, down = place.w / self.second.width, place.h / self.second.height

        def moved(box: Box) -> Box:
            return box.scaled(across, down).moved(place.x, 0)

        added = (_with_box(thing, moved(thing.box), id_=f"{BESIDE}{thing.id}") for thing in self.second.objects)
        crowds = (Region(name=region.name, box=moved(region.box)) for region in self.second.regions)
        whole = with_objects(
            scene, (*scene.objects, *added), (*scene.regions, *crowds), (round(place.x1), scene.height)
        )
        return replace(whole, setting="", exhaustive=scene.exhaustive & self.second.exhaustive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Write ``text`` on a card of one colour that fills ``box`` (whole pixels, inside the picture)."""

    text: str
    box: Box
    ink: Colour = (20, 20, 20)
    card: Colour = (255, 255, 255)

    def after(self, scene: Scene) -> Scene:
        return replace(scene, inscriptions=(*scene.inscriptions, Inscription(text=self.text, box=self.box)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recolour:
    """Give the coloured pixels of a thing's mask another hue; lightness and saturation stay.

    Attributes:
        thing: the id of a thing with a mask; no edit but another ``Recolour`` comes before.
        old, new: words for its colour.
        hue: the new hue in degrees (0 is red, 120 green, 240 blue).
    """

    thing: str
    old: str
    new: str
    hue: int

    def after(self, scene: Scene) -> Scene:
        def recoloured(thing: Thing) -> Thing:
            words = tuple(self.new if word == self.old else word for word in thing.attributes)
            return replace(thing, attributes=words)

        return replace(
            scene,
            objects=tuple(recoloured(thing) if thing.id == self.thing else thing for thing in scene.objects),
            captions=(),
            questions=(),
            hypotheses=(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Reduce the pixels to what a file of this form holds; unless ``plain``, such a file is sent to servers."""

    form: FileForm
    plain: bool = False

    def after(self, scene: Scene) -> Scene:
        return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Redraw:
    """Draw a thing of the photo anew, with ``number`` of the parts of this name, which are set apart from each other.

    It is the first edit, and only for sources that draw their photos. Nothing but the thing changes, and its box stays.
    """

    thing: str
    part: str
    number: int

    def after(self, scene: Scene) -> Scene:
        def drawn(parts: Parts) -> Parts:
            same = (parts.thing, parts.name) == (self.thing, self.part)
            return replace(parts, number=self.number) if same else parts

        return replace(
            scene,
            objects=tuple(
                replace(thing, has_mask=False) if thing.id == self.thing else thing for thing in scene.objects
            ),
            parts=tuple(map(drawn, scene.parts)),
            captions=(),
            questions=(),
            hypotheses=(),
        )


EDITS: tuple[type, ...] = (
    Erase, Cut, Crop, Insert, Blur, Mask, Mirror, Corrupt, Brightness, Contrast, Shear, Reencode, Shift, Pad, Rescale,
    Jpeg, Rotate, Beside, Write, Recolour, Store, Redraw, Tilt,
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


def _with_boxes(scene: Scene, move: Callable[[Box], Box], size: tuple[int, int]) -> Scene:
    """The scene with every box moved; nothing is lost, so that texts about it hold as before."""
    return replace(
        scene,
        width=size[0],
        height=size[1],
        objects=tuple(_with_box(thing, move(thing.box)) for thing in scene.objects),
        regions=tuple(Region(name=region.name, box=move(region.box)) for region in scene.regions),
        inscriptions=tuple(replace(each, box=move(each.box)) for each in scene.inscriptions),
    )


def _with_box(thing: Thing, box: Box, *, id_: str = "", has_mask: bool = False) -> Thing:
    """Written out, as ``replace`` takes three times as long; so is ``with_objects``."""
    return Thing(
        id=id_ or thing.id,
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
    width, height = size or (scene.width, scene.height)
    return Scene(
        id=scene.id,
        photo=scene.photo,
        width=width,
        height=height,
        objects=kept,
        regions=tuple(regions),
        relationships=tuple([r for r in scene.relationships if r.subject in ids and r.object in ids]),
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
        case Shift(dx=dx, dy=dy):
            return f"shifted by {dx:+d}, {dy:+d} pixels"
        case Pad():
            return "padded"
        case Rescale(width=width, height=height):
            return f"scaled to {width} x {height}"
        case Jpeg(quality=quality):
            return f"saved as JPEG of quality {quality}"
        case Rotate(degrees=degrees):
            return f"turned by {degrees} degrees"
        case Tilt(degrees=degrees):
            return f"tilted by {degrees} degrees"
        case Beside(second=second):
            return f"put beside {second.id}"
        case Write(text=text):
            return f"given a card with the words {text!r}"
        case Recolour(old=old, new=new):
            return f"recoloured from {old} to {new}"
        case Store(form=form, plain=plain):
            return f"reduced to {form.value} and stored as {'RGB' if plain else form.value}"
        case Redraw(part=part, number=number):
            return f"redrawn with {number} of its parts ({part})"
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
    return count_noun(count, "box", "boxes")
