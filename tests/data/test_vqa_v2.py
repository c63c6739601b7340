"""``vqa-v2:DIR``: a scene for each photo that has questions, with COCO's objects where they lie beside."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import PublishedQuestion
from pytest_vqamt.data.coco import load as load_coco
from pytest_vqamt.data.vqa_v2 import load
from tests.data.made_coco import annotation_row, image_row, write_coco, write_photos
from tests.data.made_vqa import TEN, answers_row, question_row, write_vqa
from tests.rows import each_row

REAL = Path(__file__).parents[2] / "../shared/data"

real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the data of ../shared/data is not here")


@real_data
def test_questions_and_photos_that_lie_together_come_with_their_objects() -> None:
    file = json.loads((REAL / "coco/vqa_v2.json").read_text())
    source, coco = load(str(REAL / "coco")), load_coco(str(REAL / "coco"))
    assert source.bad_records == ()
    scenes = [source.scene(index) for index in range(len(source))]
    assert [int(scene.id) for scene in scenes] == list(dict.fromkeys(row["image_id"] for row in file["questions"]))
    assert {question.id for scene in scenes for question in scene.questions} == {
        str(row["question_id"]) for row in file["questions"]
    }
    for scene in scenes:
        same = coco.scene(coco.place(scene.photo.id))
        assert (scene.objects, scene.regions, scene.captions) == (same.objects, same.regions, same.captions)
        assert (scene.width, scene.height, scene.exhaustive) == (same.width, same.height, same.exhaustive)
        assert scene.photo == same.photo
        thing = scene.objects[0]
        assert source.mask(scene.photo, thing.id).tobytes() == coco.mask(same.photo, thing.id).tobytes()


@real_data
def test_questions_without_photos_are_known_and_their_pixels_are_not() -> None:
    rows = json.loads(gzip.decompress((REAL / "vqa_v2/questions.json.gz").read_bytes()))["questions"]
    source = load(str(REAL / "vqa_v2"))
    assert source.bad_records == ()
    assert len(source) == len({row["image_id"] for row in rows}) == 3834
    assert source.description == "3,834 scenes with 4,000 questions and their answers, no objects, no photos found"
    scene = source.scene(0)
    assert scene.photo.id == f"{rows[0]['image_id']:012d}.jpg"
    assert scene.questions[0].text == "What type of tree is growing on the sidewalk?"
    assert scene.questions[0].answers[:3] == ("oak", "not sure", "oak")
    assert (scene.objects, scene.exhaustive, scene.width, scene.height) == ((), frozenset(), 0, 0)
    with pytest.raises(DataError, match=r"has come without photos: put them into the folder images beside"):
        source.photo(scene.photo)


def test_a_question_has_its_answers_in_order_and_its_kind(tmp_path: Path) -> None:
    questions = [question_row(200, 2, question=" Is it\nred? "), question_row(101, 1), question_row(201, 2)]
    answers = [answers_row(101, 1), answers_row(201, 2), answers_row(200, 2, answer_type="yes/no")]
    source = load(str(write_vqa(tmp_path, questions, answers)))
    assert [source.scene(index).id for index in range(len(source))] == ["2", "1"]
    assert source.scene(0).questions == (
        PublishedQuestion(id="200", text="Is it red?", answers=TEN, kind="yes/no"),
        PublishedQuestion(id="201", text="What colour is dog 201?", answers=TEN, kind="other"),
    )


@each_row(
    "names",
    [
        ("questions.json", "annotations.json"),
        ("questions.json.gz", "annotations.json.gz"),
        ("questions.json", "annotations.json.gz"),
        ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"),
        ("v2_OpenEnded_mscoco_val2014_questions.json.gz", "v2_mscoco_val2014_annotations.json.gz"),
        ("OpenEnded_mscoco_val2014_questions.json", "mscoco_val2014_annotations.json"),
        ("Questions/v2_OpenEnded_mscoco_val2014_questions.json", "Annotations/v2_mscoco_val2014_annotations.json"),
        ("vqa_v2.json", "vqa_v2.json"),
        ("vqa_v2.json.gz", "vqa_v2.json.gz"),
    ],
)
@each_row("by", ["folder", "file"])
def test_files_are_found_by_their_names(tmp_path: Path, names: tuple[str, str], by: str) -> None:
    folder = write_vqa(tmp_path, names=names)
    source = load(str(folder if by == "folder" else folder / names[0]))
    assert source.bad_records == ()
    assert [source.scene(index).id for index in range(len(source))] == ["1", "2"]


@each_row("folder", ["val2014", "images", "images/val2014", "."])
@each_row("name", ["COCO_val2014_{:012d}.jpg", "{:012d}.jpg"])
@each_row("official", [True, False])
def test_photos_are_found_by_their_ids(tmp_path: Path, folder: str, name: str, official: bool) -> None:
    official_names = ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
    write_vqa(tmp_path, names=official_names if official else ("questions.json", "annotations.json"))
    write_photos(tmp_path / folder, name.format(1), name.format(2), size=(64, 48))
    source = load(str(tmp_path))
    scene = source.scene(1)
    assert scene.photo.id == name.format(2)
    assert (scene.width, scene.height) == (64, 48)
    assert source.photo(scene.photo).size == (64, 48)


def test_objects_come_with_the_instances_of_the_same_split(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(9)], [], name="annotations/instances_train2014.json", photos="train2014")
    crowd = annotation_row(12, 1, category_id=1, iscrowd=1, bbox=[0, 0, 50, 50])
    write_coco(
        tmp_path,
        [image_row(1, file_name="COCO_val2014_000000000001.jpg")],
        [annotation_row(11, 1), crowd],
        name="annotations/instances_val2014.json",
        photos="val2014",
    )
    write_photos(tmp_path / "val2014", "COCO_val2014_000000000002.jpg", size=(64, 48))
    names = ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
    source = load(str(write_vqa(tmp_path, names=names)))
    known, unknown = source.scene(0), source.scene(1)
    assert [(thing.id, thing.name) for thing in known.objects] == [("11", "dog")]
    assert [region.box for region in known.regions] == [Box(0, 0, 50, 50)]
    assert known.exhaustive == {"dog"}
    assert known.questions[0].id == "100"
    assert (unknown.objects, unknown.exhaustive, unknown.width) == ((), frozenset(), 64)
    assert source.mask(known.photo, "11").size == (100, 80)
    with pytest.raises(DataError, match=r"Expected a thing with a mask, but got thing_id='11' of .*: it has none"):
        source.mask(unknown.photo, "11")
    assert source.description == (
        "2 scenes with 2 questions and their answers, 1 object of 1 class, 1 crowd, no captions"
    )


def test_only_what_is_asked_about_counts_of_the_instances(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(1), image_row(2), image_row(3, width=0)], [annotation_row(31, 2, bbox=None)])
    source = load(str(write_vqa(tmp_path, [question_row(100, 1), question_row(200, 2)])))
    assert [source.scene(index).id for index in range(len(source))] == ["1"]
    assert [text.split(": Expected")[0] for text in source.bad_records] == ["instances.json: annotation 31: bbox"]


def test_answers_to_questions_that_were_cut_out_are_passed_over(tmp_path: Path) -> None:
    source = load(str(write_vqa(tmp_path, [question_row(100, 1)])))
    assert source.bad_records == ()
    assert len(source) == 1


def test_the_digest_changes_with_an_answer(tmp_path: Path) -> None:
    plain = load(str(write_vqa(tmp_path / "plain")))
    other = [answers_row(100, 1, answers=[{"answer": "blue"}]), answers_row(200, 2)]
    assert load(str(write_vqa(tmp_path / "same"))).digest == plain.digest
    assert load(str(write_vqa(tmp_path / "other", annotations=other))).digest != plain.digest
