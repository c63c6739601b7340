"""An index gives the scenes that its reader found, and the corpus of them, each scene by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import pytest

from pytest_vqamt.core.corpus import Corpus, gather
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import scene_index
from pytest_vqamt.data.own.graphs import scene_of_row
from pytest_vqamt.data.scene_index import Found, SceneIndex
from tests.data.made_reader import SCENES, Reader, scenes_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of indexes; files of any size are kept there."""
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(scene_index, "_SMALL_BYTES", 0)
    return tmp_path / "home" / "scenes"


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path / "annotations.json")


def test_scenes_come_back_as_they_were(reader: Reader) -> None:
    index = SceneIndex(reader)
    assert scenes_of(index) == SCENES
    assert index.photo_ids() == tuple(scene.photo.id for scene in SCENES)
    assert index.photo_file(7) == "photos/s7.png"
    assert index.bad_records == ("a bad one",)


def test_the_corpus_is_the_one_that_all_scenes_read_would_give(reader: Reader) -> None:
    measured = []

    def measure() -> tuple[int, int, int]:
        measured.append(1)
        return (1, 2, 3)

    corpus = SceneIndex(reader).corpus(scene=SCENES.__getitem__, measure=measure)
    gathered = gather(SCENES, scene=SCENES.__getitem__)
    for fact in fields(Corpus):
        if fact.compare and fact.name != "together":
            assert getattr(corpus, fact.name) == getattr(gathered, fact.name), fact.name
    assert dict(corpus.together) == dict(gathered.together)
    assert list(corpus.frequency) == list(gathered.frequency)
    assert corpus.scene(3) == SCENES[3]
    assert corpus.mean_colour == corpus.mean_colour == (1, 2, 3)
    assert measured == [1]


def test_one_scene_is_read_alone(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def counted(row: object, where: str) -> Scene:
        read.append(row)
        return scene_of_row(row, where)

    monkeypatch.setattr("pytest_vqamt.data.scene_index.scene_of_row", counted)
    index = SceneIndex(reader)
    index.corpus(scene=index.scene, measure=lambda: None)
    assert not read
    assert index.scene(30) == SCENES[30]
    assert len(read) == 1


def test_of_two_records_with_one_id_the_second_is_bad(tmp_path: Path) -> None:
    class Twice(Reader):
        def records(self, progress: Callable[[int], object]) -> Iterator[Found | str]:
            for scene in (SCENES[0], SCENES[1], replace(SCENES[2], id="s0")):
                yield Found(scene=scene, photo_file="s.png", path=self.files[0])

    index = SceneIndex(Twice(tmp_path / "annotations.json"))
    assert scenes_of(index) == SCENES[:2]
    (line,) = index.bad_records
    assert line == f"{tmp_path / 'annotations.json'}: image s0: Expected an id of its own, but an earlier record has it"


def test_one_id_in_two_files_is_refused(tmp_path: Path) -> None:
    class TwoFiles(Reader):
        def records(self, progress: Callable[[int], object]) -> Iterator[Found | str]:
            for name in ("train.json", "all.json"):
                yield Found(scene=SCENES[0], photo_file="s.png", path=Path(name))

    with pytest.raises(DataError, match=r"train\.json and all\.json both have image='s0': name one of the files"):
        SceneIndex(TwoFiles(tmp_path / "annotations.json"))


def test_annotations_without_a_good_record_are_refused(tmp_path: Path) -> None:
    class Hopeless(Reader):
        def records(self, progress: Callable[[int], object]) -> Iterator[Found | str]:
            yield from self.bad

    with pytest.raises(DataError, match="each of 2 is broken, the first so: one"):
        SceneIndex(Hopeless(tmp_path / "annotations.json", bad=("one", "two")))
    with pytest.raises(DataError, match="a record that can be used, but there is none"):
        SceneIndex(Hopeless(tmp_path / "none.json", bad=()))


def test_there_are_no_masks(reader: Reader) -> None:
    with pytest.raises(DataError, match=r"made has boxes only \(photo='s4.png', thing='0'\)"):
        SceneIndex(reader).mask(4, "0")


def test_threads_read_at_the_same_time(reader: Reader) -> None:
    index = SceneIndex(reader)
    places = [place for _ in range(50) for place in range(len(index))]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(index.scene, places)) == list(SCENES) * 50
