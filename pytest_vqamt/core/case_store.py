"""The file of a report's cases, plain or as gzip with random access, and the external sort of lines."""

from __future__ import annotations

import heapq
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import SEEK_CUR, SEEK_SET, BufferedReader, BufferedWriter, RawIOBase, UnsupportedOperation
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO

from pytest_vqamt.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]  # there from Python 3.12 on


PLAIN_NAME = "cases.jsonl"
GZIP_NAME = "cases.jsonl.gz"
FILE_NAMES = (PLAIN_NAME, GZIP_NAME)


def find_cases_file(folder: Path) -> Path:
    """The file of cases in the folder of a report.

    Raises:
        DataError: there is no such file, or both of them.
    """
    found = [folder / name for name in FILE_NAMES if (folder / name).is_file()]
    if not found:
        raise DataError(
            f"Expected a folder that --vqamt-report wrote, but got {str(folder)!r}: "
            f"it has no {PLAIN_NAME} and no {GZIP_NAME}"
        )
    if len(found) > 1:
        raise DataError(
            f"Expected one file of cases, but got both {PLAIN_NAME} and {GZIP_NAME} in {str(folder)!r}: remove one"
        )
    return found[0]


def open_cases(file: Path, members: GzipIndex | None = None) -> BinaryIO:
    """Opens a file of cases to read it, with seeks; its content decides whether it is decompressed.

    Share ``members`` between reads of the same compressed file to seek quickly. Reading raises DataError if the
    compressed file is broken.

    Raises:
        DataError: the file cannot be opened.
    """
    try:
        return gzip_reader(file, members) if is_gzip(file) else file.open("rb")
    except OSError as error:
        raise DataError(
            f"Expected a file of cases that can be read, but got {str(file)!r}: {error.strerror or error}"
        ) from error


def create_cases(file: Path, name: str) -> BinaryIO:
    """Opens ``file`` to write cases; ``name``, its final name, decides whether they are compressed.

    Raises:
        OSError: it cannot be written.
    """
    return gzip_writer(file) if name == GZIP_NAME else file.open("wb")


MEMBER_BYTES = 1 << 18
"""The size of the text in a gzip member: a seek decompresses at most that much. Smaller members compress less well."""
_LEVEL = 6
_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The header of a member (RFC 1952), without name, time and system, so that equal runs write equal bytes."""
_CHUNK_BYTES = 1 << 16


@dataclass(slots=True)
class GzipIndex:
    """The known starts of a file's gzip members: in its text, and in the file."""

    texts: list[int] = field(default_factory=lambda: [0])
    places: list[int] = field(default_factory=lambda: [0])

    def add(self, text: int, place: int) -> None:
        """Adds a member unless it is known."""
        if self.texts[-1] < text:
            self.texts.append(text)
            self.places.append(place)


def is_gzip(file: Path) -> bool:
    """Whether the content of the file is gzip.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as begun:
        return begun.read(2) == _HEAD[:2]


def gzip_writer(file: Path) -> BinaryIO:
    """Opens ``file`` to write compressed data.

    Raises:
        OSError: it cannot be written.
    """
    return BufferedWriter(_GzipWriter(file), _CHUNK_BYTES)


def gzip_reader(file: Path, members: GzipIndex | None = None) -> BinaryIO:
    """Opens a compressed ``file`` to read it, with seeks; files from other programs seek more slowly.

    Share ``members`` between reads of the same file to seek quickly. Reading raises DataError if the file is broken.

    Raises:
        OSError: it cannot be read.
    """
    return BufferedReader(_GzipReader(file, members or GzipIndex()), _CHUNK_BYTES)


class _GzipWriter(RawIOBase):
    def __init__(self, file: Path) -> None:
        self.name = str(file)
        self._packed = file.open("wb")
        self._held = bytearray()
        self._members = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        size = memoryview(data).nbytes
        self._held += data
        while len(self._held) >= MEMBER_BYTES:
            self._put(bytes(self._held[:MEMBER_BYTES]))
            del self._held[:MEMBER_BYTES]
        return size

    def close(self) -> None:
        if self.closed:
            return
        try:
            if self._held or not self._members:
                self._put(bytes(self._held))
        finally:
            super().close()
            self._packed.close()

    def _put(self, text: bytes) -> None:
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        tail = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
        self._packed.write(_HEAD + packer.compress(text) + packer.flush() + tail)
        self._members += 1


class _GzipReader(RawIOBase):
    def __init__(self, file: Path, members: GzipIndex) -> None:
        self.name = str(file)
        self._packed = file.open("rb", buffering=0)
        self._members = members
        self._begin(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        room = memoryview(buffer)
        data = self._next(room.nbytes)
        room[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        if whence not in (SEEK_SET, SEEK_CUR):
            raise UnsupportedOperation("the end of the file is not known")
        wanted = offset + (self._place if whence == SEEK_CUR else 0)
        known = bisect_right(self._members.texts, wanted) - 1
        if wanted < self._place or self._members.texts[known] > self._place:
            self._begin(known)
        while self._place < wanted and self._next(min(wanted - self._place, _CHUNK_BYTES)):
            pass
        return self._place

    def close(self) -> None:
        super().close()
        self._packed.close()

    def _begin(self, member: int) -> None:
        self._place, self._read = self._members.texts[member], self._members.places[member]
        self._packed.seek(self._read)
        self._unpacker, self._rest = zlib.decompressobj(zlib.MAX_WBITS | 16), b""

    def _next(self, most: int) -> bytes:
        """The next bytes, at most ``most``; empty at the end.

        Raises:
            DataError: the file is broken.
        """
        while True:
            if self._unpacker.eof and not self._next_member():
                return b""
            try:
                data = self._unpacker.decompress(self._rest, most)
            except zlib.error as error:
                raise self._broken(str(error)) from error
            # At the end of a member, both attributes hold the rest.
            self._rest = self._unpacker.unused_data or self._unpacker.unconsumed_tail
            if data:
                self._place += len(data)
                return data
            if not (self._rest or self._unpacker.eof or self._fill()):
                raise self._broken("it breaks off")

    def _next_member(self) -> bool:
        """Goes on to the next member; false at the end of the file."""
        if not self._rest and not self._fill():
            return False
        self._members.add(self._place, self._read - len(self._rest))
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        return True

    def _fill(self) -> bool:
        self._rest = self._packed.read(_CHUNK_BYTES)
        self._read += len(self._rest)
        return bool(self._rest)

    def _broken(self, why: str) -> DataError:
        return DataError(
            f"Expected a compressed file that is whole, but {self.name} cannot be read from byte {self._place:,} of "
            f"its text on ({why}): get it as it was written, or make the report anew"
        )


RUN_BYTES = 1 << 24
"""The size of a run: lines that are sorted in memory and written one after the other."""


class LineSorter:
    """Writes lines in sorted runs, for ``merge_sorted_runs``.

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
        """Writes the last run."""
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


def merge_sorted_runs(file: Path) -> Iterator[bytes]:
    """The lines of a file in the order of their bytes, with one chunk of each run in memory.

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
    """The starts of the runs: lines that sort before their predecessor."""
    begins, place, before = [0], 0, b""
    for line in lines:
        if line < before:
            begins.append(place)
        before = line
        place += len(line)
    return begins


def _lines(file: BinaryIO, place: int, end: int) -> Iterator[bytes]:
    """The lines from ``place`` to ``end``; other readers may move the file position in between."""
    rest = b""
    while place < end:
        file.seek(place)
        data = file.read(min(_CHUNK_BYTES, end - place))
        place += len(data)
        *whole, rest = (rest + data).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest
