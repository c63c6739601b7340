"""Reads files of JSON Lines: all lines as a stream, or single lines by their offset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.json_io import parse, text_of
from pytest_vqamt.data.messages import error_reason, short_path
from pytest_vqamt.data.records import Record

_COMPRESSED = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank.

    Attributes:
        offset: of its first byte.
        where: the file and the line number, from 1 ("units.jsonl:12").
    """

    offset: int
    where: str
    data: bytes

    def record(self) -> Record:
        """The JSON object of the line.

        Raises:
            DataError: the line is no JSON object.
        """
        return Record.of(parse(text_of(self.data.rstrip(), self.where), self.where), self.where)


class JsonLines:
    """One file.

    Attributes:
        digest: of its bytes; "" until it was read to the end.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.digest = ""

    def __iter__(self) -> Iterator[Line]:
        """The lines in order.

        Raises:
            DataError: the file cannot be read, or is compressed.
        """
        content, offset = sha256(), 0
        try:
            with self.file.open("rb") as lines:
                for number, data in enumerate(lines, start=1):
                    if number == 1 and data.startswith(_COMPRESSED):
                        raise DataError(
                            f"Expected lines of JSON, but {short_path(self.file)} is compressed: decompress it"
                        )
                    if data.strip():
                        yield Line(offset, f"{self.file.name}:{number}", data)
                    content.update(data)
                    offset += len(data)
        except OSError as error:
            raise DataError(
                f"Expected lines of JSON, but {short_path(self.file)} cannot be read ({error_reason(error)}): make it "
                "readable"
            ) from error
        self.digest = content.hexdigest()[:16]

    def at(self, offsets: list[int]) -> Iterator[Record]:
        """The records of the lines at these offsets.

        Raises:
            DataError: the file has changed since.
        """
        where = self.file.name
        try:
            with self.file.open("rb") as lines:
                for offset in offsets:
                    lines.seek(offset)
                    yield Line(offset, where, lines.readline()).record()
        except OSError as error:
            raise DataError(
                f"{where}: Expected a record, but the file cannot be read any more ({error_reason(error)}): start again"
            ) from error
