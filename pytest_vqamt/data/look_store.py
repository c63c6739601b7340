"""How the things of photos look, kept between runs: each takes several ms to measure, and a run needs hundreds."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import ThingLook
from pytest_vqamt.core.errors import cache_home
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.kept_table import KeptTable

VERSION = 1
"""Part of each key, raised when ``imaging.thing_look`` measures the same thing otherwise."""

FILE = "looks.sqlite"
"""Its name in the folder of files that are kept between runs."""


class LookStore:
    """Looks in a file that threads and processes share; a thing whose look is not there is measured anew."""

    def __init__(self, of: str) -> None:
        """``of`` changes whenever a mask of the source changes."""
        self._of = of
        self._table = KeptTable(cache_home() / FILE, "looks", "look")

    def get(self, photo: str, thing: str) -> ThingLook | None:
        """The look of a thing by its id, in the photo of this digest; None if it is not kept."""
        kept = self._table.get(self._key(photo, thing))
        if kept is None:
            return None
        try:
            look = msgspec.json.decode(kept, type=ThingLook)
            # Whole pixels, as measured: the box gets into recipes of pictures, whose ids hang on how it is written.
            return replace(look, box=Box(*map(int, (look.box.x, look.box.y, look.box.w, look.box.h))))
        except (ValueError, TypeError, OverflowError):  # damaged: the next measure replaces it
            return None

    def put(self, photo: str, thing: str, look: ThingLook) -> None:
        """Keeps the look of a thing."""
        written = msgspec.json.encode(look).decode()
        self._table.put(self._key(photo, thing), written)

    def _key(self, photo: str, thing: str) -> str:
        return digest(str(VERSION), self._of, photo, thing)
