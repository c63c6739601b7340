"""Real data sets, broken: as clear as made ones."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.catalogue import load
from tests.malformed.good import Json
from tests.malformed.of_files import PAGE
from tests.malformed.outcomes import MOST_OF_A_REFUSAL, lacks_advice, unclear, use

SHARED = Path(__file__).parents[2] / "../shared/data"
COCO, GQA, VISUAL_GENOME, VQA = (SHARED / name for name in ("coco", "gqa", "visual_genome", "vqa_v2"))

pytestmark = pytest.mark.skipif(not COCO.is_dir(), reason="../shared/data is not there")

HOW_MANY = 4
BLOCK = 4096


def real_coco() -> Json:
    """The first images of the real file, with what is annotated on them; their photos beside it."""
    whole = json.loads((COCO / "instances.json").read_text(encoding="utf-8"))
    images = whole["images"][:HOW_MANY]
    ids = {image["id"] for image in images}
    Path("images").mkdir()
    for image in images:
        shutil.copy(COCO / "images" / image["file_name"], "images")
    return {**whole, "images": images, "annotations": [a for a in whole["annotations"] if a["image_id"] in ids]}


def write(file: str, value: Json) -> None:
    Path(file).write_text(json.dumps(value), encoding="utf-8")


PHOTOS: dict[str, Callable[[bytes], bytes]] = {
    "cut off in its head": lambda data: data[:200],
    "cut off in its pixels": lambda data: data[: len(data) // 3],
    "cut off by its last byte": lambda data: data[:-1],
    "cut off and closed": lambda data: data[: len(data) // 2] + b"\xff\xd9",
    "without a block in the middle": lambda data: data[:9000] + bytes(BLOCK) + data[9000 + BLOCK :],
    "empty": lambda _data: b"",
    "a web page": lambda _data: PAGE,
    "another photo": lambda _data: next(iter(sorted(VISUAL_GENOME.rglob("*.jpg")))).read_bytes(),
}  # fmt: skip


@pytest.mark.parametrize("what", PHOTOS)
def test_a_real_photo(what: str) -> None:
    coco = real_coco()
    write("instances.json", coco)
    name = coco["images"][1]["file_name"]
    photo = Path("images", name)
    photo.write_bytes(PHOTOS[what](photo.read_bytes()))
    source = load("coco:.")
    used = use(source)
    assert len(used.scenes) == HOW_MANY - 1
    for line in used.refused:
        assert unclear(line, (name,)) == [], line
        assert not lacks_advice(line), line


def test_a_bit_that_is_wrong_in_the_pixels_of_a_jpeg_is_seen_by_nobody() -> None:
    """No sum of the pixels is kept in a JPEG. What can be told is that the photo is another one than before."""
    coco = real_coco()
    write("instances.json", coco)
    photo = Path("images", coco["images"][0]["file_name"])
    before = load("coco:.")
    was = before.scene(0).photo
    whole = photo.read_bytes()
    place = len(whole) // 2
    photo.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    after = load("coco:.")
    assert use(after).refused == ()
    assert after.scene(0).photo.digest != was.digest
    with pytest.raises(VqamtError, match="has changed: start again"):
        before.photo(was)


def _first_mask(coco: Json, kind: type) -> Json:
    return next(each for each in coco["annotations"] if isinstance(each["segmentation"], kind))


def _cut_polygon(coco: Json) -> Json:
    found = _first_mask(coco, list)
    found["segmentation"][0].pop()
    return found


def _far_polygon(coco: Json) -> Json:
    found = _first_mask(coco, list)
    found["segmentation"][0][0] = 1e7
    return found


def _no_class(coco: Json) -> Json:
    coco["annotations"][0]["category_id"] = 12345
    return coco["annotations"][0]


def _box_outside(coco: Json) -> Json:
    coco["annotations"][0]["bbox"][0] = 5000
    return coco["annotations"][0]


@pytest.mark.parametrize("damage", [_cut_polygon, _far_polygon, _no_class, _box_outside])
def test_a_real_annotation(damage: Callable[[Json], Json]) -> None:
    coco = real_coco()
    broken = damage(coco)
    write("instances.json", coco)
    with pytest.raises(VqamtError) as caught:
        load("coco:.")
    assert (
        unclear(str(caught.value), (f"instances.json: annotation {broken['id']}", "1 is bad"), most=MOST_OF_A_REFUSAL)
        == []
    )
    source = load("coco:.", allow_bad_records=True)
    assert broken["image_id"] not in {int(source.scene(index).id) for index in range(len(source))}
    assert len(source) == HOW_MANY - 1


@pytest.mark.parametrize(
    ("spec", "file", "original"),
    [
        ("gqa:.", "sceneGraphs.json", GQA / "sceneGraphs.json"),
        ("visual-genome:.", "scene_graphs.json", VISUAL_GENOME / "scene_graphs.json"),
        ("coco:.", "instances.json", COCO / "instances.json"),
    ],
)
@pytest.mark.parametrize("share", [0.1, 0.7, 0.999])
def test_a_real_file_cut_off(spec: str, file: str, original: Path, share: float) -> None:
    whole = original.read_bytes()
    Path(file).write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(VqamtError) as caught:
        load(spec, allow_bad_records=True)
    assert unclear(str(caught.value), (file,)) == []


def test_real_questions_cut_off() -> None:
    for name in ("questions.json.gz", "annotations.json.gz"):
        shutil.copy(VQA / name, name)
    Path("annotations.json.gz").write_bytes((VQA / "annotations.json.gz").read_bytes()[:-4000])
    with pytest.raises(VqamtError) as caught:
        load("vqa-v2:.")
    assert unclear(str(caught.value), ("annotations.json.gz",)) == []


def test_a_real_question_without_answers() -> None:
    for name, key in (("questions", "questions"), ("annotations", "annotations")):
        value = json.loads(gzip.decompress((VQA / f"{name}.json.gz").read_bytes()))
        value[key] = value[key][: 50 if name == "questions" else 49]
        write(f"{name}.json", value)
    asked = json.loads(Path("questions.json").read_text(encoding="utf-8"))["questions"]
    answered = {each["question_id"] for each in json.loads(Path("annotations.json").read_text())["annotations"]}
    (lost,) = [each["question_id"] for each in asked if each["question_id"] not in answered]
    source = load("vqa-v2:.", allow_bad_records=True)
    (line,) = source.bad_records
    assert unclear(line, ("questions.json", f"question {lost}")) == []
    questions = [question.id for index in range(len(source)) for question in source.scene(index).questions]
    assert sorted(map(int, questions)) == sorted(each["question_id"] for each in asked if each["question_id"] != lost)


def test_a_real_photo_in_every_other_form() -> None:
    """A photo that somebody has turned into another kind of file is the same photo."""
    coco = real_coco()
    write("instances.json", coco)
    photo = Path("images", coco["images"][0]["file_name"])
    with Image.open(photo) as image:
        pixels = np.asarray(image.convert("RGB"))
    for kind in ("PNG", "BMP", "TIFF", "PPM"):
        Image.fromarray(pixels).save(photo, kind)
        source = load("coco:.")
        assert np.array_equal(np.asarray(source.photo(source.scene(0).photo)), pixels)
