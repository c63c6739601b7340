"""Looks of things are measured once for all runs, and a store that fails costs time alone."""

from __future__ import annotations

import os
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from pytest_vqamt.core.corpus import ThingLook
from pytest_vqamt.core.errors import cache_home
from pytest_vqamt.data import look_store
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.imaging import thing_look
from tests.data.made_coco import annotation_row, write_coco

FILE = look_store.FILE


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "kept"))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each measurement."""
    found: list[object] = []
    measure = thing_look.measure_look

    def counted(*arguments: object) -> ThingLook | None:
        found.append(arguments)
        return measure(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(thing_look, "measure_look", counted)
    return found


def look_in(folder: Path) -> ThingLook | None:
    """The look of the first dog, by a source that has just been opened."""
    source = load(f"coco:{folder}")
    scene = source.scene(0)
    assert source.corpus.look is not None
    return source.corpus.look(scene.photo, scene.objects[0].id)


def test_a_second_run_measures_nothing(tmp_path: Path, measured: list[object]) -> None:
    folder = write_coco(tmp_path / "coco")
    first, second = look_in(folder), look_in(folder)
    assert len(measured) == 1
    # The texts too: a box of 20 pixels and one of 20.0 make pictures of different ids.
    assert first == second
    assert repr(first) == repr(second)


def test_another_mask_or_measure_is_measured_anew(
    tmp_path: Path, measured: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    look_in(write_coco(tmp_path / "coco"))
    other = [annotation_row(segmentation=[[10, 10, 30, 10, 30, 30]]), annotation_row(12, 2)]
    smaller = look_in(write_coco(tmp_path / "coco", annotations=other))
    assert smaller is not None
    assert smaller.area_px < 20 * 20
    assert len(measured) == 2
    monkeypatch.setattr(look_store, "VERSION", look_store.VERSION + 1)
    look_in(tmp_path / "coco")
    assert len(measured) == 3


def test_the_file_is_closed_with_its_store(tmp_path: Path) -> None:
    store = look_store.LookStore("source")
    assert store.get("photo", "thing") is None
    db = store._table._connection
    assert db is not None
    del store
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        db.execute("select 1")


def test_a_damaged_file_costs_time_alone_and_is_made_anew(tmp_path: Path, measured: list[object]) -> None:
    folder = write_coco(tmp_path / "coco")
    first = look_in(folder)
    (cache_home() / FILE).write_bytes(b"no database" * 100)
    # A session may turn warnings into errors, and a file of ours is none of its business.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [look_in(folder) for _ in range(3)] == [first] * 3
    assert len(measured) == 3  # the one after the damage finds no file, and makes it


@pytest.mark.parametrize("look", ["""'{"area_px": 3}'""", "5", "x'ff00'", "cast(x'ff00' as text)"])
def test_a_damaged_look_is_replaced(tmp_path: Path, measured: list[object], look: str) -> None:
    folder = write_coco(tmp_path / "coco")
    first = look_in(folder)
    with closing(sqlite3.connect(cache_home() / FILE, isolation_level=None)) as db:
        db.execute(f"update looks set look = {look}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [look_in(folder) for _ in range(2)] == [first] * 2
    assert len(measured) == 2


@pytest.mark.skipif(os.name == "nt", reason="a file where a folder should be gives another error there")
def test_without_a_folder_nothing_is_kept_or_told(tmp_path: Path, measured: list[object]) -> None:
    folder = write_coco(tmp_path / "coco")
    (tmp_path / "kept").write_text("")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert look_in(folder) == look_in(folder)
    assert len(measured) == 2
