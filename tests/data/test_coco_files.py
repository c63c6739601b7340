"""The layouts of COCO met in the wild, and what is said where none is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.coco.source import load
from tests.data.made_coco import image_row, write_coco, write_photos

CAPTION = {"id": 1, "image_id": 1, "caption": "A dog."}


@pytest.mark.parametrize(
    ("name", "photos"),
    [
        ("annotations/instances_val2017.json", "val2017"),
        ("annotations/instances_val2017.json", "images"),
        ("annotations/instances_val2017.json", "images/val2017"),
        ("annotations/instances_val2017.json.gz", "val2017"),
        ("instances_val2017.json", "val2017"),
        ("instances.json", "images"),
        ("instances.json.gz", "images"),
        ("instances.json", "."),
    ],
)
def test_a_layout_is_found(tmp_path: Path, name: str, photos: str) -> None:
    source = load(str(write_coco(tmp_path, name=name, photos=photos, captions=[CAPTION])))
    assert source.bad_records == ()
    assert [source.scene(index).id for index in range(len(source))] == ["1", "2"]
    assert source.scene(0).captions == ("A dog.",)


def test_an_empty_folder_of_the_right_name_does_not_hide_the_photos(tmp_path: Path) -> None:
    write_coco(tmp_path, name="annotations/instances_val2017.json", photos="images")
    (tmp_path / "val2017").mkdir()
    assert len(load(str(tmp_path))) == 2


def test_photos_may_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(1, file_name="val2017/1.jpg")], [])
    write_photos(tmp_path / "images/val2017", "1.jpg")
    assert load(str(tmp_path)).scene(0).photo.id == "val2017/1.jpg"


def test_file_and_folder_may_both_be_named(tmp_path: Path) -> None:
    write_coco(tmp_path, name="mine.json", photos="photos")
    assert len(load(f"{tmp_path / 'mine.json'}:{tmp_path / 'photos'}")) == 2


def test_of_several_files_the_one_with_a_folder_of_photos_is_meant(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(7)], [], name="annotations/instances_train2017.json", photos="elsewhere")
    write_coco(tmp_path, name="annotations/instances_val2017.json", photos="val2017")
    assert [load(str(tmp_path)).scene(0).id] == ["1"]


def test_several_files_without_a_clear_choice_are_listed(tmp_path: Path) -> None:
    for split in ("train2017", "val2017"):
        write_coco(tmp_path, name=f"annotations/instances_{split}.json", photos="images")
    with pytest.raises(DataError) as caught:
        load(str(tmp_path))
    assert str(caught.value) == (
        f"Expected one instances file in {str(tmp_path)!r}, but got annotations/instances_train2017.json, "
        "annotations/instances_val2017.json: name one with coco:INSTANCES.json:IMAGES"
    )
    named = f"{tmp_path}/annotations/instances_val2017.json:{tmp_path}/images"
    assert len(load(named)) == 2


def test_of_a_file_that_is_there_plain_and_compressed_the_plain_one_is_read(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(7)], [], name="instances.json.gz")
    assert load(str(write_coco(tmp_path))).scene(0).id == "1"


def test_captions_of_another_split_are_left_alone(tmp_path: Path) -> None:
    write_coco(tmp_path, name="annotations/instances_train2017.json", captions=[CAPTION])
    (tmp_path / "annotations/instances_train2017.json").unlink()
    write_coco(tmp_path, name="annotations/instances_val2017.json")
    assert load(str(tmp_path)).scene(0).captions == ()


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("{0}/nowhere", "there is no such folder"),
        ("{0}/empty", "there is neither: name the file with coco:INSTANCES.json:IMAGES"),
        ("{0}/gone.json:{0}", "there is no such file"),
        ("{0}/mine.json:{0}/nowhere", "there is no such folder"),
        ("{0}/bare", "none of them is there: instances.json: image 1: file_name: Expected a photo in"),
        ("{0}/mine.json:{0}/empty", "or name the folder with coco:INSTANCES.json:IMAGES"),
    ],
)
def test_what_is_not_there_is_named(tmp_path: Path, argument: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    write_coco(tmp_path, name="mine.json")
    write_coco(tmp_path / "bare", photos="../elsewhere")
    with pytest.raises(DataError) as caught:
        load(argument.format(tmp_path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
