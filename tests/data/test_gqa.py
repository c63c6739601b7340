"""GQA's scene graphs: the real ones as a person reads them, and every way in which a record can be wrong."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Relationship, Scene
from pytest_vqamt.data import gqa, index_files
from pytest_vqamt.data.annotations import AnnotatedPhotos

REAL = Path(__file__).parents[2] / "../shared/data/gqa"

needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the real scene graphs are not here")

Json = dict[str, Any]  # a record to be broken in a test


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def real() -> AnnotatedPhotos:
    return gqa.load(str(REAL))


@needs_real
def test_the_real_graphs_are_all_there(real: AnnotatedPhotos) -> None:
    assert real.bad_records == ()
    counts = {scene.id: len(scene.objects) for scene in scenes(real)}
    assert counts == {
        "2318337": 12, "2320168": 16, "2322797": 21, "2331146": 15,
        "2331283": 17, "2341592": 9, "2345663": 14, "2353884": 18,
    }  # fmt: skip
    assert real.description == "GQA, 8 scene graphs of sceneGraphs.json, without photos"
    assert all(scene.photo.id == f"{scene.id}.jpg" for scene in scenes(real))
    assert {scene.id: scene.setting for scene in scenes(real) if scene.setting} == {
        "2318337": "indoors",
        "2331146": "outdoors",
    }
    assert not any(scene.exhaustive for scene in scenes(real))


@needs_real
def test_a_bathroom_as_a_person_reads_it(real: AnnotatedPhotos) -> None:
    scene = real.scene(real.place("2318337.jpg"))
    assert (scene.width, scene.height) == (362, 500)
    faucet = scene.thing("1011681")
    assert (faucet.name, faucet.box, faucet.attributes) == ("faucet", Box(53, 383, 45, 49), ("metal", "silver"))
    assert scene.thing("1011690").name == "ducks", "a plural stays"
    assert scene.thing("1011688").box == Box(185, 72, 177, 132), "178 wide would reach past the picture's 362"
    assert Relationship(subject="1011689", predicate="to the right of", object="1011701") in scene.relationships
    assert len(scene.relationships) == 15, "16 are annotated; that the bear is on itself says nothing"


@needs_real
def test_what_occurs_in_the_real_graphs(real: AnnotatedPhotos) -> None:
    corpus = real.corpus
    assert corpus.scenes == 8
    assert corpus.frequency["head"] == 5
    assert {"ear", "elephant", "pepperoni", "zebra"} <= corpus.plural
    assert corpus.exhaustive == frozenset()
    assert corpus.attributes["ducks"] == (("rubber", 1), ("yellow", 1))
    assert corpus.mean_colour is None


@needs_real
def test_pixels_are_asked_for_in_vain_without_photos(real: AnnotatedPhotos) -> None:
    with pytest.raises(DataError, match=r"has come without photos: put them into .*images"):
        real.photo(real.scene(0).photo)


def thing(**changes: object) -> Json:
    return {"name": "cat", "x": 1, "y": 2, "w": 3, "h": 4, "attributes": ["red"], "relations": [], **changes}


def record(**changes: object) -> Json:
    relations = [{"name": "near", "object": "2"}]
    return {"width": 20, "height": 10, "objects": {"1": thing(relations=relations), "2": thing(name="dog")}, **changes}


def written(path: Path, records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(records).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def with_photos(folder: Path, *ids: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for image_id in ids:
        Image.new("RGB", (20, 10), "white").save(folder / f"{image_id}.jpg")
    return folder


def scenes(source: AnnotatedPhotos) -> list[Scene]:
    return [source.scene(index) for index in range(len(source))]


def ids(source: AnnotatedPhotos) -> list[str]:
    return [scene.id for scene in scenes(source)]


def one(tmp_path: Path, made: Json) -> Scene:
    return gqa.load(str(written(tmp_path / "one.json", {"9": made}))).scene(0)


def test_files_of_a_folder_are_taken_together(tmp_path: Path) -> None:
    written(tmp_path / "val_sceneGraphs.json", {"3": record()})
    written(tmp_path / "train_sceneGraphs.json.gz", {"1": record(), "2": record()})
    source = gqa.load(str(tmp_path))
    assert ids(source) == ["1", "2", "3"]
    assert source.spec == f"gqa:{tmp_path}"
    assert source.description == (
        "GQA, 3 scene graphs of train_sceneGraphs.json.gz, val_sceneGraphs.json, without photos"
    )


def test_the_published_folders_are_known(tmp_path: Path) -> None:
    written(tmp_path / "sceneGraphs" / "val_sceneGraphs.json", {"3": record()})
    with_photos(tmp_path / "allImages" / "images", "3")
    source = gqa.load(str(tmp_path))
    assert source.photo(source.scene(0).photo).size == (20, 10)


def test_a_file_that_holds_what_another_has_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "val_sceneGraphs.json", {"3": record()})
    written(tmp_path / "sceneGraphs.json", {"1": record(), "3": record()})
    with pytest.raises(DataError, match=r"val_sceneGraphs\.json and .*sceneGraphs\.json both have image='3'"):
        gqa.load(str(tmp_path))


def test_compressed_and_plain_give_one_digest(tmp_path: Path) -> None:
    plain = gqa.load(str(written(tmp_path / "a.json", {"1": record()})))
    compressed = gqa.load(str(written(tmp_path / "b.json.gz", {"1": record()})))
    other = gqa.load(str(written(tmp_path / "c.json", {"1": record(width=21)})))
    assert plain.annotations.digest == compressed.annotations.digest != other.annotations.digest


def test_photos_lie_beside_the_file_or_where_it_is_said(tmp_path: Path) -> None:
    file = written(tmp_path / "graphs.json", {"1": record(), "2": record()})
    assert "without photos" in gqa.load(str(file)).description
    elsewhere = gqa.load(f"{file}:{with_photos(tmp_path / 'elsewhere', '2')}")
    assert ids(elsewhere) == ["2"]
    assert elsewhere.spec == f"gqa:{file}:{tmp_path / 'elsewhere'}"
    with_photos(tmp_path / "images", "1", "2")
    beside = gqa.load(str(file))
    assert ids(beside) == ["1", "2"]
    assert "without photos" not in beside.description
    assert beside.photo(beside.scene(1).photo).getpixel((5, 5)) == (255, 255, 255)


def test_each_photo_that_is_missing_is_a_bad_record(tmp_path: Path) -> None:
    file = written(tmp_path / "graphs.json", {"1": record(), "2": record(), "3": record()})
    with_photos(tmp_path / "images", "2")
    source = gqa.load(str(file))
    assert source.bad_records == tuple(
        f"{file}: image {image}: Expected its photo within {tmp_path / 'images'}, but there is no '{image}.jpg': add it"
        for image in ("1", "3")
    )
    with_photos(tmp_path / "images", "3")
    assert ids(gqa.load(str(file))) == ["2", "3"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_the_folder_of_photos_may_be_a_link(tmp_path: Path) -> None:
    file = written(tmp_path / "data" / "graphs.json", {"1": record()})
    (tmp_path / "data" / "images").symlink_to(with_photos(tmp_path / "large disk", "1"))
    source = gqa.load(str(file))
    assert source.photo(source.scene(0).photo).size == (20, 10)


def test_words_are_in_lower_case_with_single_spaces(tmp_path: Path) -> None:
    relations = [{"name": "To The  Left of", "object": "2"}, {"name": "to the left of", "object": "2"}]
    made = record(
        objects={"1": thing(name=" Teddy  Bear", attributes=["Red", "red"], relations=relations), "2": thing()}
    )
    scene = one(tmp_path, made)
    assert scene.objects[0].name == "teddy bear"
    assert scene.objects[0].attributes == ("red",)
    assert scene.relationships == (Relationship(subject="1", predicate="to the left of", object="2"),)


def test_relations_may_be_written_as_on_the_page_of_the_format(tmp_path: Path) -> None:
    relations = {"32452": {"name": "on", "object": "2"}, "32453": {"name": "near", "object": "2"}}
    scene = one(tmp_path, record(objects={"1": thing(relations=relations), "2": thing()}))
    assert [each.predicate for each in scene.relationships] == ["on", "near"]


def test_what_is_left_out_is_none(tmp_path: Path) -> None:
    scene = one(tmp_path, record(objects={"1": {"name": "cat", "x": 0, "y": 0, "w": 1, "h": 1}}))
    assert scene.objects[0].attributes == ()
    assert scene.relationships == ()
    assert one(tmp_path, record(objects={})).objects == ()


@pytest.mark.parametrize(
    ("fields", "setting"),
    [
        ({"location": "Living Room", "weather": "none"}, "living room"),
        ({"location": "beach", "weather": "sunny"}, "beach"),
        ({"weather": "cloudy"}, "outdoors"),
        ({"location": None, "weather": None}, ""),
        ({"location": "none"}, ""),
    ],
)
def test_the_setting_is_a_place(tmp_path: Path, fields: Json, setting: str) -> None:
    assert one(tmp_path, record(**fields)).setting == setting


def test_a_thing_of_several_colours_has_no_one_colour(tmp_path: Path) -> None:
    things = {"1": thing(attributes=["black", "white"]), "2": thing(attributes=["colorful"]), "3": thing()}
    scene = one(tmp_path, record(objects=things))
    assert [each.multi_coloured for each in scene.objects] == [True, True, False]


def in_thing(**changes: object) -> Json:
    return record(objects={"1": thing(**changes), "2": thing()})


BROKEN: dict[str, tuple[object, str]] = {
    "no record": ([], "Expected a JSON object, but got record=[]"),
    "no width": (record(width=None), "width: Expected a whole number from 1 to 100000, but got width=None"),
    "a height of zero": (record(height=0), "height: Expected a whole number from 1 to 100000, but got height=0"),
    "no objects": ({"width": 2, "height": 2}, "objects: Expected a JSON object, but got no 'objects'"),
    "objects in a list": (record(objects=[]), "objects: Expected a JSON object, but got objects=[]"),
    "no object": (record(objects={"1": 5}), "objects.1: Expected a JSON object, but got objects.1=5"),
    "no name": (in_thing(name=" "), "objects.1.name: Expected a text that is not blank, but got name=' '"),
    "x in words": (in_thing(x="one"), "objects.1.x: Expected a number, but got x='one'"),
    "no h": (in_thing(h=None), "objects.1.h: Expected a number, but got h=None"),
    "an empty box": (
        in_thing(w=0),
        "objects.1.x: Expected a box of a width and height above 0, but got x=1: it is 0 x 4",
    ),
    "a box outside": (
        in_thing(x=20),
        "objects.1.x: Expected a box within the picture of 20 x 10 px, but got x=20: all of it lies outside",
    ),
    "attributes in words": (
        in_thing(attributes="red"),
        "objects.1.attributes: Expected a list, but got attributes='red'",
    ),
    "an attribute that is none": (
        in_thing(attributes=["red", 3]),
        "objects.1.attributes[1]: Expected a text that is not blank, but got attributes[1]=3",
    ),
    "a relation to nothing": (
        in_thing(relations=[{"name": "on", "object": "3"}]),
        "objects.1.relations[0].object: Expected the id of an object of this image, but got object='3'",
    ),
    "a relation without a name": (
        in_thing(relations=[{"object": "2"}]),
        "objects.1.relations[0].name: Expected a text that is not blank, but got no 'name'",
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
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


@pytest.mark.parametrize("damage", DAMAGE)
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


@pytest.mark.parametrize("argument", ["", "no/such/folder", "no/such/file.json"])
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


def test_opened_again_large_annotations_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_files, "_SMALL_BYTES", 0)
    file = written(tmp_path / "graphs.json", {"1": record(), "2": record(width="broken")})
    first = gqa.load(str(file))
    stat = file.stat()
    file.write_bytes(b"x" * stat.st_size)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    again = gqa.load(str(file))
    assert scenes(again) == scenes(first)
    assert again.bad_records == first.bad_records != ()
    assert again.corpus.names == first.corpus.names == ("cat", "dog")


@needs_real
def test_the_real_graphs_are_the_same_out_of_a_kept_index(
    real: AnnotatedPhotos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_files, "_SMALL_BYTES", 0)
    shutil.copy(REAL / "sceneGraphs.json", tmp_path)
    for _ in range(2):
        kept = gqa.load(str(tmp_path))
        assert scenes(kept) == scenes(real)
        assert dict(kept.corpus.together) == dict(real.corpus.together)
