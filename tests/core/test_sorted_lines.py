"""Lines in order, however many: sorted in runs, and the runs joined."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case_store import LineSorter, in_order

LINES = st.lists(st.binary(max_size=6).map(lambda text: text.replace(b"\n", b"") + b"\n"), max_size=40)


@given(lines=LINES, run_bytes=st.integers(1, 60))
def test_lines_come_out_in_order_none_lost_none_twice(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], run_bytes: int
) -> None:
    file = tmp_path_factory.mktemp("sorted") / "lines"
    with LineSorter(file, run_bytes=run_bytes) as sorter:
        for line in lines:
            sorter.add(line)
    assert list(in_order(file)) == sorted(lines)


def test_of_many_lines_few_are_in_memory(tmp_path: Path) -> None:
    chance = random.Random(0)
    lines = [f"{chance.getrandbits(64):016x}{'x' * 500}\n".encode() for _ in range(10_000)]
    tracemalloc.start()
    with LineSorter(tmp_path / "lines", run_bytes=500_000) as sorter:
        for line in lines:
            sorter.add(line)
    last, count = b"", 0
    for line in in_order(tmp_path / "lines"):
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
    assert list(in_order(tmp_path / "lines")) == [b"a\n", b"b\n", b"b\n", b"c\n"]
    (tmp_path / "lines").write_text("")
    assert list(in_order(tmp_path / "lines")) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_told() -> None:
    sorter = LineSorter(Path("/dev/full"))
    sorter.add(b"a\n")
    with pytest.raises(OSError, match="No space left on device"):
        sorter.close()
