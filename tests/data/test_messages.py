"""What a message shows is short, on one line, and tells what it is."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import error_reason, short_path, short_repr
from pytest_vqamt.data.catalogue import load
from tests.rows import each_row


@given(value=st.recursive(st.none() | st.integers() | st.floats() | st.text() | st.binary(), st.lists, max_leaves=9))
def test_a_value_is_one_short_line(value: object) -> None:
    assert len(short_repr(value).splitlines()) == 1
    assert len(short_repr(value)) <= 83


def test_what_is_short_is_shown_whole() -> None:
    assert short_repr("dog\n") == "'dog\\n'"
    assert short_repr([1, 2.5, None]) == "[1, 2.5, None]"
    assert short_repr({"id": 1, "name": "dog"}) == "{'id': 1, 'name': 'dog'}"


def test_a_path_is_shown_whole_or_by_its_end() -> None:
    assert short_path(Path("data/a.jsonl")) == "'data/a.jsonl'"
    assert short_path("data", "b/c.png") == "'data/b/c.png'"
    assert short_path("data/a\nb") == "'data/a\\nb'"
    assert short_path("x" * 500 + "/a.jsonl") == f"'...{'x' * 152}/a.jsonl'"
    assert short_path("data", "x" * 500 + ".png") == f"'data/...{'x' * 56}.png'"


@each_row("error, said", [
        (FileNotFoundError(2, "No such file or directory", "/home/somebody/a.jpg"), "No such file or directory"),
        (OSError("image file is truncated"), "image file is truncated"),
        (KeyError(256), "KeyError 256"),
        (KeyError("width"), "width"),
        (IndexError(), "IndexError"),
        (ValueError(b"Token too long"), "Token too long"),
        (ValueError("two\nlines.\n"), "two lines"),
        (zlib.error("Error -3 while " + "x" * 100), "Error -3 while " + "x" * 45 + "..."),
    ])  # fmt: skip
def test_a_reason_is_that_of_the_library(error: Exception, said: str) -> None:
    assert error_reason(error) == said


# What cannot be read is told in one line, and spoils nothing else.


@each_row("kind", ["coco", "gqa", "visual-genome", "vqa-v2"])
def test_a_path_that_no_system_takes_is_no_traceback(kind: str) -> None:
    with pytest.raises(DataError) as told:
        load(f"{kind}:{'x' * 5000}")
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 500


def test_a_broken_photo_leaves_the_mean_colour_to_the_others(tmp_path: Path) -> None:
    for name, colour in (("red.png", (200, 0, 0)), ("blue.png", (0, 0, 100)), ("torn.png", (0, 250, 0))):
        Image.new("RGB", (20, 10), colour).save(tmp_path / name)
    rows: list[dict[str, object]] = [
        {"id": name, "photo": f"{name}.png", "width": 20, "height": 10, "objects": []}
        for name in ("red", "blue", "torn")
    ]
    (tmp_path / "scenes.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    source = load(f"graphs:{tmp_path / 'scenes.jsonl'}")
    whole = (tmp_path / "torn.png").read_bytes()
    (tmp_path / "torn.png").write_bytes(whole[: len(whole) // 2])
    assert source.corpus.mean_colour == (100, 0, 50)
