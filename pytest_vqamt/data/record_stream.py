"""The records of a large JSON file, one after another: the file is read once and never held."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import ijson  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.core.errors import DataError

T = TypeVar("T")

_CHUNK_BYTES = 1 << 16


class RecordStream:
    """A JSON file, plain or compressed by gzip, that is read from its start to its end.

    ``progress`` is told, after each record, how many more bytes were read of the disk.
    """

    def __init__(self, path: Path, progress: Callable[[int], object] = lambda _bytes: None) -> None:
        self.path = path
        self._progress = progress

    def members(self) -> Iterator[tuple[str, object]]:
        """The key and the value of each member, where the file is one JSON object; a key can come twice.

        Raises:
            DataError: it is not one, or it is damaged.
        """
        with self._opened("{") as (on_disk, plain):
            found = ijson.kvitems(plain, "", use_float=True, buf_size=_CHUNK_BYTES)
            yield from self._told(on_disk, cast("Iterator[tuple[str, object]]", found))

    def items(self) -> Iterator[object]:
        """Each item, where the file is one JSON list.

        Raises:
            DataError: it is not one, or it is damaged.
        """
        with self._opened("[") as (on_disk, plain):
            found = ijson.items(plain, "item", use_float=True, buf_size=_CHUNK_BYTES)
            yield from self._told(on_disk, cast("Iterator[object]", found))

    def _told(self, on_disk: BinaryIO, records: Iterator[T]) -> Iterator[T]:
        done = 0
        for record in records:
            here = on_disk.tell()
            self._progress(here - done)
            done = here
            yield record

    @contextmanager
    def _opened(self, bracket: str) -> Iterator[tuple[BinaryIO, BinaryIO]]:
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise DataError(
                f"Expected a file that can be read, but got path={str(self.path)!r}: {error.strerror}"
            ) from error
        with file as on_disk:
            try:
                with self._plain(on_disk) as plain:
                    first = plain.read(_CHUNK_BYTES).lstrip()[:1].decode("latin-1")
                on_disk.seek(0)
                if first != bracket:
                    raise DataError(
                        f"Expected {self.path} to begin with {bracket!r}, but got first={first!r}: "
                        "it is no file of this data set"
                    )
                with self._plain(on_disk) as plain:
                    yield on_disk, plain
            except (ijson.JSONError, EOFError, zlib.error, OSError) as error:
                raise DataError(
                    f"Expected {self.path} to be whole, but after {on_disk.tell()} bytes got {_first_line(error)}: "
                    "fetch it again"
                ) from error

    def _plain(self, on_disk: BinaryIO) -> AbstractContextManager[BinaryIO]:
        if self.path.suffix == ".gz":
            return cast("AbstractContextManager[BinaryIO]", gzip.open(on_disk))
        return nullcontext(on_disk)


def plain_or_gzip(path: Path) -> Path | None:
    """The file as it is, else compressed with ".gz" after its name; None where there is neither."""
    compressed = path.with_name(f"{path.name}.gz")
    return path if path.is_file() else compressed if compressed.is_file() else None


def _first_line(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(error)
    return (text.strip() or type(error).__name__).splitlines()[0].rstrip(".")
