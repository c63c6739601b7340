"""Photos find their rows of features however the two write an id; where two rows may be meant, it is said."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.region_models.feature_files import PhotoIds

COCO = ("COCO_val2014_000000123456", "000000123456", "123456", "000000123456.jpg", "COCO_val2014_000000123456.jpg")


@pytest.mark.parametrize("row", COCO)
@pytest.mark.parametrize("photo", [*COCO, "val2017/000000123456.jpg"])
def test_a_photo_of_coco_is_found_in_every_form(row: str, photo: str) -> None:
    assert PhotoIds(["000000000007", row, "yard"], "features.tsv").row(photo) == 1


@pytest.mark.parametrize(
    ("row", "photo"),
    [("yard", "yard.png"), ("yard.png", "yard"), ("a/yard.jpg", "a/yard.JPG"), ("yard", "2024/yard.jpg"), ("2", "2")],
)
def test_other_photos_are_found_with_and_without_ending_and_folder(row: str, photo: str) -> None:
    assert PhotoIds([row], "features.tsv").row(photo) == 0


@pytest.mark.parametrize(
    ("row", "photo"),
    [
        ("COCO_val2014_000000123456", "000000123457.jpg"),
        ("12", "123456"),
        ("yard", "back yard.jpg"),
        ("a/yard", "b/yard.png"),
        ("v1.5", "v1.png"),
        ("cat12", "12"),
    ],
)
def test_what_only_looks_alike_is_not_taken(row: str, photo: str) -> None:
    assert PhotoIds([row], "features.tsv").row(photo) is None


def test_the_nearest_form_decides() -> None:
    ids = PhotoIds(["000000000042", "COCO_val2014_000000000042", "42"], "features.tsv")
    assert ids.row("COCO_val2014_000000000042.jpg") == 1
    assert ids.row("42") == 2
    assert len(ids) == 3


def test_several_rows_that_may_be_meant_are_an_error() -> None:
    ids = PhotoIds(["COCO_train2014_000000000042", "COCO_val2014_000000000042"], "features.tsv")
    with pytest.raises(
        DataError, match=r"features\.tsv: .* 'photo 42|'000000000042\.jpg', but got 2 .*train2014.*val2014"
    ):
        ids.row("000000000042.jpg")
    with pytest.raises(DataError, match="leave one of them in the file"):
        PhotoIds(["yard", "yard"], "features.tsv").row("yard")
