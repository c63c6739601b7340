"""The first scenes of the default picture world, laid out beforehand, so that no run has to draw them all to begin.

``python -m pytest_vqamt.data.pictures.laid_out`` writes the files anew; a test says when that is due.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from sys import intern
from typing import TypeAlias

import PIL

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.data.pictures.vocabulary import EXHAUSTIVE, SYNSETS
from pytest_vqamt.picture_world.layout import SIZE_PX, VERSION
from pytest_vqamt.picture_world.looks import MULTI_COLOURED

COUNT = 5000
PART = 500
"""So many scenes are in one file: whoever wants few of them reads little."""
SEED = 0
FOLDER = Path(__file__).with_name("scenes")

_ThingRow: TypeAlias = tuple[str, tuple[int, int, int, int], list[str]]
_LinkRow: TypeAlias = tuple[int, str, int]
_SceneRow: TypeAlias = tuple[str, list[_ThingRow], list[_LinkRow], list[str]]


def made_with() -> list[str]:
    """What the files hold for. Boxes are exact to the pixel, and another Pillow may draw an edge elsewhere."""
    return [str(VERSION), PIL.__version__]


def laid_out(index: int) -> Scene | None:
    """The scene at ``index``; None where it is not kept, or was made for another world or by another Pillow."""
    part, place = divmod(index, PART)
    scenes = _part(part) if 0 <= index < COUNT else ()
    return scenes[place] if scenes else None


@cache
def _part(part: int) -> Sequence[Scene]:
    made, rows = json.loads(gzip.decompress(_file(part).read_bytes()))
    return tuple(_scene(part * PART + place, row) for place, row in enumerate(rows)) if made == made_with() else ()


def _file(part: int) -> Path:
    return FOLDER / f"{part}.json.gz"


def write(scenes: Sequence[Scene]) -> None:
    """Writes the files."""
    FOLDER.mkdir(exist_ok=True)
    for part in range(len(scenes) // PART):
        rows = [_row(scene) for scene in scenes[part * PART : (part + 1) * PART]]
        text = json.dumps([made_with(), rows], separators=(",", ":"))
        _file(part).write_bytes(gzip.compress(text.encode(), mtime=0))


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
        relationships=tuple(
            Relationship(subject=str(a), predicate=intern(link), object=str(b)) for a, link, b in links
        ),
        setting=intern(setting),
        captions=tuple(captions),
        exhaustive=EXHAUSTIVE,
    )


def _thing(place: int, row: _ThingRow) -> Thing:
    name, (x, y, w, h), attributes = row
    return Thing(
        id=str(place),
        name=intern(name),
        box=Box(x, y, w, h),
        attributes=tuple(intern(word) for word in attributes),
        synset=SYNSETS[name],
        has_mask=True,
        multi_coloured=name in MULTI_COLOURED,
    )


def _main() -> None:
    from pytest_vqamt.picture_world.source import PictureWorld

    world = PictureWorld(COUNT, SEED)
    write([world.lay_out(index) for index in range(COUNT)])


if __name__ == "__main__":
    _main()
