"""Layouts of scenes: the positions of all things, from which pictures and scene graphs are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.backgrounds import SETTINGS, VARIANTS
from pytest_vqamt.picture_world.art.sprites import SPRITES
from pytest_vqamt.picture_world.looks import FAMILIES, FAMILY_OF, NAMES, SIZE_PX
from pytest_vqamt.picture_world.pieces import SMALL, Styled, by_weight, colours_of, style, style_person, usual_height

_EDGE_PX = 3
"""How far things stay from the edge of the picture."""
_TRIES = 80
"""The places tried for a block before it is left out."""
_LOWEST_AIR = 0.52
"""What flies or hangs is above this share of the height."""
_SEA_LEVEL = (0.5, 0.63)
"""Between which shares of the height boats float; it is where the sea of ``backgrounds`` is."""
_APART_PX = (2, 5)
"""How far things of different blocks stay apart, across and down: what touches from above seems to stand on it."""

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
"""Animals that lie on something; only on what is soft."""
UNDER_HEIGHT = 0.62
"""The room under a table or chair, as a fraction of its height."""

_PEOPLE = FAMILIES["person"]
_PETS = ("dog", "cat", "rabbit")
_FARM = ("horse", "cow", "sheep", "pig", "duck", "rabbit")
_ROOM = ("chair", "table", "lamp", "shelf", "book", "box", "vase", "clock", "candle", "cactus")
_FLYING = ("bird", "butterfly", "balloon", "kite")

USUAL: dict[str, tuple[str, ...]] = {
    "meadow": (
        *_PEOPLE, *_FARM, *_FARM, "tree", "tree", "flower", "bush", "ball", "umbrella", "bicycle", *_FLYING,
        *_FLYING, "airplane", "train", "bucket", "elephant", "giraffe",
    ),
    "beach": (
        *_PEOPLE, *_PEOPLE, "boat", "boat", "boat", "ball", "umbrella", "umbrella", "bucket", "bucket",
        "turtle", "turtle", "duck", "bird", "kite", "airplane", "balloon", "hat", "shoe", "bag", "dog",
        "bottle",
    ),
    "street": (
        *_PEOPLE, "car", "car", "car", "bus", "bus", "bus", "truck", "truck", "truck", "bicycle", "bicycle",
        "train", "train", "tree", "bush", "dog", "cat", "airplane", "bird", "bag", "robot", "shoe",
    ),
    "snow": (
        *_PEOPLE, "tree", "tree", "bush", "dog", "rabbit", "horse", "hat", "train", "train", "truck", "bird",
        "airplane", "kite", "shoe", "box", "drum", "robot",
    ),
    "kitchen": (
        *_PEOPLE, *FAMILIES["food"], *FAMILIES["food"], *_ROOM, "table", "table", "table", "chair", "cup",
        "cup", "bowl", "bowl", "bottle", "bottle", "bucket", "cat", "key", "clock", "clock", "clock",
        "television", "laptop",
    ),
    "living room": (
        *_PEOPLE, *_PETS, *_ROOM, *FAMILIES["toy"][3:], "couch", "couch", "couch", "couch", "bed", "bed", "bed",
        "bed", "table", "television", "television", "laptop", "laptop", "clock", "clock", "lamp", "key",
        "shirt", "dress", "cup", "drum", "robot", "balloon", "shelf", "shelf",
    ),
    "night": (
        *_PEOPLE, "tree", "bush", "car", "bus", "truck", "train", "cat", "sheep", "cow", "candle", "lamp",
        "robot", "balloon", "airplane", "bicycle", "horse", "box", "elephant",
    ),
    "desert": (
        *_PEOPLE, "cactus", "cactus", "elephant", "elephant", "giraffe", "giraffe", "turtle", "turtle", "horse",
        "truck", "car", "bottle", "bucket", "bush", "airplane", "kite", "balloon", "bird", "umbrella",
    ),
}  # fmt: skip
"""What each setting usually shows; a name that stands twice is twice as likely."""

_TOO_BIG_FOR_A_ROOM = frozenset(
    ("car", "bus", "truck", "boat", "airplane", "train", "tree", "elephant", "giraffe", "horse", "cow", "kite", "bush")
)  # fmt: skip
# Surprises even out how often each name occurs: rare ones are added again, and frequent ones taken out.
_RARE = (
    *FAMILIES["food"], "teddy bear", "teddy bear", "flower", "flower", "vase", "book", "television", "bag", "giraffe",
    "key", "laptop", "pig", "ball", "cat", "sandwich", "bowl", "bowl", "sheep", "boat",
)  # fmt: skip
_FREQUENT = frozenset((*_PEOPLE, "table", "bush", "bird", "airplane", "balloon", "train", "kite", "truck", "hat"))
_SURPRISES = tuple(name for name in (*NAMES, *_RARE) if name not in _FREQUENT)
"""The names that any setting may show, too."""
_OUTDOOR_SURPRISES = tuple(name for name in _SURPRISES if name != "clock")
_INDOOR_SURPRISES = tuple(name for name in _SURPRISES if name not in _TOO_BIG_FOR_A_ROOM)

_FEW = frozenset(("bus", "truck", "train", "bed", "couch", "table", "shelf", "boat", "elephant"))
"""Names too wide for more than two in a scene."""

_SIZES = (2, 3, 4, 5, 6, 7, 8)
_SIZE_WEIGHTS = (8, 13, 18, 20, 18, 13, 10)
"""The numbers of things in a scene, and how likely each is, in percent."""
_USUAL_SHARE = 0.7
"""The share of names that are drawn from ``USUAL``; the others are surprises."""
_HOSTS = ("table", "chair", "shelf", "bed", "couch", "box")
_HOST_WEIGHTS = (44, 16, 12, 10, 10, 8)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A block at its place; blocks further up are drawn first."""

    block: Block
    x: int
    """The middle of its feet, in pixels."""
    y: int
    """The height of its feet, in pixels from the top."""

    def boxes(self) -> tuple[Box, ...]:
        return tuple(part.box.moved(self.x, self.y) for part in self.block.parts)


@dataclass(frozen=True, slots=True, eq=False)
class SceneLayout:
    """A setting and its blocks."""

    setting: str
    """One of ``backgrounds.SETTINGS``."""
    variant: int
    """The background, from 0 to ``backgrounds.VARIANTS`` - 1."""
    placed: tuple[Placed, ...]
    """In the order of drawing."""


def lay_out(rng: Random) -> SceneLayout:
    """A layout of 2 things or more, without those that found no place."""
    setting = rng.choice(tuple(SETTINGS))
    indoors = SETTINGS[setting].indoor
    while True:
        names = cast(rng, setting, indoors=indoors)
        blocks = _blocks(rng, names, indoors=indoors)
        placed: list[Placed] = []
        for block in sorted(blocks, key=_width, reverse=True):  # the widest first, as they find room least easily
            found = _find_place(rng, block, setting, placed)
            if found is not None:
                placed.append(found)
        if sum(len(each.block.parts) for each in placed) >= 2:
            placed.sort(key=_depth)
            return SceneLayout(setting, rng.randrange(VARIANTS), tuple(placed))


def _width(block: Block) -> int:
    return block.host.piece.width


def _depth(placed: Placed) -> tuple[bool, int]:
    # What flies or hangs is behind all that stands; of the latter, what is lower in the picture is nearer.
    return _zone(placed.block.host.name) == "floor", placed.y


def _zone(name: str) -> str:
    place = SPRITES[name].place if name in SPRITES else ANIMALS[name].place if name in ANIMALS else "floor"
    return place if place in ("air", "wall") else "floor"


class _Palette:
    """The colour of all things of a name, or None where each has its own: some scenes have only red cups."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._shared: dict[str, str | None] = {}

    def colour(self, name: str) -> str | None:
        if name not in self._shared:
            self._shared[name] = self._rng.choice(colours_of(name)) if self._rng.random() < 0.35 else None
        return self._shared[name]


def _blocks(rng: Random, names: tuple[str, ...], *, indoors: bool) -> list[Block]:
    """Blocks of the names: small things go on, under or into the hands of others."""
    hosts = [name for name in names if name in ROOMY]
    people = [name for name in names if FAMILY_OF[name] == "person"]
    on: list[list[str]] = [[] for _ in hosts]
    under: list[str | None] = [None] * len(hosts)
    held: list[str | None] = [None] * len(people)
    palette = _Palette(rng)
    crowded = len(names) > 5 or max(map(names.count, names)) > 2  # then fewer things are large
    blocks: list[Block] = []
    styled = [_host(rng, name, palette) for name in hosts]
    for name in names:
        if name in ROOMY or FAMILY_OF[name] == "person":
            continue  # its block follows, when all that comes with it is known
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
    rng: Random, name: str, hosts: list[Styled], on: list[list[str]], under: list[str | None], held: list[str | None]
) -> bool:
    """Gives ``name`` to a host, depending on chance and room."""
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
    # Nothing stands on an open box.
    if len(on[i]) < ROOMY[host.name] and "open" not in host.attributes and fits_on(name, host.name):
        on[i].append(name)
        return True
    return False


def _find_place(rng: Random, block: Block, setting: str, placed: list[Placed]) -> Placed | None:
    boxes = [part.box for part in block.parts]
    around = Box.enclosing(boxes)
    band = _band(block, setting, around)
    low_x, high_x = round(_EDGE_PX - around.x), round(SIZE_PX - _EDGE_PX - around.x1)
    if band is None or low_x > high_x:
        return None
    across, down = _APART_PX
    mine = [(box.x, box.y, box.x1, box.y1) for box in boxes]
    taken = [
        (box.x - across, box.y - down, box.x1 + across, box.y1 + down) for other in placed for box in other.boxes()
    ]
    # Plain numbers rather than boxes, as so many places are tried.
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
    # Elsewhere a boat stands on the ground.
    name = block.host.name
    if name == "boat" and setting == "beach":
        top, bottom = _SEA_LEVEL
    zone = _zone(name)
    if zone != "floor":
        low, high = _EDGE_PX - around.y, min(top - 0.1, _LOWEST_AIR) * SIZE_PX
    else:
        low, high = max(top * SIZE_PX, _EDGE_PX - around.y), min(bottom * SIZE_PX, SIZE_PX - _EDGE_PX - around.y1)
    return (round(low), round(high)) if round(low) <= round(high) else None


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One thing of a block."""

    styled: Styled
    x: int
    """Of its top left corner, from the middle of the block's feet."""
    y: int
    """Of the same corner; above the feet it is negative."""
    predicate: str = ""
    """Its relationship to the host: "on", "under", "holding"; "" for the host itself."""
    box: Box = field(init=False)
    """From (x, y); kept, as places are tried many times."""

    def __post_init__(self) -> None:
        piece = self.styled.piece
        object.__setattr__(self, "box", Box(self.x, self.y, piece.width, piece.height))


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Things that are placed together, such as a table with a cup on it."""

    parts: tuple[Part, ...]
    """In the order of drawing; the first is the host of the others."""

    @property
    def host(self) -> Styled:
        return self.parts[0].styled


def stand(styled: Styled) -> Part:
    """A thing on its feet."""
    piece = styled.piece
    return Part(styled, -(piece.width // 2), -piece.height - piece.lift_px)


def fits_on(name: str, host: str) -> bool:
    """True if a thing may stand on a host: animals only on soft ones."""
    return host in _SOFT if name in _ON_SOFT else True


def fits_under(name: str, host: Styled) -> float | None:
    """The factor of its usual height at which a thing fits under ``host``, None if it does not."""
    room = host.piece.height * UNDER_HEIGHT
    # 1.03, as ``style`` draws a thing up to so much higher.
    return next((factor for factor in (1.0, SMALL) if usual_height(name) * factor * 1.03 <= room), None)


def furnish(rng: Random, host: Styled, on: Sequence[str], under: str | None) -> Block:
    """The block of ``host`` with things on it, side by side, and one under it, as far as there is room."""
    base = stand(host)
    parts = [base]
    if under is not None and (factor := fits_under(under, host)) is not None:
        low = style(rng, under, factor=factor)
        # Narrower than the legs are apart; left out where it is not.
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
        for factor in (1.0, SMALL):  # small where it does not fit otherwise, else left out
            each = _set_off(rng, name, factor, base.styled)
            taken = sum(other.piece.width + 3 for other in row)
            if taken + each.piece.width <= room:
                row.append(each)
                break
    # The free width is shared out by chance: each thing is moved by at least as much as the one before it.
    spare = room - sum(each.piece.width + 3 for each in row) + 3
    cuts = sorted(rng.randint(0, max(0, spare)) for _ in row)
    x = -(room // 2)
    parts = []
    for i, each in enumerate(row):
        left = x + cuts[i] + sum(other.piece.width + 3 for other in row[:i])
        parts.append(Part(each, left, base.y + top - each.piece.height + rng.randint(0, 2), "on"))
    return parts


def _set_off(rng: Random, name: str, factor: float, host: Styled) -> Styled:
    """A thing of another colour than its host, if it comes in one."""
    shared = set(host.attributes) & set(colours_of(name))
    others = [colour for colour in colours_of(name) if colour not in shared]
    return style(rng, name, colour=rng.choice(others) if shared and others else None, factor=factor)


def hold(rng: Random, person: Styled, name: str) -> Block:
    """The block of ``person`` with a thing in the hand."""
    base = stand(person)
    thing = style(rng, name, factor=SMALL if usual_height(name) > 38 or rng.random() < 0.3 else 1.0)
    hand = person.piece.hand or (person.piece.width // 2, person.piece.height // 2)
    grip_x, grip_y = HOLDABLE[name]
    if person.faces_left:
        grip_x = 1 - grip_x
    x = base.x + hand[0] - round(grip_x * thing.piece.width)
    y = base.y + hand[1] - round(grip_y * thing.piece.height)
    return Block((base, Part(thing, x, y, "holding")))


def cast(rng: Random, setting: str, *, indoors: bool) -> tuple[str, ...]:
    """The names of the 2 to 8 things of a scene; for 64 % of scenes one name is drawn 2 to 5 times."""
    wanted = by_weight(rng, _SIZES, _SIZE_WEIGHTS)
    names: list[str] = []
    if rng.random() < 0.64:
        name = _another(rng, setting, indoors=indoors)
        # Repeated names are what counting is about.
        most = min(wanted, 2 if name in _FEW else 5)
        times = by_weight(rng, range(2, most + 1), (32, 30, 21, 17)[: most - 1])
        names.extend([name] * times)
    while len(names) < wanted:
        name = _another(rng, setting, indoors=indoors)
        if name not in names:
            names.append(name)
    # Else few small things would stand on something.
    wants_host = any(map(_small, names)) and not any(name in _HOSTS for name in names)
    if wants_host and len(names) < max(_SIZES) and rng.random() < (0.6 if indoors else 0.16):
        names.append(by_weight(rng, _HOSTS, _HOST_WEIGHTS))
    return tuple(names)


def _small(name: str) -> bool:
    return name in SPRITES and SPRITES[name].place == "surface"


def _another(rng: Random, setting: str, *, indoors: bool) -> str:
    if rng.random() < _USUAL_SHARE:
        return rng.choice(USUAL[setting])
    return rng.choice(_INDOOR_SURPRISES if indoors else _OUTDOOR_SURPRISES)
