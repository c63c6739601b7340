"""What can be wrong with a record of Visual Genome is named: the file, the image, the object, the field."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data import visual_genome
from tests.data.made_visual_genome import graph, ids, load, related, sized, thing, write
from tests.rows import each_row


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that says that images 1 to 5 are of 20 x 10 px."""
    return sized(tmp_path / "data")


OBJECT = "object 8"
BROKEN: dict[str, tuple[object, str]] = {
    "no object id": (
        graph(2, thing(7), thing(None)),
        "objects[1].id: Expected an id, a text or a whole number, but got no 'id'",
    ),
    "no name": (
        graph(2, thing(8, "?!")),
        f"{OBJECT}.names: Expected a name with a letter or a digit, but got names=['?!']",
    ),
    "y in words": (graph(2, thing(8, y="top")), f"{OBJECT}.y: Expected a number, but got y='top'"),
    "y beyond numbers": (graph(2, thing(8, y="nan")), f"{OBJECT}.y: Expected a number, but got y=nan"),
    "no width": (graph(2, thing(8, w=0)), f"{OBJECT}.w: Expected a width and height above 0, but got w=0"),
    "a box outside": (
        graph(2, thing(8, x=25)),
        f"{OBJECT}.x: Expected a box within the picture of 20 x 10 px, but got x=25: all of it lies outside",
    ),
    "a synset that is none": (
        graph(2, thing(8, synsets=["cat"])),
        f"{OBJECT}.synsets[0]: Expected a WordNet synset such as 'dog.n.01', but got synsets[0]='cat'",
    ),
    "one id for two things": (
        graph(2, thing(8, "cat"), thing(8, "dog")),
        f"{OBJECT}.names: Expected the name that object 8 has before, 'cat', but got names=['dog']",
    ),
    "a relationship of nothing": (
        graph(2, thing(8), relationships=[related(8, "on", 9)]),
        "relationships[0].object_id: Expected the id of an object of this image, but got object_id=9",
    ),
}


@each_row("broken", BROKEN)
def test_a_broken_record_is_named_and_the_others_stay(data: Path, broken: str) -> None:
    record, message = BROKEN[broken]
    source = load(write(data, "scene_graphs.json", [graph(1), record, graph(3)]))
    assert ids(source) == ["1", "3"]
    assert source.bad_records == (f"{data}/scene_graphs.json: image 2: {message}",)


def test_a_record_that_names_no_image_is_told_by_its_place(data: Path) -> None:
    source = load(write(data, "scene_graphs.json", [graph(1), 5, graph(None)]))
    assert source.bad_records == (
        f"{data}/scene_graphs.json: record 1: Expected a JSON object, but got record=5",
        f"{data}/scene_graphs.json: record 2: id: Expected an id, a text or a whole number, but got no 'id'",
    )


def test_an_image_that_comes_twice_is_told(data: Path) -> None:
    source = load(write(data, "scene_graphs.json", [graph(1), graph(2), graph("1", thing(7, "dog"))]))
    assert ids(source) == ["1", "2"]
    assert source.scene(0).objects[0].name == "cat"
    assert source.bad_records == (
        f"{data}/scene_graphs.json: image 1: Expected an id of its own, but an earlier record has it",
    )


def test_a_picture_whose_size_is_unknown_is_told(data: Path) -> None:
    sizes = [{"image_id": 1, "width": 20, "height": 10}, {"image_id": 2, "width": 0, "height": 10}, {"width": 5}]
    write(data, "image_data.json", sizes)
    source = load(write(data, "scene_graphs.json", [graph(1), graph(2), graph(3)]))
    assert ids(source) == ["1"]
    assert source.bad_records == (
        f"{data}/image_data.json: record 2: id: Expected an id, a text or a whole number, but got no 'id'",
        f"{data}/image_data.json: image 2: width: Expected a whole number from 1 to 100000, but got width=0",
        f"{data}/image_data.json: image 3: Expected its width and height, but there is no such record",
    )


def test_an_image_without_a_box_has_no_size(tmp_path: Path) -> None:
    bare = {"image_id": 1, "objects": []}
    source = load(write(tmp_path / "data", "scene_graphs.json", [bare, graph(2)]))
    (line,) = source.bad_records
    assert "image 1: objects: Expected an object, since only boxes give the size of the picture" in line


def test_records_beside_that_belong_to_no_image_are_told(data: Path) -> None:
    write(data, "objects.json", [graph(1), graph(2)])
    records = [{"image_id": n, "attributes": [{"object_id": 7, "attributes": ["red"]}]} for n in (9, 1, 1, 2)]
    write(data, "attributes.json", [*records, 5])
    write(data, "relationships.json", [{"image_id": 2, "relationships": [related(7, "on", 8)]}])
    source = load(data)
    assert ids(source) == ["1"]
    assert source.scene(0).objects[0].attributes == ("red",)
    assert source.bad_records == (
        f"{data}/relationships.json: image 2: relationships[0].object_id: "
        "Expected the id of an object of this image, but got object_id=8",
        f"{data}/attributes.json: record 4: Expected a JSON object, but got record=5",
        f"{data}/attributes.json: image 9: Expected one record an image of objects.json, but got one more",
        f"{data}/attributes.json: image 1: Expected one record an image of objects.json, but got one more",
    )


def test_a_damaged_file_is_refused(data: Path) -> None:
    write(data, "objects.json", [graph(1), graph(2)])
    write(data, "attributes.json", [{"image_id": 1, "attributes": []}])
    (data / "attributes.json").write_text('[{"image_id": 1, "attr', encoding="utf-8")
    with pytest.raises(DataError, match=r"attributes\.json to be whole, but after 22 bytes got parse error"):
        load(data)


@each_row("argument", ["", "no/such/folder"])
def test_a_folder_that_is_not_there_is_told(argument: str) -> None:
    with pytest.raises(OptionError, match="Expected --vqamt-data=visual-genome:DIR, but got DIR="):
        visual_genome.load(argument)


def test_a_folder_without_graphs_is_told(data: Path) -> None:
    with pytest.raises(DataError, match=r"Expected scene_graphs\.json, or objects\.json with attributes\.json"):
        load(data)
