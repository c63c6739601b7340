"""What detectors cannot look at is named, costs only itself, and is not looked at again in vain."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.photos import annotate_photos, warn
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.base import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.execution.shop import options, put, rows, write_shop

BOX = [0, 0, 20, 20]


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DETR that sees a dog from 0.2 to 0.4 of the width and from 0.5 to 0.9 of the height of every photo."""
    return small_detectors.detr(tmp_path_factory.mktemp("detr"), plant=(0.3, 0.7, 0.2, 0.4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_shop(tmp_path / "shop")


def test_a_broken_photo_is_a_bad_record_and_the_others_are_looked_at(folder: Path, detector: Path) -> None:
    (folder / "a.jpg").write_bytes((folder / "a.jpg").read_bytes()[:-40])
    (folder / "text.png").write_text("no picture")
    annotate_photos(f"photos:{folder}", options(detector))
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "b.jpg"]
    with pytest.raises(
        DataError, match=r"2 are bad, beside 2 good scenes; the first: Expected a whole photo, but .*a\.jpg'"
    ):
        load(f"photos:{folder}")
    torn, text = load(f"photos:{folder}", allow_bad_records=True).bad_records
    assert "a.jpg' is truncated: fetch it again" in torn
    assert "text.png' is no image, or a broken one" in text

    Image.new("RGB", (20, 10)).save(folder / "a.jpg")
    (folder / "text.png").unlink()
    annotate_photos(f"photos:{folder}", options(detector))
    assert len(load(f"photos:{folder}")) == 3


def test_what_is_done_and_what_came_of_it_are_told(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log shows no bar."""
    (folder / "text.png").write_text("no picture")

    def sees(image: Image.Image) -> tuple[DetectedObject, ...]:
        dog = DetectedObject(name="dog", box=Box(0, 0, 20, 20), score=0.9, by="boxes")
        return () if image.width == 60 else (dog, dog)

    put(monkeypatch, sees)
    annotate_photos(f"photos:{folder}", options(detector))
    assert capsys.readouterr().err.splitlines() == [
        f"vqamt: looking at 4 photos in '{folder}' without a line in graphs.jsonl",
        "vqamt: looked at 4 photos: 4 things, nothing in 1, no line for 1",
    ]
    annotate_photos(f"photos:{folder}", options(detector))
    assert capsys.readouterr().err == ""


def test_a_name_that_is_not_utf_8_costs_only_its_photo(folder: Path, detector: Path) -> None:
    """As a zip from another system leaves them."""
    try:
        shutil.copy(folder / "a.jpg", folder / os.fsdecode(b"aa\xff.jpg"))
    except OSError:
        pytest.skip("this file system has no such names")
    for _ in range(2):
        annotate_photos(f"photos:{folder}", options(detector))
        assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "a.jpg", "b.jpg"]
        (bad,) = load(f"photos:{folder}", allow_bad_records=True).bad_records
        assert "got name='aa\\udcff.jpg'" in bad


def test_a_photo_is_looked_at_again_when_it_has_changed_or_others_are_to_look(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn = (folder / "a.jpg").read_bytes()[:-40]
    (folder / "a.jpg").write_bytes(torn)
    annotate_photos(f"photos:{folder}", options(detector))
    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "detector_of", lambda _options: pytest.fail("a detector was loaded"))
        annotate_photos(f"photos:{folder}", options(detector))
    others = options(detector, **{"min-score": "0.1"})
    annotate_photos(f"photos:{folder}", others)
    assert len(rows(folder)) == 2
    Image.new("RGB", (20, 10)).save(folder / "a.jpg")
    annotate_photos(f"photos:{folder}", others)
    assert len(rows(folder)) == 3


def test_a_photo_that_a_detector_fails_on_costs_only_itself(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(image: Image.Image) -> tuple[DetectedObject, ...]:
        if image.size == (100, 200):
            raise RuntimeError("no kernel image\nis available")
        return ()

    put(monkeypatch, fails)
    annotate_photos(f"photos:{folder}", options(detector))
    (bad,) = load(f"photos:{folder}", allow_bad_records=True).bad_records
    assert bad == (
        f"Expected a detector to look at '{folder / 'b.jpg'}', but it raised RuntimeError (no kernel image is "
        "available): write its line yourself, or take another detector. Delete graphs.detected.jsonl to have it looked "
        "at again"
    )


def test_a_detector_that_fails_on_every_photo_is_stopped(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        Image.new("RGB", (20, 10)).save(folder / f"{number:02}.png")

    def fails(image: Image.Image) -> tuple[DetectedObject, ...]:
        raise RuntimeError("device-side assert")

    finds = put(monkeypatch, fails)
    with pytest.raises(
        ModelError, match=r"it raised RuntimeError \(device-side assert\).* So it did on the last 5 photos"
    ):
        annotate_photos(f"photos:{folder}", options(detector))
    assert finds.looks == 5
    put(monkeypatch)
    annotate_photos(f"photos:{folder}", options(detector))
    assert len(rows(folder)) == 23


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (MemoryError(), "raised MemoryError .*give --vqamt-device=cpu, or make the photo smaller"),
        (ModuleNotFoundError("No module named 'skimage'"), r'skimage.*run: pip install "pytest-vqamt\[photos\]"'),
    ],
)
def test_what_is_not_the_photos_fault_is_no_bad_record(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, advice: str
) -> None:
    def fails(image: Image.Image) -> tuple[DetectedObject, ...]:
        if image.size == (100, 200):
            raise error
        return ()

    put(monkeypatch, fails)
    with pytest.raises(ModelError, match=advice):
        annotate_photos(f"photos:{folder}", options(detector))
    put(monkeypatch)
    annotate_photos(f"photos:{folder}", options(detector))
    assert len(rows(folder)) == 3


def test_a_line_of_which_nobody_can_tell_the_photo_comes_first(folder: Path, detector: Path) -> None:
    (folder / "graphs.jsonl").write_text('{"id": "a", "photo": "a.jpg"\n')
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected JSON, .* \(before photos can be added to it"):
        annotate_photos(f"photos:{folder}", options(detector))


def test_a_folder_that_cannot_be_written(folder: Path, detector: Path) -> None:
    (folder / "graphs.detected.jsonl").mkdir()
    with pytest.raises(
        DataError, match=r"Expected to write '.*graphs\.detected\.jsonl', where what detectors find is kept"
    ):
        annotate_photos(f"photos:{folder}", options(detector))


def test_settings_are_checked_before_anything_else(detector: Path) -> None:
    with pytest.raises(OptionError, match="min-score=SCORE"):
        annotate_photos("photos:absent", options(detector, **{"min-score": "2"}))
    with pytest.raises(DataError, match="there is no such folder"):
        annotate_photos("photos:absent", options(detector))


def test_lines_of_other_settings_are_told_of(folder: Path, detector: Path) -> None:
    before, now = options(detector, **{"min-score": "0.4"}), options(detector)
    annotate_photos(f"photos:{folder}", before)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for spec, asked in [(f"photos:{folder}", before), (f"photos:{folder}", ModelOptions()), ("pictures", now)]:
            warn(spec, asked)
        with pytest.raises(DataError, match=r"^Expected lines .*, but other settings \(.*\) wrote 3 of the 3 "):
            warn(f"photos:{folder}", now)
    lines = (folder / "graphs.jsonl").read_text().splitlines(keepends=True)
    (folder / "graphs.jsonl").write_text("".join(lines[1:]))
    annotate_photos(f"photos:{folder}", now)
    with pytest.warns(UserWarning, match="other settings") as told:
        warn(f"photos:{folder}", now)
    assert [str(each.message) for each in told] == [
        f"other settings (boxes={detector} min-score=0.4) wrote 2 of the 3 lines in "
        f"'{folder / 'graphs.jsonl'}', and these stay as they are: delete one to have its photo looked at anew"
    ]


def test_it_is_told_where_nothing_was_found(folder: Path, detector: Path) -> None:
    unsure = options(detector, **{"min-score": "0.99999"})
    annotate_photos(f"photos:{folder}", unsure)
    with pytest.warns(UserWarning, match=r"detectors found no thing in any of the 3 photos .* lower min-score"):
        warn(f"photos:{folder}", unsure)
    line = {"id": "a", "photo": "a.jpg", "width": 200, "height": 100, "objects": [{"id": 1, "name": "cup", "box": BOX}]}
    (folder / "graphs.jsonl").write_text(json.dumps(line))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn(f"photos:{folder}", unsure)
