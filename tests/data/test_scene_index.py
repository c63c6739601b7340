"""An index gives the scenes that its reader found, and the corpus of them, each scene by itself."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import pytest

from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import gqa, scene_index
from pytest_vqamt.data.graphs import scene_of_row
from pytest_vqamt.data.sanity import BoxChecks
from pytest_vqamt.data.scene_index import IndexedScene, SceneIndex
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
    gathered = gather_corpus(SCENES, scene=SCENES.__getitem__)
    for fact in fields(Corpus):
        if fact.compare and fact.name != "together":
            assert getattr(corpus, fact.name) == getattr(gathered, fact.name), fact.name
    assert dict(corpus.cooccurring) == dict(gathered.cooccurring)
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
        def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
            for scene in (SCENES[0], SCENES[1], replace(SCENES[2], id="s0")):
                yield IndexedScene(scene=scene, photo_file="s.png", path=self.files[0])

    index = SceneIndex(Twice(tmp_path / "annotations.json"))
    assert scenes_of(index) == SCENES[:2]
    (line,) = index.bad_records
    assert line == f"{tmp_path / 'annotations.json'}: image s0: Expected an id of its own, but an earlier record has it"


def test_one_id_in_two_files_is_refused(tmp_path: Path) -> None:
    class TwoFiles(Reader):
        def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
            for name in ("train.json", "all.json"):
                yield IndexedScene(scene=SCENES[0], photo_file="s.png", path=Path(name))

    with pytest.raises(DataError, match=r"train\.json and all\.json both have image='s0': name one of the files"):
        SceneIndex(TwoFiles(tmp_path / "annotations.json"))


def test_annotations_without_a_good_record_are_refused(tmp_path: Path) -> None:
    class Hopeless(Reader):
        def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
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
    places = [place for _ in range(10) for place in range(len(index))]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(index.scene, places)) == list(SCENES) * 10


ROOT = Path(__file__).parents[2]


def test_opening_again_reads_no_annotations(reader: Reader, home: Path) -> None:
    first = SceneIndex(reader)
    again = SceneIndex(reader)
    assert reader.reads == 1
    assert scenes_of(again) == SCENES
    assert again.digest == first.digest
    assert [path.suffix for path in home.iterdir()] == [".sqlite"]


def test_small_annotations_leave_no_file(reader: Reader, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_index, "_SMALL_BYTES", 1)
    assert scenes_of(SceneIndex(reader)) == SCENES
    assert not home.exists()


@pytest.mark.parametrize(("size", "is_small"), [(999, True), (1000, False)])
def test_gzip_counts_for_what_it_holds(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, size: int, is_small: bool
) -> None:
    monkeypatch.setattr(scene_index, "_SMALL_BYTES", 8000)
    (tmp_path / "annotations.json.gz").write_bytes(bytes(size))
    SceneIndex(Reader(tmp_path / "annotations.json.gz"))
    assert home.exists() is not is_small


def grown(reader: Reader) -> Reader:
    reader.files[0].write_text("more", encoding="utf-8")
    return reader


def touched(reader: Reader) -> Reader:
    os.utime(reader.files[0], (1, 1))
    return reader


CHANGES: dict[str, Callable[[Reader], Reader]] = {
    "a file of another size": grown,
    "a file of another time": touched,
    "another version of the reader": lambda reader: Reader(reader.files[0], version=2),
    "other photos": lambda reader: Reader(reader.files[0], settings="other"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_changed_is_indexed_anew_and_the_old_index_goes(reader: Reader, home: Path, change: str) -> None:
    SceneIndex(reader)
    (old,) = home.iterdir()
    changed = CHANGES[change](reader)
    before = changed.reads
    assert scenes_of(SceneIndex(changed)) == SCENES
    assert changed.reads == before + 1
    (new,) = home.iterdir()
    assert new != old


def test_another_data_set_keeps_its_index(reader: Reader, tmp_path: Path, home: Path) -> None:
    SceneIndex(reader)
    SceneIndex(Reader(tmp_path / "other.json"))
    SceneIndex(grown(reader))
    assert len(list(home.iterdir())) == 2


BREAKS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _data: b"",
    "no database": lambda _data: b"not a database" * 1000,
    "cut off": lambda data: data[: len(data) // 2],
    "zeros within": lambda data: data[:200] + bytes(len(data) - 200),
    "zeros at the end": lambda data: data[:4096] + bytes(len(data) - 4096),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_index_is_made_again(reader: Reader, home: Path, broken: str) -> None:
    SceneIndex(reader)
    (path,) = home.iterdir()
    path.write_bytes(BREAKS[broken](path.read_bytes()))
    index = SceneIndex(reader)
    assert scenes_of(index) == SCENES
    assert index.bad_records == ("a bad one",)
    assert reader.reads == 2


def break_row(path: Path, place: int) -> None:
    db = sqlite3.connect(path)
    db.execute("UPDATE rows SET row = x'00' WHERE place = ?", (place,))
    db.commit()
    db.close()


def test_an_index_that_proves_broken_in_use_is_made_again(reader: Reader, home: Path) -> None:
    SceneIndex(reader)
    (path,) = home.iterdir()
    break_row(path, 5)
    index = SceneIndex(reader)
    assert reader.reads == 1
    assert scenes_of(index) == SCENES
    assert reader.reads == 2


def test_a_broken_index_of_files_that_have_changed_is_told(reader: Reader, home: Path) -> None:
    SceneIndex(reader)
    (path,) = home.iterdir()
    break_row(path, 5)
    index = SceneIndex(reader)
    grown(reader)
    with pytest.raises(DataError, match=r"annotations\.json or another of its files has changed: run again"):
        index.scene(5)


def test_a_folder_that_cannot_be_written_is_told_and_done_without(reader: Reader, home: Path) -> None:
    home.parent.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.warns(UserWarning, match="VQAMT_CACHE_HOME names another folder"):
        index = SceneIndex(reader)
    assert scenes_of(index) == SCENES


def test_a_reader_that_fails_leaves_nothing(tmp_path: Path, home: Path) -> None:
    class Failing(Reader):
        def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
            yield from super().records(progress, checks)
            raise DataError("Expected the file to be whole")

    with pytest.raises(DataError, match="to be whole"):
        SceneIndex(Failing(tmp_path / "annotations.json"))
    assert list(home.iterdir()) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shows"), [(Terminal(), True), (io.StringIO(), False)])
def test_a_long_build_shows_how_far_it_is_at_a_terminal(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, shows: bool
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(scene_index, "SHOW_AFTER_S", 0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    SceneIndex(reader)
    assert ("indexing made" in stream.getvalue()) is shows


_HALTED = """
import sys
from pytest_vqamt.data import scene_index
from pytest_vqamt.data import gqa
from pytest_vqamt.data.json_io import RecordStream

members = RecordStream.members

def halted(self):
    for place, each in enumerate(members(self)):
        if place == 2:
            print("half", flush=True)
            sys.stdin.readline()
        yield each

RecordStream.members = halted
scene_index._SMALL_BYTES = 0
print(gqa.load(sys.argv[1]).digest)
"""


@pytest.fixture
def gqa_file(tmp_path: Path) -> Path:
    box = {"x": 1, "y": 2, "w": 3, "h": 4, "attributes": [], "relations": []}
    records = {str(n): {"width": 20, "height": 10, "objects": {"7": {"name": f"cat {n}", **box}}} for n in range(5)}
    path = tmp_path / "gqa.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def halted(path: Path) -> subprocess.Popen[str]:
    """A process that has indexed two of the five records and waits for a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HALTED, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    return process


@pytest.mark.full
def test_a_killed_build_leaves_no_index_and_what_it_leaves_goes_in_time(gqa_file: Path, home: Path) -> None:
    with halted(gqa_file) as process:
        process.kill()
    (part,) = home.iterdir()
    assert part.suffix == ".part"
    assert gqa.load(str(gqa_file)).digest
    assert part.exists(), "a build that began a moment ago may still be running"
    os.utime(part, (time.time() - 4000,) * 2)
    os.utime(gqa_file, (1, 1))
    assert gqa.load(str(gqa_file)).digest
    assert [path.suffix for path in home.iterdir()] == [".sqlite"]


def test_two_processes_can_build_at_once(gqa_file: Path, home: Path) -> None:
    with halted(gqa_file) as other:
        mine = gqa.load(str(gqa_file))
        assert len(list(home.iterdir())) == 2
        digest, _ = other.communicate("\n")
    assert (other.returncode, digest) == (0, f"{mine.digest}\n")
    assert [path.suffix for path in home.iterdir()] == [".sqlite"]
    assert mine.scene(4).objects[0].name == "cat 4"
