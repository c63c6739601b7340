"""Files of scene graphs with films, made of drawn scenes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.film import Reverse, Script, frames, scripts
from pytest_vqamt.relations.lexical_knowledge import knowledge_of
from tests.data.own_graphs import Row


def played(scene: Scene, script: Script, count: int = 16, still: int = 2) -> tuple[Picture, ...]:
    """A film of so many drawn frames, of which those at its ends show the same."""
    steps = count - 2 * still + 1
    shares = (min(max(number - still + 1, 0), steps) / steps for number in range(count))
    return frames(scene, [[(script, share)] for share in shares])


def drawn_films(scenes: int, source: SceneSource | None = None) -> Iterator[tuple[Script, tuple[Picture, ...]]]:
    """One film of each drawn scene in which something can move, each of its scripts in turn."""
    source = source or load(f"pictures:{scenes}")
    for index in range(scenes):
        scene = source.scene(index)
        found = scripts(askable_scene_of(scene, source.corpus, knowledge_of(Reverse())))
        if found:
            script = found[index % len(found)]
            yield script, played(scene, script)


def row_of_film(film_id: str, film: tuple[Picture, ...], names: tuple[str, ...]) -> Row:
    """The line of a film of these frames."""
    first = film[0].scene
    ids = dict.fromkeys(thing.id for picture in film for thing in picture.scene.objects)
    shown = [{thing.id: thing for thing in picture.scene.objects} for picture in film]
    return {
        "id": film_id,
        "frames": list(names),
        "width": first.width,
        "height": first.height,
        "objects": [_thing_row([things.get(each) for things in shown]) for each in ids],
        "exhaustive": sorted(first.exhaustive),
    }


def _thing_row(things: list[Thing | None]) -> Row:
    known = next(thing for thing in things if thing)
    row: Row = {"id": known.id, "name": known.name}
    if known.attributes:
        row["attributes"] = list(known.attributes)
    boxes = [[thing.box.x, thing.box.y, thing.box.w, thing.box.h] if thing else None for thing in things]
    return {**row, "box": boxes[0]} if all(box == boxes[0] for box in boxes) else {**row, "boxes": boxes}


def write_films(folder: Path, scenes: int, *, photos: bool = False) -> Path:
    """Writes a file of films, with their frames if ``photos``."""
    source = load(f"pictures:{scenes}")
    lines = []
    for number, (_, film) in enumerate(drawn_films(scenes, source)):
        names = tuple(f"f{number}/{place}.png" for place in range(1, len(film) + 1))
        lines.append(json.dumps(row_of_film(f"f{number}", film, names)))
        if photos:
            (folder / f"f{number}").mkdir()
            for name, picture in zip(names, film, strict=True):
                render(picture, source).save(folder / name)
    file = folder / "graphs.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file
