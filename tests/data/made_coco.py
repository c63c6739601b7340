"""Small data sets in COCO's form: two photos of 100 x 80 px, a dog on each."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from PIL import Image

Row = dict[str, object]

WIDTH, HEIGHT = 100, 80
SQUARE = [10, 10, 30, 10, 30, 30, 10, 30]
"""A polygon of 20 x 20 px."""

CATEGORIES: tuple[Row, ...] = ({"id": 1, "name": "person"}, {"id": 18, "name": "Dog"})


def image_row(number: int = 1, **changes: object) -> Row:
    return {"id": number, "file_name": f"{number:012d}.jpg", "width": WIDTH, "height": HEIGHT, **changes}


def annotation_row(number: int = 11, image: int = 1, **changes: object) -> Row:
    return {
        "id": number,
        "image_id": image,
        "category_id": 18,
        "bbox": [10, 10, 20, 20],
        "segmentation": [SQUARE],
        "iscrowd": 0,
        **changes,
    }


def without(row: Row, *fields: str) -> Row:
    return {field: value for field, value in row.items() if field not in fields}


def write_json(file: Path, value: object) -> Path:
    """Writes ``value`` as JSON, compressed where the name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(value).encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


def write_photos(folder: Path, *names: str, size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        # Of one colour all, and yet no two files are the same.
        Image.new("RGB", size, (90, 60, 30)).save(folder / name, comment=name)


def write_coco(
    folder: Path,
    images: Iterable[object] | None = None,
    annotations: Iterable[object] | None = None,
    categories: Iterable[object] = CATEGORIES,
    *,
    captions: Iterable[Mapping[str, object]] | None = None,
    name: str = "instances.json",
    photos: str = "images",
) -> Path:
    """Writes the data set into ``folder``, with the photos that are named there plainly. Gives ``folder``."""
    rows = list(images) if images is not None else [image_row(1), image_row(2)]
    there = list(annotations) if annotations is not None else [annotation_row(11, 1), annotation_row(21, 2)]
    write_json(folder / name, {"images": rows, "annotations": there, "categories": list(categories)})
    if captions is not None:
        file = (folder / name).with_name(Path(name).name.replace("instances", "captions"))
        write_json(file, {"annotations": list(captions)})
    names = [row.get("file_name") for row in rows if isinstance(row, dict)]
    write_photos(
        folder / photos,
        *(each for each in names if isinstance(each, str) and each.endswith(".jpg") and "/" not in each),
    )
    return folder
