"""How each thing of a scene looks: colour, pattern, states, pose and size, and the words for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TypeVar

from pytest_vqamt.data.pictures.pieces import Piece, person_piece, thing_piece
from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.pen import Look
from pytest_vqamt.picture_world.art.people import PERSON_HEIGHT, PersonLook
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
