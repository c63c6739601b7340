"""Records about the same images from a second large file, read along with the first."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.record_stream import RecordStream
from pytest_vqamt.data.records import Record


class RecordsBeside:
    """The records of a file by image. Each is read once, and those that come too early wait on disk, not in memory.

    So files in one order cost nothing but their reading, and files in different orders are right all the same.
    """

    def __init__(
        self, path: Path | None, image_id_of: Callable[[Record], str], progress: Callable[[int], object]
    ) -> None:
        """Without a ``path`` there are no records."""
        self._path = path
        self._image_id_of = image_id_of
        self._coming = RecordStream(path, progress).items() if path else iter(())
        self._early = sqlite3.connect("")  # a temporary file, which goes with the connection
        self._early.execute("CREATE TABLE early (image TEXT, place INTEGER, row BLOB)")
        self._early.execute("CREATE INDEX early_image ON early (image)")
        self._places = 0
        self._bad: list[str] = []

    def take(self, image_id: str) -> Record | None:
        """The first record about this image that was not taken yet; None where there is none."""
        found = self._early.execute(
            "SELECT rowid, row FROM early WHERE image = ? ORDER BY place LIMIT 1", (image_id,)
        ).fetchone()
        if found is not None:
            self._early.execute("DELETE FROM early WHERE rowid = ?", found[:1])
            return Record.of(json.loads(zlib.decompress(found[1])), f"{self._path}: image {image_id}")
        for other, record in self._read():
            if other == image_id:
                return record
            data = zlib.compress(json.dumps(record.row).encode(), 1)
            self._early.execute("INSERT INTO early VALUES (?, ?, ?)", (other, self._places, data))
        return None

    def left(self, graphs: Path) -> Iterator[str]:
        """What is wrong with each record that nobody took, in the order of the file, ``graphs`` having been read."""
        late = [(image_id, self._places) for image_id, _ in self._read()]
        yield from self._bad
        early = self._early.execute("SELECT image, place FROM early ORDER BY place")
        for image_id, _ in (*early, *late):
            yield f"{self._path}: image {image_id}: Expected one record an image of {graphs.name}, but got one more"

    def close(self) -> None:
        self._early.close()

    def _read(self) -> Iterator[tuple[str, Record]]:
        for value in self._coming:
            self._places += 1
            try:
                record = Record.of(value, f"{self._path}: record {self._places - 1}")
                image_id = self._image_id_of(record)
            except DataError as error:
                self._bad.append(str(error))
            else:
                yield image_id, Record(record.row, f"{self._path}: image {image_id}")
