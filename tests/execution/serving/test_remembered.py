"""Answers are remembered, and no more of them than there is room for."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pytest_vqamt.core.query import Answer
from pytest_vqamt.serving.app import Remembered

FULL = Answer("yes", (("yes", 0.75), ("no", 0.25)), truncated=True)


def test_an_answer_comes_back_whole(tmp_path: Path) -> None:
    store = Remembered(tmp_path / "answers.sqlite")
    store.put({"a": FULL, "b": Answer("no"), "c": Answer("", ())})
    assert store.get(["c", "a", "x", "b"]) == {"a": FULL, "b": Answer("no"), "c": Answer("", ())}
    assert len(store) == 3


def test_the_first_answer_stays(tmp_path: Path) -> None:
    store = Remembered(tmp_path / "answers.sqlite")
    store.put({"a": Answer("one")})
    store.put({"a": Answer("two"), "b": Answer("three")})
    assert store.get(["a"]) == {"a": Answer("one")}
    assert len(store) == 2


def test_another_process_goes_on_with_it(tmp_path: Path) -> None:
    first = Remembered(tmp_path / "answers.sqlite")
    first.put({"a": FULL})
    second = Remembered(tmp_path / "answers.sqlite")
    assert len(second) == 1
    assert second.get(["a"]) == {"a": FULL}


def test_the_oldest_goes_first(tmp_path: Path) -> None:
    store = Remembered(tmp_path / "answers.sqlite", most=3)
    store.put({name: Answer(name) for name in "ab"})
    store.put({name: Answer(name) for name in "cde"})
    assert sorted(store.get(list("abcde"))) == ["c", "d", "e"]
    assert len(store) == 3


def test_a_full_disk_keeps_nothing_of_what_is_put_and_all_else(tmp_path: Path) -> None:
    store = Remembered(tmp_path / "answers.sqlite")
    store.put({"a": Answer("one")})
    store._db.execute("pragma max_page_count = 5")  # as if there were no more room
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.put({"b": Answer("two"), "c": Answer("x" * 100_000)})
    store._db.execute("pragma max_page_count = 1000")
    assert (len(store), store.get(["a", "b"])) == (1, {"a": Answer("one")})
    store.put({"b": Answer("two")})
    assert store.get(["a", "b"]) == {"a": Answer("one"), "b": Answer("two")}


def test_thousands_are_looked_up_at_once(tmp_path: Path) -> None:
    store = Remembered(tmp_path / "answers.sqlite")
    names = [f"{number}" for number in range(5000)]
    store.put({name: Answer(name) for name in names})
    assert len(store.get(names)) == 5000
