"""An example of every edit, for any scene of the picture world; a new edit needs one here, or a test fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    Beside,
    Blur,
    Brightness,
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
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.sampling.chooser import Chooser

Example = Callable[[Picture, Chooser, Scene], Edit | None]
"""An edit of the picture; None where it has none of this kind. The scene is another one of the same source."""


def _box(picture: Picture, choose: Chooser) -> Box:
    """Whole pixels inside the picture, at least a third of its sides."""
    width, height = picture.scene.width, picture.scene.height
    w, h = (max(1, size * choose.between(3, 7) // 10) for size in (width, height))
    return Box(choose.between(0, width - w), choose.between(0, height - h), w, h)


def _colour(choose: Chooser) -> tuple[int, int, int]:
    return choose.between(0, 255), choose.between(0, 255), choose.between(0, 255)


def _cutout(other: Scene) -> Cutout | None:
    things = [thing for thing in other.objects if thing.has_mask]
    return Cutout(photo=other.photo, thing=things[0]) if things else None


def _cut(picture: Picture, choose: Chooser, _other: Scene) -> Edit:
    axis = choose.one(("x", "y"))
    box = _box(picture, choose)
    start, size = (box.x, box.w) if axis == "x" else (box.y, box.h)
    return Cut(start=int(start), stop=int(start + size), axis="x" if axis == "x" else "y")


def _insert(picture: Picture, choose: Chooser, other: Scene) -> Edit | None:
    cutout = _cutout(other)
    return Insert(cutout=cutout, box=_box(picture, choose)) if cutout else None


def _store(_picture: Picture, choose: Chooser, _other: Scene) -> Edit:
    form = choose.one(tuple(FileForm))
    return Store(
        form=form,
        plain=choose.chance(0.5),
        quality=choose.between(1, 100) if form.is_lossy else 0,
        orientation=choose.between(1, 8) if form in (FileForm.JPEG, FileForm.PNG) else 1,
    )


def _recolour(picture: Picture, choose: Chooser, _other: Scene) -> Edit | None:
    masked = [thing for thing in picture.scene.objects if thing.has_mask]
    if picture.edits or not masked:
        return None
    return Recolour(thing=choose.one(masked).id, old="red", new="blue", hue=choose.between(0, 359))


def _redraw(picture: Picture, choose: Chooser, _other: Scene) -> Edit | None:
    parts = [parts for parts in picture.scene.parts if parts.drawable]
    if picture.edits or not parts:
        return None
    chosen = choose.one(parts)
    return Redraw(thing=chosen.thing, part=chosen.name, number=choose.one(chosen.drawable))


def _move(picture: Picture, choose: Chooser, _other: Scene) -> Edit | None:
    if picture.edits or not picture.scene.movable:
        return None
    return Move(thing=choose.one(picture.scene.movable), dx=choose.between(-99, 99), dy=choose.between(-9, 9))


EXAMPLES: Mapping[type[Edit], Example] = {
    Erase: lambda picture, choose, _other: Erase(
        box=_box(picture, choose), fill=choose.one((Fill.WHITE, Fill.MEAN)), colour=_colour(choose)
    ),
    Cut: _cut,
    Crop: lambda picture, choose, _other: Crop(box=_box(picture, choose)),
    Insert: _insert,
    Blur: lambda picture, choose, _other: Blur(keep=(_box(picture, choose),), sigma_px=choose.one((2.0, 3.5))),
    Mask: lambda picture, choose, _other: Mask(keep=(_box(picture, choose),), colour=_colour(choose)),
    Mirror: lambda _picture, _choose, _other: Mirror(),
    Corrupt: lambda picture, choose, _other: Corrupt(
        kind=choose.one(tuple(Corruption)), severity=choose.between(1, 5), boxes=(_box(picture, choose),)
    ),
    Brightness: lambda _picture, choose, _other: Brightness(offset=choose.between(-90, 90)),
    Contrast: lambda _picture, choose, _other: Contrast(gain=choose.between(1, 9) / 4),
    Shear: lambda _picture, choose, _other: Shear(factor=choose.between(-3, 3) / 10),
    Reencode: lambda _picture, _choose, _other: Reencode(),
    Shift: lambda _picture, choose, _other: Shift(dx=choose.between(-9, 9), dy=choose.between(-9, 9)),
    Pad: lambda _picture, choose, _other: Pad(left=choose.between(0, 9), top=3, colour=_colour(choose)),
    Rescale: lambda _picture, choose, _other: Rescale(width=choose.between(60, 250), height=choose.between(60, 250)),
    Jpeg: lambda _picture, choose, _other: Jpeg(quality=choose.between(1, 95)),
    Rotate: lambda _picture, choose, _other: Rotate(degrees=choose.one((90, 180, 270))),
    Tilt: lambda _picture, choose, _other: Tilt(degrees=choose.one((-10, -3, 4, 10)), colour=_colour(choose)),
    Beside: lambda picture, choose, other: picture.beside(other, gap=choose.between(0, 9)).edits[-1],
    Write: lambda picture, choose, _other: Write(text=choose.one(("DOG", "a cat")), box=_box(picture, choose)),
    Recolour: _recolour,
    Store: _store,
    Redraw: _redraw,
    Move: _move,
}


ALONE: list[tuple[type[Edit], ...]] = [(kind,) for kind in EXAMPLES]
PAIRS: list[tuple[type[Edit], ...]] = [
    pair for pair in product(EXAMPLES, EXAMPLES) if pair[1] not in (Recolour, Redraw, Move)
]
"""Those three are made to a photo as it is."""


def edited(scene: Scene, other: Scene, kinds: tuple[type[Edit], ...], choose: Chooser) -> Picture | None:
    """The scene's photo with an edit of each kind, in this order; None where one of them does not apply."""
    picture = scene.picture
    for kind in kinds:
        made = EXAMPLES[kind](picture, choose, other)
        if made is None:
            return None
        picture = picture.edit(made)
    return picture
