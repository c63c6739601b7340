"""Gzip in members: what any gzip reads, with the same bytes for the same text, and read from any place."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from io import SEEK_END, UnsupportedOperation
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vqamt.core import case_store
from pytest_vqamt.core.case_store import (
    MEMBER_BYTES,
    GzipIndex,
    LineSorter,
    gzip_reader,
    gzip_writer,
    is_gzip,
    merge_sorted_runs,
)
from pytest_vqamt.core.errors import DataError

LINES = [f'{{"number":{number},"text":"{"x" * (number * 7919 % 3000)}"}}\n'.encode() for number in range(1500)]
TEXT = b"".join(LINES)
"""Of some nine members."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "lines.gz", LINES)


def written(file: Path, lines: list[bytes]) -> Path:
    with gzip_writer(file) as whole:
        whole.writelines(lines)
    return file


def test_any_gzip_reads_it(file: Path) -> None:
    assert len(TEXT) > 8 * MEMBER_BYTES
    assert gzip.decompress(file.read_bytes()) == TEXT
    assert file.stat().st_size < len(TEXT) / 5


def test_it_has_no_name_and_no_time_in_it(file: Path) -> None:
    # RFC 1952: two bytes of magic, the method, no flags, four of the time, no extra flags, and the unknown system.
    assert file.read_bytes()[:10] == bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])


def test_the_same_text_gives_the_same_bytes_however_it_is_written(file: Path, tmp_path: Path) -> None:
    with gzip_writer(tmp_path / "other.gz") as whole:
        for begin in range(0, len(TEXT), 100_003):
            whole.write(TEXT[begin : begin + 100_003])
            whole.flush()
    assert (tmp_path / "other.gz").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("size", [0, 1, MEMBER_BYTES - 1, MEMBER_BYTES, MEMBER_BYTES + 1])
def test_a_text_of_any_size_comes_back(tmp_path: Path, size: int) -> None:
    text = bytes(number * 31 % 251 for number in range(size))
    file = written(tmp_path / "some.gz", [text])
    assert is_gzip(file)
    assert gzip.decompress(file.read_bytes()) == text
    with gzip_reader(file) as lines:
        assert (lines.read(), lines.read()) == (text, b"")


def test_lines_are_read_one_by_one_with_the_name_of_the_file(file: Path) -> None:
    with gzip_reader(file) as lines:
        assert lines.name == str(file)
        assert list(lines) == LINES


@settings(deadline=None, max_examples=25)
@given(places=st.lists(st.integers(0, len(TEXT) + 10), max_size=6))
def test_it_is_read_from_any_place_forwards_and_backwards(
    tmp_path_factory: pytest.TempPathFactory, places: list[int]
) -> None:
    file = written(tmp_path_factory.mktemp("packed") / "lines.gz", LINES)
    with gzip_reader(file) as lines:
        for place in places:
            assert lines.seek(place) == min(place, len(TEXT))
            assert lines.read(20) == TEXT[place : place + 20]
            assert lines.tell() == min(place + 20, len(TEXT))


def test_where_its_end_is_nobody_knows(file: Path) -> None:
    with gzip_reader(file) as lines, pytest.raises(UnsupportedOperation):
        lines.seek(0, SEEK_END)


def test_who_shares_the_members_finds_a_place_without_what_stands_before(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = GzipIndex()
    with gzip_reader(file, members) as lines:
        while lines.read(1 << 16):
            pass
    assert members.texts[-1] == len(TEXT) // MEMBER_BYTES * MEMBER_BYTES
    place = members.texts[-1] + 5
    unpacked = _counting(monkeypatch)
    with gzip_reader(file, members) as lines:
        lines.seek(place)
        assert lines.read(10) == TEXT[place : place + 10]
    assert sum(unpacked) <= MEMBER_BYTES
    unpacked.clear()
    with gzip_reader(file) as lines:
        lines.seek(place)
    assert sum(unpacked) >= place


def _counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much is unpacked from now on."""
    found: list[int] = []
    real = case_store._GzipReader._next

    def counted(self: case_store._GzipReader, most: int) -> bytes:
        data = real(self, most)
        found.append(len(data))
        return data

    monkeypatch.setattr(case_store._GzipReader, "_next", counted)
    return found


def test_what_others_have_compressed_is_read(tmp_path: Path) -> None:
    file = tmp_path / "whole.gz"
    with gzip.open(file, "wb") as whole:
        whole.write(TEXT)
    with gzip_reader(file) as lines:
        lines.seek(MEMBER_BYTES * 3)
        assert lines.readline() == TEXT[MEMBER_BYTES * 3 :].split(b"\n")[0] + b"\n"
        lines.seek(0)
        assert lines.readline() == LINES[0]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def wrong(data: bytes) -> bytes:
    return data[:5000] + bytes([data[5000] ^ 0xFF]) + data[5001:]


def other(data: bytes) -> bytes:
    return data + b"something else"


@pytest.mark.parametrize("break_it", [cut, wrong, other])
def test_a_broken_file_is_told_in_a_line(file: Path, break_it: object) -> None:
    assert callable(break_it)
    file.write_bytes(break_it(file.read_bytes()))
    with gzip_reader(file) as lines, pytest.raises(DataError) as told:
        _read(lines)
    assert str(told.value).startswith(f"Expected a compressed file that is whole, but {file} cannot be read from byte ")
    assert str(told.value).endswith("get it as it was written, or make the report anew")
    assert "\n" not in str(told.value)


def _read(lines: BinaryIO) -> None:
    for _ in lines:
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_told_and_the_file_is_closed() -> None:
    whole = gzip_writer(Path("/dev/full"))
    with pytest.raises(OSError, match="No space left on device"):
        whole.writelines(LINES * 50)
    with pytest.raises(OSError, match="No space left on device"):
        whole.close()
    assert whole.closed


LINES_OF_SORTED_LINES = st.lists(st.binary(max_size=6).map(lambda text: text.replace(b"\n", b"") + b"\n"), max_size=40)


@given(lines=LINES_OF_SORTED_LINES, run_bytes=st.integers(1, 60))
def test_lines_come_out_in_order_none_lost_none_twice(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], run_bytes: int
) -> None:
    file = tmp_path_factory.mktemp("sorted") / "lines"
    with LineSorter(file, run_bytes=run_bytes) as sorter:
        for line in lines:
            sorter.add(line)
    assert list(merge_sorted_runs(file)) == sorted(lines)


def test_of_many_lines_few_are_in_memory(tmp_path: Path) -> None:
    chance = random.Random(0)
    lines = [f"{chance.getrandbits(64):016x}{'x' * 500}\n".encode() for _ in range(10_000)]
    tracemalloc.start()
    with LineSorter(tmp_path / "lines", run_bytes=500_000) as sorter:
        for line in lines:
            sorter.add(line)
    last, count = b"", 0
    for line in merge_sorted_runs(tmp_path / "lines"):
        assert last < line
        last = line
        count += 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 10_000
    # Of 5 MB in eleven runs: a chunk of 64 kB of each, once as it was read and once as lines.
    assert peak < 2_500_000


def test_a_file_that_was_written_by_hand_is_put_in_order(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("b\na\nc\nb\n")
    assert list(merge_sorted_runs(tmp_path / "lines")) == [b"a\n", b"b\n", b"b\n", b"c\n"]
    (tmp_path / "lines").write_text("")
    assert list(merge_sorted_runs(tmp_path / "lines")) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_told() -> None:
    sorter = LineSorter(Path("/dev/full"))
    sorter.add(b"a\n")
    with pytest.raises(OSError, match="No space left on device"):
        sorter.close()
