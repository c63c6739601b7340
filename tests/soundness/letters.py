"""Photos drawn in letters, for tests of what looks at pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene, Thing
from tests.soundness.kinds_of_things import Kind, Kinds
from tests.soundness.pixels import Outlined

NAMES = {"d": "dog", "c": "cat", "w": "woman", "h": "hat", "k": "cup"}

YARD = (
    "..........................",
    "..dddddddd......cccccccc..",
    "..dddddddd......cccccccc..",
    "..dddddddd......cccccccc..",
    "..dddddddd......cccccccc..",
    "..dddddddd......cccccccc..",
    "..dddddddd......cccccccc..",
    "..dddddddd......cccccccc..",
    "..........................",
)
"""Two things of 8 x 7 pixels, 6 columns apart."""

PORTRAIT = (
    "......",
    ".hhhh.",
    ".hhhh.",
    ".wwww.",
    ".wwww.",
    ".wwww.",
    ".wwww.",
    "......",
)
"""A woman of 4 x 6 pixels, of whom the upper 2 rows are a hat."""


class Letters:
    """Photos drawn in letters: each letter is one thing; a hat is part of the woman. Capitals are crowds."""

    kinds: Kinds = MappingProxyType({"animal": Kind(surely=frozenset(("dog", "cat")))})

    def __init__(self, photos: Mapping[str, Sequence[str]]) -> None:
        self._photos = {name: np.array([list(row) for row in rows]) for name, rows in photos.items()}

    def scene(self, photo: Photo) -> Scene:
        letters = self._photos[photo.id]
        height, width = letters.shape
        things = tuple(each.thing for each in self.of(photo) if not each.crowd)
        return Scene(id=photo.id, photo=photo, width=width, height=height, objects=things)

    def of(self, photo: Photo) -> tuple[Outlined, ...]:
        letters = self._photos[photo.id]
        found = []
        for letter in sorted({str(each) for each in letters.flat} - {"."}):
            own = letters == letter
            whole = own | (letters == "h") if letter == "w" else own
            rows, columns = np.nonzero(whole.any(axis=1))[0], np.nonzero(whole.any(axis=0))[0]
            box = Box.from_corners(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
            thing = Thing(id=f"{photo.id} {letter}", name=NAMES[letter.lower()], box=box, has_mask=True)
            found.append(Outlined(thing=thing, crowd=letter.isupper(), whole=whole, own=own))
        return tuple(found)

    def alike(self, one: str, other: str) -> bool:
        return one == other or {one, other} == {"dog", "cat"}

    def parts(self, picture: Picture, thing: Thing, part: str) -> int | None:
        return None


def photo(name: str) -> Photo:
    return Photo(id=name, digest=f"digest of {name}")
