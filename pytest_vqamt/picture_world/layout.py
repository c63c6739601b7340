"""Where everything of a scene is: a layout holds all that drawing needs and all that is known."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.data.pictures.blocks import HOLDABLE, ROOMY, Block, fits_on, fits_under, furnish, hold, stand
from pytest_vqamt.data.pictures.casting import cast
from pytest_vqamt.data.pictures.vocabulary import FAMILY_OF
from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.backgrounds import SETTINGS, VARIANTS
from pytest_vqamt.picture_world.art.sprites import SPRITES
from pytest_vqamt.picture_world.looks import Styled, colours_of, style, style_person

SIZE_PX = 224
VERSION = 1
"""Goes up whenever a scene or a picture changes."""

_EDGE_PX = 3
_TRIES = 80
_LOWEST_AIR = 0.52
_SEA_LEVEL = (0.5, 0.63)
_APART_PX = (2, 5)
"""How far things of different blocks stay apart, across and down: what touches from above seems to stand on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A block with the place of its feet, in pixels; blocks further up are drawn earlier."""

    block: Block
    x: int
    y: int

    def boxes(self) -> tuple[Box, ...]:
        return tuple(part.box.moved(self.x, self.y) for part in self.block.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A setting and the blocks in it, in the order in which they are drawn."""

    setting: str
    variant: int
    placed: tuple[Placed, ...]


def chance(seed: int, index: int) -> Random:
    """The choices of one scene; they depend on nothing else."""
    return Random(int.from_bytes(sha256(f"pictures\x1f{VERSION}\x1f{seed}\x1f{index}".encode()).digest(), "big"))


def lay_out(rng: Random) -> Layout:
    """A scene of 2 things or more; what finds no place is left out."""
    setting = rng.choice(tuple(SETTINGS))
    indoors = SETTINGS[setting].indoor
    while True:
        names = cast(rng, setting, indoors=indoors)
        blocks = _blocks(rng, names, indoors=indoors)
        placed: list[Placed] = []
        for block in sorted(blocks, key=_width, reverse=True):
            found = _find_place(rng, block, setting, placed)
            if found is not None:
                placed.append(found)
        if sum(len(each.block.parts) for each in placed) >= 2:
            placed.sort(key=_depth)
            return Layout(setting, rng.randrange(VARIANTS), tuple(placed))


def _width(block: Block) -> int:
    return block.host.piece.width


def _depth(placed: Placed) -> tuple[bool, int]:
    return _zone(placed.block.host.name) == "floor", placed.y


def _zone(name: str) -> str:
    place = SPRITES[name].place if name in SPRITES else ANIMALS[name].place if name in ANIMALS else "floor"
    return place if place in ("air", "wall") else "floor"


class _Palette:
    """Gives the things of one name all the same colour, or each its own."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._shared: dict[str, str | None] = {}

    def colour(self, name: str) -> str | None:
        if name not in self._shared:
            self._shared[name] = self._rng.choice(colours_of(name)) if self._rng.random() < 0.35 else None
        return self._shared[name]


def _blocks(rng: Random, names: tuple[str, ...], *, indoors: bool) -> list[Block]:
    """The names made into blocks: small things go on, under or into the hands of hosts that are there."""
    hosts = [name for name in names if name in ROOMY]
    people = [name for name in names if FAMILY_OF[name] == "person"]
    on: list[list[str]] = [[] for _ in hosts]
    under: list[str | None] = [None] * len(hosts)
    held: list[str | None] = [None] * len(people)
    palette = _Palette(rng)
    crowded = len(names) > 5 or max(map(names.count, names)) > 2
    blocks: list[Block] = []
    styled = [_host(rng, name, palette) for name in hosts]
    for name in names:
        if name in ROOMY or FAMILY_OF[name] == "person":
            continue
        if not _attach(rng, name, styled, on, under, held):
            blocks.append(Block((stand(style(rng, name, colour=palette.colour(name), crowded=crowded)),)))
    for host, above, below in zip(styled, on, under, strict=True):
        blocks.append(furnish(rng, host, above, below))
    for kind, thing in zip(people, held, strict=True):
        person = style_person(rng, kind, indoors=indoors, holding=thing is not None)
        blocks.append(hold(rng, person, thing) if thing is not None else Block((stand(person),)))
    return blocks


def _host(rng: Random, name: str, palette: _Palette) -> Styled:
    return style(rng, name, colour=palette.colour(name))


def _attach(
    rng: Random,
    name: str,
    hosts: list[Styled],
    on: list[list[str]],
    under: list[str | None],
    held: list[str | None],
) -> bool:
    """Give ``name`` to a host, if chance and room will have it."""
    if name in HOLDABLE and None in held and rng.random() < 0.6:
        held[held.index(None)] = name
        return True
    small = (name in SPRITES and SPRITES[name].place == "surface") or name in ("cat", "dog", "rabbit")
    if not small or not hosts or rng.random() < 0.2:
        return False
    i = rng.randrange(len(hosts))
    host = hosts[i]
    has_room = host.name in SPRITES and SPRITES[host.name].under
    if has_room and under[i] is None and fits_under(name, host) is not None and rng.random() < 0.4:
        under[i] = name
        return True
    if len(on[i]) < ROOMY[host.name] and "open" not in host.attributes and fits_on(name, host.name):
        on[i].append(name)
        return True
    return False


def _find_place(rng: Random, block: Block, setting: str, placed: list[Placed]) -> Placed | None:
    boxes = [part.box for part in block.parts]
    around = Box.around(boxes)
    band = _band(block, setting, around)
    low_x, high_x = round(_EDGE_PX - around.x), round(SIZE_PX - _EDGE_PX - around.x1)
    if band is None or low_x > high_x:
        return None
    across, down = _APART_PX
    mine = [(box.x, box.y, box.x1, box.y1) for box in boxes]
    taken = [
        (box.x - across, box.y - down, box.x1 + across, box.y1 + down) for other in placed for box in other.boxes()
    ]
    for _ in range(_TRIES):
        x, y = rng.randint(low_x, high_x), rng.randint(*band)
        if not any(
            a0 + x < b2 and b0 < a2 + x and a1 + y < b3 and b1 < a3 + y
            for a0, a1, a2, a3 in mine
            for b0, b1, b2, b3 in taken
        ):
            return Placed(block, x, y)
    return None


def _band(block: Block, setting: str, around: Box) -> tuple[int, int] | None:
    """How high and how low the feet may be, so that all of the block is in the picture."""
    top, bottom = SETTINGS[setting].floor_y
    name = block.host.name
    if name == "boat" and setting == "beach":
        top, bottom = _SEA_LEVEL
    zone = _zone(name)
    if zone != "floor":
        low, high = _EDGE_PX - around.y, min(top - 0.1, _LOWEST_AIR) * SIZE_PX
    else:
        low, high = max(top * SIZE_PX, _EDGE_PX - around.y), min(bottom * SIZE_PX, SIZE_PX - _EDGE_PX - around.y1)
    return (round(low), round(high)) if round(low) <= round(high) else None
