"""Gzip in members of bounded size: the same text gives the same bytes, and can be read from any place."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from io import SEEK_CUR, SEEK_SET, BufferedReader, BufferedWriter, RawIOBase, UnsupportedOperation
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pytest_vqamt.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]  # there from Python 3.12 on

MEMBER_BYTES = 1 << 18
"""Of the text in a member: a place is found again by unpacking no more than that. Smaller ones pack less well."""
_LEVEL = 6
_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""Of a member (RFC 1952): no name, no time, and a system that is not told, for nothing may differ from run to run."""
_CHUNK_BYTES = 1 << 16


@dataclass(slots=True)
class Members:
    """Where the members of a file that was found to have them begin: in its text, and in the file."""

    texts: list[int] = field(default_factory=lambda: [0])
    places: list[int] = field(default_factory=lambda: [0])

    def add(self, text: int, place: int) -> None:
        """Adds one, unless it is known."""
        if self.texts[-1] < text:
            self.texts.append(text)
            self.places.append(place)


def is_packed(file: Path) -> bool:
    """Whether the file is compressed, whatever its name.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as begun:
        return begun.read(2) == _HEAD[:2]


def packing(file: Path) -> BinaryIO:
    """Opens ``file`` to write into it what will stand there compressed.

    Raises:
        OSError: it cannot be written.
    """
    return BufferedWriter(_Packing(file), _CHUNK_BYTES)


def unpacking(file: Path, members: Members | None = None) -> BinaryIO:
    """Opens a compressed ``file`` to read what was written, from any place; that of others, too, if in less haste.

    Whoever opens the same file again finds a place at once that others have read, if they share its ``members``.
    Reading raises DataError where the file is broken.

    Raises:
        OSError: it cannot be read.
    """
    return BufferedReader(_Unpacking(file, members or Members()), _CHUNK_BYTES)


class _Packing(RawIOBase):
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


class _Unpacking(RawIOBase):
    """Of each member that it has come past it keeps where it begins."""

    def __init__(self, file: Path, members: Members) -> None:
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
            raise UnsupportedOperation("it is not known where the file ends")
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
        """Some of what follows, nothing at the end.

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
            # At the end of a member what follows it is in both.
            self._rest = self._unpacker.unused_data or self._unpacker.unconsumed_tail
            if data:
                self._place += len(data)
                return data
            if not (self._rest or self._unpacker.eof or self._fill()):
                raise self._broken("it breaks off")

    def _next_member(self) -> bool:
        """Goes on to the next member, if there is one."""
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
