"""Kept files are whole or not there; damaged ones are made again; where nothing can be kept, the run goes on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE
from pytest_vqamt.language.question_ranking.embeddings import cached_arrays, cached_texts, store_texts

if TYPE_CHECKING:
    from pytest_vqamt.language.question_ranking.embeddings import Arrays


class Maker:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Arrays:
        self.times += 1
        return {"rows": np.arange(1000, dtype=np.float32).reshape(10, 100)}


def test_arrays_are_made_once(home: Path) -> None:
    maker = Maker()
    first, second = (cached_arrays("key", maker) for _ in range(2))
    assert maker.times == 1
    assert np.array_equal(first["rows"], second["rows"])
    assert first["rows"].dtype == second["rows"].dtype
    assert [file.name for file in home.rglob("*.npz")] == ["key.npz"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
        lambda _: b"no archive",
    ],
    ids=["empty", "cut short", "one bit", "another"],
)
def test_a_damaged_file_is_made_again(home: Path, damage: Callable[[bytes], bytes]) -> None:
    maker = Maker()
    made = cached_arrays("key", maker)
    (file,) = home.rglob("*.npz")
    file.write_bytes(damage(file.read_bytes()))
    assert np.array_equal(cached_arrays("key", maker)["rows"], made["rows"])
    assert maker.times == 2
    cached_arrays("key", maker)
    assert maker.times == 2


def test_one_makes_while_others_wait() -> None:
    maker = Maker()
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: cached_arrays("key", maker), range(8)))
    assert maker.times == 1
    assert all(result["rows"].shape == (10, 100) for result in results)


def test_texts_are_read_back() -> None:
    assert cached_texts("0123") is None
    store_texts("0123", ("Is it?", "Où\u2028?"))
    assert cached_texts("0123") == ("Is it?", "Où\u2028?")
    store_texts("0123", ())
    assert cached_texts("0123") == ()


@pytest.mark.parametrize("content", [b"", b'["Is it?"', b'{"a": 1}', b"[1]", b"\xff"])
def test_damaged_texts_are_none(home: Path, content: bytes) -> None:
    store_texts("0123", ("Is it?",))
    (file,) = home.rglob("*.json")
    file.write_bytes(content)
    assert cached_texts("0123") is None


def test_where_nothing_can_be_kept_it_is_said_and_made_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(CACHE_HOME_VARIABLE, str(tmp_path / "file"))
    maker = Maker()
    for times in (1, 2):
        with pytest.warns(
            UserWarning, match=f"they are made anew in each run; {CACHE_HOME_VARIABLE} names another folder"
        ):
            assert cached_arrays("key", maker)["rows"].shape == (10, 100)
        assert maker.times == times
    with pytest.warns(UserWarning, match="Expected a folder to keep rankings"):
        store_texts("0123", ("Is it?",))
    assert cached_texts("0123") is None
