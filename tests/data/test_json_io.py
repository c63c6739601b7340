"""JSON files are read whole or refused by name, with the place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.json_io import JsonLines, parse, read_json
from tests.rows import each_row

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=9,
)
VALUE = {"names": ["Hündchen", "狗"], "n": 1.5}


def written(folder: Path, data: bytes, name: str = "scenes.json") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def said(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_json(path)
    text = str(caught.value)
    assert path.name in text
    assert len(text.splitlines()) == 1
    return text


@given(value=JSON)
def test_what_was_written_is_read(value: object) -> None:
    assert parse(json.dumps(value), "here") == value


def test_with_and_without_byte_order_mark_plain_and_compressed(tmp_path: Path) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        data = mark + json.dumps(VALUE, ensure_ascii=False).encode()
        assert read_json(written(tmp_path, data)) == VALUE
        assert read_json(written(tmp_path, gzip.compress(data), "scenes.json.gz")) == VALUE


@each_row(
    "text, place",
    [
        ('{"a": 1,\n "b" 2}', """line 2, column 6 (Expecting ':' delimiter), near '{"a": 1,\\n "b" 2}'"""),
        ('{"a": 1, "b" 2}\n', """column 14 (Expecting ':' delimiter), near '{"a": 1, "b" 2}\\n'"""),
        ('{"a": 1}\n{"a": 2}\n', "line 2, column 1 (Extra data), near "),
        ('{"a": "torn', """column 7 (Unterminated string starting at), near '{"a": "torn'"""),
        (
            "[" + "7, " * 99 + "eight" + ", 9" * 99,
            "column 299 (Expecting value), near '7, 7, 7, 7, 7, eight, 9, 9, 9,'",
        ),
    ],
)
def test_broken_json_says_where(tmp_path: Path, text: str, place: str) -> None:
    assert f"scenes.json': Expected JSON, but it breaks off at {place}" in said(written(tmp_path, text.encode()))


@each_row("text", ["", " \n"])
def test_an_empty_file(tmp_path: Path, text: str) -> None:
    assert "scenes.json': Expected JSON, but it is empty" in said(written(tmp_path, text.encode()))


@each_row("bracket", ["[", '{"a":'])
def test_nested_too_deep(tmp_path: Path, bracket: str) -> None:
    assert "nested too deep" in said(written(tmp_path, (bracket * 200_000).encode()))


def test_a_number_too_long_to_read(tmp_path: Path) -> None:
    assert "scenes.json': Expected JSON, but got a number of too many digits" in said(
        written(tmp_path, b"[1" + b"0" * 5000 + b"]")
    )


def test_a_key_that_comes_twice(tmp_path: Path) -> None:
    text = said(written(tmp_path, b'{"images": {"7": 1, "8": {}, "7": {"width": 3}}}'))
    assert (
        "scenes.json': Expected each key of an object once, but got '7' twice in {'7': {'width': 3}, '8': {}}" in text
    )


def test_a_key_that_comes_twice_among_very_many(tmp_path: Path) -> None:
    keys = ", ".join(f'"{number}": 0' for number in range(100_000))
    text = said(written(tmp_path, f'{{{keys}, "{"9" * 5000}": 1, "{"9" * 5000}": 2}}'.encode()))
    assert "999' twice in {'0': 0, '1': 0" in text
    assert len(text) < 600


def test_no_utf_8(tmp_path: Path) -> None:
    assert "scenes.json': Expected UTF-8, but got byte 6 wrong" in said(written(tmp_path, b'{"a":"\xe9"}'))
    assert "UTF-8" in said(written(tmp_path, '{"a": 1}'.encode("utf-16")))


def test_broken_compression(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(VALUE).encode())
    for data in (whole[:-9], whole[:10] + b"\xff" * 9 + whole[19:], b"{}", b""):
        assert "scenes.json.gz" in said(written(tmp_path, data, "scenes.json.gz"))


def test_what_is_no_file(tmp_path: Path) -> None:
    assert "cannot be read" in said(tmp_path / "absent.json")
    (tmp_path / "folder.json").mkdir()
    assert "cannot be read" in said(tmp_path / "folder.json")


# JSON Lines are read in a stream, and each line can be read again by its place.


def write(folder: Path, data: bytes) -> JsonLines:
    (folder / "some.jsonl").write_bytes(data)
    return JsonLines(folder / "some.jsonl")


def test_lines_have_their_numbers_and_places(tmp_path: Path) -> None:
    file = write(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"a": "\xc3\xa9"}\n{"a": 3}')
    lines = list(file)
    assert [line.where for line in lines] == ["some.jsonl:1", "some.jsonl:4", "some.jsonl:5"]
    assert [line.record().row["a"] for line in lines] == [1, "\u00e9", 3]
    assert [record.row["a"] for record in file.at([line.offset for line in reversed(lines)])] == [3, "\u00e9", 1]


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.text()), max_size=6))
def test_lines_that_were_written_are_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]
) -> None:
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    file = write(tmp_path_factory.mktemp("lines"), data)
    lines = list(file)
    assert [line.record().row for line in lines] == rows
    assert [record.row for record in file.at([line.offset for line in lines])] == rows


def test_the_digest_is_of_all_bytes(tmp_path: Path) -> None:
    file = write(tmp_path, b'{"a": 1}\n')
    assert file.digest == ""
    list(file)
    before = file.digest
    list(write(tmp_path, b'{"a": 1}\n\n'))
    again = write(tmp_path, b'{"a": 1}\n\n')
    list(again)
    assert again.digest != before != ""


def test_what_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'.*gone\.jsonl' cannot be read \(No such file or directory\): make it"):
        list(JsonLines(tmp_path / "gone.jsonl"))
    with pytest.raises(DataError, match=r"compressed: decompress it"):
        list(write(tmp_path, b"\x1f\x8b\x08"))
    file = write(tmp_path, b'{"a": 1}\n')
    offsets = [line.offset for line in file]
    file.file.unlink()
    with pytest.raises(DataError, match=r"some\.jsonl: .* cannot be read any more .*start again"):
        list(file.at(offsets))
