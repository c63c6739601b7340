"""How each thing of a scene looks: colour, pattern, states, pose and size, and the words for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.language.english.nouns import with_article
from pytest_vqamt.language.tables import DRAWN_NAMES, toml_table
from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.pen import Look, Pen
from pytest_vqamt.picture_world.art.people import PERSON_HEIGHT, PersonLook, draw_person
from pytest_vqamt.picture_world.art.sprites import SPRITES

T = TypeVar("T")

SMALL, LARGE = 0.75, 1.35
"""Times the usual height of a name; between 0.88 and 1.1 nothing is said of the size."""

SIZELESS = frozenset(("tree", "man", "woman", "boy", "girl"))
"""Names that have other words for their size, or none."""

MULTI_COLOURED = frozenset(("pizza", "sandwich"))
"""Names that no one colour describes."""

_SHRUNK: dict[str, float] = {"key": 0.8, "strawberry": 0.92, "apple": 0.95}
"""Names that are drawn a little smaller than they come, so as not to be giants beside the rest."""

_PERSON_POSES = ("standing", "walking", "running", "jumping", "waving", "sitting", "lying")
_OUTDOOR_WEIGHTS = (28, 18, 14, 12, 12, 10, 6)
_INDOOR_WEIGHTS = (36, 16, 2, 6, 16, 16, 8)
_PERSON_COLOURS = ("red", "blue", "green", "yellow", "purple", "pink", "orange", "white", "black", "gray", "brown")
_PATTERNS = ("plain", "striped", "dotted", "checked")


@dataclass(frozen=True, slots=True, eq=False)
class Styled:
    """A thing ready to be placed: how it is drawn, what is true of it, and what is true of its garments.

    It is small, and its piece is not: that is drawn, or remembered, when it is asked for.
    """

    name: str
    draw: Callable[[], Piece]
    attributes: tuple[str, ...]
    garments: tuple[tuple[str, tuple[str, ...]], ...] = ()
    faces_left: bool = False

    @property
    def piece(self) -> Piece:
        return self.draw()


def style(
    rng: Random, name: str, *, colour: str | None = None, factor: float | None = None, crowded: bool = False
) -> Styled:
    """A thing or an animal in a look drawn by chance; ``factor`` times its usual height, by chance where None."""
    if factor is None:
        weights = (80, 14, 6) if crowded else (67, 13, 20)
        factor = 1.0 if name in SIZELESS else by_weight(rng, (1.0, SMALL, LARGE), weights)
    exact = factor * rng.uniform(0.97, 1.03)
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
    """A person dressed by chance; one who holds a thing neither lies nor jumps."""
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
    poses = ("standing", "waving") if pose == "waving" else (pose,)
    return Styled(kind, draw, poses, tuple(worn), faces_left=look.facing == "left")


def usual_height(name: str) -> int:
    """The height of the canvas of a thing or an animal of the usual size, in px."""
    height = SPRITES[name].height if name in SPRITES else ANIMALS[name].height
    return round(height * _SHRUNK.get(name, 1.0))


def colours_of(name: str) -> tuple[str, ...]:
    """The colours that a thing or an animal comes in."""
    return SPRITES[name].colours if name in SPRITES else ANIMALS[name].colours


def by_weight(rng: Random, options: Sequence[T], weights: Sequence[float]) -> T:
    """One of the options, as likely as its weight is large."""
    return rng.choices(options, weights)[0]


def _height(px: float) -> int:
    """Even numbers of pixels only, so that more scenes share a piece."""
    return max(2, round(px / 2) * 2)


def _colour(rng: Random, colours: tuple[str, ...]) -> str:
    """The first colours are the natural ones, and a little more frequent."""
    return by_weight(rng, colours, [3 if i == 0 else 2 if i < 3 else 1.5 for i in range(len(colours))])


def _pattern(rng: Random) -> str:
    return by_weight(rng, _PATTERNS, (55, 15, 15, 15))


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


_ORDER = ("size", "stature", "filling", "opening", "cleanness", "colour", "pattern")
"""The categories whose words stand before a noun, in this order; the words of the others follow it."""

PREDICATE_CATEGORIES = frozenset(("posture", "gesture", "power"))


def noun_phrase(noun: str, attributes: Sequence[str] = ()) -> str:
    """The noun with those of ``attributes`` that can stand before it: ("red", "small"), "cup" give "small red cup"."""
    before = sorted(
        (word for word in attributes if CATEGORY_OF[word] in _ORDER), key=lambda word: _ORDER.index(CATEGORY_OF[word])
    )
    return " ".join((*before, noun))


def a(phrase: str) -> str:
    """The phrase with its article."""
    return f"{_article(phrase.split(' ', 1)[0])} {phrase}"


@cache
def _article(word: str) -> str:
    return with_article(word).split(" ", 1)[0]


def listed(items: Sequence[str]) -> str:
    """The items in a row: "x", "x and y", "x, y and z"; a comma more where an item is itself such a row."""
    if len(items) < 2:
        return "".join(items)
    nested = any(" and " in item or " with " in item or " holding " in item for item in items[:-1])
    return f"{', '.join(items[:-1])}{',' if nested else ''} and {items[-1]}"


def capital(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]


FAMILIES: dict[str, tuple[str, ...]] = {family: tuple(names) for family, names in toml_table(DRAWN_NAMES).items()}
"""Top families; no name is in two, and no name of one family is a kind or a part of a name of another."""

NAMES: tuple[str, ...] = tuple(name for names in FAMILIES.values() for name in names)

FAMILY_OF: dict[str, str] = {name: family for family, names in FAMILIES.items() for name in names}

CLASSES: tuple[str, ...] = (
    "person", "animal", "bird", "insect", "fruit", "vegetable", "dessert", "food", "aircraft", "vehicle", "furniture",
    "container", "electronic device", "toy", "musical instrument", "clothing", "headwear", "footwear",
)  # fmt: skip
"""Words for names of several kinds, of which nothing but the things is drawn (and what people wear, whom all that is
asked about clothing keeps away from). No plant: a meadow is of grass."""

EXHAUSTIVE: frozenset[str] = frozenset((*NAMES, *CLASSES))
"""Every thing of these names is annotated in every scene, so what is not annotated is not there."""

SYNSETS: dict[str, str] = {
    "man": "man.n.01", "woman": "woman.n.01", "boy": "male_child.n.01", "girl": "female_child.n.01",
    "dog": "dog.n.01", "cat": "cat.n.01", "horse": "horse.n.01", "cow": "cow.n.01", "sheep": "sheep.n.01",
    "pig": "hog.n.03", "bird": "bird.n.01", "rabbit": "rabbit.n.01", "elephant": "elephant.n.01", "duck": "duck.n.01",
    "giraffe": "giraffe.n.01", "turtle": "turtle.n.02", "butterfly": "butterfly.n.01",
    "apple": "apple.n.01", "banana": "banana.n.02", "pear": "pear.n.01", "carrot": "carrot.n.03", "cake": "cake.n.03",
    "pizza": "pizza.n.01", "sandwich": "sandwich.n.01", "strawberry": "strawberry.n.01",
    "car": "car.n.01", "bus": "bus.n.01", "truck": "truck.n.01", "bicycle": "bicycle.n.01", "boat": "boat.n.01",
    "airplane": "airplane.n.01", "train": "train.n.01",
    "chair": "chair.n.01", "table": "table.n.02", "bed": "bed.n.01", "couch": "sofa.n.01", "shelf": "shelf.n.01",
    "lamp": "lamp.n.02",
    "cup": "cup.n.01", "bottle": "bottle.n.01", "bowl": "bowl.n.03", "box": "box.n.01", "vase": "vase.n.01",
    "bucket": "bucket.n.01",
    "book": "book.n.02", "clock": "clock.n.01", "laptop": "laptop.n.01", "television": "television_receiver.n.01",
    "key": "key.n.01", "candle": "candle.n.01",
    "ball": "ball.n.01", "balloon": "balloon.n.02", "kite": "kite.n.03", "teddy bear": "teddy.n.01",
    "robot": "automaton.n.02", "drum": "drum.n.01",
    "tree": "tree.n.01", "flower": "flower.n.01", "cactus": "cactus.n.01", "bush": "shrub.n.01",
    "shirt": "shirt.n.01", "dress": "dress.n.01", "hat": "hat.n.01", "bag": "bag.n.04", "shoe": "shoe.n.01",
    "umbrella": "umbrella.n.01",
}  # fmt: skip

CATEGORIES: dict[str, tuple[str, ...]] = {
    "colour": ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "gray", "white"),
    "pattern": ("plain", "striped", "dotted", "checked"),
    "size": ("large", "small"),
    "opening": ("open", "closed"),
    "filling": ("full", "empty"),
    "power": ("on", "off"),
    "cleanness": ("clean", "dirty"),
    "stature": ("tall", "short"),
    "posture": ("standing", "sitting", "lying", "walking", "running", "jumping", "flying"),
    "gesture": ("waving",),
}
"""What can be said of a thing. Words of one category exclude each other, and a thing has at most one of each."""

CATEGORY_OF: dict[str, str] = {word: category for category, words in CATEGORIES.items() for word in words}

SETTING_PHRASES: dict[str, str] = {
    "meadow": "in a meadow",
    "beach": "on a beach",
    "street": "on a street",
    "snow": "in the snow",
    "kitchen": "in a kitchen",
    "living room": "in a living room",
    "night": "at night",
    "desert": "in a desert",
}
