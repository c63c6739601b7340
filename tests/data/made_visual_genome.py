"""Records like Visual Genome's, whole ones to be broken, and folders of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from PIL import Image

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import visual_genome
from pytest_vqamt.data.annotations import AnnotatedPhotos

Json = dict[str, Any]  # a record to be broken in a test


def thing(
    object_id: object, name: str = "cat", x: object = 1, y: object = 2, w: object = 3, h: object = 4, **more: object
) -> Json:
    return {"object_id": object_id, "names": [name], "x": x, "y": y, "w": w, "h": h, "synsets": [], **more}


def graph(image_id: object = 1, *objects: Json, relationships: object = ()) -> Json:
    return {"image_id": image_id, "objects": list(objects) or [thing(7)], "relationships": relationships}


def related(subject: object, predicate: str, object_: object) -> Json:
    return {"relationship_id": 1, "predicate": predicate, "synsets": [], "subject_id": subject, "object_id": object_}


def write(folder: Path, name: str, records: object) -> Path:
    folder.mkdir(exist_ok=True)
    data = json.dumps(records).encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder


def photo(folder: Path, image_id: object, size: tuple[int, int] = (20, 10)) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "white").save(folder / f"{image_id}.jpg")


def load(folder: Path) -> AnnotatedPhotos:
    return visual_genome.load(str(folder))


def scenes(source: AnnotatedPhotos) -> list[Scene]:
    return [source.scene(index) for index in range(len(source))]


def ids(source: AnnotatedPhotos) -> list[str]:
    return [scene.id for scene in scenes(source)]


def sized(folder: Path) -> Path:
    """The folder, made, with a file that says that images 1 to 5 are of 20 x 10 px."""
    return write(folder, "image_data.json", [{"image_id": n, "width": 20, "height": 10} for n in range(1, 6)])


def one(data: Path, *objects: Json, relationships: object = ()) -> Scene:
    return load(write(data, "scene_graphs.json", [graph(1, *objects, relationships=relationships)])).scene(0)
