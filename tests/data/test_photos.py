"""A folder of photos is a source once a file says what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.photos import load
from tests.data.own_graphs import example, plain, write


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
        "them, and this version has no object detectors to find out. Write graphs.jsonl, one scene a line "
        "(docs/graphs.md)"
    )


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
