"""The look of each thing of a scene, drawn by chance, and the drawn pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.pen import Look, Pen
from pytest_vqamt.picture_world.art.people import PERSON_HEIGHT, PersonLook, draw_person
from pytest_vqamt.picture_world.art.sprites import SPRITES
from pytest_vqamt.picture_world.looks import MULTI_COLOURED

T = TypeVar("T")

SMALL, LARGE = 0.75, 1.35
"""Times the usual height of a name; between 0.88 and 1.1 nothing is said of the size."""

SIZELESS = frozenset(("tree", "man", "woman", "boy", "girl"))
"""Names that have other words for their size, or none."""

_SHRUNK: dict[str, float] = {"key": 0.8, "strawberry": 0.92, "apple": 0.95}
"""Names that are drawn a little smaller than they come, so as not to be giants beside the rest."""

_PERSON_POSES = ("standing", "walking", "running", "jumping", "waving", "sitting", "lying")
_OUTDOOR_WEIGHTS = (28, 18, 14, 12, 12, 10, 6)
_INDOOR_WEIGHTS = (36, 16, 2, 6, 16, 16, 8)
"""How likely each pose is, in percent: hardly anybody runs in a room."""
_PERSON_COLOURS = ("red", "blue", "green", "yellow", "purple", "pink", "orange", "white", "black", "gray", "brown")
_PATTERNS = ("plain", "striped", "dotted", "checked")

Bitmap = NDArray[np.bool_]

_CACHED = 1500
"""Pieces of about 20 kB each."""


@dataclass(frozen=True, slots=True, eq=False)
class Styled:
    """A thing to be placed. It is small: its piece is drawn, or taken from a cache, on access."""

    name: str
    draw: Callable[..., Piece]
    """Takes the number of ``parts``, too, where the name has some (``looks.PARTS``)."""
    attributes: tuple[str, ...]
    garments: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The name and the attributes of each garment of a person."""
    faces_left: bool = False
    """It is drawn mirrored."""

    @property
    def piece(self) -> Piece:
        return self.draw()


def style(
    rng: Random, name: str, *, colour: str | None = None, factor: float | None = None, crowded: bool = False
) -> Styled:
    """A thing or an animal with a random look; ``factor`` times its usual height, random if None."""
    # The order of the random choices is part of the scenes: another order gives every picture anew (``VERSION``).
    if factor is None:
        weights = (80, 14, 6) if crowded else (67, 13, 20)
        factor = 1.0 if name in SIZELESS else by_weight(rng, (1.0, SMALL, LARGE), weights)
    exact = factor * rng.uniform(0.97, 1.03)  # things of one size differ a little, and no word says so
    size = ("small",) if factor <= SMALL else ("large",) if factor >= LARGE else ()
    flipped = rng.random() < 0.5
    sprite = SPRITES.get(name)
    if sprite is None:
        animal = ANIMALS[name]
        colour = colour or _colour(rng, animal.colours)
        pose = rng.choice(animal.poses)
        look = Look(colour=colour, pose=pose)
        draw = partial(thing_piece, name, look, _height(usual_height(name) * exact), flipped)
        return Styled(name, draw, (colour, *size, pose), faces_left=flipped)
    colour = colour or _colour(rng, sprite.colours)
    pattern = _pattern(rng) if len(sprite.patterns) > 1 else "plain"
    states = tuple(rng.choice(pair) for pair in sprite.states)
    look = Look(colour=colour, pattern=pattern, states=frozenset(states))
    draw = partial(thing_piece, name, look, _height(usual_height(name) * exact), flipped)
    said = (pattern,) if len(sprite.patterns) > 1 else ()
    coloured = () if name in MULTI_COLOURED else (colour,)
    return Styled(name, draw, (*coloured, *said, *states, *size), faces_left=flipped)


def style_person(rng: Random, kind: str, *, indoors: bool, holding: bool) -> Styled:
    """A person in random clothes; one who holds a thing neither lies, jumps nor runs."""
    weights = _INDOOR_WEIGHTS if indoors else _OUTDOOR_WEIGHTS
    pose = by_weight(rng, _PERSON_POSES, weights)
    while holding and pose in ("lying", "jumping", "running"):
        pose = by_weight(rng, _PERSON_POSES, weights)
    garment = "dress" if kind in ("woman", "girl") and rng.random() < 0.6 else "shirt"
    look = PersonLook(
        kind=kind,
        pose=pose,
        garment=garment,
        garment_colour=rng.choice(_PERSON_COLOURS),
        garment_pattern=_pattern(rng),
        hat_colour=rng.choice(_PERSON_COLOURS) if rng.random() < 0.35 else None,
        skin=rng.randrange(4),
        hair=rng.randrange(6),
        facing="left" if rng.random() < 0.5 else "right",
        holding=holding,
    )
    draw = partial(person_piece, look, _height(PERSON_HEIGHT[kind] * rng.uniform(0.97, 1.05)))
    worn: list[tuple[str, tuple[str, ...]]] = [(garment, (look.garment_colour, look.garment_pattern))]
    if look.hat_colour is not None:
        worn.append(("hat", (look.hat_colour, "plain")))
    poses = ("standing", "waving") if pose == "waving" else (pose,)  # two categories: a gesture is no posture
    return Styled(kind, draw, poses, tuple(worn), faces_left=look.facing == "left")


def usual_height(name: str) -> int:
    """The usual height of the canvas of a thing or an animal, in px."""
    height = SPRITES[name].height if name in SPRITES else ANIMALS[name].height
    return round(height * _SHRUNK.get(name, 1.0))


def colours_of(name: str) -> tuple[str, ...]:
    """The possible colours of a thing or an animal."""
    return SPRITES[name].colours if name in SPRITES else ANIMALS[name].colours


def by_weight(rng: Random, options: Sequence[T], weights: Sequence[float]) -> T:
    """One of the options, with probabilities proportional to the weights."""
    return rng.choices(options, weights)[0]


def _height(px: float) -> int:
    """Rounds to even numbers of pixels, so that more scenes share a piece."""
    return max(2, round(px / 2) * 2)


def _colour(rng: Random, colours: tuple[str, ...]) -> str:
    """Prefers the first, natural colours a little."""
    return by_weight(rng, colours, [3 if i == 0 else 2 if i < 3 else 1.5 for i in range(len(colours))])


def _pattern(rng: Random) -> str:
    return by_weight(rng, _PATTERNS, (55, 15, 15, 15))


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A drawn thing, cropped to its visible part."""

    image: Image.Image
    """RGBA uint8, straight alpha."""
    mask: Bitmap
    """HW bool, pixels that are at least half covered."""
    parts: tuple[tuple[str, Bitmap], ...] = ()
    """Garments by name, each with its HW bool mask within ``mask``."""
    surface_px: int | None = None
    """The distance from the top edge to where other things stand on it, or None."""
    hand: tuple[int, int] | None = None
    """X, y of the hand that can hold a thing, or None."""
    lift_px: int = 0
    """The height of its lowest point above the ground."""

    @property
    def width(self) -> int:
        return self.image.width

    @property
    def height(self) -> int:
        return self.image.height


_AT_LEAST_HALF = [255 if value > 127 else 0 for value in range(256)]
"""A table for ``Image.point``: the box of a thing is around its solid pixels, as masks are."""


@lru_cache(maxsize=_CACHED)
def thing_piece(name: str, look: Look, height_px: int, flipped: bool, *, parts: int | None = None) -> Piece:
    """The piece of a thing or an animal whose canvas is ``height_px`` high.

    With a number of ``parts``, these are set apart from each other; the box stays, within a pixel.
    """
    sprite = SPRITES.get(name)
    image = _canvas(name, look, height_px)
    surface = round(sprite.surface * height_px) if sprite is not None and sprite.surface is not None else None
    left, top, right, bottom = image.getchannel("A").point(_AT_LEAST_HALF).getbbox() or (0, 0, *image.size)
    if parts is not None:  # cropped as the usual drawing is, so that the box stays
        image = _canvas(name, replace(look, parts=parts), height_px)
    image = image.crop((left, top, right, bottom))
    if flipped:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return Piece(image, _solid(image), surface_px=None if surface is None else surface - top)


def _canvas(name: str, look: Look, height_px: int) -> Image.Image:
    kind = SPRITES.get(name) or ANIMALS[name]
    pen = Pen((round(height_px * kind.aspect), height_px))
    kind.draw(pen, look)
    return pen.finish()


@lru_cache(maxsize=_CACHED)
def person_piece(look: PersonLook, height_px: int) -> Piece:
    """The piece of a person of this height when standing straight."""
    figure = draw_person(look, height_px)
    box = figure.image.getchannel("A").point(_AT_LEAST_HALF).getbbox() or (0, 0, *figure.image.size)
    image = figure.image.crop(box)
    mask = _solid(image)
    parts = tuple((name, (np.asarray(part.crop(box)) > 127) & mask) for name, part in figure.parts.items())
    hand = figure.hand[0] - box[0], figure.hand[1] - box[1]
    return Piece(image, mask, parts, hand=hand, lift_px=figure.lift_px)


def _solid(image: Image.Image) -> Bitmap:
    return np.asarray(image.getchannel("A")) > 127
