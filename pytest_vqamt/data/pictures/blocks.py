"""Blocks: a thing with all that stands on it, lies under it or is held by it, placed as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.picture_world.looks import SMALL, Styled, colours_of, style, usual_height

HOLDABLE: dict[str, tuple[float, float]] = {
    "apple": (0.4, 0.6), "banana": (0.3, 0.6), "pear": (0.4, 0.6), "carrot": (0.4, 0.6), "sandwich": (0.3, 0.6),
    "strawberry": (0.4, 0.6), "cup": (0.2, 0.55), "bottle": (0.4, 0.6), "book": (0.25, 0.6), "ball": (0.25, 0.6),
    "balloon": (0.5, 0.97), "flower": (0.5, 0.78), "umbrella": (0.5, 0.85), "key": (0.2, 0.5), "bag": (0.5, 0.1),
    "teddy bear": (0.3, 0.6), "candle": (0.4, 0.75), "kite": (0.45, 0.95),
}  # fmt: skip
"""What people hold, and where of it the hand is, as fractions of the piece of one who faces right."""

ROOMY: dict[str, int] = {"table": 3, "bed": 2, "couch": 2, "shelf": 1, "box": 1, "chair": 1}
"""On what things stand, and how many at most."""

_SOFT = frozenset(("bed", "couch"))
_ON_SOFT = frozenset(("cat", "dog", "rabbit"))
UNDER_HEIGHT = 0.62
"""The room under a table or chair, as a fraction of its height."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One thing of a block; ``x``, ``y`` of its top left corner, relative to the middle of the block's feet."""

    styled: Styled
    x: int
    y: int
    predicate: str = ""
    box: Box = field(init=False)

    def __post_init__(self) -> None:
        piece = self.styled.piece
        object.__setattr__(self, "box", Box(self.x, self.y, piece.width, piece.height))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Parts in the order in which they are drawn; the first is the host of the others."""

    parts: tuple[Part, ...]

    @property
    def host(self) -> Styled:
        return self.parts[0].styled


def stand(styled: Styled) -> Part:
    """A thing on its feet."""
    piece = styled.piece
    return Part(styled, -(piece.width // 2), -piece.height - piece.lift_px)


def fits_on(name: str, host: str) -> bool:
    """Whether a thing may stand on a host: animals only where it is soft."""
    return host in _SOFT if name in _ON_SOFT else True


def fits_under(name: str, host: Styled) -> float | None:
    """How many times its usual height a thing may have under ``host``, or None where it has no room."""
    room = host.piece.height * UNDER_HEIGHT
    return next((factor for factor in (1.0, SMALL) if usual_height(name) * factor * 1.03 <= room), None)


def furnish(rng: Random, host: Styled, on: Sequence[str], under: str | None) -> Block:
    """``host`` with things on it, side by side, and one under it. What has no room is left out."""
    base = stand(host)
    parts = [base]
    if under is not None and (factor := fits_under(under, host)) is not None:
        low = style(rng, under, factor=factor)
        if low.piece.width <= host.piece.width * 0.7 and low.piece.height <= host.piece.height * UNDER_HEIGHT:
            parts.append(Part(low, -(low.piece.width // 2), -low.piece.height + rng.randint(-2, 1), "under"))
    top = host.piece.surface_px
    if top is not None:
        parts.extend(_row(rng, base, top, on))
    return Block(tuple(parts))


def _row(rng: Random, base: Part, top: int, names: Sequence[str]) -> list[Part]:
    room = round(base.styled.piece.width * 0.94)
    row: list[Styled] = []
    for name in names:
        for factor in (1.0, SMALL):
            each = _set_off(rng, name, factor, base.styled)
            taken = sum(other.piece.width + 3 for other in row)
            if taken + each.piece.width <= room:
                row.append(each)
                break
    spare = room - sum(each.piece.width + 3 for each in row) + 3
    cuts = sorted(rng.randint(0, max(0, spare)) for _ in row)
    x = -(room // 2)
    parts = []
    for i, each in enumerate(row):
        left = x + cuts[i] + sum(other.piece.width + 3 for other in row[:i])
        parts.append(Part(each, left, base.y + top - each.piece.height + rng.randint(0, 2), "on"))
    return parts


def _set_off(rng: Random, name: str, factor: float, host: Styled) -> Styled:
    """A thing of another colour than its host, where it comes in one."""
    shared = set(host.attributes) & set(colours_of(name))
    others = [colour for colour in colours_of(name) if colour not in shared]
    return style(rng, name, colour=rng.choice(others) if shared and others else None, factor=factor)


def hold(rng: Random, person: Styled, name: str) -> Block:
    """``person`` with a thing in the hand."""
    base = stand(person)
    thing = style(rng, name, factor=SMALL if usual_height(name) > 38 or rng.random() < 0.3 else 1.0)
    hand = person.piece.hand or (person.piece.width // 2, person.piece.height // 2)
    grip_x, grip_y = HOLDABLE[name]
    if person.faces_left:
        grip_x = 1 - grip_x
    x = base.x + hand[0] - round(grip_x * thing.piece.width)
    y = base.y + hand[1] - round(grip_y * thing.piece.height)
    return Block((base, Part(thing, x, y, "holding")))
