"""JSON Lines are read in a stream, and each line can be read again by its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.json_io import JsonLines


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
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]) -> None:
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
