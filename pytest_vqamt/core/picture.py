"""A picture: the recipe of an image, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
)
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.scene import Photo, Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A source photo and the edits made to it; pixels exist only when it is rendered.

    Attributes:
        photo: the source.
        edits: in the order in which they are made.
        scene: the scene after all edits; no part of the identity, as it follows from the rest.
        digest: identifies the pixels without rendering them.
    """

    photo: Photo
    edits: tuple[Edit, ...] = ()
    scene: Scene = field(compare=False, repr=False)
    digest: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        named = self.photo.digest
        if self.edits:
            named = digest(named, canonical_json([encode(edit) for edit in self.edits]))
        object.__setattr__(self, "digest", named)  # computed once, as every query about the picture uses it

    def edit(self, edit: Edit) -> Picture:
        """This picture with one more edit."""
        return Picture(photo=self.photo, edits=(*self.edits, edit), scene=edit.after(self.scene))

    def erase(self, box: Box, fill: Fill = Fill.WHITE, colour: Colour | None = None, method: str = "") -> Picture:
        return self.edit(Erase(box=box, fill=fill, colour=colour, method=method))

    def cut(self, start: int, stop: int, axis: Literal["x", "y"] = "x") -> Picture:
        return self.edit(Cut(start=start, stop=stop, axis=axis))

    def crop(self, box: Box) -> Picture:
        return self.edit(Crop(box=box))

    def insert(self, cutout: Cutout, at: tuple[float, float], size: tuple[float, float]) -> Picture:
        """Insert ``cutout`` with its top left corner ``at`` (x, y), scaled to ``size`` (w, h), in pixels."""
        return self.edit(Insert(cutout=cutout, box=Box(*at, *size)))

    def blur(self, keep: tuple[Box, ...] = (), *, sigma: float) -> Picture:
        return self.edit(Blur(keep=keep, sigma_px=sigma))

    def mask(self, keep: tuple[Box, ...], colour: Colour) -> Picture:
        return self.edit(Mask(keep=keep, colour=colour))

    def mirror(self) -> Picture:
        return self.edit(Mirror())

    def corrupt(self, kind: Corruption, severity: int, boxes: tuple[Box, ...] = ()) -> Picture:
        return self.edit(Corrupt(kind=kind, severity=severity, boxes=boxes))

    def brightness(self, offset: int) -> Picture:
        return self.edit(Brightness(offset=offset))

    def contrast(self, gain: float) -> Picture:
        return self.edit(Contrast(gain=gain))

    def shear(self, factor: float) -> Picture:
        return self.edit(Shear(factor=factor))

    def reencode(self) -> Picture:
        return self.edit(Reencode())

    def shift(self, dx: int, dy: int) -> Picture:
        return self.edit(Shift(dx=dx, dy=dy))

    def pad(
        self, *, left: int = 0, top: int = 0, right: int = 0, bottom: int = 0, colour: Colour = (0, 0, 0)
    ) -> Picture:
        return self.edit(Pad(left=left, top=top, right=right, bottom=bottom, colour=colour))

    def rescale(self, width: int, height: int) -> Picture:
        return self.edit(Rescale(width=width, height=height))

    def jpeg(self, quality: int) -> Picture:
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
        """Put the photo of ``second`` to the right of this picture, ``gap`` pixels apart.

        Of ``exhaustive`` those names are kept that are exhaustively annotated in both. The recipe of the picture has
        them, so name only those that are asked about.
        """
        bare = replace(
            second,
            relationships=(),
            setting="",
            captions=(),
            questions=(),
            hypotheses=(),
            parts=(),
            exhaustive=second.exhaustive & exhaustive,
        )
        return self.edit(Beside(second=bare, gap=gap, colour=colour))

    def write(self, text: str, box: Box) -> Picture:
        """Write ``text`` on a white card that fills ``box`` (whole pixels)."""
        return self.edit(Write(text=text, box=box))

    def recolour(self, thing: str, old: str, new: str, hue: int) -> Picture:
        """Give the thing of this id another hue (degrees), which changes its colour's word from ``old`` to ``new``."""
        return self.edit(Recolour(thing=thing, old=old, new=new, hue=hue))

    def store(self, form: FileForm, *, plain: bool = False) -> Picture:
        return self.edit(Store(form=form, plain=plain))

    def redraw(self, thing: str, part: str, number: int) -> Picture:
        """Draw the thing of this id anew, with ``number`` of its parts of this name ("leg")."""
        return self.edit(Redraw(thing=thing, part=part, number=number))
