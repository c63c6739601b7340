"""A picture: the recipe of an image, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil, floor
from typing import Literal

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import encode
from pytest_vqamt.core.edits import (
    Beside,
    Blur,
    Brightness,
    Colour,
    Contrast,
    Corrupt,
    Corruption,
    Crop,
    Cut,
    Cutout,
    Edit,
    Erase,
    FileForm,
    Fill,
    Insert,
    Jpeg,
    Mask,
    Mirror,
    Move,
    Pad,
    Recolour,
    Redraw,
    Reencode,
    Rescale,
    Rotate,
    Shear,
    Shift,
    Store,
    Tilt,
    Write,
    check_growth,
    checked_edit,
)
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import ShortRepr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Picture(ShortRepr):
    """A source photo and the edits made to it; pixels exist only when it is rendered."""

    photo: Photo
    """The source."""
    edits: tuple[Edit, ...] = ()
    """In the order in which they are made."""
    scene: Scene = field(compare=False, repr=False)
    """The scene after all edits; no part of the identity, as it follows from the rest."""
    work: int = field(default=0, compare=False, repr=False)
    """How much there is to draw for the edits, as ``Edit.work`` counts."""
    digest: str = field(init=False, compare=False)
    """Identifies the pixels without rendering them."""

    def __post_init__(self) -> None:
        named = self.photo.digest
        if self.edits:  # without, it has the digest of its photo
            named = digest(named, canonical_json([encode(edit) for edit in self.edits]))
        object.__setattr__(self, "digest", named)  # computed once, as every query about the picture uses it

    def __repr__(self) -> str:
        return f"<Picture {', '.join((repr(self.photo.id), *(edit.words for edit in self.edits)))}>"

    def edit(self, edit: Edit) -> Picture:
        """This picture with one more edit. The named methods below make the edits; none changes this picture.

        Raises:
            DataError: a value of the edit has another type or is out of bounds, so no recipe could be read back.
        """
        scene = checked_edit(edit).after(self.scene)
        # Checked where a picture is made, before anything is drawn: a relation of a user may scale without bound.
        check_growth(self.scene, scene)
        work = self.work + edit.work(scene.width * scene.height)
        return Picture(photo=self.photo, edits=(*self.edits, edit), scene=scene, work=work)

    def erase(self, box: Box, fill: Fill = Fill.WHITE, colour: Colour | None = None, method: str = "") -> Picture:
        """Cover ``box`` (pixels, rounded outwards); a thing with more than half of its box covered is gone.

        Args:
            box: a part of the picture.
            fill: ``vqamt.Fill``: WHITE, MEAN for one ``colour``, or INPAINT for what an inpainter makes of it.
            colour: RGB, 0 to 255, with MEAN: ``corpus.mean_colour``.
            method: the inpainter with INPAINT, "telea" or "biharmonic".
        """
        # A user may give the text of a member, "white".
        return self.edit(Erase(box=box, fill=Fill(fill), colour=colour, method=method))

    def cut(self, start: int, stop: int, axis: Literal["x", "y"] = "x") -> Picture:
        """Keep only the part from pixel ``start`` to before ``stop`` along one axis, over the whole of the other.

        Boxes are clipped and moved with it; things outside are gone.
        """
        return self.edit(Cut(start=start, stop=stop, axis=axis))

    def crop(self, box: Box) -> Picture:
        """Keep only the rectangle ``box``, rounded outwards to whole pixels and clipped to the picture.

        Boxes are clipped and moved with it; things outside are gone.

        Raises:
            VqamtError: the box lies outside of the picture.
        """
        fuzz = 1e-6  # x + w is seldom exact
        corners = floor(box.x + fuzz), floor(box.y + fuzz), ceil(box.x1 - fuzz), ceil(box.y1 - fuzz)
        whole = Box.from_corners(*corners).intersection(self.scene.frame)
        if whole is None:
            raise VqamtError(f"Expected a box that reaches into the picture {self.scene.frame}, but got box={box!r}")
        return self.edit(Crop(box=whole))

    def insert(self, cutout: Cutout, at: tuple[float, float], size: tuple[float, float]) -> Picture:
        """Insert a thing of another photo, which the scene then has, too.

        Args:
            cutout: ``corpus.cut_out(entry)`` of an entry of ``corpus.cutouts``.
            at: its top left corner (x, y), in pixels.
            size: its width and height, in pixels.
        """
        return self.edit(Insert(cutout=cutout, box=Box(*at, *size)))

    def blur(self, keep: tuple[Box, ...] = (), *, sigma: float) -> Picture:
        """Blur what is outside of the boxes ``keep`` with a Gaussian of ``sigma`` pixels; without boxes, everything."""
        return self.edit(Blur(keep=keep, sigma_px=sigma))

    def mask(self, keep: tuple[Box, ...], colour: Colour) -> Picture:
        """Paint what is outside of the boxes ``keep`` in one colour (RGB, 0 to 255); things outside are gone."""
        return self.edit(Mask(keep=keep, colour=colour))

    def mirror(self) -> Picture:
        """Exchange left and right, in the scene's boxes and relationships, too."""
        return self.edit(Mirror())

    def corrupt(self, kind: Corruption, severity: int, boxes: tuple[Box, ...] = ()) -> Picture:
        """Corrupt the picture, or only the inside of ``boxes``.

        Args:
            kind: ``vqamt.Corruption``: impulse noise, zoom blur, snow, or a loss of contrast.
            severity: 1 to 5.
            boxes: in pixels; none for the whole picture.
        """
        return self.edit(Corrupt(kind=Corruption(kind), severity=severity, boxes=boxes))

    def brightness(self, offset: int) -> Picture:
        """Add ``offset`` (-255 to 255) to every channel of every pixel, clipped to 0 to 255."""
        return self.edit(Brightness(offset=offset))

    def contrast(self, gain: float) -> Picture:
        """Multiply every channel of every pixel by ``gain`` (1 changes nothing), clipped to 0 to 255."""
        return self.edit(Contrast(gain=gain))

    def shear(self, factor: float) -> Picture:
        """Shift each row sideways by ``factor`` times its distance below the middle; the frame stays."""
        return self.edit(Shear(factor=factor))

    def reencode(self) -> Picture:
        """Encode the pixels in a lossless file format and decode them, which changes no pixel."""
        return self.edit(Reencode())

    def shift(self, dx: int, dy: int) -> Picture:
        """Move the content by ``dx`` pixels to the right and ``dy`` downwards; the frame stays.

        The edge that comes free is filled with the pixels at the edge, and what leaves the frame is gone.
        """
        return self.edit(Shift(dx=dx, dy=dy))

    def pad(
        self, *, left: int = 0, top: int = 0, right: int = 0, bottom: int = 0, colour: Colour = (0, 0, 0)
    ) -> Picture:
        """Put a margin of one colour (RGB, 0 to 255) around the picture, of so many pixels on each side."""
        return self.edit(Pad(left=left, top=top, right=right, bottom=bottom, colour=colour))

    def rescale(self, width: int, height: int) -> Picture:
        """Scale the picture to ``width`` x ``height`` pixels."""
        return self.edit(Rescale(width=width, height=height))

    def jpeg(self, quality: int) -> Picture:
        """Encode the picture as JPEG of this quality (1 to 100), and decode it."""
        return self.edit(Jpeg(quality=quality))

    def rotate(self, degrees: Literal[90, 180, 270]) -> Picture:
        """Turn the picture clockwise."""
        return self.edit(Rotate(degrees=degrees))

    def tilt(self, degrees: int) -> Picture:
        """Turn the picture by a few degrees, clockwise if above 0, in a larger frame that holds all of it."""
        return self.edit(Tilt(degrees=degrees))

    def beside(
        self, second: Scene, *, gap: int = 0, colour: Colour = (255, 255, 255), exhaustive: frozenset[str] = frozenset()
    ) -> Picture:
        """Put the photo of ``second`` to the right of this picture, scaled to its height, ``gap`` pixels apart.

        Of ``exhaustive`` those names are kept that are exhaustively annotated in both. The recipe of the picture has
        them, so name only those that are asked about.
        """
        # The recipe holds this scene, and its digest depends on it: what the whole scene lacks would change both.
        bare = replace(
            second,
            relationships=(),
            setting="",
            captions=(),
            questions=(),
            hypotheses=(),
            parts=(),
            movable=(),
            exhaustive=second.exhaustive & exhaustive,
        )
        return self.edit(Beside(second=bare, gap=gap, colour=colour))

    def write(self, text: str, box: Box) -> Picture:
        """Write ``text`` on a white card that fills ``box`` (whole pixels)."""
        return self.edit(Write(text=text, box=box))

    def recolour(self, thing: str, old: str, new: str, hue: int) -> Picture:
        """Give the thing of this id another hue (degrees), which changes its colour's word from ``old`` to ``new``."""
        return self.edit(Recolour(thing=thing, old=old, new=new, hue=hue))

    def store(self, form: FileForm, *, plain: bool = False, quality: int = 0, orientation: int = 1) -> Picture:
        """Reduce the pixels to what a file of this form holds (``vqamt.FileForm``); servers are sent such a file.

        With ``plain`` they are sent plain RGB. Lossy forms have a ``quality`` from 1 to 100. With an ``orientation`` of
        2 to 8, of JPEG or PNG, the pixels in the file are turned, and its EXIF says how to turn them back.
        """
        return self.edit(Store(form=FileForm(form), plain=plain, quality=quality, orientation=orientation))

    def redraw(self, thing: str, part: str, number: int) -> Picture:
        """Draw the thing of this id anew, with ``number`` of its parts of this name ("leg")."""
        return self.edit(Redraw(thing=thing, part=part, number=number))

    def move(self, thing: str, dx: int, dy: int = 0) -> Picture:
        """Draw the thing of this id ``dx`` pixels to the right and ``dy`` downwards, with all that it holds."""
        return self.edit(Move(thing=thing, dx=dx, dy=dy))
