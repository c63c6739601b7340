"""GQA's scene graphs: the real ones as a person reads them, and made ones in each form."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Relationship
from pytest_vqamt.data import gqa, scene_index
from pytest_vqamt.data.annotations import AnnotatedPhotos
from tests.data.made_gqa import Json, ids, one, record, scenes, thing, with_photos, written
from tests.rows import each_row

REAL = Path(__file__).parents[2] / "../shared/data/gqa"

needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the real scene graphs are not here")


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
        f"{file}: image {image}: Expected its photo in {tmp_path / 'images'}, but there is no '{image}.jpg': add it"
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


@each_row(
    "fields, setting",
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
    things = {
        "1": thing(name="cup", attributes=["black", "white"]),
        "2": thing(name="cup", attributes=["colorful"]),
        "3": thing(name="cup", attributes=["striped"]),
        "4": thing(name="zebra", attributes=["black"]),
        "5": thing(name="man", attributes=["white"]),
        "6": thing(name="cup", attributes=["black"]),
    }
    scene = one(tmp_path, record(objects=things))
    assert [each.multi_coloured for each in scene.objects] == [True, True, True, True, True, False]


def test_opened_again_large_annotations_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_index, "_SMALL_BYTES", 0)
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
    monkeypatch.setattr(scene_index, "_SMALL_BYTES", 0)
    shutil.copy(REAL / "sceneGraphs.json", tmp_path)
    for _ in range(2):
        kept = gqa.load(str(tmp_path))
        assert scenes(kept) == scenes(real)
        assert dict(kept.corpus.cooccurring) == dict(real.corpus.cooccurring)
