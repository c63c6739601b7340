"""Pieces: drawn things with their exact masks, cached because scenes share them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.pen import Look, Pen
from pytest_vqamt.picture_world.art.people import PersonLook, draw_person
from pytest_vqamt.picture_world.art.sprites import SPRITES

Bitmap = NDArray[np.bool_]

_CACHED = 1500
"""Pieces of about 20 kB each."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One drawn thing, cropped to what can be seen of it.

    Attributes:
        image: RGBA uint8, straight alpha.
        mask: HW bool, the pixels that count as the thing (at least half covered).
        parts: worn garments by name, each with its HW bool mask within ``mask``.
        surface_px: how far below the top edge other things stand on it, or None.
        hand: x, y of the hand that can hold a thing, or None.
        lift_px: how far its lowest point is above the ground.
    """

    image: Image.Image
    mask: Bitmap
    parts: tuple[tuple[str, Bitmap], ...] = ()
    surface_px: int | None = None
    hand: tuple[int, int] | None = None
    lift_px: int = 0

    @property
    def width(self) -> int:
        return self.image.width

    @property
    def height(self) -> int:
        return self.image.height


@lru_cache(maxsize=_CACHED)
def thing_piece(name: str, look: Look, height_px: int, flipped: bool) -> Piece:
    """The piece of a thing or an animal whose canvas is ``height_px`` high."""
    sprite = SPRITES.get(name)
    kind = sprite or ANIMALS[name]
    pen = Pen((round(height_px * kind.aspect), height_px))
    kind.draw(pen, look)
    image = pen.finish()
    surface = round(sprite.surface * height_px) if sprite is not None and sprite.surface is not None else None
    left, top, right, bottom = image.getchannel("A").point(_at_least_half).getbbox() or (0, 0, *image.size)
    image = image.crop((left, top, right, bottom))
    if flipped:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return Piece(image, _solid(image), surface_px=None if surface is None else surface - top)


@lru_cache(maxsize=_CACHED)
def person_piece(look: PersonLook, height_px: int) -> Piece:
    """The piece of a person who is ``height_px`` tall when standing straight."""
    figure = draw_person(look, height_px)
    box = figure.image.getchannel("A").point(_at_least_half).getbbox() or (0, 0, *figure.image.size)
    image = figure.image.crop(box)
    mask = _solid(image)
    parts = tuple((name, (np.asarray(part.crop(box)) > 127) & mask) for name, part in figure.parts.items())
    hand = figure.hand[0] - box[0], figure.hand[1] - box[1]
    return Piece(image, mask, parts, hand=hand, lift_px=figure.lift_px)


_at_least_half = [255 if value > 127 else 0 for value in range(256)]


def _solid(image: Image.Image) -> Bitmap:
    return np.asarray(image.getchannel("A")) > 127
