"""The edits of pictures as values, each with the scene that it results in.

Rendering belongs to ``imaging``. Boxes are in pixels of the picture before the edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from math import ceil, cos, radians, sin
from types import UnionType
from typing import ClassVar, Literal, Protocol, Union, get_args, get_origin, get_type_hints

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, decode, registered
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Inscription, Parts, Photo, Region, Relationship, Scene, Thing
from pytest_vqamt.core.text import count_noun

Colour = tuple[int, int, int]
Size = tuple[int, int]
"""Width and height in pixels."""

GONE_SHARE = 0.5
"""A thing is gone if more than this share of its box is covered."""

MOST_TILTED = 10
"""The most degrees of a tilt, either way."""

MAX_PIXELS = 50_000_000
"""The most pixels of an edited picture, and of what is pasted onto it. The photo of a phone has 12 to 50 million."""

_MAX_NUMBER = 100_000.0
"""Bounds the coordinates, sides and all other numbers of an edit that a file or a request holds."""

_MAX_SIGMA_PX = 1_000.0
"""Of a blur: it leaves one colour of any photo."""
_MAX_BOXES = 500
"""Per edit; each box costs work."""
_MAX_TEXT = 500
"""The characters of a text that is written."""

_COST_OF_INPAINTING = {"telea": 1_200, "biharmonic": 25_000}
"""The cost of a pixel of the hole, as ``Edit.cost`` counts."""
_COST_OF_A_NETWORK = 1_000
"""The same of LaMa, whose method names a checkpoint ("lama:DIGEST")."""

_COST_OF_FORM = {"palette": 500, "lossy-webp": 100, "16-bit": 60, "interlaced": 60, "png": 60}
"""The same of forms of file (``FileForm``): to choose 256 of many colours takes long."""

_CLOCKWISE = (
    ("above", "right of", "below", "left of"),
    ("above", "to the right of", "below", "to the left of"),
)
"""Each predicate is followed by the one that holds when the picture is turned clockwise by 90 degrees."""

_TURNED: Mapping[int, Mapping[str, str]] = {
    90 * turns: {names[place]: names[(place + turns) % 4] for names in _CLOCKWISE for place in range(4)}
    for turns in (1, 2, 3)
}
"""The new name of each predicate by the degrees of the turn: "above" is "right of" after 90."""

BESIDE = "beside-"
"""The prefix of the ids of the second picture's things."""

_MOST_PADDED = 1.34
"""Padding takes the longer side of a photo to at most so many times its length, where it is that of another photo."""

_GROWTH = 4
"""Edits give a picture at most so many times the pixels of its photo; a file that was tampered with could want more."""


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
    """The forms of a file: of PNG beside plain RGB, of JPEG and of WebP."""

    ALPHA = "alpha"
    """PNG, as are the next two."""
    PALETTE = "palette"
    GRAYSCALE = "grayscale"
    PNG = "png"
    """Of 8 bits and plain RGB, for an orientation of EXIF."""
    SIXTEEN_BITS = "16-bit"
    """PNG of 16 bits per channel: each 8-bit value stands in both bytes."""
    INTERLACED = "interlaced"
    """PNG whose rows come in seven passes (Adam7), from coarse to fine."""
    JPEG = "jpeg"
    """Baseline, as are all but the next."""
    PROGRESSIVE_JPEG = "progressive-jpeg"
    GRAYSCALE_JPEG = "grayscale-jpeg"
    CMYK_JPEG = "cmyk-jpeg"
    WEBP = "webp"
    """Without loss."""
    LOSSY_WEBP = "lossy-webp"

    @property
    def is_jpeg(self) -> bool:
        return self in _OF_JPEG

    @property
    def is_lossy(self) -> bool:
        """True if a file of this form has a quality, and so other pixels than it was made from."""
        return self.is_jpeg or self is FileForm.LOSSY_WEBP

    @property
    def keeps_pixels(self) -> bool:
        """True if every RGB image of 8 bits comes out of the file as it went in."""
        return not self.is_lossy and self not in (FileForm.PALETTE, FileForm.GRAYSCALE)


_OF_JPEG = frozenset(
    {FileForm.JPEG, FileForm.PROGRESSIVE_JPEG, FileForm.GRAYSCALE_JPEG, FileForm.CMYK_JPEG}
)  # of an enum's own members, which its body cannot name


class Edit:
    """One edit of a picture; a frozen value.

    All that is known of an edit stands in its class, which ``registered`` makes known to recipes: its fields, its
    words, the scene after it, its bounds, its cost, and the places to outline. A function of ``imaging`` that is
    registered with ``@renders`` draws it. A new edit needs nothing else.
    """

    __slots__ = ()

    cost: ClassVar[int] = 1
    """How many times as long as a copy, of some 2.5 ns, it takes to draw a pixel."""

    is_general: ClassVar[bool] = False
    """True if it can be made to any photo as it is: it names no place and no size."""

    @property
    def words(self) -> str:
        """A phrase that continues "this picture was"."""
        return type(self).__name__.lower()

    def after(self, scene: Scene) -> Scene:
        """The scene of the edited picture; the same where the content stays as it is."""
        return scene

    @property
    def places(self) -> tuple[Box, ...]:
        """The boxes to outline, in pixels of the picture before the edit; none for an edit of the whole picture."""
        return ()

    @property
    def place_label(self) -> str:
        """The label of ``places``."""
        return self.words

    def carried(self, own: Size, other: Size) -> Edit | None:
        """The same change of another photo, which is shown beside this one; None where it has none.

        Args:
            own: width and height of the picture before this edit.
            other: those of the other photo, before the same.
        """
        return self if self.is_general else None

    def visible(self, box: Box) -> tuple[Box, ...] | None:
        """The pieces of ``box`` that can still be seen; None where ``after`` moves boxes rather than covers them."""
        return None

    def work(self, pixels: int) -> int:
        """How much there is to draw on a picture of so many pixels, in copied pixels."""
        return pixels * self.cost

    def check(self) -> None:
        """Raises DataError where a value is out of bounds; types are checked where a recipe is read."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Cutout:
    """One thing cut out of a photo by its mask, to be inserted elsewhere."""

    photo: Photo
    """The photo that has the thing."""
    thing: Thing
    """The thing as it is in that photo; it has a mask."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Erase(Edit):
    """Cover ``box``: with white, with ``colour`` (the data set's mean), or by the inpainter that ``method`` names."""

    box: Box
    """Rounded outwards to whole pixels when it is drawn; it may leave the picture."""
    fill: Fill = Fill.WHITE
    colour: Colour | None = None
    """The mean colour with ``Fill.MEAN``, else None."""
    method: str = ""
    """The inpainter with ``Fill.INPAINT``: "telea", "biharmonic" or "lama:DIGEST"."""

    @property
    def words(self) -> str:
        return f"erased ({_filled(self.fill, self.method)})"

    def carried(self, own: Size, other: Size) -> Edit | None:
        return replace(self, box=Box(0, 0, *other)) if self.box == Box(0, 0, *own) else None

    def work(self, pixels: int) -> int:
        inpainted = self.box.area * _COST_OF_INPAINTING.get(self.method, _COST_OF_A_NETWORK)
        return pixels + (round(inpainted) if self.fill is Fill.INPAINT else 0)

    def after(self, scene: Scene) -> Scene:
        return with_objects(
            scene,
            (thing for thing in scene.objects if thing.box.share_inside(self.box) <= GONE_SHARE),
            (region for region in scene.regions if region.box.share_inside(self.box) <= GONE_SHARE),
        )

    @property
    def places(self) -> tuple[Box, ...]:
        return (self.box,)

    @property
    def place_label(self) -> str:
        return "erased"

    def visible(self, box: Box) -> tuple[Box, ...]:
        top, bottom = max(box.y, min(box.y1, self.box.y)), min(box.y1, max(box.y, self.box.y1))
        # Above the erased box, below it, and to its left and right between the two.
        parts = (
            Box.from_corners(box.x, box.y, box.x1, top),
            Box.from_corners(box.x, bottom, box.x1, box.y1),
            Box.from_corners(box.x, top, min(box.x1, self.box.x), bottom),
            Box.from_corners(max(box.x, self.box.x1), top, box.x1, bottom),
        )
        return tuple(part for part in parts if part.w > 0 and part.h > 0)


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(Edit):
    """Keep only the part from ``start`` to ``stop`` along one axis."""

    start: int
    """The first pixel that stays."""
    stop: int
    """The first pixel after it that goes."""
    axis: Literal["x", "y"] = "x"

    @property
    def words(self) -> str:
        return f"cut {self.axis} {self.start}..{self.stop}"

    def after(self, scene: Scene) -> Scene:
        if self.axis == "x":
            return crop_scene(scene, Box.from_corners(self.start, 0, self.stop, scene.height))
        return crop_scene(scene, Box.from_corners(0, self.start, scene.width, self.stop))


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Crop(Edit):
    """Keep only the rectangle ``box`` (whole pixels)."""

    box: Box

    @property
    def words(self) -> str:
        return f"cropped to x {self.box.x:g}..{self.box.x1:g}, y {self.box.y:g}..{self.box.y1:g}"

    def after(self, scene: Scene) -> Scene:
        return crop_scene(scene, self.box)


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Edit):
    """Paste a cut-out, scaled into ``box``."""

    cost = 4

    cutout: Cutout
    box: Box
    """The place of the thing, which may have another size and lie partly outside."""

    @property
    def words(self) -> str:
        return f"inserted {self.cutout.thing.name}"

    def after(self, scene: Scene) -> Scene:
        taken = {thing.id for thing in scene.objects}
        # The first free number: an earlier one may be erased by now, so how many are left says nothing.
        number = next(n for n in range(1, len(taken) + 2) if f"inserted-{n}" not in taken)
        added = _with_box(self.cutout.thing, self.box, id_=f"inserted-{number}")
        return with_objects(scene, (*scene.objects, added), scene.regions)

    @property
    def places(self) -> tuple[Box, ...]:
        return (self.box,)

    def check(self) -> None:
        if self.box.area > MAX_PIXELS:
            raise DataError(f"Expected a cut-out of at most {MAX_PIXELS} pixels, but got box={self.box!r}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Blur(Edit):
    """Blur everything outside the boxes ``keep`` with a Gaussian."""

    cost = 20

    keep: tuple[Box, ...]
    """Empty to blur the whole picture."""
    sigma_px: float
    """The standard deviation of the Gaussian in pixels; 0 changes nothing."""

    @property
    def words(self) -> str:
        return f"blurred{_but_for(len(self.keep))}, sigma {self.sigma_px:g}"

    @property
    def places(self) -> tuple[Box, ...]:
        return self.keep

    @property
    def place_label(self) -> str:
        return "kept"

    def check(self) -> None:
        if not 0 <= self.sigma_px <= _MAX_SIGMA_PX:
            raise DataError(
                f"Expected a blur with a sigma from 0 to {_MAX_SIGMA_PX:g} px, but got sigma_px={self.sigma_px!r}"
            )


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Mask(Edit):
    """Paint everything outside the boxes ``keep`` in one ``colour``."""

    keep: tuple[Box, ...]
    colour: Colour

    @property
    def words(self) -> str:
        return f"masked{_but_for(len(self.keep))}"

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

    @property
    def places(self) -> tuple[Box, ...]:
        return self.keep

    @property
    def place_label(self) -> str:
        return "kept"

    def visible(self, box: Box) -> tuple[Box, ...]:
        return tuple(part for kept in self.keep if (part := box.intersection(kept)))


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror(Edit):
    """Exchange left and right."""

    is_general = True

    @property
    def words(self) -> str:
        return "mirrored"

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
            inscriptions=(),  # nobody can read them mirrored
            relationships=_renamed(scene.relationships, swapped),
            captions=(),  # they, and the texts below, may say "on the left"
            questions=(),
            hypotheses=(),
        )


_COST_OF_CORRUPTION = {Corruption.IMPULSE: 35, Corruption.ZOOM: 80, Corruption.SNOW: 15, Corruption.CONTRAST: 5}
"""The cost of a pixel of the whole picture, also where boxes are corrupted alone: they are cut out of it."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Corrupt(Edit):
    """Corrupt the picture, or only the inside of ``boxes``."""

    kind: Corruption
    severity: int
    """From 1 to 5, as Hendrycks and Dietterich have it."""
    boxes: tuple[Box, ...] = ()
    """Empty for the whole picture."""

    @property
    def words(self) -> str:
        where = f" in {_boxes(len(self.boxes))}" if self.boxes else ""
        return f"corrupted{where} ({self.kind.value}, severity {self.severity})"

    def carried(self, own: Size, other: Size) -> Edit | None:
        return None if self.boxes else self

    def work(self, pixels: int) -> int:
        return pixels * _COST_OF_CORRUPTION[self.kind]

    @property
    def places(self) -> tuple[Box, ...]:
        return self.boxes

    @property
    def place_label(self) -> str:
        return "corrupted"

    def check(self) -> None:
        if self.severity not in (1, 2, 3, 4, 5):
            raise DataError(f"Expected a corruption of severity 1 to 5, but got severity={self.severity!r}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Brightness(Edit):
    """Add ``offset`` to every channel (uint8, clipped). MetaIC section 5, after DeepTest."""

    is_general = True

    offset: int
    """From -255 to 255; above 0 is brighter."""

    @property
    def words(self) -> str:
        return f"brightness {self.offset:+g}"


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(Edit):
    """Multiply every channel by ``gain`` (uint8, clipped). MetaIC section 5, after DeepTest."""

    is_general = True

    gain: float
    """1 changes nothing; above 1 is brighter, too."""

    @property
    def words(self) -> str:
        return f"contrast x {self.gain:g}"


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Shear(Edit):
    """Shift each row sideways by ``factor`` times its distance below the middle; the frame stays. After DeepTest."""

    is_general = True
    cost = 20

    factor: float
    """Columns a row; above 0 the lower half goes to the right."""

    @property
    def words(self) -> str:
        return f"sheared by {self.factor:g}"

    def after(self, scene: Scene) -> Scene:
        middle = scene.height / 2

        def sheared(box: Box) -> Box | None:
            # The smallest upright box around the slanted one.
            shifts = (self.factor * (box.y - middle), self.factor * (box.y1 - middle))
            return Box.from_corners(box.x + min(shifts), box.y, box.x1 + max(shifts), box.y1).intersection(scene.frame)

        return _reshaped(scene, sheared)


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Reencode(Edit):
    """Encode the pixels in a lossless file format and decode them, which changes nothing."""

    is_general = True
    cost = 8

    @property
    def words(self) -> str:
        return "re-encoded"


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Shift(Edit):
    """Move the content by ``dx`` to the right and ``dy`` downwards, in whole pixels; the frame stays.

    The margin that comes free repeats the pixels of the nearest edge, so a thing that touches it still does.
    """

    is_general = True

    dx: int
    """Above 0 to the right."""
    dy: int
    """Above 0 downwards."""

    @property
    def words(self) -> str:
        return f"shifted by {self.dx:+d}, {self.dy:+d} pixels"

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


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Pad(Edit):
    """Put a margin of one ``colour`` around the picture."""

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0
    """``left`` to ``bottom``: the widths in pixels, 0 or more."""
    colour: Colour = (0, 0, 0)

    @property
    def words(self) -> str:
        return "padded"

    def carried(self, own: Size, other: Size) -> Edit | None:
        across, down = other[0] / own[0], other[1] / own[1]
        found = replace(
            self,
            left=round(self.left * across),
            top=round(self.top * down),
            right=round(self.right * across),
            bottom=round(self.bottom * down),
        )
        # A margin that makes a high photo square makes a wide one so wide that a model sees it much smaller.
        width, height = other[0] + found.left + found.right, other[1] + found.top + found.bottom
        return found if max(width, height) <= _MOST_PADDED * max(other) else None

    def after(self, scene: Scene) -> Scene:
        size = scene.width + self.left + self.right, scene.height + self.top + self.bottom
        return _with_boxes(scene, lambda box: box.moved(self.left, self.top), size)

    def check(self) -> None:
        if min(self.left, self.top, self.right, self.bottom) < 0:
            raise DataError(f"Expected margins of 0 pixels or more, but got edit={self!r}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Rescale(Edit):
    """Scale the picture to ``width`` x ``height`` pixels."""

    cost = 20

    width: int
    height: int

    @property
    def words(self) -> str:
        return f"scaled to {self.width} x {self.height}"

    def carried(self, own: Size, other: Size) -> Edit | None:
        across, down = self.width / own[0], self.height / own[1]
        return Rescale(width=max(1, round(other[0] * across)), height=max(1, round(other[1] * down)))

    def after(self, scene: Scene) -> Scene:
        across, down = self.width / scene.width, self.height / scene.height
        return _with_boxes(scene, lambda box: box.scaled(across, down), (self.width, self.height))

    def check(self) -> None:
        if min(self.width, self.height) < 1:
            raise DataError(f"Expected a size of at least 1 x 1 pixels, but got edit={self!r}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Jpeg(Edit):
    """Encode the picture as JPEG, and decode it."""

    is_general = True
    cost = 6

    quality: int
    """From 1 to 100, as Pillow counts."""

    @property
    def words(self) -> str:
        return f"saved as JPEG of quality {self.quality}"

    def check(self) -> None:
        if not 1 <= self.quality <= 100:
            raise DataError(f"Expected a JPEG quality from 1 to 100, but got quality={self.quality!r}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate(Edit):
    """Turn the whole picture clockwise."""

    is_general = True

    degrees: int
    """90, 180 or 270."""

    @property
    def words(self) -> str:
        return f"turned by {self.degrees} degrees"

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
            captions=(),  # they, and the texts below, may say "above"
            questions=(),
            hypotheses=(),
        )

    def check(self) -> None:
        if self.degrees not in (90, 180, 270):
            raise DataError(f"Expected a turn by 90, 180 or 270 degrees, but got degrees={self.degrees!r}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Tilt(Edit):
    """Turn the picture by up to ``MOST_TILTED`` ``degrees``, clockwise if above 0, with corners of one ``colour``.

    The frame grows so that nothing is cut off.
    """

    is_general = True
    cost = 40

    degrees: int
    """Clockwise if above 0; not 0."""
    colour: Colour = (127, 127, 127)
    """Of the corners that come free."""

    @property
    def words(self) -> str:
        return f"tilted by {self.degrees} degrees"

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height in pixels of the frame around a tilted picture."""
        angle = radians(abs(self.degrees))
        across, down = cos(angle), sin(angle)
        # Rounded first: 100.0000000001 would take another column of pixels.
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

    def check(self) -> None:
        if not 0 < abs(self.degrees) <= MOST_TILTED:
            raise DataError(f"Expected a tilt by 1 to {MOST_TILTED} degrees, but got degrees={self.degrees!r}")


def _renamed(relationships: tuple[Relationship, ...], names: Mapping[str, str]) -> tuple[Relationship, ...]:
    return tuple(
        [
            Relationship(subject=each.subject, predicate=names[each.predicate], object=each.object)
            if each.predicate in names
            else each
            for each in relationships
        ]
    )


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Beside(Edit):
    """Put a second picture to the right of the first, scaled to its height, with a strip of ``colour`` between them.

    ``second`` has only what the whole scene needs (``Picture.beside``).
    """

    second: Scene
    """The scene of the second photo, in pixels of that photo."""
    gap: int = 0
    """The width of the strip in pixels."""
    colour: Colour = (255, 255, 255)
    """Of the strip."""

    @property
    def words(self) -> str:
        return f"put beside {self.second.id}"

    def place(self, scene: Scene) -> Box:
        """The place of the second picture, beside ``scene``."""
        scale = scene.height / self.second.height
        return Box(scene.width + self.gap, 0, max(1, round(self.second.width * scale)), scene.height)

    def after(self, scene: Scene) -> Scene:
        place = self.place(scene)
        # They differ a little, as the width is rounded to whole pixels.
        across, down = place.w / self.second.width, place.h / self.second.height

        def moved(box: Box) -> Box:
            return box.scaled(across, down).moved(place.x, 0)

        added = (_with_box(thing, moved(thing.box), id_=f"{BESIDE}{thing.id}") for thing in self.second.objects)
        crowds = (Region(name=region.name, box=moved(region.box)) for region in self.second.regions)
        whole = with_objects(
            scene, (*scene.objects, *added), (*scene.regions, *crowds), (round(place.x1), scene.height)
        )
        # The setting may be two; a name is absent only where both photos list all of its things.
        return replace(whole, setting="", exhaustive=scene.exhaustive & self.second.exhaustive)

    def check(self) -> None:
        if min(self.second.width, self.second.height) < 1 or self.gap < 0:
            raise DataError(
                "Expected a second picture of 1 x 1 pixels or more and a gap of 0 or more, but got "
                f"width={self.second.width!r}, height={self.second.height!r}, gap={self.gap!r}"
            )


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Write(Edit):
    """Write ``text`` on a card of one colour that fills ``box`` (whole pixels, inside the picture)."""

    text: str
    """One line, in characters of the built-in font."""
    box: Box
    ink: Colour = (20, 20, 20)
    card: Colour = (255, 255, 255)
    """The colour of the card."""

    @property
    def words(self) -> str:
        return f"given a card with the words {self.text!r}"

    def after(self, scene: Scene) -> Scene:
        return replace(scene, inscriptions=(*scene.inscriptions, Inscription(text=self.text, box=self.box)))

    def check(self) -> None:
        if len(self.text) > _MAX_TEXT:
            raise DataError(f"Expected a text of at most {_MAX_TEXT} characters to write, but got {len(self.text)}")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Recolour(Edit):
    """Give the coloured pixels of a thing's mask another hue; lightness and saturation stay."""

    cost = 6

    thing: str
    """The id of a thing with a mask; no edit but another ``Recolour`` comes before."""
    old: str
    new: str
    """``old`` and ``new``: words for its colour."""
    hue: int
    """The new hue in degrees (0 is red, 120 green, 240 blue)."""

    @property
    def words(self) -> str:
        return f"recoloured from {self.old} to {self.new}"

    def after(self, scene: Scene) -> Scene:
        def recoloured(thing: Thing) -> Thing:
            words = tuple(self.new if word == self.old else word for word in thing.attributes)
            return replace(thing, attributes=words)

        return replace(
            scene,
            objects=tuple(recoloured(thing) if thing.id == self.thing else thing for thing in scene.objects),
            captions=(),  # they, and the texts below, may name the old colour
            questions=(),
            hypotheses=(),
        )


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Store(Edit):
    """Reduce the pixels to what a file of this form holds; unless ``plain``, such a file is sent to servers."""

    is_general = True

    form: FileForm
    plain: bool = False
    """Servers get plain RGB with the reduced pixels: the other side of a comparison of file forms."""
    quality: int = 0
    """Of a lossy form, from 1 to 100 as Pillow counts; 0 for all others."""
    orientation: int = 1
    """Of EXIF, from 1 (upright) to 8. The file of another has the pixels turned, and the tag that turns them back."""

    @property
    def words(self) -> str:
        held = f"{self.form.value} of quality {self.quality}" if self.quality else self.form.value
        turned = f", turned by EXIF {self.orientation}" if self.orientation != 1 else ""
        return f"reduced to {held} and stored as {'RGB' if self.plain else f'{self.form.value}{turned}'}"

    def work(self, pixels: int) -> int:
        return pixels * _COST_OF_FORM.get(self.form, 25)

    def check(self) -> None:
        least, most = (1, 100) if self.form.is_lossy else (0, 0)
        if not least <= self.quality <= most:
            raise DataError(
                f"Expected a quality from {least} to {most} of a file of form {self.form.value}, "
                f"but got quality={self.quality!r}"
            )
        # WebP can carry the tag as well, but such files are rare.
        most = 8 if self.form in (FileForm.JPEG, FileForm.PNG) else 1
        if not 1 <= self.orientation <= most:
            raise DataError(
                f"Expected an orientation from 1 to {most} of a file of form {self.form.value}, "
                f"but got orientation={self.orientation!r}"
            )


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Redraw(Edit):
    """Draw a thing of the photo anew, with ``number`` of the parts of this name, which are set apart from each other.

    It is the first edit, and only for sources that draw their photos. Nothing but the thing changes, and its box stays.
    """

    thing: str
    """The id of a thing with annotated parts."""
    part: str
    """Their name in the singular ("leg")."""
    number: int
    """One of the ``drawable`` numbers."""

    @property
    def words(self) -> str:
        return f"redrawn with {self.number} of its parts ({self.part})"

    def after(self, scene: Scene) -> Scene:
        def drawn(parts: Parts) -> Parts:
            same = (parts.thing, parts.name) == (self.thing, self.part)
            return replace(parts, number=self.number) if same else parts

        return replace(
            scene,
            objects=tuple(
                # The mask is that of the thing as it was.
                replace(thing, has_mask=False) if thing.id == self.thing else thing
                for thing in scene.objects
            ),
            parts=tuple(map(drawn, scene.parts)),
            captions=(),
            questions=(),
            hypotheses=(),
        )


_TOGETHER = frozenset({"wearing", "holding", "on", "under"})
"""The relationships of things that move together."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Edit):
    """Draw a thing of the photo elsewhere, and with it what it wears, holds or bears; all else stays as it is.

    Only edits of its kind come before it, and only sources that draw their photos know it. Who makes it sees to it that
    nothing hides anything there. What is outside of the frame by half or more is gone.
    """

    thing: str
    """The id of a ``movable`` thing."""
    dx: int
    """Pixels to the right."""
    dy: int
    """Pixels downwards."""

    @property
    def words(self) -> str:
        return f"one thing moved by {self.dx:+d}, {self.dy:+d} pixels"

    def after(self, scene: Scene) -> Scene:
        moving = things_moved_with(scene, self.thing)

        def shown(thing: Thing) -> Thing | None:
            if thing.id not in moving:
                return thing
            inside = (moved := thing.box.moved(self.dx, self.dy)).intersection(scene.frame)
            return _with_box(thing, inside) if inside and inside.area > GONE_SHARE * moved.area else None

        kept = tuple(found for thing in scene.objects if (found := shown(thing)))
        ids = {thing.id for thing in kept}
        # As in ``with_objects``, fields that are not named here fall back to their empty defaults.
        return Scene(
            id=scene.id,
            photo=scene.photo,
            width=scene.width,
            height=scene.height,
            objects=kept,
            regions=scene.regions,
            # Which side of others it is on, and what it is near, changes.
            relationships=tuple(
                each
                for each in scene.relationships
                if each.subject in ids and each.object in ids and (each.subject in moving) == (each.object in moving)
            ),
            setting=scene.setting,
            exhaustive=scene.exhaustive,
            movable=scene.movable,
        )


def things_moved_with(scene: Scene, thing_id: str) -> frozenset[str]:
    """The ids of the thing and of all that it wears, holds or bears, or that stands under it."""
    found, new = {thing_id}, {thing_id}
    pairs = [(each.subject, each.object) for each in scene.relationships if each.predicate in _TOGETHER]
    while new and pairs:
        new = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in new} - found
        found |= new
    return frozenset(found)


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
    # Fields that are not named here fall back to their empty defaults: texts, inscriptions and parts are dropped.
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


def edit_from_row(row: Json) -> Edit:
    """The edit of a recipe from outside; its types and bounds are checked.

    Raises:
        DataError: it is no edit, lacks a field, or has one of another type or out of bounds.
    """
    edit = decode(row, Edit)
    # Also those of a cut-out's thing and of a second scene, which ``checked_edit`` takes from a relation as they are.
    for value in _values(edit):
        if isinstance(value, int | float):
            _check_number(type(edit).__name__, value)
    return checked_edit(edit)


def _values(value: object) -> Iterator[object]:
    """Yields ``value`` and everything in it."""
    yield value
    if isinstance(value, tuple | frozenset):
        for item in value:
            yield from _values(item)
    elif is_dataclass(value):  # a box, a cut-out, a thing, a photo, a scene
        for each in fields(value):
            yield from _values(getattr(value, each.name))


def checked_edit(edit: Edit) -> Edit:
    """The edit, if it can be read back from a recipe: a relation of a user may make any.

    Raises:
        DataError: a field has another type than the edit declares, or is out of bounds.
    """
    kind: type = type(edit)
    for name, takes, is_colour in _fields_of(kind):
        value = getattr(edit, name)
        if type(value) not in takes:  # not isinstance: True is no number, and a subclass is not read back as itself
            one_of = " or ".join(each.__name__ for each in takes if each is not type(None))
            raise DataError(f"Expected {one_of} for {name} of an edit {kind.__name__}, but got {value!r}")
        if is_colour and value is not None:
            if len(value) != 3 or not all(type(each) is int and 0 <= each <= 255 for each in value):
                raise DataError(f"Expected a colour of three whole numbers from 0 to 255, but got {name}={value!r}")
        elif isinstance(value, tuple):
            if len(value) > _MAX_BOXES:
                raise DataError(f"Expected at most {_MAX_BOXES} boxes in an edit {kind.__name__}, but got {len(value)}")
            for each in value:
                _check_box(kind.__name__, each)
        elif isinstance(value, int | float):
            _check_number(kind.__name__, value)
        elif isinstance(value, Box):
            _check_box(kind.__name__, value)
    edit.check()
    return edit


def check_growth(photo: Scene, edited: Scene) -> None:
    """Raises DataError where edits make a photo too large to be drawn.

    It may be larger than the bound by itself, and edits that keep its size with it.
    """
    # A photo that is large by itself may be edited all the same.
    if edited.width * edited.height > max(MAX_PIXELS, _GROWTH * photo.width * photo.height):
        raise DataError(f"Expected a picture of at most {MAX_PIXELS} pixels, but got {edited.width} x {edited.height}")


def _check_number(kind: str, number: float) -> None:
    if not abs(number) <= _MAX_NUMBER:  # so written, NaN is refused too
        raise DataError(f"Expected numbers up to {_MAX_NUMBER:g} in an edit {kind}, but got {number!r}")


def _check_box(kind: str, box: object) -> None:
    if not isinstance(box, Box) or box.w < 0 or box.h < 0:
        raise DataError(f"Expected boxes of no negative size in an edit {kind}, but got {box!r}")


@cache
def _fields_of(kind: type) -> tuple[tuple[str, tuple[type, ...], bool], ...]:
    """The name and the types of each field of an edit, and True for a colour; other tuples hold boxes."""
    hints = get_type_hints(kind)
    colours = (Colour, Colour | None)
    return tuple((each.name, _types_in(hints[each.name]), hints[each.name] in colours) for each in fields(kind))


def _types_in(hint: object) -> tuple[type, ...]:
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return tuple(found for part in get_args(hint) for found in _types_in(part))
    if get_origin(hint) is Literal:
        return tuple({type(value): None for value in get_args(hint)})
    found: object = get_origin(hint) or hint  # tuple of tuple[Box, ...]
    assert isinstance(found, type)
    # JSON writes 2.0 as 2 in some languages, and users give whole numbers for floats.
    return (int, float) if found is float else (found,)


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
