"""Visual Genome's scene graphs: the real photo as a person sees it, and where sizes and photos come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Relationship, Scene, Thing
from pytest_vqamt.data import scene_index, visual_genome
from tests.data.made_visual_genome import graph, ids, load, photo, scenes, sized, thing, write

REAL = Path(__file__).parents[2] / "../shared/data/visual_genome"

needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the real scene graph is not here")

FIRST_MAN, SECOND_MAN = "1058529", "1058532"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def street() -> Scene:
    """Two men on a sidewalk, one in a red shirt; two bikes behind them, and parked cars."""
    return visual_genome.load(str(REAL)).scene(0)


@needs_real
def test_the_real_photo_is_there_with_its_graph() -> None:
    source = visual_genome.load(str(REAL))
    assert len(source) == 1
    assert source.bad_records == ()
    scene = source.scene(0)
    assert (scene.id, scene.photo.id, scene.width, scene.height) == ("1", "1.jpg", 800, 600)
    assert source.description == "Visual Genome, 1 scene graphs of scene_graphs.json"
    shirt = source.photo(scene.photo).getpixel((280, 340))
    assert isinstance(shirt, tuple)
    assert shirt[0] > 120 > 60 > max(shirt[1:3]), "the first man's shirt is red"
    mean = source.corpus.mean_colour
    assert mean is not None
    assert all(80 < part < 170 for part in mean)


@needs_real
def test_the_two_men_who_are_boxed_twice_each_are_two(street: Scene) -> None:
    men = [thing for thing in street.objects if thing.name == "man"]
    assert [man.id for man in men] == [FIRST_MAN, SECOND_MAN]
    # 238..298 x 249..511 and 230..302 x 251..515; 372..447 x 264..515 and 362..459 x 264..512
    assert [man.box for man in men] == [Box(230, 249, 72, 266), Box(362, 264, 97, 251)]
    assert len(street.objects) == 38, "40 are annotated"


@needs_real
def test_what_is_two_stays_two(street: Scene) -> None:
    assert street.count("bike") == 2, "their boxes overlap, and both overlap that of the bikes"
    assert street.count("bikes") == 1
    assert street.count("car") == street.count("shirt") == street.count("pants") == 2


@needs_real
def test_relationships_point_to_what_is_left(street: Scene) -> None:
    def related(subject: str, predicate: str, object_: str) -> bool:
        return Relationship(subject=subject, predicate=predicate, object=object_) in street.relationships

    assert related(FIRST_MAN, "wearing", "1058518"), "said of 3798577, in capitals"
    assert related(SECOND_MAN, "holding", "1058541"), "said of 3798576"
    assert related("1058515", "parked on", "1058539")
    known = {thing.id for thing in street.objects}
    assert {end for each in street.relationships for end in (each.subject, each.object)} <= known
    # Of 41: three said twice in the same words, one three times, one twice of the first man under his two ids.
    assert len(street.relationships) == 35


@needs_real
def test_things_as_a_person_reads_them(street: Scene) -> None:
    assert street.thing("1058498") == Thing(
        id="1058498", name="clock", box=Box(421, 91, 79, 339), attributes=("green", "tall"), synset="clock.n.01"
    )
    assert street.thing("1058536").synset is None
    assert street.thing("1058511").multi_coloured, "the shirt is red to one annotator and orange to another"
    assert not street.thing("1058530").multi_coloured, "gray and grey are one colour"
    assert street.exhaustive == frozenset()


@needs_real
def test_the_real_graph_is_the_same_out_of_a_kept_index(street: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_index, "_SMALL_BYTES", 0)
    for _ in range(2):
        assert load(REAL).scene(0) == street


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that says that images 1 to 5 are of 20 x 10 px."""
    return sized(tmp_path / "data")


def test_a_size_is_that_of_the_photo_where_no_file_says_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "data", "scene_graphs.json", [graph(1), graph(2)])
    photo(folder / "VG_100K", 1, (30, 10))
    photo(folder / "VG_100K_2", 2, (40, 20))
    source = load(folder)
    assert [(scene.width, scene.height) for scene in scenes(source)] == [(30, 10), (40, 20)]
    assert [source.photo(scene.photo).size for scene in scenes(source)] == [(30, 10), (40, 20)]


def test_a_size_is_where_the_farthest_boxes_end_where_nothing_says_it(tmp_path: Path) -> None:
    objects = (thing(1, "cat", 10, 2, 20, 4), thing(2, "dog", -5, 5.5, 7, 9))
    source = load(write(tmp_path / "data", "scene_graphs.json", [graph(1, *objects)]))
    scene = source.scene(0)
    assert (scene.width, scene.height) == (30, 15)
    assert source.description.endswith("without photos; each picture taken to end with its farthest boxes")


def test_each_photo_that_is_missing_is_a_bad_record(data: Path) -> None:
    write(data, "scene_graphs.json", [graph(1), graph(2)])
    photo(data / "images", 2)
    source = load(data)
    assert ids(source) == ["2"]
    assert source.bad_records == (
        f"{data}/scene_graphs.json: image 1: Expected its photo in {data / 'images'}, but there is no '1.jpg': add it",
    )


def test_a_photo_of_another_size_is_told(data: Path) -> None:
    write(data, "scene_graphs.json", [graph(1)])
    photo(data / "images", 1, (21, 10))
    with pytest.raises(DataError, match="to be 20 x 10 px"):
        load(data).scene(0)
