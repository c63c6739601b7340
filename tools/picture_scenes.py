"""Writes the files of the picture world's first scenes, which load faster than they are laid out.

python -m tools.picture_scenes
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.picture_world.source import (
    COUNT,
    FOLDER,
    PART,
    SEED,
    PictureWorld,
    SceneRow,
    ThingRow,
    file_of,
    made_with,
)


def write(scenes: Sequence[Scene]) -> None:
    """Writes the files."""
    FOLDER.mkdir(exist_ok=True)
    for part in range(len(scenes) // PART):
        rows = [_row(scene) for scene in scenes[part * PART : (part + 1) * PART]]
        text = json.dumps([made_with(), rows], separators=(",", ":"))
        file_of(part).write_bytes(gzip.compress(text.encode(), mtime=0))


def _row(scene: Scene) -> SceneRow:
    things: list[ThingRow] = []
    for thing in scene.objects:
        x, y, w, h = (int(side) for side in (thing.box.x, thing.box.y, thing.box.w, thing.box.h))
        things.append((thing.name, (x, y, w, h), list(thing.attributes)))
    links = [(int(each.subject), each.predicate, int(each.object)) for each in scene.relationships]
    return scene.setting, things, links, list(scene.captions)


if __name__ == "__main__":
    world = PictureWorld(COUNT, SEED)
    write([world.lay_out(index) for index in range(COUNT)])
