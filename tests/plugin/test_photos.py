"""A run on photos without annotations names the command that writes them, and never writes into the folder."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from PIL import Image

from tests.plugin.conftest import Run

RELATIONS = "--vqamt-relations=metavqa.reversion[object]"


@pytest.fixture
def photos(pytester: pytest.Pytester) -> Path:
    folder = pytester.path / "shop"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        Image.new("RGB", (64, 48)).save(folder / name)
    return folder


def test_photos_alone_end_with_one_line_that_names_the_command(run: Run, photos: Path) -> None:
    result = run(RELATIONS, data=["photos:shop"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert [line for line in result.errlines if line] == [
        "ERROR: Expected graphs.jsonl beside the photos in 'shop', but there is none: run: vqamt annotate photos:shop "
        "--option boxes=PekingU/rtdetr_r50vd (docs/how-to/annotate.md)"
    ]
    assert sorted(file.name for file in photos.iterdir()) == ["a.png", "b.png"]


def test_a_photo_without_a_line_is_left_out_and_nothing_is_written(run: Run, photos: Path) -> None:
    dog = {"id": "1", "name": "dog", "box": [8, 8, 20, 20], "attributes": ["brown"]}
    row = {"id": "a", "photo": "a.png", "width": 64, "height": 48, "objects": [dog]}
    (photos / "graphs.jsonl").write_text(json.dumps(row))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = run(RELATIONS, data=["photos:shop"])
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*1 photo in 'shop' has no line in graphs.jsonl and is left out*run: vqamt annotate*"])
    assert sorted(file.name for file in photos.iterdir()) == ["a.png", "b.png", "graphs.jsonl"]


def test_the_settings_of_detectors_are_not_those_of_a_run(run: Run, photos: Path) -> None:
    result = run("--vqamt-option=boxes=DIR", data=["photos:shop"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected --vqamt-option to name a setting, but got 'boxes=DIR'*"])
