"""Photos find their rows of features however the two write an id; where two rows may be meant, it is said."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.region_models import feature_files
from pytest_vqamt.models.region_models.feature_files import FeatureFile, PhotoIds, TsvFeatures
from tests.models.small.features import Made, made, tsv_row, write_npz
from tests.rows import each_row

if TYPE_CHECKING:
    from typing_extensions import Buffer


COCO = ("COCO_val2014_000000123456", "000000123456", "123456", "000000123456.jpg", "COCO_val2014_000000123456.jpg")


@each_row("row", COCO)
@each_row("photo", [*COCO, "val2017/000000123456.jpg"])
def test_a_photo_of_coco_is_found_in_every_form(row: str, photo: str) -> None:
    assert PhotoIds(["000000000007", row, "yard"], "features.tsv").row(photo) == 1


@each_row(
    "row, photo",
    [("yard", "yard.png"), ("yard.png", "yard"), ("a/yard.jpg", "a/yard.JPG"), ("yard", "2024/yard.jpg"), ("2", "2")],
)
def test_other_photos_are_found_with_and_without_ending_and_folder(row: str, photo: str) -> None:
    assert PhotoIds([row], "features.tsv").row(photo) == 0


@each_row(
    "row, photo",
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


SIZE = (200, 100)
YARD = made(1, width=200, height=100)
FEW = made(2, width=64, height=48, count=3)


def picture(photo: str, width: int = 200, height: int = 100) -> Picture:
    return Scene(id=photo, photo=Photo(id=photo, digest="1"), width=width, height=height).picture


def npz(file: Path, photos: dict[str, tuple[Made, tuple[int, int]]]) -> Path:
    return write_npz(file.with_suffix(".npz"), photos)


def tsv(file: Path, photos: dict[str, tuple[Made, tuple[int, int]]]) -> Path:
    """As Python's csv module writes it: lines end with a carriage return and a newline."""
    written = file.with_suffix(".tsv")
    written.write_bytes(b"".join(tsv_row(name, *photo) + b"\r\n" for name, photo in photos.items()))
    return written


Writer = Callable[[Path, dict[str, tuple[Made, tuple[int, int]]]], Path]
both = pytest.mark.parametrize("write", [npz, tsv])


@both
def test_features_come_back_as_they_were_written(tmp_path: Path, write: Writer) -> None:
    file = FeatureFile(write(tmp_path / "some", {"bare": (FEW, (64, 48)), "yard": (YARD, SIZE)}))
    regions = file.find(picture("yard.png"))
    assert regions is not None
    assert regions.count == 36
    assert np.array_equal(regions.features, YARD.features)
    # The last box in shares: x by the width of 200, y by the height of 100.
    x1, y1, x2, y2 = YARD.boxes_px[35]
    assert regions.boxes[35] == pytest.approx([x1 / 200, y1 / 100, x2 / 200, y2 / 100])


@both
def test_fewer_regions_are_filled_up_with_zeros(tmp_path: Path, write: Writer) -> None:
    regions = FeatureFile(write(tmp_path / "some", {"bare": (FEW, (64, 48))})).find(picture("bare", 64, 48))
    assert regions is not None
    assert regions.count == 3
    assert regions.features.shape == (36, 2048)
    assert np.array_equal(regions.features[:3], FEW.features)
    assert not regions.features[3:].any()
    assert not regions.boxes[3:].any()


@both
def test_an_unknown_photo_and_an_edited_picture_are_not_there(tmp_path: Path, write: Writer) -> None:
    file = FeatureFile(write(tmp_path / "some", {"yard": (YARD, SIZE)}))
    assert file.find(picture("garden")) is None
    edited = picture("yard").mirror()
    assert file.find(edited) is None
    assert "edited (mirror)" in str(file.lacks(edited))
    assert "no row for photo 'garden', among 1" in str(file.lacks(picture("garden")))


@both
def test_features_of_a_picture_of_another_size_are_refused(tmp_path: Path, write: Writer) -> None:
    """Visual Genome and COCO both have a photo 42."""
    file = FeatureFile(write(tmp_path / "some", {"000000000042": (YARD, SIZE)}))
    with pytest.raises(DataError, match=r"photo '42\.jpg' of 640 x 480 pixels, but they are of a picture of 200 x 100"):
        file.find(picture("42.jpg", 640, 480))


def with_boxes(boxes: object) -> Made:
    return replace(FEW, boxes_px=np.asarray(boxes, np.float32))


WRONG = {
    "x y w h": (with_boxes([[10, 0, 5, 5]] * 3), "are they x y w h?"),
    "shares": (with_boxes([[0, 0, 1, 0.5]] * 3), r"all lie within \[0, 1\]"),
    "beyond the photo": (with_boxes([[0, 0, 500, 40]] * 3), "some reach beyond it"),
    "not a number": (with_boxes([[0, 0, float("nan"), 4]] * 3), "finite"),
    "infinite features": (replace(FEW, features=np.full((3, 2048), np.inf, np.float32)), "finite"),
    "too many": (made(3, width=64, height=48, count=37), r"n from 1 to 36, but got features=\(37, 2048\)"),
}


@both
@pytest.mark.parametrize("case", WRONG)
def test_a_row_that_cannot_be_true_is_refused_when_it_is_asked_for(tmp_path: Path, write: Writer, case: str) -> None:
    regions, message = WRONG[case]
    file = FeatureFile(write(tmp_path / "some", {"good": (FEW, (64, 48)), "bad": (regions, (64, 48))}))
    with pytest.raises(DataError, match=message):
        file.find(picture("bad", 64, 48))
    assert file.find(picture("good", 64, 48)) is not None


def test_an_archive_may_hold_half_precision(tmp_path: Path) -> None:
    half = replace(FEW, features=FEW.features.astype(np.float16))
    regions = FeatureFile(npz(tmp_path / "half", {"bare": (half, (64, 48))})).find(picture("bare", 64, 48))
    assert regions is not None
    assert regions.features.dtype == np.float32
    assert regions.features[0] == pytest.approx(FEW.features[0], rel=1e-3)


def test_features_of_another_detector_are_refused(tmp_path: Path) -> None:
    narrow = replace(FEW, features=FEW.features[:, :1024])
    file = FeatureFile(npz(tmp_path / "narrow", {"bare": (narrow, (64, 48))}))
    with pytest.raises(DataError, match=r"shape \(n, 2048\).*but got features=\(3, 1024\)"):
        file.find(picture("bare", 64, 48))


@pytest.mark.parametrize("missing", ["boxes", "size"])
def test_an_archive_that_lacks_an_array_is_refused_when_it_is_opened(tmp_path: Path, missing: str) -> None:
    arrays = {"yard/features": YARD.features, "yard/boxes": YARD.boxes_px, "yard/size": np.array(SIZE)}
    del arrays[f"yard/{missing}"]
    np.savez(tmp_path / "some.npz", **arrays)  # type: ignore[arg-type]  # numpy types all its named arguments alike
    with pytest.raises(DataError, match=f"it lacks 'yard/{missing}'"):
        FeatureFile(tmp_path / "some.npz")


def test_archives_of_objects_are_not_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "some.npz", **{"yard/features": np.array([{}], object), "yard/boxes": 1, "yard/size": 1})  # type: ignore[arg-type]  # as above
    with pytest.raises(DataError, match="allow_pickle"):
        FeatureFile(tmp_path / "some.npz").find(picture("yard"))


def test_a_damaged_archive_says_which_array_is_meant(tmp_path: Path) -> None:
    file = npz(tmp_path / "some", {"yard": (YARD, SIZE)})
    content = bytearray(file.read_bytes())
    content[5000] ^= 255
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"Expected to read 'yard/features', but"):
        FeatureFile(file).find(picture("yard"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda row: b"img_id\timg_h\n" + row,
            r"some\.tsv:1: Expected the 10 columns img_id img_h .* without a heading",
        ),
        (lambda row: row + b"\n" + row[:-100], r"some\.tsv:2: Expected \d+ bytes, but the file ends after"),
        (lambda row: row + b"AAAA\n" + row, r"some\.tsv:1: Expected features of 2048 float32 numbers"),
        (
            lambda row: row.replace(b"\t36\t", b"\tmany\t"),
            r"Expected num_boxes to be a whole number, but got num_boxes=b'many'",
        ),
        (lambda row: row.replace(b"\t", b","), "Expected the 10 columns"),
        (lambda _: b"", "it is empty"),
    ],
    ids=["a heading", "cut off", "longer than it says", "no number", "commas", "empty"],
)
def test_a_file_of_another_form_is_refused_when_it_is_opened(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    file = tmp_path / "some.tsv"
    file.write_bytes(change(tsv_row("yard", YARD, SIZE)))
    with pytest.raises(DataError, match=message):
        FeatureFile(file)


def test_rows_that_are_not_base64_are_refused_when_they_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "some.tsv"
    file.write_bytes(tsv_row("yard", YARD, SIZE)[:-3] + b"???\n")
    with pytest.raises(DataError, match=r"some\.tsv:1: Expected features as base64"):
        FeatureFile(file).find(picture("yard"))


class Counting(io.FileIO):
    """A file that counts the bytes that are read of it."""

    count = 0

    def readinto(self, buffer: Buffer) -> int:
        got = super().readinto(buffer) or 0
        Counting.count += got
        return got


def test_of_a_large_file_only_the_beginning_of_each_row_is_read_to_index_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four rows of 395 kB; the index takes 16 kB of each, and finds rows that end with and without carriage return."""
    file = tmp_path / "some.tsv"
    rows = [tsv_row(f"COCO_val2014_{number:012}", made(number, width=9, height=9), (9, 9)) for number in range(4)]
    file.write_bytes(rows[0] + b"\r\n" + rows[1] + b"\n" + rows[2] + b"\r\n" + rows[3])
    with monkeypatch.context() as patched:
        patched.setattr(feature_files, "open_input", lambda path: io.BufferedReader(Counting(path)))
        TsvFeatures(file)
    assert 4 * 16384 <= Counting.count <= 4 * 40_000
    opened = FeatureFile(file)
    for number in range(4):
        regions = opened.find(picture(f"{number:012}.jpg", 9, 9))
        assert regions is not None
        assert np.array_equal(regions.features, made(number, width=9, height=9).features)


@pytest.mark.parametrize("name", ["none.npz", "none.tsv", "some.h5"])
def test_a_file_that_is_not_there_or_of_another_kind_is_an_error_of_the_setting(tmp_path: Path, name: str) -> None:
    (tmp_path / "some.h5").touch()
    with pytest.raises(OptionError, match=r"Expected features=FILE\.npz or FILE\.tsv, but"):
        FeatureFile(tmp_path / name)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("hello")
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    for name in ("text.npz", "one.npz"):
        with pytest.raises(DataError, match="to be a NumPy archive"):
            FeatureFile(tmp_path / name)


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    first = npz(tmp_path / "first", {"yard": (YARD, SIZE)})
    second = npz(tmp_path / "second", {"yard": (YARD, SIZE)})
    other = npz(tmp_path / "other", {"yard": (made(9, width=200, height=100), SIZE)})
    assert FeatureFile(first).fingerprint == FeatureFile(second).fingerprint
    assert FeatureFile(first).fingerprint != FeatureFile(other).fingerprint
