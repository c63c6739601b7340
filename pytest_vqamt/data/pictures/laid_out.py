"""The first scenes of the default picture world, laid out beforehand, so that no run has to draw them all to begin.

``python -m pytest_vqamt.data.pictures.laid_out`` writes the file anew; a test says when that is due.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import PIL

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.hashing import digest
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.data.pictures.layout import SIZE_PX, VERSION
from pytest_vqamt.data.pictures.looks import MULTI_COLOURED
from pytest_vqamt.data.pictures.vocabulary import EXHAUSTIVE, SYNSETS

COUNT = 500
SEED = 0
FILE = Path(__file__).with_name("laid_out.json.gz")

_ThingRow: TypeAlias = tuple[str, tuple[int, int, int, int], list[str]]
_LinkRow: TypeAlias = tuple[int, str, int]
_SceneRow: TypeAlias = tuple[str, list[_ThingRow], list[_LinkRow], list[str]]


def made_with() -> list[str]:
    """What the file holds for. Boxes are exact to the pixel, and another Pillow may draw an edge elsewhere."""
    return [str(VERSION), PIL.__version__]


@cache
def laid_out() -> Sequence[Scene]:
    """The first scenes; none where the file was made for another world or by another Pillow."""
    made, rows = json.loads(gzip.decompress(FILE.read_bytes()))
    return tuple(_scene(index, row) for index, row in enumerate(rows)) if made == made_with() else ()


def write(scenes: Sequence[Scene]) -> None:
    """Writes the file."""
    text = json.dumps([made_with(), [_row(scene) for scene in scenes]], separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))


def _row(scene: Scene) -> _SceneRow:
    things: list[_ThingRow] = []
    for thing in scene.objects:
        x, y, w, h = (int(side) for side in (thing.box.x, thing.box.y, thing.box.w, thing.box.h))
        things.append((thing.name, (x, y, w, h), list(thing.attributes)))
    links = [(int(each.subject), each.predicate, int(each.object)) for each in scene.relationships]
    return scene.setting, things, links, list(scene.captions)


def _scene(index: int, row: _SceneRow) -> Scene:
    setting, things, links, captions = row
    name = f"pictures-{SEED}-{index}"
    return Scene(
        id=name,
        photo=Photo(id=name, digest=digest("pictures", str(VERSION), str(SEED), str(index))),
        width=SIZE_PX,
        height=SIZE_PX,
        objects=tuple(_thing(place, thing) for place, thing in enumerate(things)),
        relationships=tuple(Relationship(subject=str(a), predicate=link, object=str(b)) for a, link, b in links),
        setting=setting,
        captions=tuple(captions),
        exhaustive=EXHAUSTIVE,
    )


def _thing(place: int, row: _ThingRow) -> Thing:
    name, (x, y, w, h), attributes = row
    return Thing(
        id=str(place),
        name=name,
        box=Box(x, y, w, h),
        attributes=tuple(attributes),
        synset=SYNSETS[name],
        has_mask=True,
        multi_coloured=name in MULTI_COLOURED,
    )


def _main() -> None:
    from pytest_vqamt.data.pictures.source import PictureWorld

    world = PictureWorld(COUNT, SEED)
    write([world.lay_out(index) for index in range(COUNT)])


if __name__ == "__main__":
    _main()
