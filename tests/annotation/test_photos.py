"""``photos:DIR`` is completed by detectors: once, line by line, and with what cannot be looked at named."""

from __future__ import annotations

import json
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
from PIL import Image

import pytest_vqamt as vqamt
from pytest_vqamt.annotation import progress
from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.photos import annotate_photos
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.base import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.execution.shop import options, put, rows, write_shop
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
    annotate_photos(f"photos:{folder}", options(detector))
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
    annotate_photos(f"photos:{folder}", options(detector))
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
    annotate_photos(f"photos:{folder}", options(detector))
    corrected = (folder / "graphs.jsonl").read_text().replace('"dog"', '"black cat"')
    (folder / "graphs.jsonl").write_text(corrected)
    Image.new("RGB", (30, 20)).save(folder / "aa.png")
    annotate_photos(f"photos:{folder}", options(detector))
    after = (folder / "graphs.jsonl").read_text()
    assert after.startswith(corrected)
    assert [row["photo"] for row in rows(folder)][3:] == ["aa.png"]


def test_where_every_photo_has_a_line_no_detector_is_loaded(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotate_photos(f"photos:{folder}", options(detector))
    before = (folder / "graphs.jsonl").read_bytes(), (folder / "graphs.detected.jsonl").read_bytes()
    monkeypatch.setattr(catalogue, "detector_of", lambda _options: pytest.fail("a detector was loaded"))
    annotate_photos(f"photos:{folder}", options(detector))
    annotate_photos(f"graphs:{folder / 'graphs.jsonl'}", options(detector))
    annotate_photos("pictures:5", options(detector))
    annotate_photos(f"photos:{folder}", ModelOptions(settings={"min-score": "0.5"}))
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
        annotate_photos(f"photos:{folder}", options(detector))
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png"]
    again = put(monkeypatch)
    annotate_photos(f"photos:{folder}", options(detector))
    assert again.looks == 2
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "a.jpg", "b.jpg"]


def test_an_id_that_is_taken_is_not_taken_again(folder: Path, detector: Path) -> None:
    row = {"id": "b.jpg", "photo": "a.jpg", "width": 200, "height": 100}
    (folder / "graphs.jsonl").write_text(json.dumps(row))
    annotate_photos(f"photos:{folder}", options(detector))
    assert [row["id"] for row in rows(folder)] == ["b.jpg", "2024/c.png", "b.jpg (2)"]
    assert load(f"photos:{folder}").bad_records == ()


def test_a_long_name(folder: Path, detector: Path) -> None:
    name = "/".join(("x" * 120, "y" * 120 + ".png"))
    (folder / name).parent.mkdir()
    Image.new("RGB", (20, 10)).save(folder / name)
    annotate_photos(f"photos:{folder}", options(detector))
    assert load(f"photos:{folder}").bad_records == ()
    assert max(len(row["id"]) for row in rows(folder)) <= 200


def test_the_home_folder(folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    annotate_photos("photos:~/shop", options(detector))
    assert len(load("photos:~/shop")) == 3


def test_a_bar_at_a_terminal(folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        encoding = "utf-8"
        text = ""

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> None:
            Terminal.text += text

        def flush(self) -> None:
            pass

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(progress, "SHOW_AFTER_S", 0.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    put(monkeypatch)
    annotate_photos(f"photos:{folder}", options(detector))
    assert "looking at photos" in Terminal.text
    assert "/3" in Terminal.text


def test_a_run_from_python(folder: Path, detector: Path) -> None:
    report = vqamt.run(
        model="oracle",
        data=f"photos:{folder}",
        relations="metavqa.reversion[object]",
        settings={"boxes": str(detector)},
        device="cpu",
    )
    assert len(rows(folder)) == 3
    (reversion,) = report.relations
    assert reversion.tally.holds > 0
    assert reversion.tally.violated == 0


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
    annotate_photos(f"photos:{photos}", ModelOptions(device="cpu", settings=settings))
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
