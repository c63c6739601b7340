"""Lines put in order on the disk: however many there are, few of them are in memory."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

RUN_BYTES = 1 << 24
"""So many bytes of lines are sorted at once, and written one after the other: a run."""
_CHUNK_BYTES = 1 << 16
"""Of each run in memory while they are joined."""


class LineSorter:
    """Takes lines in any order and writes them in sorted runs, to be read again ``in_order``.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, file: Path, *, run_bytes: int = RUN_BYTES) -> None:
        self._file = file.open("wb")
        self._run_bytes = run_bytes
        self._lines: list[bytes] = []
        self._bytes = 0

    def add(self, line: bytes) -> None:
        """Adds a line, with its end."""
        self._lines.append(line)
        self._bytes += len(line)
        if self._bytes >= self._run_bytes:
            self._put()

    def close(self) -> None:
        """Writes what is left."""
        try:
            self._put()
        finally:
            self._file.close()

    def __enter__(self) -> LineSorter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _put(self) -> None:
        self._lines.sort()
        self._file.writelines(self._lines)
        self._lines.clear()
        self._bytes = 0


def in_order(file: Path) -> Iterator[bytes]:
    """The lines of a file in their order, by their bytes; of each run in it, a chunk is in memory.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as lines:
        begins = _runs(lines)
        if len(begins) == 1:
            lines.seek(0)
            yield from lines
            return
    with file.open("rb", buffering=0) as lines:
        ends = [*begins[1:], file.stat().st_size]
        yield from heapq.merge(*(_lines(lines, *run) for run in zip(begins, ends, strict=True)))


def _runs(lines: BinaryIO) -> list[int]:
    """Where the runs of the file begin: where a line comes before the one that stands before it."""
    begins, place, before = [0], 0, b""
    for line in lines:
        if line < before:
            begins.append(place)
        before = line
        place += len(line)
    return begins


def _lines(file: BinaryIO, place: int, end: int) -> Iterator[bytes]:
    """The lines from ``place`` to ``end``; others may read the same file in between."""
    rest = b""
    while place < end:
        file.seek(place)
        data = file.read(min(_CHUNK_BYTES, end - place))
        place += len(data)
        *whole, rest = (rest + data).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest
