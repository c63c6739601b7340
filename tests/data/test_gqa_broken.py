"""What can be wrong with GQA's files is told: a record by its image, object and field, a file by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data import gqa
from tests.data.made_gqa import Json, ids, record, thing, written
from tests.rows import each_row


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


def in_thing(**changes: object) -> Json:
    return record(objects={"1": thing(**changes), "2": thing()})


BROKEN: dict[str, tuple[object, str]] = {
    "no record": ([], "Expected a JSON object, but got record=[]"),
    "no width": (record(width=None), "width: Expected a whole number from 1 to 100000, but got width=None"),
    "no objects": ({"width": 2, "height": 2}, "objects: Expected a JSON object, but got no 'objects'"),
    "an empty box": (
        in_thing(w=0),
        "objects.1.x: Expected a box of a width and height above 0, but got x=1: it is 0 x 4",
    ),
    "a box outside": (
        in_thing(x=20),
        "objects.1.x: Expected a box within the picture of 20 x 10 px, but got x=20: all of it lies outside",
    ),
    "a relation to nothing": (
        in_thing(relations=[{"name": "on", "object": "3"}]),
        "objects.1.relations[0].object: Expected the id of an object of this image, but got object='3'",
    ),
}


@each_row("broken", BROKEN)
def test_a_broken_record_is_named_and_the_others_stay(tmp_path: Path, broken: str) -> None:
    made, message = BROKEN[broken]
    file = written(tmp_path / "graphs.json", {"1": record(), "2": made, "3": record()})
    source = gqa.load(str(file))
    assert ids(source) == ["1", "3"]
    assert source.bad_records == (f"{file}: image 2: {message}",)


def test_an_image_that_comes_twice_is_named(tmp_path: Path) -> None:
    file = tmp_path / "graphs.json"
    text = json.dumps(record())
    file.write_text(f'{{"1": {text}, "2": {text}, "1": {text}}}', encoding="utf-8")
    source = gqa.load(str(file))
    assert ids(source) == ["1", "2"]
    assert source.bad_records == (f"{file}: image 1: Expected an id of its own, but an earlier record has it",)


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut off": (lambda data: data[:-9], "to be whole, but after .* bytes got parse error"),
    "another data set's": (lambda data: b"[" + data + b"]", r"to begin with '\{', but got first='\['"),
    "empty": (lambda _data: b"", r"to begin with '\{', but got first=''"),
    "no JSON": (lambda data: data.replace(b":", b";"), "to be whole, but after .* bytes got lexical error"),
    "no UTF-8": (lambda data: data.replace(b"cat", b"c\xff\xfe"), "to be whole, but after .* bytes got lexical error"),
}


@each_row("damage", DAMAGE)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    change, message = DAMAGE[damage]
    file = written(tmp_path / "graphs.json", {"1": record(), "2": record()})
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(DataError, match=message) as told:
        gqa.load(str(file))
    assert "\n" not in str(told.value)


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "graphs.json.gz", {"1": record(), "2": record()})
    whole = file.read_bytes()
    for data in (whole[:-12], b"no gzip", whole[:20] + b"\0\0\0\0" + whole[24:]):
        file.write_bytes(data)
        with pytest.raises(DataError, match=r"graphs\.json\.gz to be whole"):
            gqa.load(str(file))


@each_row("argument", ["", "no/such/folder", "no/such/file.json"])
def test_what_is_not_there_is_told(argument: str) -> None:
    with pytest.raises(OptionError, match=r"Expected --vqamt-data=gqa:DIR or gqa:FILE\.json\[:IMAGES\]"):
        gqa.load(argument)


def test_a_folder_of_photos_that_is_not_there_is_told(tmp_path: Path) -> None:
    file = written(tmp_path / "graphs.json", {"1": record()})
    with pytest.raises(OptionError, match="IMAGES='nowhere'"):
        gqa.load(f"{file}:nowhere")


def test_a_folder_without_graphs_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"Expected train_sceneGraphs\.json, val_sceneGraphs\.json or sceneGraphs\.json"
    ):
        gqa.load(str(tmp_path))
