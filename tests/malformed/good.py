"""Small good data sets of each kind, three records each; corpora of malformed ones break the second."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

Json = Any  # what a test breaks, at any depth

WIDTH, HEIGHT = 24, 16
IDS = ("1", "2", "3")


@dataclass(slots=True)
class Data:
    """A data set before it is written: what a test breaks.

    Attributes:
        kind: "coco".
        files: JSON values by the names of their files; of ``.jsonl`` the rows.
        photos: the bytes of each photo by its name, relative to the folder.
        raw: bytes by the names of files, in place of what ``files`` has; None for a folder of that name.
        after: what is done to the folder when all is written (a link is made).
    """

    kind: str
    files: dict[str, Json]
    photos: dict[str, bytes]
    argument: str = ""
    raw: dict[str, bytes | None] = field(default_factory=dict)
    after: list[Callable[[Path], object]] = field(default_factory=list)

    def bytes_of(self, file: str) -> bytes:
        """The file as it would be written."""
        value = self.files[file]
        if file.endswith(".jsonl"):
            return "".join(f"{json.dumps(row)}\n" for row in value).encode()
        return json.dumps(value).encode()

    def write(self, folder: Path) -> str:
        """Writes all, and gives the specification of the source."""
        for file in self.files:
            self._put(
                folder / file, self.raw.get(file, self.bytes_of(file)) if file in self.raw else self.bytes_of(file)
            )
        for file in self.raw.keys() - self.files.keys():
            self._put(folder / file, self.raw[file])
        for name, data in self.photos.items():
            self._put(folder / name, data)
        for act in self.after:
            act(folder)
        return f"{self.kind}:{folder / self.argument}"

    def _put(self, path: Path, data: bytes | None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            path.mkdir()
        else:
            path.write_bytes(data)


def image(number: int = 0) -> Image.Image:
    """A photo with a gradient, so that a wrong one can be told: RGB uint8."""
    made = Image.linear_gradient("L").resize((WIDTH, HEIGHT))
    return Image.merge(
        "RGB", (made, made.transpose(Image.Transpose.ROTATE_180), Image.new("L", made.size, 40 * number))
    )


@cache
def encoded(kind: str, number: int = 0) -> bytes:
    stream = BytesIO()
    image(number).save(stream, kind)
    return stream.getvalue()


def _photos(folder: str, end: str, kind: str) -> dict[str, bytes]:
    return {f"{folder}{number}.{end}": encoded(kind, int(number)) for number in IDS}


def graphs(kind: str = "graphs") -> Data:
    """A file of scene graphs, photos beside it."""
    rows = [_graph_row(number) for number in IDS]
    return Data(kind, {"graphs.jsonl": rows}, _photos("", "png", "PNG"), "graphs.jsonl" if kind == "graphs" else "")


def _graph_row(number: str) -> Json:
    return {
        "id": number,
        "photo": f"{number}.png",
        "width": WIDTH,
        "height": HEIGHT,
        "objects": [
            {
                "id": "a",
                "name": "dog",
                "box": [2, 3, 10, 8],
                "attributes": ["brown", "wet"],
                "synset": "dog.n.01",
                "multi_coloured": False,
                "mask": [[2, 3, 12, 3, 12, 11, 2, 11]],
            },
            {"id": "b", "name": "cat", "box": [14, 4, 6, 6]},
        ],
        "regions": [{"name": "banana", "box": [0, 12, 24, 4]}],
        "relationships": [{"subject": "a", "predicate": "near", "object": "b"}],
        "setting": "market",
        "captions": ["A dog near a cat."],
        "exhaustive": ["dog", "cat"],
        "questions": [{"id": "q", "text": "What is near the cat?", "answers": ["dog"], "kind": "what"}],
    }


def coco() -> Data:
    """An instances file, captions beside it, photos in ``images``."""
    numbers = [int(number) for number in IDS]
    return Data(
        "coco",
        {
            "instances.json": {
                "images": [
                    {"id": number, "file_name": f"{number}.jpg", "width": WIDTH, "height": HEIGHT} for number in numbers
                ],
                "annotations": [each for number in numbers for each in _coco_annotations(number)],
                "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}],
            },
            "captions.json": {
                "annotations": [{"id": 40 + number, "image_id": number, "caption": "A dog."} for number in numbers]
            },
        },
        _photos("images/", "jpg", "JPEG"),
    )


def _coco_annotations(image_id: int) -> list[Json]:
    """A dog of polygons, one of runs, and a crowd."""
    common = {"image_id": image_id, "category_id": 18, "iscrowd": 0}
    polygon = [2, 3, 12, 3, 12, 11, 2, 11]
    return [
        {**common, "id": image_id * 10 + 1, "bbox": [2, 3, 10, 8], "segmentation": [polygon]},
        {**common, "id": image_id * 10 + 2, "bbox": [1, 0, 1, 8], "segmentation": _runs()},
        {
            **common,
            "id": image_id * 10 + 3,
            "category_id": 1,
            "bbox": [0, 8, 24, 8],
            "iscrowd": 1,
            "segmentation": _runs(),
        },
    ]


def _runs() -> Json:
    return {"size": [HEIGHT, WIDTH], "counts": [16, 8, 24 * 16 - 24]}


def gqa(*, photos: bool = True) -> Data:
    """A file of scene graphs, photos in ``images``."""
    records = {number: _gqa_record(int(number)) for number in IDS}
    return Data("gqa", {"sceneGraphs.json": records}, _photos("images/", "jpg", "JPEG") if photos else {})


def _gqa_record(number: int) -> Json:
    dog, cat = f"{number}1", f"{number}2"
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "location": "street",
        "weather": "sunny",
        "objects": {
            dog: {
                "name": "dog", "x": 2, "y": 3, "w": 10, "h": 8, "attributes": ["brown", "wet"],
                "relations": [{"name": "near", "object": cat}],
            },
            cat: {"name": "cat", "x": 14, "y": 4, "w": 6, "h": 6, "attributes": [], "relations": []},
        },
    }  # fmt: skip


def visual_genome(*, photos: bool = True) -> Data:
    """Whole scene graphs, the sizes of the pictures, and photos in ``images``."""
    numbers = [int(number) for number in IDS]
    return Data(
        "visual-genome",
        {
            "scene_graphs.json": [
                {"image_id": n, "objects": _vg_objects(n, whole=True), "relationships": _vg_relationships(n)}
                for n in numbers
            ],
            "image_data.json": [{"image_id": n, "width": WIDTH, "height": HEIGHT} for n in numbers],
        },
        _photos("images/", "jpg", "JPEG") if photos else {},
    )


def visual_genome_in_parts() -> Data:
    """The same in the files of the older versions."""
    numbers = [int(number) for number in IDS]
    return Data(
        "visual-genome",
        {
            "objects.json": [{"image_id": n, "objects": _vg_objects(n, whole=False)} for n in numbers],
            "attributes.json": [
                {"image_id": n, "attributes": [{"object_id": n * 10 + 1, "attributes": ["brown"]}]} for n in numbers
            ],
            "relationships.json": [{"image_id": n, "relationships": _vg_relationships(n)} for n in numbers],
            "image_data.json": [{"image_id": n, "width": WIDTH, "height": HEIGHT} for n in numbers],
        },
        _photos("images/", "jpg", "JPEG"),
    )


def _vg_objects(number: int, *, whole: bool) -> list[Json]:
    dog = {"object_id": number * 10 + 1, "names": ["dog"], "x": 2, "y": 3, "w": 10, "h": 8, "synsets": ["dog.n.01"]}
    cat = {"object_id": number * 10 + 2, "names": ["cat"], "x": 14, "y": 4, "w": 6, "h": 6, "synsets": []}
    return [{**dog, "attributes": ["brown", "wet"], "merged_object_ids": []}, cat] if whole else [dog, cat]


def _vg_relationships(number: int) -> list[Json]:
    ends = {"subject_id": number * 10 + 1, "object_id": number * 10 + 2}
    return [{"relationship_id": number, "predicate": "near", "synsets": [], **ends}]


def vqa_v2() -> Data:
    """Questions and answers, one on each photo, photos in ``images``."""
    numbers = [int(number) for number in IDS]
    return Data(
        "vqa-v2",
        {
            "questions.json": {
                "questions": [
                    {"question_id": n * 100, "image_id": n, "question": "What is near the cat?"} for n in numbers
                ]
            },
            "annotations.json": {
                "annotations": [
                    {"question_id": n * 100, "image_id": n, "answer_type": "other", "answers": _answers()}
                    for n in numbers
                ]
            },
        },
        {f"images/{number:012d}.jpg": encoded("JPEG", number) for number in numbers},
    )


def _answers() -> list[Json]:
    return [{"answer": text, "answer_id": place} for place, text in enumerate(("dog", "a dog"), start=1)]


def photos() -> Data:
    """A folder of photos with ``graphs.jsonl`` in it."""
    return graphs("photos")


KINDS: dict[str, Callable[[], Data]] = {
    "graphs": graphs,
    "photos": photos,
    "coco": coco,
    "gqa": gqa,
    "visual-genome": visual_genome,
    "visual-genome in parts": visual_genome_in_parts,
    "vqa-v2": vqa_v2,
}
"""A good data set of each form."""
