"""A model under test as annotator: what it says is written down, marked presumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.data.own_photos import load
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.contradictions import derive_case
from tests.making import choosers

_MODEL = '''
def says(image, text):
    assert "JSON" in text and ("thousandths" in text or "pixels" in text)
    if image.width == 10:
        return "I see a dog."
    return """<think>[{"name": "zebra", "box": [0, 0, 9, 9]}]</think> ```json
[{"name": "Dogs", "color": "brown", "box": [100, 200, 400, 700]},
 {"label": "cat", "bbox_2d": [500, 200, 900, 900], "color": "striped"},
 {"label": "cup", "box_2d": [100, 200, 300, 600]},
 {"name": "kite"}, {"name": "car", "box": [1, 2, 3]}, {"name": "bird", "box": [900, 10, 9"""
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a_model_that_lists.py").write_text(_MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    photos = tmp_path / "photos"
    photos.mkdir()
    Image.new("RGB", (200, 100), (9, 9, 9)).save(photos / "a.png")
    return photos


def annotate(folder: Path, *options: str) -> int:
    return main(["annotate", f"photos:{folder}", "--vqamt-model=python:a_model_that_lists:says", *options])


def test_its_lines_are_presumed_and_so_are_their_cases(folder: Path) -> None:
    assert annotate(folder) == ExitStatus.OK
    (row,) = map(json.loads, (folder / "graphs.jsonl").read_text().splitlines())
    assert row["presumed"] is True
    source = load(str(folder))
    scene = source.scene(0)
    assert scene.presumed
    assert [(thing.name, thing.box, thing.attributes) for thing in scene.objects] == [
        ("cat", Box(100, 20, 80, 70), ()),
        ("cup", Box(40, 10, 80, 20), ()),
        ("dog", Box(20, 20, 60, 50), ("brown",)),
    ]
    relation = catalogue.get("metavqa.reversion")
    found = [derive_case(relation, scene, source.corpus, choose, "object") for choose in choosers(9)]
    cases = [each for each in found if isinstance(each, Case)]
    assert cases
    assert all(case.is_presumed for case in cases)


def test_boxes_may_be_in_pixels_and_what_lies_outside_is_left_out(folder: Path) -> None:
    assert annotate(folder, "--vqamt-option=box-units=pixels") == ExitStatus.OK
    assert load(str(folder)).annotations.bad_records == ()
    (row,) = map(json.loads, (folder / "graphs.jsonl").read_text().splitlines())
    assert "objects" not in row


def test_an_answer_without_a_list_gives_no_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.new("RGB", (10, 10)).save(folder / "small.png")
    assert annotate(folder) == ExitStatus.FINDING
    assert "to list the things of a photo as JSON, but it said 'I see a dog.'" in capsys.readouterr().err
    assert len((folder / "graphs.jsonl").read_text().splitlines()) == 1


def test_the_units_of_boxes_are_two(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert annotate(folder, "--vqamt-option=box-units=inches") == ExitStatus.USAGE
    assert "box-units=thousandths or pixels" in capsys.readouterr().err
