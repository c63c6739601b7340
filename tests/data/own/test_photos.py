"""Who has written which line is found beside the lines."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.own.photos import (
    NOTES,
    DetectionFailure,
    DetectorUse,
    load,
    note_found,
    note_trouble,
    settings_of_lines,
    troubles,
)
from tests.data.own.test_writing import DOG, TREES, WOMAN
from tests.data.own_graphs import example, plain, write


def test_which_detector_found_what_and_how_surely(tmp_path: Path) -> None:
    author = DetectorUse(settings={"masks": "org/name"}, fingerprint="masks-1 files=12")
    note_found(tmp_path, "a.jpg", "a", author, (DOG, TREES, WOMAN), size_bytes=1200)
    (line,) = (tmp_path / NOTES).read_text().splitlines()
    assert json.loads(line) == {
        "photo": "a.jpg",
        "id": "a",
        "bytes": 1200,
        "settings": {"masks": "org/name"},
        "detectors": "masks-1 files=12",
        "objects": {"1": {"by": "masks", "score": 0.9}, "2": {"by": "detector", "score": 0.7}},
    }


def test_the_last_word_on_a_photo_counts(tmp_path: Path) -> None:
    assert troubles(tmp_path) == {}
    torn, empty = (
        DetectionFailure(why="it is torn", digest="12", asked="7"),
        DetectionFailure(why="it is empty", digest="", asked="7"),
    )
    for photo in ("a.jpg", "b.jpg", "c.jpg"):
        note_trouble(tmp_path, photo, torn)
    note_found(tmp_path, "b.jpg", "b", DetectorUse(settings={}, fingerprint="boxes-1"), (), size_bytes=9)
    note_trouble(tmp_path, "c.jpg", empty)
    assert troubles(tmp_path) == {"a.jpg": torn, "c.jpg": empty}


def test_lines_of_another_form_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / NOTES).write_text('\n{"photo": \n[]\n{"photo": 3, "trouble": "x", "digest": ""}\n{"photo": "a.jpg"}\n')
    assert troubles(tmp_path) == {}


def test_by_which_settings_lines_were_last_written(tmp_path: Path) -> None:
    for settings in ({"boxes": "a"}, {"boxes": "b", "min-score": "0.3"}):
        note_found(tmp_path, "a.jpg", "a", DetectorUse(settings=settings, fingerprint="boxes-1"), (), size_bytes=9)
    note_trouble(tmp_path, "b.jpg", DetectionFailure(why="it is torn", digest="", asked="7"))
    assert settings_of_lines(tmp_path) == {"a.jpg": {"boxes": "b", "min-score": "0.3"}}


def test_with_its_scene_graphs_it_is_a_scene_source(tmp_path: Path) -> None:
    write(tmp_path, [plain("a"), example()])
    source: SceneSource = load(str(tmp_path))
    assert source.spec == f"photos:{tmp_path}"
    assert source.description == f"2 scenes of graphs.jsonl, photos in {tmp_path.name}"
    assert source.bad_records == ()
    assert source.scene(1).count("dog") == 1
    assert source.photo(source.scene(1).photo).size == (640, 480)


def test_photos_alone_are_not_enough(tmp_path: Path) -> None:
    Image.new("RGB", (24, 16)).save(tmp_path / "a.png")
    with pytest.raises(DataError) as caught:
        load(str(tmp_path))
    assert str(caught.value) == (
        f"Expected graphs.jsonl beside the photos, but '{tmp_path}' has none: photos alone say nothing of what is in "
        "them. Write graphs.jsonl, one scene a line (docs/graphs.md), or have a detector write it: "
        "run pytest with --vqamt-data=photos:DIR and --vqamt-option boxes=REPO-OR-PATH, masks=..., open-vocabulary=... "
        "or detector=... (docs/models/photos.md)"
    )


def test_neither_photos_nor_scene_graphs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has none: and no photos either \(\.bmp, \.gif, \.jpeg, .* \.webp\)\. Write"):
        load(str(tmp_path))
    for name in ("a.heic", "b.HEIC"):
        (tmp_path / name).write_text("no photo")
    told = r"^photos in '.*' of kinds that are not read \(\.heic\) are left out, 2 in all, the first: a\.heic\. Convert"
    with pytest.warns(UserWarning, match=told), pytest.raises(DataError, match="and no photos either"):
        load(str(tmp_path))


def test_photos_without_a_line_are_told_of(tmp_path: Path) -> None:
    write(tmp_path, [plain("a")])
    for name in ("b.png", "c.png"):
        Image.new("RGB", (24, 16)).save(tmp_path / name)
    told = r"2 photos in .* have no line in graphs\.jsonl and are left out, the first: b\.png\. Write graphs\.jsonl"
    with pytest.warns(UserWarning, match=told):
        assert len(load(str(tmp_path))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match=r"Expected each photo to have a line and be used, but 2 photos in "):
            load(str(tmp_path))


def test_photos_that_no_detector_could_look_at_are_bad_records(tmp_path: Path) -> None:
    write(tmp_path, [plain("a")])
    torn = tmp_path / "b.png"
    torn.write_bytes((tmp_path / "a.png").read_bytes()[:-5])
    note_trouble(tmp_path, "b.png", DetectionFailure(why="b.png is torn", digest="", asked="7"))
    assert load(str(tmp_path)).bad_records == ("b.png is torn",)
    Image.new("RGB", (24, 16)).save(torn)
    with pytest.warns(UserWarning, match=r"1 photo in .* has no line in graphs\.jsonl and is left out"):
        assert load(str(tmp_path)).bad_records == ()
    write(tmp_path, [plain("a"), plain("b")])
    assert load(str(tmp_path)).bad_records == ()


def test_a_photo_that_was_replaced_after_detectors_wrote_its_line_is_told_of(tmp_path: Path) -> None:
    write(tmp_path, [plain("a"), plain("b")])
    for name in ("a.png", "b.png", "gone.png"):
        size = len((tmp_path / "a.png").read_bytes())
        note_found(tmp_path, name, name, DetectorUse(settings={}, fingerprint="boxes-1"), (), size_bytes=size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(str(tmp_path))
    Image.new("RGB", (24, 16), "red").save(tmp_path / "b.png", compress_level=0)
    told = r"^1 of the photos in '.*' has another size in bytes than when .*: b\.png\. Delete its line in graphs\.jsonl"
    with pytest.warns(UserWarning, match=told):
        load(str(tmp_path))


def test_where_no_photo_could_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "b.png").write_bytes(b"")
    note_trouble(tmp_path, "b.png", DetectionFailure(why="b.png is empty", digest="", asked="7"))
    with pytest.raises(DataError, match=r"Expected photos in '.*', but none of the 1 can be used: b\.png is empty"):
        load(str(tmp_path))


def test_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="photos:DIR"):
        load("")
    write(tmp_path, [plain("a")])
    for absent in ("absent", "graphs.jsonl"):
        with pytest.raises(DataError, match="there is no such folder"):
            load(str(tmp_path / absent))
    with pytest.raises(DataError, match=r"it cannot be read \(File name too long\)$"):
        load("x" * 5000)


def test_no_line_that_can_be_used(tmp_path: Path) -> None:
    write(tmp_path, ["{}"])
    with pytest.raises(DataError, match=r"none of its 1 can be used: graphs\.jsonl:1: id: Expected "):
        load(str(tmp_path))
