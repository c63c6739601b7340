"""Which names appear in a scene: plausible for its setting, with a surprise now and then."""

from __future__ import annotations

from random import Random

from pytest_vqamt.data.pictures.vocabulary import FAMILIES, NAMES
from pytest_vqamt.picture_world.art.sprites import SPRITES
from pytest_vqamt.picture_world.looks import by_weight

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
_RARE = (
    *FAMILIES["food"], "teddy bear", "teddy bear", "flower", "flower", "vase", "book", "television", "bag", "giraffe",
    "key", "laptop", "pig", "ball", "cat", "sandwich", "bowl", "bowl", "sheep", "boat",
)  # fmt: skip
_FREQUENT = frozenset((*_PEOPLE, "table", "bush", "bird", "airplane", "balloon", "train", "kite", "truck", "hat"))
_SURPRISES = tuple(name for name in (*NAMES, *_RARE) if name not in _FREQUENT)
_OUTDOOR_SURPRISES = tuple(name for name in _SURPRISES if name != "clock")
_INDOOR_SURPRISES = tuple(name for name in _SURPRISES if name not in _TOO_BIG_FOR_A_ROOM)

_FEW = frozenset(("bus", "truck", "train", "bed", "couch", "table", "shelf", "boat", "elephant"))
"""Names too wide for more than two in a scene."""

_SIZES = (2, 3, 4, 5, 6, 7, 8)
_SIZE_WEIGHTS = (8, 13, 18, 20, 18, 13, 10)
_USUAL_SHARE = 0.7
_HOSTS = ("table", "chair", "shelf", "bed", "couch", "box")
_HOST_WEIGHTS = (44, 16, 12, 10, 10, 8)


def cast(rng: Random, setting: str, *, indoors: bool) -> tuple[str, ...]:
    """The names of the 2 to 8 things of a scene; in half of the scenes one name stands 2 to 5 times."""
    wanted = by_weight(rng, _SIZES, _SIZE_WEIGHTS)
    names: list[str] = []
    if rng.random() < 0.64:
        name = _another(rng, setting, indoors=indoors)
        most = min(wanted, 2 if name in _FEW else 5)
        times = by_weight(rng, range(2, most + 1), (32, 30, 21, 17)[: most - 1])
        names.extend([name] * times)
    while len(names) < wanted:
        name = _another(rng, setting, indoors=indoors)
        if name not in names:
            names.append(name)
    wants_host = any(map(_small, names)) and not any(name in _HOSTS for name in names)
    if wants_host and len(names) < max(_SIZES) and rng.random() < (0.6 if indoors else 0.16):
        names.append(by_weight(rng, _HOSTS, _HOST_WEIGHTS))
    return tuple(names)


def _small(name: str) -> bool:
    """Whether a thing is small enough to stand on another."""
    return name in SPRITES and SPRITES[name].place == "surface"


def _another(rng: Random, setting: str, *, indoors: bool) -> str:
    if rng.random() < _USUAL_SHARE:
        return rng.choice(USUAL[setting])
    return rng.choice(_INDOOR_SURPRISES if indoors else _OUTDOOR_SURPRISES)
