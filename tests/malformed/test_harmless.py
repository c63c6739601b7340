"""What looks wrong and is not: the scene is right, and nobody is troubled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.catalogue import load
from tests.malformed.entries import Damage, append, both, put, rewrite
from tests.malformed.good import KINDS, image
from tests.malformed.of_photos import HARMLESS, PHOTOS, with_photo
from tests.malformed.outcomes import use

DAMAGES: dict[str, tuple[str, Damage]] = {
    "graphs: a byte order mark": ("graphs", rewrite("graphs.jsonl", lambda data: b"\xef\xbb\xbf" + data)),
    "graphs: line ends of Windows": ("graphs", rewrite("graphs.jsonl", lambda data: data.replace(b"\n", b"\r\n"))),
    "graphs: no last line end": ("graphs", rewrite("graphs.jsonl", lambda data: data.rstrip())),
    "graphs: blank lines": ("graphs", rewrite("graphs.jsonl", lambda data: b"\n \n" + data.replace(b"\n", b"\n\t\n"))),
    "graphs: an id as a number": ("graphs", put("graphs.jsonl", 1, "id", value=2)),
    "graphs: a width as 24.0": ("graphs", put("graphs.jsonl", 1, "width", value=24.0)),
    "graphs: fields that are null": ("graphs", both(
        put("graphs.jsonl", 1, "objects", 1, "attributes", value=None),
        put("graphs.jsonl", 1, "objects", 1, "mask", value=None),
        put("graphs.jsonl", 1, "objects", 1, "synset", value=None),
    )),
    "graphs: a name in capitals": ("graphs", put("graphs.jsonl", 1, "objects", 1, "name", value=" CAT ")),
    "coco: a byte order mark": ("coco", rewrite("instances.json", lambda data: b"\xef\xbb\xbf" + data)),
    "coco: fields that nobody reads": ("coco", put("instances.json", "images", 1, "license", value=[[[float("nan")]]])),
    "coco: ids as texts": ("coco", put("instances.json", "annotations", 3, "image_id", value="2")),
    "gqa: fields that nobody reads": ("gqa", put("sceneGraphs.json", "2", "license", value={"a": [None]})),
    "gqa: relations by their keys": ("gqa", put(
        "sceneGraphs.json", "2", "objects", "21", "relations", value={"0": {"name": "near", "object": "22"}}
    )),
    "visual-genome: numbers as texts": ("visual-genome", put("scene_graphs.json", 1, "objects", 0, "x", value="2")),
    "visual-genome: a relationship that says nothing": ("visual-genome", append(
        "scene_graphs.json", 1, "relationships",
        value={"relationship_id": 2, "predicate": "", "subject_id": 21, "object_id": 22},
    )),
    "vqa-v2: answers to what is not asked": ("vqa-v2", append(
        "annotations.json", "annotations", value={"question_id": 7, "answers": "none"}
    )),
}  # fmt: skip


def scenes(kind: str) -> dict[str, Scene]:
    return use(load(KINDS[kind]().write(Path(f"good_{kind}")))).scenes


def test_a_record_that_can_be_read_is_read_rightly() -> None:
    wrong = []
    for number, (what, (kind, damage)) in enumerate(DAMAGES.items()):
        data = KINDS[kind]()
        damage(data)
        used = use(load(data.write(Path(f"{number}"))))
        if used.refused or used.scenes != scenes(kind):
            wrong.append((what, used))
    assert wrong == []


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
@pytest.mark.parametrize(
    "kind", ["coco", *(pytest.param(kind, marks=pytest.mark.full) for kind in PHOTOS if kind != "coco")]
)
def test_a_photo_that_can_be_seen_is_seen_as_it_is(kind: str) -> None:
    wrong = []
    for number, (what, photo) in enumerate(HARMLESS.items()):
        source = load(with_photo(KINDS[kind](), photo).write(Path(f"{number}")))
        used = use(source)
        seen = np.asarray(source.photo(used.scenes["2"].photo)).astype(int)
        most = np.abs(seen - np.asarray(image(2)).astype(int)).max()
        if used.refused or most > (12 if "four inks" in what else 0):
            wrong.append((what, used.refused, most))
    assert wrong == []
