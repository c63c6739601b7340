"""``photos:DIR`` is completed by detectors: once, line by line, and with what cannot be looked at named."""

from __future__ import annotations

import json
import os
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.detector import DetectedObject
from pytest_vqamt.annotation.photos import annotate_photos
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.annotation.shop import options, put, rows, write_shop
from tests.models.region_models.small_detector import NARROW, write_detector

COCO = Path(__file__).parents[2] / "../shared/data/coco/images"


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DETR that sees a dog from 0.2 to 0.4 of the width and from 0.5 to 0.9 of the height of every photo."""
    return small_detectors.detr(tmp_path_factory.mktemp("detr"), plant=(0.3, 0.7, 0.2, 0.4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_shop(tmp_path / "shop")


def test_every_photo_gets_its_line(folder: Path, detector: Path) -> None:
    annotate_photos(str(folder), options(detector))
    assert rows(folder) == [
        {
            "id": name,
            "photo": name,
            "width": width,
            "height": height,
            "objects": [{"id": "1", "name": "dog", "box": box, "multi_coloured": True}],
        }
        for name, width, height, box in [
            ("2024/c.png", 60, 40, [12, 20, 12, 16]),
            ("a.jpg", 200, 100, [40, 50, 40, 40]),
            ("b.jpg", 100, 200, [20, 100, 20, 80]),  # the camera was held upright
        ]
    ]
    source = load(f"photos:{folder}")
    assert source.bad_records == ()
    assert source.scene(2).objects[0].box == Box(20, 100, 20, 80)
    assert source.scene(0).exhaustive == frozenset()


def test_who_made_which_line(folder: Path, detector: Path) -> None:
    annotate_photos(str(folder), options(detector))
    noted = rows(folder, "graphs.detected.jsonl")
    assert [row["photo"] for row in noted] == ["2024/c.png", "a.jpg", "b.jpg"]
    assert noted[0]["objects"]["1"]["by"] == "boxes"
    assert 0.9 < noted[0]["objects"]["1"]["score"] <= 1
    assert noted[0]["settings"] == {"boxes": str(detector)}
    assert re.fullmatch(
        rf"boxes-1 files=\w{{16}} settings=\w{{16}} torch=={re.escape(version('torch'))}\S* transformers==\S+",
        noted[0]["detectors"],
    )


def test_lines_that_are_there_are_never_touched_and_new_photos_come_last(folder: Path, detector: Path) -> None:
    annotate_photos(str(folder), options(detector))
    corrected = (folder / "graphs.jsonl").read_text().replace('"dog"', '"black cat"')
    (folder / "graphs.jsonl").write_text(corrected)
    Image.new("RGB", (30, 20), "grey").save(folder / "aa.png")
    annotate_photos(str(folder), options(detector))
    after = (folder / "graphs.jsonl").read_text()
    assert after.startswith(corrected)
    assert [row["photo"] for row in rows(folder)][3:] == ["aa.png"]


def test_where_every_photo_has_a_line_no_detector_is_loaded(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotate_photos(str(folder), options(detector))
    before = (folder / "graphs.jsonl").read_bytes(), (folder / "graphs.detected.jsonl").read_bytes()
    monkeypatch.setattr(catalogue, "detector_of", lambda _options: pytest.fail("a detector was loaded"))
    annotate_photos(str(folder), options(detector))
    assert ((folder / "graphs.jsonl").read_bytes(), (folder / "graphs.detected.jsonl").read_bytes()) == before


def test_who_is_interrupted_goes_on_where_they_were(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(image: Image.Image) -> tuple[DetectedObject, ...]:
        if finds.looks == 2:
            raise KeyboardInterrupt
        return ()

    finds = put(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        annotate_photos(str(folder), options(detector))
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png"]
    again = put(monkeypatch)
    annotate_photos(str(folder), options(detector))
    assert again.looks == 2
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "a.jpg", "b.jpg"]


def test_an_id_that_is_taken_is_not_taken_again(folder: Path, detector: Path) -> None:
    row = {"id": "b.jpg", "photo": "a.jpg", "width": 200, "height": 100}
    (folder / "graphs.jsonl").write_text(json.dumps(row))
    annotate_photos(str(folder), options(detector))
    assert [row["id"] for row in rows(folder)] == ["b.jpg", "2024/c.png", "b.jpg (2)"]
    assert load(f"photos:{folder}").bad_records == ()


def test_a_long_name(folder: Path, detector: Path) -> None:
    name = "/".join(("x" * 120, "y" * 120 + ".png"))
    (folder / name).parent.mkdir()
    Image.new("RGB", (20, 10), "grey").save(folder / name)
    annotate_photos(str(folder), options(detector))
    assert load(f"photos:{folder}").bad_records == ()
    assert max(len(row["id"]) for row in rows(folder)) <= 200


@pytest.mark.skipif(not COCO.is_dir(), reason="the shared data are not here")
def test_real_photos_by_every_kind_of_detector(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for file in sorted(COCO.glob("*.jpg"))[:3]:
        shutil.copy(file, photos)
    settings = {
        "masks": str(small_detectors.mask2former(tmp_path / "masks")),
        "boxes": str(small_detectors.detr(tmp_path / "boxes")),
        "open-vocabulary": str(small_detectors.grounding_dino(tmp_path / "words")),
        "names": "dog,person,red car",
        "detector": str(tmp_path / "regions"),
        "min-score": "0.1",
    }
    write_detector(tmp_path / "regions", NARROW)
    annotate_photos(str(photos), ModelOptions(device="cpu", settings=settings))
    source = load(f"photos:{photos}")
    assert source.bad_records == ()
    assert len(source) == 3
    outlined = 0
    for index in range(3):
        scene = source.scene(index)
        assert scene.objects
        for thing in scene.objects:
            assert thing.box.x1 <= scene.width
            assert thing.box.y1 <= scene.height
            outlined += thing.has_mask and source.mask(scene.photo, thing.id).getbbox() is not None
    assert outlined
    by = {each["by"] for row in rows(photos, "graphs.detected.jsonl") for each in row["objects"].values()}
    assert by == {"masks", "boxes", "open-vocabulary", "detector"}


# Photos that get no line, and what is printed.


def test_a_broken_photo_costs_only_itself_and_is_tried_again(folder: Path, detector: Path) -> None:
    (folder / "a.jpg").write_bytes((folder / "a.jpg").read_bytes()[:-40])
    (folder / "text.png").write_text("no picture")
    outcome = annotate_photos(str(folder), options(detector))
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "b.jpg"]
    torn, text = outcome.failures
    assert "a.jpg' is truncated: fetch it again" in torn
    assert "text.png' is no image, or a broken one" in text

    Image.new("RGB", (20, 10), "grey").save(folder / "a.jpg")
    (folder / "text.png").unlink()
    assert annotate_photos(str(folder), options(detector)).failures == ()
    assert len(load(f"photos:{folder}")) == 3


def test_the_photos_and_the_outcome_are_printed(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log shows no bar."""
    (folder / "text.png").write_text("no picture")

    def sees(image: Image.Image) -> tuple[DetectedObject, ...]:
        dog = DetectedObject(name="dog", box=Box(0, 0, 20, 20), score=0.9, by="boxes")
        return () if image.width == 60 else (dog, dog)

    put(monkeypatch, sees)
    outcome = annotate_photos(str(folder), options(detector))
    assert capsys.readouterr().err == f"vqamt: looking at 4 photos in '{folder}' without a line in graphs.jsonl\n"
    assert len(outcome.failures) == 1
    assert outcome.summary == (
        f"added 3 lines to '{folder / 'graphs.jsonl'}': 4 objects, none in 1 photo. Correct them; the scores are in "
        f"'{folder / 'graphs.detected.jsonl'}'"
    )


def test_a_name_that_is_not_utf_8_costs_only_its_photo(folder: Path, detector: Path) -> None:
    """As a zip from another system leaves them."""
    try:
        shutil.copy(folder / "a.jpg", folder / os.fsdecode(b"aa\xff.jpg"))
    except OSError:
        pytest.skip("this file system has no such names")
    (failure,) = annotate_photos(str(folder), options(detector)).failures
    assert "got name='aa\\udcff.jpg'" in failure
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "a.jpg", "b.jpg"]


def test_a_photo_that_a_detector_fails_on_costs_only_itself(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(image: Image.Image) -> tuple[DetectedObject, ...]:
        if image.size == (100, 200):
            raise RuntimeError("no kernel image\nis available")
        return ()

    put(monkeypatch, fails)
    assert annotate_photos(str(folder), options(detector)).failures == (
        f"Expected a detector to look at '{folder / 'b.jpg'}', but it raised RuntimeError (no kernel image is "
        "available): write its line yourself, or take another detector",
    )
    assert len(rows(folder)) == 2


def test_a_line_without_a_known_photo_comes_first(folder: Path, detector: Path) -> None:
    (folder / "graphs.jsonl").write_text('{"id": "a", "photo": "a.jpg"\n')
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected JSON, .* \(before photos can be added"):
        annotate_photos(str(folder), options(detector))


def test_notes_that_cannot_be_written(folder: Path, detector: Path) -> None:
    (folder / "graphs.detected.jsonl").mkdir()
    with pytest.raises(DataError, match=r"Expected to write '.*graphs\.detected\.jsonl', the file of detections"):
        annotate_photos(str(folder), options(detector))


def test_settings_are_checked_before_anything_else(detector: Path) -> None:
    with pytest.raises(OptionError, match="min-score=SCORE"):
        annotate_photos("absent", options(detector, **{"min-score": "2"}))
    with pytest.raises(OptionError, match="to name a detector"):
        annotate_photos("absent", ModelOptions(settings={"min-score": "0.5"}))
    with pytest.raises(DataError, match="there is no such folder"):
        annotate_photos("absent", options(detector))


def test_lines_of_other_settings_are_reported(folder: Path, detector: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, now = options(detector, **{"min-score": "0.4"}), options(detector)
    annotate_photos(str(folder), before)
    lines = (folder / "graphs.jsonl").read_text().splitlines(keepends=True)
    (folder / "graphs.jsonl").write_text("".join(lines[1:]))
    capsys.readouterr()
    annotate_photos(str(folder), now)
    assert capsys.readouterr().err.splitlines()[0] == (
        f"vqamt: other settings (boxes={detector} min-score=0.4) wrote 2 of the lines in '{folder / 'graphs.jsonl'}', "
        "and these stay as they are: delete a line to have it written anew"
    )


def test_the_summary_has_advice_if_nothing_was_found(folder: Path, detector: Path) -> None:
    outcome = annotate_photos(str(folder), options(detector, **{"min-score": "0.99999"}))
    assert ": 0 objects, none in 3 photos. Lower min-score, or take other detectors." in outcome.summary


def test_a_folder_without_bare_photos_is_left_alone(folder: Path, detector: Path) -> None:
    annotate_photos(str(folder), options(detector, **{"min-score": "0.99999"}))
    (folder / ".graphs.detected.jsonl.lock").unlink()
    with (folder / "graphs.jsonl").open("a") as lines:
        lines.write("a line of no use\n")
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    outcome = annotate_photos(str(folder), options(detector))
    assert outcome.summary.endswith("lacks a line in graphs.jsonl")
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before
