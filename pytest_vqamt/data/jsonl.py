"""A file of JSON Lines: read in a stream from its start to its end, and single lines again by their place."""

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
        offset: its first byte.
        where: the file and its number in it, from 1 ("units.jsonl:12").
    """

    offset: int
    where: str
    data: bytes

    def record(self) -> Record:
        """What it says.

        Raises:
            DataError: it is no JSON object.
        """
        return Record.of(parse(text_of(self.data.rstrip(), self.where), self.where), self.where)


class JsonLines:
    """One file.

    Attributes:
        digest: of its bytes, once it has been read to its end; "" before.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.digest = ""

    def __iter__(self) -> Iterator[Line]:
        """The lines in their order.

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
        """What the lines say that begin at these bytes.

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
