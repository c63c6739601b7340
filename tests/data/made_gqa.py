"""Records like GQA's, whole ones to be broken, and files of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from PIL import Image

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import gqa
from pytest_vqamt.data.annotations import AnnotatedPhotos

Json = dict[str, Any]  # a record to be broken in a test


def thing(**changes: object) -> Json:
    return {"name": "cat", "x": 1, "y": 2, "w": 3, "h": 4, "attributes": ["red"], "relations": [], **changes}


def record(**changes: object) -> Json:
    relations = [{"name": "near", "object": "2"}]
    return {"width": 20, "height": 10, "objects": {"1": thing(relations=relations), "2": thing(name="dog")}, **changes}


def written(path: Path, records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(records).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def with_photos(folder: Path, *ids: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for image_id in ids:
        Image.new("RGB", (20, 10), "white").save(folder / f"{image_id}.jpg")
    return folder


def scenes(source: AnnotatedPhotos) -> list[Scene]:
    return [source.scene(index) for index in range(len(source))]


def ids(source: AnnotatedPhotos) -> list[str]:
    return [scene.id for scene in scenes(source)]


def one(tmp_path: Path, made: Json) -> Scene:
    return gqa.load(str(written(tmp_path / "one.json", {"9": made}))).scene(0)
