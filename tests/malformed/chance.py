"""Data sets that are broken by chance, with a seed."""

from __future__ import annotations

from random import Random

from tests.malformed.good import Data, Json

_VALUES: tuple[Json, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 1.5, -0.0, 1e-9, 1e300, 10**20, float("nan"), float("inf"), "", " ", "dog",
    "2", "nan", "dog.n.01", "\u200b", "\ud83d", "a\nb", "\0", "../1.png", "x" * 999, [], {}, [[]], [{}], [None],
    ["dog"], [0, 0, 5, 5], [2, 3, 12, 3, 12, 11], {"id": 1}, {"name": "dog", "object": "21"},
    [{"id": "a", "name": "dog", "box": [0, 0, 5, 5]}],
)  # fmt: skip


def break_a_value(data: Data, rng: Random) -> str:
    """Changes one value somewhere in one of the files; gives where and how, in words."""
    file = rng.choice(sorted(data.files))
    elsewhere = data.files[rng.choice(sorted(data.files))]
    return f"{file}: {break_a_value_of(data.files[file], rng, elsewhere)}"


def break_a_value_of(whole: Json, rng: Random, elsewhere: Json = None) -> str:
    """Changes one value somewhere within ``whole``; gives how and where, in words."""
    places = _places(whole)
    if not places:
        return "nothing is left to break"
    inner, key = rng.choice(places)
    how = rng.choice(("set", "remove", "wrap", "again", "from elsewhere"))
    if how == "remove":
        del inner[key]
    elif how == "wrap":
        inner[key] = [inner[key]]
    elif how == "again" and isinstance(key, int):
        inner.insert(key, inner[key])
    elif how == "from elsewhere":
        other, its = rng.choice(_places(elsewhere) or places)
        inner[key] = _copied(other[its])
    else:
        inner[key] = _copied(rng.choice(_VALUES))
    return f"{how} {key!r}"


def break_bytes(whole: bytes, rng: Random) -> bytes:
    """The bytes with some flipped, lost, put in, or twice."""
    start = rng.randrange(len(whole))
    end = min(len(whole), start + rng.choice((1, 2, 8, 60, 400)))
    match rng.choice(("flip", "flip", "flip", "lose", "put in", "again", "cut")):
        case "flip":
            changed = bytearray(whole)
            for _ in range(rng.choice((1, 1, 3))):
                changed[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
            return bytes(changed)
        case "lose":
            return whole[:start] + whole[end:]
        case "put in":
            return whole[:start] + rng.randbytes(end - start) + whole[start:]
        case "again":
            return whole[:end] + whole[start:]
        case _:
            return whole[:start]


def _places(value: Json) -> list[tuple[Json, int | str]]:
    """Every place within the value: what holds it, and its key there."""
    if isinstance(value, dict):
        keys: list[int | str] = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    else:
        return []
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


def _copied(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value
