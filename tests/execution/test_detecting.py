"""``photos:DIR`` is completed by detectors: once, line by line, and with what cannot be looked at named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.detections import Found
from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution import detecting
from pytest_vqamt.execution.detecting import complete
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.detection import catalogue
from tests.models.detection import small_detectors

COCO = Path(__file__).parents[2] / "../shared/data/coco/images"
ORIENTATION, QUARTER_TURN = 0x0112, 6


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DETR that sees a dog from 0.2 to 0.4 of the width and from 0.5 to 0.9 of the height of every photo."""
    return small_detectors.detr(tmp_path_factory.mktemp("detr"), plant=(0.3, 0.7, 0.2, 0.4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    photos = tmp_path / "shop"
    (photos / "2024").mkdir(parents=True)
    exif = Image.Exif()
    exif[ORIENTATION] = QUARTER_TURN
    Image.new("RGB", (200, 100), "red").save(photos / "a.jpg")
    Image.new("RGB", (200, 100), "blue").save(photos / "b.jpg", exif=exif)
    Image.new("RGB", (60, 40), "green").save(photos / "2024" / "c.png")
    return photos


def options(detector: Path, **settings: str) -> ModelOptions:
    return ModelOptions(device="cpu", settings={"boxes": str(detector), **settings})


def rows(folder: Path, name: str = "graphs.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_every_photo_gets_its_line(folder: Path, detector: Path) -> None:
    complete(f"photos:{folder}", options(detector))
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
    complete(f"photos:{folder}", options(detector))
    noted = rows(folder, "graphs.detected.jsonl")
    assert [row["photo"] for row in noted] == ["2024/c.png", "a.jpg", "b.jpg"]
    assert noted[0]["objects"]["1"]["by"] == "boxes"
    assert 0.9 < noted[0]["objects"]["1"]["score"] <= 1
    assert noted[0]["detectors"] == catalogue.detector_of(options(detector)).fingerprint


def test_lines_that_are_there_are_never_touched_and_new_photos_come_last(folder: Path, detector: Path) -> None:
    complete(f"photos:{folder}", options(detector))
    corrected = (folder / "graphs.jsonl").read_text().replace('"dog"', '"black cat"')
    (folder / "graphs.jsonl").write_text(corrected)
    Image.new("RGB", (30, 20)).save(folder / "aa.png")
    complete(f"photos:{folder}", options(detector))
    after = (folder / "graphs.jsonl").read_text()
    assert after.startswith(corrected)
    assert [row["photo"] for row in rows(folder)][3:] == ["aa.png"]


class Finds:
    """A detector that finds what a function says; it counts how often it looks."""

    fingerprint = "finds-1"

    def __init__(self, find: Callable[[Image.Image], tuple[Found, ...]]) -> None:
        self._find = find
        self.looks = 0

    def find(self, image: Image.Image) -> tuple[Found, ...]:
        self.looks += 1
        return self._find(image)


def put(monkeypatch: pytest.MonkeyPatch, find: Callable[[Image.Image], tuple[Found, ...]] = lambda _image: ()) -> Finds:
    """Has ``complete`` use a detector of ours."""
    made = Finds(find)
    monkeypatch.setattr(catalogue, "detector_of", lambda _options: made)
    return made


def test_where_every_photo_has_a_line_no_detector_is_loaded(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(f"photos:{folder}", options(detector))
    before = (folder / "graphs.jsonl").read_bytes(), (folder / "graphs.detected.jsonl").read_bytes()
    monkeypatch.setattr(catalogue, "detector_of", lambda _options: pytest.fail("a detector was loaded"))
    complete(f"photos:{folder}", options(detector))
    complete(f"graphs:{folder / 'graphs.jsonl'}", options(detector))
    complete("pictures:5", options(detector))
    complete(f"photos:{folder}", ModelOptions(settings={"min-score": "0.5"}))
    assert ((folder / "graphs.jsonl").read_bytes(), (folder / "graphs.detected.jsonl").read_bytes()) == before


def test_who_is_interrupted_goes_on_where_they_were(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(image: Image.Image) -> tuple[Found, ...]:
        if finds.looks == 2:
            raise KeyboardInterrupt
        return ()

    finds = put(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        complete(f"photos:{folder}", options(detector))
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png"]
    again = put(monkeypatch)
    complete(f"photos:{folder}", options(detector))
    assert again.looks == 2
    assert [row["photo"] for row in rows(folder)] == ["2024/c.png", "a.jpg", "b.jpg"]


def test_a_broken_photo_is_a_bad_record_and_the_others_are_looked_at(folder: Path, detector: Path) -> None:
    (folder / "a.jpg").write_bytes((folder / "a.jpg").read_bytes()[:-40])
    (folder / "text.png").write_text("no picture")
    complete(f"photos:{folder}", options(detector))
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
    complete(f"photos:{folder}", options(detector))
    assert len(load(f"photos:{folder}")) == 3


def test_a_photo_is_looked_at_again_when_it_has_changed_or_others_are_to_look(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn = (folder / "a.jpg").read_bytes()[:-40]
    (folder / "a.jpg").write_bytes(torn)
    complete(f"photos:{folder}", options(detector))
    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "detector_of", lambda _options: pytest.fail("a detector was loaded"))
        complete(f"photos:{folder}", options(detector))
    others = options(detector, **{"min-score": "0.1"})
    complete(f"photos:{folder}", others)
    assert len(rows(folder)) == 2
    Image.new("RGB", (20, 10)).save(folder / "a.jpg")
    complete(f"photos:{folder}", others)
    assert len(rows(folder)) == 3


def test_a_photo_that_a_detector_fails_on_costs_only_itself(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(image: Image.Image) -> tuple[Found, ...]:
        if image.size == (100, 200):
            raise RuntimeError("no kernel image\nis available")
        return ()

    put(monkeypatch, fails)
    complete(f"photos:{folder}", options(detector))
    (bad,) = load(f"photos:{folder}", allow_bad_records=True).bad_records
    assert bad == (
        f"Expected a detector to look at '{folder / 'b.jpg'}', but it raised RuntimeError (no kernel image is "
        "available): write its line yourself, or take another detector"
    )


def test_a_detector_that_fails_on_every_photo_is_stopped(
    folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        Image.new("RGB", (20, 10)).save(folder / f"{number:02}.png")

    def fails(image: Image.Image) -> tuple[Found, ...]:
        raise RuntimeError("device-side assert")

    finds = put(monkeypatch, fails)
    with pytest.raises(
        ModelError, match=r"it raised RuntimeError \(device-side assert\).* So it did on the last 5 photos"
    ):
        complete(f"photos:{folder}", options(detector))
    assert finds.looks == 5


def test_an_id_that_is_taken_is_not_taken_again(folder: Path, detector: Path) -> None:
    row = {"id": "b.jpg", "photo": "a.jpg", "width": 200, "height": 100}
    (folder / "graphs.jsonl").write_text(json.dumps(row))
    complete(f"photos:{folder}", options(detector))
    assert [row["id"] for row in rows(folder)] == ["b.jpg", "2024/c.png", "b.jpg (2)"]
    assert load(f"photos:{folder}").bad_records == ()


def test_a_long_name(folder: Path, detector: Path) -> None:
    name = "/".join(("x" * 120, "y" * 120 + ".png"))
    (folder / name).parent.mkdir()
    Image.new("RGB", (20, 10)).save(folder / name)
    complete(f"photos:{folder}", options(detector))
    assert load(f"photos:{folder}").bad_records == ()
    assert max(len(row["id"]) for row in rows(folder)) <= 200


def test_a_line_of_which_nobody_can_tell_the_photo_comes_first(folder: Path, detector: Path) -> None:
    (folder / "graphs.jsonl").write_text('{"id": "a", "photo": "a.jpg"\n')
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected JSON, .* \(before photos can be added to it"):
        complete(f"photos:{folder}", options(detector))


def test_a_folder_that_cannot_be_written(folder: Path, detector: Path) -> None:
    (folder / "graphs.detected.jsonl").mkdir()
    with pytest.raises(
        DataError, match=r"Expected to write '.*graphs\.detected\.jsonl', where what detectors find is kept"
    ):
        complete(f"photos:{folder}", options(detector))


def test_settings_are_checked_before_anything_else(detector: Path) -> None:
    with pytest.raises(OptionError, match="min-score=SCORE"):
        complete("photos:absent", options(detector, **{"min-score": "2"}))
    with pytest.raises(DataError, match="there is no such folder"):
        complete("photos:absent", options(detector))


def test_the_home_folder(folder: Path, detector: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    complete("photos:~/shop", options(detector))
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
    monkeypatch.setattr(detecting, "_SHOW_AFTER_S", 0.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    put(monkeypatch)
    complete(f"photos:{folder}", options(detector))
    assert "looking at photos" in Terminal.text
    assert "/3" in Terminal.text


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
        "min-score": "0.1",
    }
    complete(f"photos:{photos}", ModelOptions(device="cpu", settings=settings))
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
    assert by == {"masks", "boxes", "open-vocabulary"}
