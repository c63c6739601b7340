"""The picture world as a scene source."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from sys import intern
from typing import TYPE_CHECKING, TypeAlias

import PIL

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Colour, Move, Redraw
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.scene_source import scene_cache
from pytest_vqamt.picture_world.looks import (
    EXHAUSTIVE,
    FAMILIES,
    NAMES,
    SIZE_PX,
    VERSION,
    drawn_thing,
    movable_of,
    parts_of,
)

# The stored scenes need no drawing: NumPy, Pillow's modules and the art are imported when a picture is.
if TYPE_CHECKING:
    from PIL import Image

    from pytest_vqamt.picture_world.graph import Graph
    from pytest_vqamt.picture_world.layout import SceneLayout

_MAX_GRAPHS = 256
"""A graph holds a map of 50 kB."""
_MAX_LAYOUTS = 32_000
"""A layout takes about 4 kB, and a picture with a known layout is drawn without placing everything again."""
_MAX_PHOTOS = 128
"""Of 150 kB each."""

COUNT = 5000
"""The number of stored scenes; later ones are laid out when they are asked for."""
PART = 500
"""The number of scenes in a file."""
SEED = 0
"""Of the stored scenes."""
FOLDER = Path(__file__).with_name("scenes")

ThingRow: TypeAlias = tuple[str, tuple[int, int, int, int], list[str]]
"""Name, box, attributes."""
LinkRow: TypeAlias = tuple[int, str, int]
"""The index of the subject, the predicate, the index of the object."""
SceneRow: TypeAlias = tuple[str, list[ThingRow], list[LinkRow], list[str]]
"""Setting, things, relationships, captions."""


class PictureWorld:
    """Drawn scenes; each depends only on ``seed`` and its index."""

    def __init__(self, count: int = 500, seed: int = 0) -> None:
        if count < 1:
            raise OptionError(f"Expected one scene or more, but got count={count!r}: give pictures:N with N from 1 up")
        self.count = count
        self.seed = seed
        self._graphs: LruCache[int, Graph] = LruCache(_MAX_GRAPHS)
        self._layouts: LruCache[int, SceneLayout] = LruCache(_MAX_LAYOUTS)
        self._scenes = scene_cache()
        self._photos: LruCache[int, Image.Image] = LruCache(_MAX_PHOTOS)

    @property
    def spec(self) -> str:
        return f"pictures:{self.count}"

    @property
    def description(self) -> str:
        return (
            f"{count_noun(self.count, 'drawn scene')} of {SIZE_PX} x {SIZE_PX} px: {len(NAMES)} names in "
            f"{len(FAMILIES)} families, "
            "with boxes, masks, attributes and relations"
        )

    @property
    def digest(self) -> str:
        return digest("pictures", str(VERSION), str(self.seed), str(self.count))

    @property
    def state(self) -> str:
        """As of a source of photos; a drawn picture never changes."""
        return "drawn"

    @cached_property
    def corpus(self) -> Corpus:
        return gather_corpus(
            (self.scene(index) for index in range(self.count)), scene=self.scene, measure=self._mean_colour
        )

    @property
    def bad_records(self) -> tuple[str, ...]:
        return ()

    def place(self, photo_id: str) -> int:
        start = f"pictures-{self.seed}-"
        number = photo_id.removeprefix(start)
        if not photo_id.startswith(start) or not number.isdecimal() or int(number) >= self.count:
            raise DataError(f"Expected a photo of {self.spec}, but got photo={photo_id!r}: take it from its scenes")
        return int(number)

    def __len__(self) -> int:
        return self.count

    def scene(self, index: int) -> Scene:
        self._check(index)
        return self._scenes.get_or_make(index, self._make_scene)

    def photo(self, photo: Photo) -> Image.Image:
        return self._photos.get_or_make(self.place(photo.id), self._paint).copy()

    def redrawn(self, photo: Photo, redraw: Redraw) -> Image.Image:
        """The photo with another number of a thing's parts.

        Raises:
            DataError: the thing cannot be drawn so.
        """
        index = self.place(photo.id)
        same = (each for each in self.scene(index).parts if (each.thing, each.name) == (redraw.thing, redraw.part))
        if not any(redraw.number in parts.drawable for parts in same):
            raise DataError(
                f"Expected parts of {photo.id} that can be drawn, but got {redraw!r}: see its scene's parts"
            )
        from pytest_vqamt.picture_world.graph import paint

        return paint(self._layout(index), {int(redraw.thing): redraw.number})  # the id of a thing is its index

    def moved(self, photo: Photo, moves: tuple[Move, ...]) -> Image.Image:
        """The photo with things elsewhere.

        Raises:
            DataError: a thing cannot be drawn elsewhere.
        """
        index = self.place(photo.id)
        offsets: dict[int, tuple[int, int]] = {}
        for each in moves:
            if each.thing not in self.scene(index).movable:
                raise DataError(
                    f"Expected a thing of {photo.id} that can be moved, but got {each!r}: see its scene's movable"
                )
            dx, dy = offsets.get(int(each.thing), (0, 0))
            offsets[int(each.thing)] = dx + each.dx, dy + each.dy
        from pytest_vqamt.picture_world.graph import paint

        return paint(self._layout(index), moved=offsets)

    def mask(self, photo: Photo, thing_id: str) -> Image.Image:
        """The mask of the thing; a person's includes garments."""
        graph = self.graph(self.place(photo.id))
        if not thing_id.isdecimal() or int(thing_id) >= len(graph.things):
            raise DataError(f"Expected the id of a thing of {photo.id}, but got thing_id={thing_id!r}: see its scene")
        import numpy as np
        from PIL import Image

        thing = int(thing_id)
        shown = [thing, *(garment for garment, wearer in graph.wearers.items() if wearer == thing)]
        return Image.fromarray(np.isin(graph.labels, [i + 1 for i in shown]).astype(np.uint8) * 255)

    def label_map(self, index: int) -> Image.Image:
        """An image of mode L: at each pixel 1 + the index of the foremost thing in ``scene.objects``, 0 for none."""
        from PIL import Image

        return Image.fromarray(self.graph(index).labels)

    def graph(self, index: int) -> Graph:
        self._check(index)
        return self._graphs.get_or_make(index, self._make_graph)

    def _check(self, index: int) -> None:
        if not 0 <= index < self.count:
            raise IndexError(f"Expected a scene from 0 to {self.count - 1}, but got index={index!r}")

    def _mean_colour(self) -> Colour:
        from pytest_vqamt.data.photo_io import mean_colour, sample_indices

        return mean_colour(self.photo(self.scene(index).photo) for index in sample_indices(self.count))

    def _make_graph(self, index: int) -> Graph:
        from pytest_vqamt.picture_world.graph import read
        from pytest_vqamt.picture_world.layout import lay_out

        # A stored layout has lost its hidden blocks already, so it is read as it is.
        known = self._layouts.get(index)
        graph = read(known) if known else None
        rng = scene_rng(self.seed, index)
        while graph is None:  # of few things all but one may be hidden
            graph = read(lay_out(rng))
        self._layouts.put(index, graph.layout)
        return graph

    def _paint(self, index: int) -> Image.Image:
        from pytest_vqamt.picture_world.graph import paint

        return paint(self._layout(index))

    def _layout(self, index: int) -> SceneLayout:
        return self._layouts.get_or_make(index, lambda index: self.graph(index).layout)

    def _make_scene(self, index: int) -> Scene:
        ready = laid_out(index) if self.seed == SEED else None
        return ready or self.lay_out(index)

    def lay_out(self, index: int) -> Scene:
        """The scene at ``index``, laid out anew."""
        from pytest_vqamt.picture_world.looks import captions

        graph = self.graph(index)
        things, links, setting = graph.things, graph.relationships, graph.layout.setting
        # Choices of their own, so that a new wording of captions leaves every picture as it was.
        said = captions(things, links, setting, scene_rng(self.seed, -1 - index))
        return _scene(self.seed, index, things, links, setting, said)


def _scene(
    seed: int,
    index: int,
    things: tuple[Thing, ...],
    links: tuple[Relationship, ...],
    setting: str,
    captions: tuple[str, ...],
) -> Scene:
    name = f"pictures-{seed}-{index}"
    return Scene(
        id=name,
        photo=Photo(id=name, digest=digest("pictures", str(VERSION), str(seed), str(index))),
        width=SIZE_PX,
        height=SIZE_PX,
        objects=things,
        relationships=links,
        setting=setting,
        captions=captions,
        exhaustive=EXHAUSTIVE,
        parts=tuple(parts_of(things)),
        movable=tuple(movable_of(things, links)),
    )


def scene_rng(seed: int, index: int) -> Random:
    """The generator of one scene's choices."""
    return Random(int.from_bytes(sha256(f"pictures\x1f{VERSION}\x1f{seed}\x1f{index}".encode()).digest(), "big"))


def load(argument: str) -> PictureWorld:
    """The picture world of ``pictures`` or ``pictures:N``.

    Raises:
        OptionError: N is no whole number from 1 up.
    """
    if not argument:
        return PictureWorld()
    if not (argument.isascii() and argument.isdecimal()) or int(argument) < 1:
        raise OptionError(f"Expected {option('data', 'pictures:N')} with N from 1 up, but got N={argument!r}")
    return PictureWorld(int(argument))


# ``python -m tools.picture_scenes`` writes the files anew; a test says when that is due.
def made_with() -> list[str]:
    """The versions that the files hold for: another Pillow may draw other edges."""
    return [str(VERSION), PIL.__version__]


def laid_out(index: int) -> Scene | None:
    """The stored scene at ``index``; None if there is none, or of another version."""
    part, place = divmod(index, PART)
    scenes = _part(part) if 0 <= index < COUNT else ()
    return scenes[place] if scenes else None


@cache
def _part(part: int) -> Sequence[Scene]:
    made, rows = json.loads(gzip.decompress(file_of(part).read_bytes()))
    rows = rows if made == made_with() else []
    return tuple(_scene_of_row(index, row) for index, row in enumerate(rows, start=part * PART))


def file_of(part: int) -> Path:
    """The file of scenes ``part * PART`` to ``(part + 1) * PART``."""
    return FOLDER / f"{part}.json.gz"


def _scene_of_row(index: int, row: SceneRow) -> Scene:
    setting, things, links, captions = row
    objects = tuple(
        drawn_thing(place, intern(name), Box(*box), tuple(map(intern, attributes)))
        for place, (name, box, attributes) in enumerate(things)
    )
    joined = tuple(Relationship(subject=str(a), predicate=intern(link), object=str(b)) for a, link, b in links)
    return _scene(SEED, index, objects, joined, intern(setting), tuple(captions))
