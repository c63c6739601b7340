"""Each broken record of VQA v2 is named in one line, and other questions do not suffer."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.vqa_v2 import load
from tests.data.made_coco import Row, image_row, without, write_coco, write_json, write_photos
from tests.data.made_vqa import answers_row, question_row, write_vqa
from tests.rows import each_row

FINE = {"answer": "red"}


@each_row(
    "row, line",
    [
        ("Is it red?", "questions[0]: Expected a JSON object, but got record='Is it red?'"),
        (without(question_row(100), "question_id"), "questions[0]: question_id: Expected an id"),
        (without(question_row(100), "image_id"), "question 100: image_id: Expected an id"),
        (question_row(100, image_id=[1]), "question 100: image_id: Expected an id"),
        (question_row(100, question="  "), "question 100: question: Expected a text that is not blank"),
        (question_row(100, question=5), "question 100: question: Expected a text that is not blank"),
        (question_row(300), "question 300: Expected its answers in annotations.json, but there are none"),
    ],
)
def test_a_broken_question_is_named(tmp_path: Path, row: object, line: str) -> None:
    source = load(str(write_vqa(tmp_path, [row, question_row(200, 2)])))
    (text,) = source.bad_records
    assert text.startswith(f"questions.json: {line}")
    assert "\n" not in text
    assert [question.id for question in source.scene(0).questions] == ["200"]
    assert len(source) == 1


@each_row(
    "changes, field, said",
    [
        ({"answers": None}, "answers", "a list"),
        ({"answers": "red"}, "answers", "a list"),
        ({"answers": []}, "answers", "one answer or more"),
        ({"answers": [FINE, "red"]}, "answers[1]", "a JSON object"),
        ({"answers": [FINE, FINE, {"answer_id": 3}]}, "answers[2].answer", "a text, but got no 'answer'"),
        ({"answers": [{"answer": 2}]}, "answers[0].answer", "a text, but got answer=2"),
        ({"answer_type": 3}, "answer_type", "a text"),
        ({"image_id": 2}, "image_id", "the photo 1 of the question, but got image_id=2"),
    ],
)
def test_answers_of_a_wrong_form_are_named_by_their_question(
    tmp_path: Path, changes: Row, field: str, said: str
) -> None:
    answers = [answers_row(100, 1, **changes), answers_row(101, 1), answers_row(200, 2)]
    questions = [question_row(100, 1), question_row(101, 1), question_row(200, 2)]
    source = load(str(write_vqa(tmp_path, questions, answers)))
    (text,) = source.bad_records
    assert text.startswith(f"annotations.json: answers to question 100: {field}: Expected {said}")
    assert [question.id for question in source.scene(0).questions] == ["101"]
    assert len(source) == 2


def test_of_two_questions_with_one_id_neither_is_used(tmp_path: Path) -> None:
    source = load(str(write_vqa(tmp_path, [question_row(100, 1), question_row(200, 2), question_row(100, 1)])))
    assert source.bad_records == (
        "questions.json: question 100: question_id: Expected an id of its own, but got question_id=100: "
        "another question has it",
    )
    assert [source.scene(index).id for index in range(len(source))] == ["2"]


def test_a_question_that_is_answered_twice_is_not_used(tmp_path: Path) -> None:
    answers = [answers_row(100, 1), answers_row(200, 2), answers_row(100, 1)]
    source = load(str(write_vqa(tmp_path, annotations=answers)))
    assert [text.split(", but")[0] for text in source.bad_records] == [
        "annotations.json: answers to question 100: question_id: Expected an id of its own"
    ]
    assert [source.scene(index).id for index in range(len(source))] == ["2"]


def test_answers_without_a_question_id_are_named_by_their_place(tmp_path: Path) -> None:
    answers = [answers_row(100, 1), without(answers_row(200, 2), "question_id")]
    source = load(str(write_vqa(tmp_path, annotations=answers)))
    assert [text.split(": Expected")[0] for text in source.bad_records] == [
        "annotations.json: annotations[1]: question_id",
        "questions.json: question 200",
    ]


@each_row(
    "image, name", [(2, "COCO_val2014_000000000002.jpg or 000000000002.jpg"), ("../../secret", "../../secret.jpg")]
)
def test_a_missing_photo_is_a_bad_record_where_others_are_there(tmp_path: Path, image: object, name: str) -> None:
    names = ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
    answers = [answers_row(100, 1), answers_row(200, image_id=image)]
    write_vqa(tmp_path, [question_row(100, 1), question_row(200, image_id=image)], answers, names=names)
    write_photos(tmp_path / "val2014", "COCO_val2014_000000000001.jpg")
    source = load(str(tmp_path))
    assert [source.scene(index).id for index in range(len(source))] == ["1"]
    assert source.bad_records == (
        f"{names[0]}: photo {image} of question 200: image_id: "
        f"Expected {name} in {tmp_path / 'val2014'}, but there is no such photo: add it",
    )


@each_row(
    "argument, said",
    [
        ("{0}/nowhere", "there is no such path"),
        ("{0}/empty", "Expected v2_OpenEnded_mscoco_*_questions.json, questions.json or vqa_*.json in"),
        ("{0}/unanswered", "Expected v2_mscoco_test2015_annotations.json (or .json.gz) with the answers to"),
        ("{0}/two", "but got v2_OpenEnded_mscoco_train2014_questions.json, v2_OpenEnded_mscoco_val2014_questions.json"),
        ("{0}/list", "to begin with '{{', but got first='['"),
        ("{0}/other", "with records under 'questions', but there are none"),
        ("{0}/cut", "to be whole, but after"),
        ("{0}/crowded", "but got annotations/instances_a.json, annotations/instances_b.json: move the others away"),
        ("{0}/bad", "that can be used, but there is none: questions.json: question 100: question: Expected"),
    ],
)
def test_what_is_not_there_or_no_vqa_file_is_one_error(tmp_path: Path, argument: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    official = "v2_OpenEnded_mscoco_{}_questions.json"
    write_json(tmp_path / "unanswered" / official.format("test2015"), {"questions": [question_row()]})
    for split in ("train2014", "val2014"):
        write_vqa(tmp_path / "two", names=(official.format(split), f"v2_mscoco_{split}_annotations.json"))
    write_json(tmp_path / "list/vqa.json", [question_row()])
    write_json(tmp_path / "other/vqa.json", {"images": []})
    whole = write_json(tmp_path / "cut/vqa.json", {"questions": [question_row()] * 9}).read_text()
    (tmp_path / "cut/vqa.json").write_text(whole[:400])
    for name in ("a", "b"):
        write_coco(write_vqa(tmp_path / "crowded"), [image_row(1)], [], name=f"annotations/instances_{name}.json")
    write_vqa(tmp_path / "bad", [question_row(100, question="")])
    with pytest.raises(DataError) as caught:
        load(argument.format(tmp_path))
    assert said.format() in str(caught.value)
    assert "\n" not in str(caught.value)


def test_of_several_the_one_that_has_photos_or_answers_is_meant(tmp_path: Path) -> None:
    official = "v2_OpenEnded_mscoco_{}_questions.json"
    write_vqa(
        tmp_path,
        [question_row(100, 1)],
        names=(official.format("train2014"), "v2_mscoco_train2014_annotations.json"),
    )
    write_json(tmp_path / official.format("test2015"), {"questions": [question_row(7)]})
    assert len(load(str(tmp_path))) == 1
    write_vqa(tmp_path, names=(official.format("val2014"), "v2_mscoco_val2014_annotations.json"))
    write_photos(tmp_path / "val2014", "COCO_val2014_000000000001.jpg", "COCO_val2014_000000000002.jpg")
    assert len(load(str(tmp_path))) == 2


def test_photos_in_another_folder_are_named(tmp_path: Path) -> None:
    write_vqa(tmp_path, names=("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"))
    write_photos(tmp_path / "images" / "coco" / "val2014", "COCO_val2014_000000000002.jpg")
    with pytest.raises(DataError, match=r"COCO_val2014_000000000002\.jpg is in '.*images/coco/val2014': move that"):
        load(str(tmp_path))


def test_questions_with_blank_answers_alone_are_odd(tmp_path: Path) -> None:
    blank = [{"answer": text} for text in ("", " ") * 5]
    write_vqa(tmp_path, annotations=[answers_row(100, 1), answers_row(200, 2, answers=blank)])
    (line,) = load(str(tmp_path)).annotations.remarks
    assert line.startswith("1 question has blank answers alone (question 200)")


def test_an_argument_is_needed() -> None:
    with pytest.raises(OptionError, match=r"Expected --vqamt-data=vqa-v2:DIR or vqa-v2:QUESTIONS\.json"):
        load("")
