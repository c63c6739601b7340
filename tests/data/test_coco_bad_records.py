"""Each broken record of a COCO file is named in one line, and no other scene suffers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.coco import load
from tests.data.made_coco import SQUARE, Row, annotation_row, image_row, without, write_coco, write_json, write_photos
from tests.rows import each_row

NAN, INFINITE = float("nan"), float("inf")
EMPTY: Row = {"images": [], "annotations": [], "categories": []}


def opened(tmp_path: Path, images: Sequence[object], annotations: Sequence[object]) -> AnnotatedPhotos:
    return load(str(write_coco(tmp_path, images, annotations)))


def runs(*counts: float, size: Sequence[int] = (80, 100)) -> Row:
    return {"segmentation": {"size": list(size), "counts": list(counts)}}


def compressed(counts: str) -> Row:
    return {"segmentation": {"size": [80, 100], "counts": counts}}


@each_row(
    "row, line",
    [
        ("dog.jpg", "images[0]: Expected a JSON object, but got record='dog.jpg'"),
        (without(image_row(), "id"), "images[0]: id: Expected an id"),
        (image_row(id=None), "images[0]: id: Expected an id"),
        (image_row(id=[1]), "images[0]: id: Expected an id"),
        (without(image_row(), "file_name"), "image 1: file_name: Expected a text that is not blank, but got no"),
        (image_row(file_name=7), "image 1: file_name: Expected a text that is not blank, but got file_name=7"),
        (without(image_row(), "width"), "image 1: width: Expected a whole number from 1"),
        (image_row(height=0), "image 1: height: Expected a whole number from 1"),
        (image_row(width="100"), "image 1: width: Expected a whole number from 1 to 100000, but got width='100'"),
        (image_row(file_name="../secret.jpg"), "image 1: file_name: Expected the name of a photo within"),
        (image_row(file_name="/etc/passwd"), "image 1: file_name: Expected the name of a photo within"),
        (image_row(file_name="gone.png"), "image 1: file_name: Expected a photo in"),
    ],
)
def test_a_broken_image_is_named(tmp_path: Path, row: object, line: str) -> None:
    source = opened(tmp_path, [row, image_row(2)], [annotation_row(21, 2)])
    assert [source.scene(index).id for index in range(len(source))] == ["2"]
    (text,) = source.bad_records
    assert text.startswith(f"instances.json: {line}")
    assert "\n" not in text


@each_row(
    "changes, field, said",
    [
        ({"bbox": [10, NAN, 20, 20]}, "bbox[1]", "a number, but got bbox[1]=nan"),
        ({"bbox": [10, 10, INFINITE, 20]}, "bbox[2]", "a number, but got bbox[2]=inf"),
        ({"bbox": [10, 10, -20, 20]}, "bbox", "a box of a width and height above 0"),
        ({"bbox": [100, 10, 20, 20]}, "bbox", "a box within the picture of 100 x 80 px"),
        ({"bbox": [10, 10, 20]}, "bbox", "a box [x, y, w, h]"),
        ({"bbox": "10 10 20 20"}, "bbox", "a list"),
        ({"bbox": None}, "bbox", "a list"),
        ({"category_id": 5}, "category_id", "a category of instances.json, but got category_id=5"),
        ({"category_id": None}, "category_id", "an id"),
        ({"iscrowd": 2}, "iscrowd", "a whole number from 0 to 1, but got iscrowd=2"),
        ({"segmentation": "square"}, "segmentation", "a list of polygons, or runs"),
        ({"segmentation": SQUARE}, "segmentation[0]", "a polygon [x0, y0, x1, y1, ...]"),
        ({"segmentation": [SQUARE[:7]]}, "segmentation[0]", "an even count of coordinates"),
        ({"segmentation": [SQUARE, SQUARE[:4]]}, "segmentation[1]", "a polygon of three points or more"),
        ({"segmentation": [["a", *SQUARE[1:]]]}, "segmentation[0]", "a polygon of numbers"),
        ({"segmentation": [[NAN, *SQUARE[1:]]]}, "segmentation[0]", "a polygon of finite numbers"),
        ({"segmentation": [[9e9, *SQUARE[1:]]]}, "segmentation[0]", "a polygon about the picture"),
        (runs(10, 20), "segmentation.counts", "cover the picture's 100 x 80 = 8000 px"),
        (runs(8000, 1), "segmentation.counts", "they cover 8001"),
        (runs(8001, -1), "segmentation.counts", "the least is -1"),
        (runs(), "segmentation.counts", "they cover 0"),
        (runs(7999.5, 0.5), "segmentation.counts", "a list of whole numbers"),
        (runs(8000, size=[100, 80]), "segmentation.size", "[height, width] of the picture, [80, 100]"),
        ({"segmentation": {"size": [80, 100]}}, "segmentation.counts", "a list"),
        (compressed("Pj"), "segmentation.counts", "COCO's compression"),
        (compressed("1 2 é"), "segmentation.counts", "COCO's compression"),
        (compressed("123"), "segmentation.counts", "they cover 6"),
    ],
)
def test_a_broken_annotation_takes_its_scene_with_it(tmp_path: Path, changes: Row, field: str, said: str) -> None:
    rows = [annotation_row(10, 1), annotation_row(11, 1, **changes), annotation_row(21, 2)]
    source = opened(tmp_path, [image_row(1), image_row(2)], rows)
    assert [source.scene(index).id for index in range(len(source))] == ["2"]
    (text,) = source.bad_records
    assert text.startswith(f"instances.json: annotation 11: {field}: Expected ")
    assert said in text
    assert "\n" not in text


def test_an_annotation_of_no_image_is_a_bad_record_of_its_own(tmp_path: Path) -> None:
    source = opened(tmp_path, [image_row(1)], [annotation_row(11, 1), annotation_row(12, 7)])
    assert len(source) == 1
    assert source.bad_records == (
        "instances.json: annotation 12: image_id: Expected the id of an image of instances.json, but got image_id=7",
    )


def test_annotations_of_a_broken_image_are_not_reported_too(tmp_path: Path) -> None:
    source = opened(tmp_path, [image_row(1, width=0), image_row(2)], [annotation_row(11, 1), annotation_row(12, 1)])
    assert [text.split(": Expected")[0] for text in source.bad_records] == ["instances.json: image 1: width"]


def test_an_annotation_without_an_id_is_named_by_its_place(tmp_path: Path) -> None:
    rows = [annotation_row(21, 2), without(annotation_row(11, 1), "id"), "dog"]
    source = opened(tmp_path, [image_row(1), image_row(2)], rows)
    assert [text.split(": Expected")[0] for text in source.bad_records] == [
        "instances.json: annotations[1]: id",
        "instances.json: annotations[2]",
    ]
    assert [source.scene(index).id for index in range(len(source))] == ["2"]


def test_of_two_images_with_one_id_neither_is_used(tmp_path: Path) -> None:
    rows = [image_row(1), image_row(2), image_row(1, file_name="other.jpg")]
    source = opened(tmp_path, rows, [annotation_row(11, 1)])
    assert source.bad_records == (
        "instances.json: image 1: id: Expected an id of its own, but got id=1: "
        "another image has it, and neither is used",
    )
    assert [source.scene(index).id for index in range(len(source))] == ["2"]


def test_of_two_images_with_one_photo_neither_is_used(tmp_path: Path) -> None:
    rows = [image_row(1), image_row(2), image_row(3, file_name="000000000001.jpg")]
    source = opened(tmp_path, rows, [])
    assert [text.split(", but")[0] for text in source.bad_records] == [
        "instances.json: image 1: file_name: Expected a photo of its own",
        "instances.json: image 3: file_name: Expected a photo of its own",
    ]
    assert [source.scene(index).id for index in range(len(source))] == ["2"]


def test_of_two_annotations_with_one_id_the_second_is_broken(tmp_path: Path) -> None:
    source = opened(tmp_path, [image_row(1), image_row(2)], [annotation_row(11, 1), annotation_row(11, 2)])
    assert source.bad_records == (
        "instances.json: annotation 11: id: Expected an id of its own, but got id=11: annotations[0] and [1] have it",
    )
    assert [source.scene(index).id for index in range(len(source))] == ["1"]


def test_a_blank_caption_is_a_broken_annotation_of_its_image(tmp_path: Path) -> None:
    captions = [
        {"id": 5, "image_id": 1, "caption": " "},
        {"id": 6, "image_id": 2, "caption": "A dog\n on grass. "},
        {"id": 7, "image_id": 99, "caption": "Of a photo that is not here."},
    ]
    source = load(str(write_coco(tmp_path, captions=captions)))
    assert [text.split(", but")[0] for text in source.bad_records] == [
        "captions.json: caption 5: caption: Expected a text that is not blank"
    ]
    assert [source.scene(index).captions for index in range(len(source))] == [("A dog on grass.",)]


@each_row(
    "value, said",
    [
        ([], "with a list 'images' and a list 'annotations' and a list 'categories', but got no object"),
        ({"images": [], "questions": []}, "with a list 'annotations' and a list 'categories', but got an object with"),
        ({"images": [], "annotations": {}, "categories": []}, "annotations: Expected a list, but got annotations={}"),
        ({**EMPTY, "categories": [{"id": 1}]}, "instances.json: categories[0].name: Expected"),
        ({**EMPTY, "categories": [{"id": 1, "name": "dog"}] * 2}, "categories[1].id: Expected an id of its own"),
        (EMPTY, "that can be used, but there is none"),
    ],
)
def test_what_is_no_coco_file_is_one_error(tmp_path: Path, value: object, said: str) -> None:
    write_json(tmp_path / "instances.json", value)
    write_photos(tmp_path / "images")
    with pytest.raises(DataError) as caught:
        load(str(tmp_path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_without_any_usable_record_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"that can be used, but there is none: instances\.json: annotation 11: bbox"):
        opened(tmp_path, [image_row(1)], [annotation_row(11, 1, bbox=None)])
