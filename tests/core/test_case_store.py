"""Files of cases, plain or compressed, and the order of their lines."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case_store import GZIP_NAME, PLAIN_NAME, create_cases, open_cases, parse_case, sorted_lines
from pytest_vqamt.core.errors import DataError

LINES = [f'{{"number":{number},"text":"{"x" * (number * 7919 % 3000)}"}}\n'.encode() for number in range(1500)]
TEXT = b"".join(LINES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "lines.gz", LINES)


def written(file: Path, lines: list[bytes], name: str = GZIP_NAME) -> Path:
    with create_cases(file, name) as whole:
        whole.writelines(lines)
    return file


def test_any_gzip_reads_it(file: Path) -> None:
    assert gzip.decompress(file.read_bytes()) == TEXT
    assert file.stat().st_size < len(TEXT) / 5


def test_it_has_no_name_and_no_time_in_it(file: Path) -> None:
    # RFC 1952: two bytes of magic, the method, no flags, four of the time, no extra flags, and the unknown system.
    assert file.read_bytes()[:10] == bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])


def test_the_same_lines_give_the_same_bytes(file: Path, tmp_path: Path) -> None:
    assert written(tmp_path / "other.gz", LINES).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("lines", [[], LINES], ids=["none", "some"])
@pytest.mark.parametrize("name", [PLAIN_NAME, GZIP_NAME])
def test_lines_come_back_from_any_place(tmp_path: Path, name: str, lines: list[bytes]) -> None:
    file = written(tmp_path / "file", lines, name)
    with open_cases(file) as found:
        assert list(found) == lines
        for place in (len(lines) // 2, 0, len(lines)):
            assert found.seek(sum(map(len, lines[:place]))) == found.tell()
            assert found.readline() == (lines[place] if place < len(lines) else b"")


def test_members_as_version_0_1_0_wrote_them_are_read(tmp_path: Path) -> None:
    file = tmp_path / "members.gz"
    file.write_bytes(b"".join(gzip.compress(TEXT[begin : begin + 1000]) for begin in range(0, len(TEXT), 1000)))
    with open_cases(file) as found:
        assert list(found) == LINES


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
    with pytest.raises(DataError) as told, open_cases(file) as found:
        list(found)
    assert str(told.value).startswith(f"Expected a file of cases that is whole, but {file} cannot be read to its end")
    assert str(told.value).endswith("get it as it was written, or make the report anew")
    assert "\n" not in str(told.value)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("name", [PLAIN_NAME, GZIP_NAME])
def test_a_full_disk_is_told(name: str) -> None:
    with pytest.raises(OSError, match="No space left on device"):
        written(Path("/dev/full"), LINES * 50, name)


@given(ids=st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=40))
def test_lines_come_out_in_order_none_lost_none_twice(tmp_path_factory: pytest.TempPathFactory, ids: list[int]) -> None:
    file = tmp_path_factory.mktemp("sorted") / "lines"
    lines = [f'{{"case_id":"{each:016x}","reason":"{"x" * (each % 50)}"}}\n'.encode() for each in ids]
    file.write_bytes(b"".join(lines))
    assert list(sorted_lines(file)) == sorted(lines)


def test_of_many_lines_few_are_in_memory(tmp_path: Path) -> None:
    chance = random.Random(0)
    file = tmp_path / "lines"
    file.write_text("".join(f'{{"case_id":"{chance.getrandbits(64):016x}"{"x" * 500}}}\n' for _ in range(10_000)))
    tracemalloc.start()
    count = sum(1 for _ in sorted_lines(file))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 10_000
    assert peak < 2_500_000  # of 5 MB


def test_facts_are_an_object() -> None:
    row = dict.fromkeys(("relation", "model", "data", "scene", "expected", "reason"), "a")
    row |= {"case_id": "0" * 16, "verdict": "holds"}
    lists: dict[str, object] = {"queries": [], "answers": [], "readings": []}
    assert parse_case(json.dumps({**row, **lists, "facts": {"wording": 3}}).encode(), "cases.jsonl:1")
    with pytest.raises(DataError, match="expected facts to be an object"):
        parse_case(json.dumps({**row, **lists, "facts": ["wording"]}).encode(), "cases.jsonl:1")
