"""What a picture shows, pixel by pixel: every edit done again on masks, with none of the package's code for edits.

A photo is the pixels of each thing in it. An edit moves pixels, covers them, or makes them hard to make out; what
became of the things' boxes, as the edits themselves tell it, is never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Beside,
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Crop,
    Cut,
    Edit,
    Erase,
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
    Write,
    things_moved_with,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene, Thing
from tests.soundness.kinds_of_things import Kinds

Bitmap = NDArray[np.bool_]
"""HW; row 0 is the top one."""

LEAST_BLUR_PX = 2
"""A Gaussian of a smaller sigma leaves what is six pixels wide to be told. DeepTest's blurs are of 1.7 or less."""

_FUZZ_PX = 1e-6
"""Boxes end between pixels only where they mean to: x + w is seldom exact."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """One thing of a photo, or a crowd, as far as a picture shows it.

    Attributes:
        thing: as its own photo's scene has it, but for the id; its box is never looked at.
        crowd: many things that are not told apart.
        pixels: those of the picture that show it.
        came_as: those that showed it in the unedited photo, or when it was inserted.
        had: how many show it in its own photo, in the scale of the picture.
        origin: its own photo, and its place there.
    """

    thing: Thing
    crowd: bool
    pixels: Bitmap
    came_as: Bitmap
    had: float
    origin: tuple[Photo, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A picture: what it shows, and where it can be made out well (HW, False where it is blurred)."""

    shown: tuple[Shown, ...]
    clear: Bitmap

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        height, width = self.clear.shape
        return width, height


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outlined:
    """One thing of an unedited photo, or a crowd.

    Attributes:
        whole: the pixels that show it, with what it wears.
        own: those that show nothing else, be it worn or held.
    """

    thing: Thing
    crowd: bool
    whole: Bitmap
    own: Bitmap


class Outlines(Protocol):
    """Knows the pixels of everything on the photos of one scene source, and what ``kinds`` of things there are."""

    @property
    def kinds(self) -> Kinds: ...

    def scene(self, photo: Photo) -> Scene:
        """The unedited photo's scene."""
        ...

    def of(self, photo: Photo) -> Sequence[Outlined]:
        """Every thing and crowd of the unedited photo."""
        ...

    def alike(self, one: str, other: str) -> bool:
        """Whether a thing of the one name, badly seen, may be taken for one of the other."""
        ...

    def parts(self, picture: Picture, thing: Thing, part: str) -> int | None:
        """How many parts of this name the rendered picture shows of the thing; None where that is unknown."""
        ...


def view(picture: Picture, outlines: Outlines) -> View:
    """What the picture shows after all its edits."""
    scene = outlines.scene(picture.photo)
    seen = View(
        shown=tuple(
            Shown(
                thing=each.thing,
                crowd=each.crowd,
                pixels=each.whole,
                came_as=each.whole,
                had=float(np.count_nonzero(each.whole)),
                origin=(picture.photo, place),
            )
            for place, each in enumerate(outlines.of(picture.photo))
        ),
        clear=np.ones((scene.height, scene.width), np.bool_),
    )
    for edit in picture.edits:
        seen = _edited(seen, edit, outlines)
    return seen


def _edited(seen: View, edit: Edit, outlines: Outlines) -> View:
    width, height = seen.size
    match edit:
        case Cut(start=start, stop=stop, axis="x"):
            return _everywhere(seen, lambda pixels: pixels[:, start:stop])
        case Cut(start=start, stop=stop, axis="y"):
            return _everywhere(seen, lambda pixels: pixels[start:stop, :])
        case Crop(box=box):
            rows, columns = slice(round(box.y), round(box.y1)), slice(round(box.x), round(box.x1))
            return _everywhere(seen, lambda pixels: pixels[rows, columns])
        case Mirror():
            return _everywhere(seen, lambda pixels: pixels[:, ::-1])
        case Erase(box=box):
            return _covered(seen, touched((box,), width, height))
        case Mask(keep=keep):
            return _covered(seen, ~touched(keep, width, height))
        case Shear(factor=factor):
            return _sheared(seen, factor)
        case Blur(keep=keep, sigma_px=sigma_px) if sigma_px >= LEAST_BLUR_PX:
            return replace(seen, clear=seen.clear & touched(keep, width, height))
        case Insert():
            return _with(seen, edit, outlines)
        case Shift(dx=dx, dy=dy):
            return _everywhere(seen, lambda pixels: _shifted(pixels, dx, dy))
        case Pad(left=left, top=top, right=right, bottom=bottom):
            margins = ((top, bottom), (left, right))
            padded = _everywhere(seen, lambda pixels: np.pad(pixels, margins))
            return replace(padded, clear=np.pad(seen.clear, margins, constant_values=True))
        case Rescale(width=new_width, height=new_height):
            return _scaled(seen, new_width, new_height)
        case Rotate(degrees=degrees):
            return _everywhere(seen, lambda pixels: np.rot90(pixels, -degrees // 90))
        case Write(box=box):
            return _covered(seen, touched((box,), width, height))
        case Recolour(thing=thing, hue=hue):
            return replace(
                seen, shown=tuple(recoloured(each, hue) if each.thing.id == thing else each for each in seen.shown)
            )
        case Beside():
            return _beside(seen, edit, outlines)
        case Move(thing=thing, dx=dx, dy=dy):
            # The first edits are of this kind, so ids are those of the photo.
            moving = things_moved_with(outlines.scene(seen.shown[0].origin[0]), thing)
            return replace(
                seen,
                shown=tuple(
                    replace(each, pixels=_offset(each.pixels, dx, dy)) if each.thing.id in moving else each
                    for each in seen.shown
                ),
            )
        case Redraw():
            return seen  # the thing is where it was, in other lines
        case Blur() | Corrupt() | Brightness() | Contrast() | Reencode() | Jpeg() | Store():
            # These hide nothing. What noise leaves to be recognised is for people to say: such relations are baselines.
            return seen
    raise AssertionError(f"say here what {edit!r} does to pixels")


def touched(boxes: Sequence[Box], width: int, height: int) -> Bitmap:
    """The pixels of which some part lies in one of the boxes."""
    inside = np.zeros((height, width), np.bool_)
    for box in boxes:
        rows = slice(max(0, floor(box.y + _FUZZ_PX)), max(0, ceil(box.y1 - _FUZZ_PX)))
        columns = slice(max(0, floor(box.x + _FUZZ_PX)), max(0, ceil(box.x1 - _FUZZ_PX)))
        inside[rows, columns] = True
    return inside


def _everywhere(seen: View, move: Callable[[Bitmap], Bitmap]) -> View:
    return View(
        shown=tuple(replace(each, pixels=move(each.pixels)) for each in seen.shown),
        clear=move(seen.clear),
    )


def _sheared(seen: View, factor: float) -> View:
    """The view with each row of pixels moved to the right by ``factor`` times how far it is below the middle."""
    width, height = seen.size

    def moved(pixels: Bitmap) -> Bitmap:
        rows = np.zeros_like(pixels)
        for row in range(height):
            right = max(-width, min(width, round(factor * (row + 0.5 - height / 2))))
            rows[row, max(0, right) : width + min(0, right)] = pixels[row, max(0, -right) : width - max(0, right)]
        return rows

    # What comes in at the sides is no part of anything, and clear.
    return replace(_everywhere(seen, moved), clear=~moved(~seen.clear))


def _shifted(pixels: Bitmap, dx: int, dy: int) -> Bitmap:
    """The pixels moved, with the outermost row and column repeated where they came from."""
    height, width = pixels.shape
    margins = ((max(0, dy), max(0, -dy)), (max(0, dx), max(0, -dx)))
    repeated = np.pad(pixels, margins, mode="edge")
    return repeated[max(0, -dy) :, max(0, -dx) :][:height, :width]


def _offset(pixels: Bitmap, dx: int, dy: int) -> Bitmap:
    """The pixels moved, with none where they came from."""
    rows, columns = np.nonzero(pixels)
    rows, columns = rows + dy, columns + dx
    inside = (rows >= 0) & (rows < pixels.shape[0]) & (columns >= 0) & (columns < pixels.shape[1])
    moved = np.zeros_like(pixels)
    moved[rows[inside], columns[inside]] = True
    return moved


def _scaled(seen: View, width: int, height: int) -> View:
    """The view in another size: each pixel shows what the nearest one showed."""
    old_width, old_height = seen.size

    def scaled(pixels: Bitmap) -> Bitmap:
        return _laid(pixels, Box(0, 0, old_width, old_height), Box(0, 0, width, height), width, height)

    area = width * height / (old_width * old_height)
    return View(
        shown=tuple(
            replace(each, pixels=scaled(each.pixels), came_as=scaled(each.pixels), had=each.had * area)
            for each in seen.shown
        ),
        clear=scaled(seen.clear),
    )


_WORDS_OF_HUES = {0: "red", 30: "orange", 60: "yellow", 120: "green", 225: "blue", 285: "purple", 360: "red"}
_COLOURS = frozenset((*_WORDS_OF_HUES.values(), "pink", "brown", "black", "white", "gray"))


def recoloured(each: Shown, hue: int) -> Shown:
    """The thing with the word for the nearest hue instead of the word for its color."""
    word = _WORDS_OF_HUES[min(_WORDS_OF_HUES, key=lambda known: abs(known - hue))]
    words = tuple(word if own in _COLOURS else own for own in each.thing.attributes)
    return replace(each, thing=replace(each.thing, attributes=words))


def _beside(seen: View, edit: Beside, outlines: Outlines) -> View:
    """The view with another photo to its right, at its height, a strip between them."""
    photo = edit.second.photo
    found = outlines.of(photo)
    old_height, old_width = found[0].whole.shape if found else (edit.second.height, edit.second.width)
    height = seen.clear.shape[0]
    width = max(1, round(old_width * height / old_height))
    second = _scaled(
        View(
            shown=tuple(
                Shown(
                    thing=replace(each.thing, id=f"beside-{each.thing.id}"),
                    crowd=each.crowd,
                    pixels=each.whole,
                    came_as=each.whole,
                    had=float(np.count_nonzero(each.whole)),
                    origin=(photo, place),
                )
                for place, each in enumerate(found)
            ),
            clear=np.ones((old_height, old_width), np.bool_),
        ),
        width,
        height,
    )
    added = ((0, 0), (0, edit.gap + width)), ((0, 0), (seen.clear.shape[1] + edit.gap, 0))
    both = [
        replace(each, pixels=np.pad(each.pixels, margins))
        for side, margins in zip((seen, second), added, strict=True)
        for each in side.shown
    ]
    return View(shown=tuple(both), clear=np.pad(seen.clear, added[0], constant_values=True))


def _covered(seen: View, patch: Bitmap) -> View:
    """The view with nothing left to see under the patch; the patch itself is not blurred."""
    return View(
        shown=tuple(replace(each, pixels=each.pixels & ~patch) for each in seen.shown),
        clear=seen.clear | patch,
    )


def _with(seen: View, edit: Insert, outlines: Outlines) -> View:
    """The view with a thing of another photo laid over it, and with all that is shown by the pixels cut out with it."""
    cutout = edit.cutout
    found = outlines.of(cutout.photo)
    place = next(place for place, each in enumerate(found) if not each.crowd and each.thing.id == cutout.thing.id)
    stencil = found[place].whole
    width, height = seen.size
    scale = edit.box.area / cutout.thing.box.area
    added = []
    for other, each in enumerate(found):
        along = stencil if other == place else each.own & stencil
        if along.any():
            laid = _laid(along, cutout.thing.box, edit.box, width, height)
            added.append(
                Shown(
                    thing=replace(each.thing, id=f"{len(seen.shown)} and {other}"),
                    crowd=each.crowd,
                    pixels=laid,
                    came_as=laid,
                    had=float(np.count_nonzero(laid)) if other == place else np.count_nonzero(each.whole) * scale,
                    origin=(cutout.photo, other),
                )
            )
    over = _covered(seen, _laid(stencil, cutout.thing.box, edit.box, width, height))
    return replace(over, shown=(*over.shown, *added))


def _laid(pixels: Bitmap, source: Box, target: Box, width: int, height: int) -> Bitmap:
    """The pixels inside ``source`` scaled to ``target`` in a picture of this size: each takes the nearest one's."""
    rows, from_rows = _nearest(source.y, source.h, target.y, target.h, pixels.shape[0], height)
    columns, from_columns = _nearest(source.x, source.w, target.x, target.w, pixels.shape[1], width)
    laid = np.zeros((height, width), np.bool_)
    laid[np.ix_(rows, columns)] = pixels[np.ix_(from_rows, from_columns)]
    return laid


def _nearest(
    source: float, source_length: float, target: float, target_length: float, source_limit: int, limit: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where on one axis the picture's pixels between the target's ends are, and which of the source's they show."""
    start, stop = round(target), round(target + target_length)
    at = np.arange(max(0, start), min(limit, stop))
    shows = np.floor(source + (at + 0.5 - start) * source_length / (stop - start)).astype(np.intp)
    return at, np.clip(shows, 0, source_limit - 1)
