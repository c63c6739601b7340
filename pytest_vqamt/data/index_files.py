"""Where indexes of scenes are kept, and how each is made so that nobody ever reads half of one."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
import warnings
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from uuid import uuid4

from pytest_vqamt.core.errors import HOME_VARIABLE, DataError, home
from pytest_vqamt.core.identity import digest
from pytest_vqamt.data import index_building
from pytest_vqamt.data.index_building import SceneReader, unpacked

_SMALL_BYTES = 8 << 20
"""Annotations of less are indexed anew each time, in memory: that takes a few seconds at most."""

_GZIP_RATIO = 8
"""How much smaller gzip makes annotations, about."""

_ABANDONED_S = 3600.0
"""A file that a build has not written to for as long is left of one that was killed."""

_SHOW_AFTER_S = 2.0


class IndexFile:
    """The index of what one reader gives: found where it was kept, else made; made again when it proves broken.

    Usable from several threads, and from several processes at once.
    """

    def __init__(self, reader: SceneReader) -> None:
        self._reader = reader
        self._lock = RLock()
        self._state = _state(reader)
        self._is_small = sum(_json_bytes(path) for path in reader.files) < _SMALL_BYTES
        files = digest(*(str(path.resolve()) for path in reader.files))
        self._stem = f"{reader.kind}-{files}"
        self.path = home() / "scenes" / f"{self._stem}-{self._state}.sqlite"
        self._db = self._adopted(self._in_memory() if self._is_small else self._kept() or self._made())

    def fact(self, name: str) -> object:
        return self._read("SELECT value FROM facts WHERE name = ?", name)

    def row(self, place: int) -> object:
        return self._read("SELECT row FROM rows WHERE place = ?", place)

    def _read(self, query: str, key: str | int) -> object:
        with self._lock:
            try:
                return self._value(query, key)
            except (sqlite3.DatabaseError, zlib.error, ValueError, TypeError) as error:
                if self._state != _state(self._reader):
                    raise DataError(
                        f"Expected annotations that stay as they are, but {self._reader.files[0]} or one beside it "
                        "has changed: run again"
                    ) from error
            self._db.close()
            self._db = self._adopted(self._made())
            return self._value(query, key)

    def _value(self, query: str, key: str | int) -> object:
        (data,) = self._db.execute(query, (key,)).fetchone()
        return unpacked(data)

    def _adopted(self, db: sqlite3.Connection) -> sqlite3.Connection:
        weakref.finalize(self, db.close)
        return db

    def _kept(self) -> sqlite3.Connection | None:
        """The index that is there already; None where there is none, or a broken one."""
        try:
            db = sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        except sqlite3.OperationalError:
            return None
        try:
            (facts,) = db.execute("SELECT count(*) FROM facts").fetchone()
        except sqlite3.DatabaseError:
            facts = 0
        if facts == len(index_building.FACTS):
            return db
        db.close()
        return None

    def _made(self) -> sqlite3.Connection:
        """A new index, kept; in memory where it cannot be kept."""
        if self._is_small:
            return self._in_memory()
        try:
            self._make()
            made = self._kept()
            if made is None:
                raise OSError(f"{self.path.name} cannot be read")
        except (OSError, sqlite3.OperationalError) as error:
            warnings.warn(
                f"Expected a folder to keep the index of {self._reader.files[0].parent} in, but got "
                f"{self.path.parent} ({error}): it is made anew each time; {HOME_VARIABLE} names another folder",
                stacklevel=2,
            )
            return self._in_memory()
        return made

    def _make(self) -> None:
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        self._sweep(lambda path: path.suffix == ".part" and time.time() - path.stat().st_mtime > _ABANDONED_S)
        part = folder / f"{self._stem}-{uuid4().hex}.part"  # not by tempfile, whose files nobody else may read
        try:
            with closing(sqlite3.connect(part)) as db:
                db.execute("PRAGMA journal_mode = OFF")
                db.execute("PRAGMA synchronous = OFF")
                self._fill(db)
            try:
                part.replace(self.path)
            except PermissionError:  # on Windows, while another process reads the same index, which is as good
                if not self.path.exists():
                    raise
        finally:
            part.unlink(missing_ok=True)
        self._sweep(lambda path: path.suffix == ".sqlite" and path != self.path)

    def _in_memory(self) -> sqlite3.Connection:
        db = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            self._fill(db)
        except BaseException:
            db.close()
            raise
        return db

    def _fill(self, db: sqlite3.Connection) -> None:
        with _shown(self._reader) as progress:
            index_building.fill(db, self._reader, progress)

    def _sweep(self, is_waste: Callable[[Path], bool]) -> None:
        """Removes files of this data set; what another process has open or has removed is left to it."""
        for path in sorted(self.path.parent.glob(f"{self._stem}-*")):
            with suppress(OSError):
                if is_waste(path):
                    path.unlink()


def _state(reader: SceneReader) -> str:
    """Changes whenever the files or the way they are read do."""
    stats = [(str(path.resolve()), path.stat()) for path in reader.files]
    files = (f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats)
    return digest(reader.kind, str(reader.version), str(index_building.VERSION), reader.settings, *files)


def _json_bytes(path: Path) -> int:
    return path.stat().st_size * (_GZIP_RATIO if path.suffix == ".gz" else 1)


@contextmanager
def _shown(reader: SceneReader) -> Iterator[Callable[[int], object]]:
    """A bar on standard error, where a person looks at it and the build takes its time."""
    if "CI" in os.environ or not sys.stderr.isatty():
        yield lambda _bytes: None
        return
    from tqdm import tqdm

    with tqdm(
        total=sum(path.stat().st_size for path in reader.files),
        desc=f"indexing {reader.kind}",
        unit="B",
        unit_scale=True,
        leave=False,
        delay=_SHOW_AFTER_S,
        file=sys.stderr,
    ) as bar:
        yield bar.update
