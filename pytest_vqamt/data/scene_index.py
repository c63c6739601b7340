"""An SQLite index of large annotations, which opens at once and reads single scenes."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
import warnings
import weakref
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypedDict, cast

from pytest_vqamt.core.atomic_write import replacing_cached
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.corpus import CooccurrenceTable, Corpus, gather_corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE, DataError, cache_home
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.progress_bar import SHOW_AFTER_S, progress_bar
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import short_name
from pytest_vqamt.data.graphs import row_of_scene, scene_of_row
from pytest_vqamt.data.sanity import BoxChecks, SourceChecks

if TYPE_CHECKING:
    from PIL.Image import Image


VERSION = 2
"""The version of the index's content, raised when the same scenes are stored otherwise."""

FACTS = ("summary", "bad", "remarks", "photos", "corpus", "named")
"""The content of an index besides the scenes."""

_ROWS_A_COMMIT = 2000
"""Scenes that are written in one transaction."""
_TOLERATED = 0.01
"""The share of pictures whose boxes may leave them: in large data sets by many annotators some always do."""

_SMALL_BYTES = 8 << 20
"""Smaller annotations are indexed in memory each time, in a few seconds at most."""

_GZIP_RATIO = 8
"""The approximate compression of annotations by gzip."""

_ABANDONED_S = 3600.0
"""A file without writes for as long is from a build that was killed."""


class SceneIndex:
    """The indexed annotations of a reader, without masks; building takes minutes, opening a second or two."""

    def __init__(self, reader: SceneReader) -> None:
        """Raises DataError if a file is damaged, or no record can be used."""
        self._kind = reader.kind
        self._first_file = reader.files[0]
        self._file = IndexFile(reader)
        if not len(self):
            wrong = (
                f"each of {len(self._bad)} is broken, the first so: {self._bad[0]}" if self._bad else "there is none"
            )
            raise DataError(
                f"Expected {self._first_file} to have a record that can be used, but {wrong}", bad_records=self._bad
            )

    @property
    def bad_records(self) -> tuple[str, ...]:
        return self._bad

    @property
    def digest(self) -> str:
        return self._summary["digest"]

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        return tuple(cast("list[str]", self._file.fact("remarks")))

    def __len__(self) -> int:
        return self._summary["scenes"]

    def photo_ids(self) -> tuple[str, ...]:
        return tuple(self._photos["ids"])

    def photo_file(self, index: int) -> str:
        return self._photos["files"][index]

    def scene(self, index: int) -> Scene:
        photo_id = self._photos["ids"][index]
        scene = scene_of_row(self._file.row(index), f"the index of {self._first_file.parent}: photo {photo_id}")
        return replace(scene, photo=Photo(id=photo_id, digest=""))

    def mask(self, index: int, thing_id: str) -> Image:
        raise DataError(
            f"Expected a thing with a mask, but {self._kind} has boxes only "
            f"(photo={self._photos['ids'][index]!r}, thing={thing_id!r})"
        )

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus:
        kept = cast("_CorpusRow", self._file.fact("corpus"))
        named = self._file.fact("named")
        names = kept["names"]
        ranked = tuple(names[number] for number in kept["ranked"])
        return Corpus(
            scenes=len(self),
            names=ranked,
            frequency=MappingProxyType(dict(zip(ranked, kept["frequency"], strict=True))),
            cooccurring=CooccurrenceTable(tuple(names[number] for number in numbers) for numbers in numbers_of(named)),
            exhaustive=frozenset(kept["exhaustive"]),
            plural=frozenset(names[number] for number in kept["plural"]),
            attributes=MappingProxyType(
                {name: tuple((attribute, n) for attribute, n in pairs) for name, pairs in kept["attributes"].items()}
            ),
            multi_coloured=frozenset(names[number] for number in kept["multi_coloured"]),
            cutouts=MappingProxyType({}),
            simplest_first=tuple(kept["simplest_first"]),
            scene=scene,
            measure=cache(measure),
        )

    @cached_property
    def _bad(self) -> tuple[str, ...]:
        return tuple(cast("list[str]", self._file.fact("bad")))

    @cached_property
    def _summary(self) -> _Summary:
        return cast("_Summary", self._file.fact("summary"))

    @cached_property
    def _photos(self) -> _Photos:
        return cast("_Photos", self._file.fact("photos"))


class _Summary(TypedDict):
    scenes: int
    digest: str


class _Photos(TypedDict):
    ids: list[str]
    files: list[str]


class _CorpusRow(TypedDict):
    """The fact "corpus"; whole numbers are indices into ``names``, but for frequencies and ``simplest_first``."""

    names: list[str]
    ranked: list[int]
    frequency: list[int]
    exhaustive: list[str]
    plural: list[int]
    multi_coloured: list[int]
    attributes: dict[str, list[tuple[str, int]]]
    simplest_first: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedScene:
    """A usable record."""

    scene: Scene
    """Without masks, and with an empty digest of its photo."""
    photo_file: str
    """Relative to the folder of photos."""
    path: Path
    """The file of the record."""


class SceneReader(Protocol):
    """Reads the annotation files of one data set."""

    @property
    def kind(self) -> str:
        """The name of such data for users ("gqa")."""

    @property
    def version(self) -> int:
        """Raised when the same files give other scenes."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The annotation files."""

    @property
    def settings(self) -> str:
        """A digest of whatever else the scenes depend on, such as the existing photos."""

    def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
        """Each record in order: the scene, or a message if it is broken.

        ``progress`` is called with the number of bytes read since the last call; ``checks`` take note of the boxes as
        they stand in the files.

        Raises:
            DataError: a file is damaged.
        """


def fill(db: sqlite3.Connection, reader: SceneReader, progress: Callable[[int], object]) -> None:
    """Writes the index of all records of ``reader`` into an empty database.

    Raises:
        DataError: a file is damaged, or two files have a record of the same id.
    """
    db.execute("CREATE TABLE rows (place INTEGER PRIMARY KEY, row BLOB NOT NULL)")
    db.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL)")
    # One pass: gather_corpus pulls the scenes, and on their way each is written and checked.
    rows = _Rows(db)
    checks = SourceChecks(BoxChecks(reader.files[0].name, tolerated=_TOLERATED))
    corpus = gather_corpus(_checked(rows.written(reader.records(progress, checks.boxes)), checks))
    facts: dict[str, Json] = {
        "summary": {"scenes": corpus.scenes, "digest": rows.digest},
        "bad": list(rows.bad),
        "remarks": list(checks.lines()),
        "photos": {"ids": list(rows.photo_ids), "files": list(rows.photo_files)},
        "corpus": _corpus_row(corpus, rows),
        "named": _numbers_text(rows.named),
    }
    db.executemany("INSERT INTO facts VALUES (?, ?)", [(name, packed(facts[name])) for name in FACTS])
    db.commit()


def _checked(scenes: Iterable[Scene], checks: SourceChecks) -> Iterator[Scene]:
    for scene in scenes:
        checks.add_scene(scene, scene.id)
        yield scene


def packed(value: Json) -> bytes:
    """The value as bytes of the index."""
    return zlib.compress(_text(value).encode())


def unpacked(data: bytes) -> object:
    """The value that ``packed`` made ``data`` from."""
    value: object = json.loads(zlib.decompress(data))
    return value


def numbers_of(text: object) -> Iterator[tuple[int, ...]]:
    """For each scene the numbers of its names, from the fact "named"."""
    numbers = array("I", b64decode(str(text)))
    if sys.byteorder == "big":  # the index is little-endian
        numbers.byteswap()
    place = 0
    while place < len(numbers):
        end = place + 1 + numbers[place]
        yield tuple(numbers[place + 1 : end])
        place = end


def _numbers_text(numbers: array[int]) -> str:
    """Base 64, as millions of numbers in JSON would dominate the reading time."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return b64encode(numbers.tobytes()).decode()


class _Rows:
    """Writes scenes into the database, and collects the facts."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._content = sha256()
        self._paths: dict[str, Path] = {}  # the file of each scene by its id, as ids may repeat across files
        self.bad: list[str] = []
        self.photo_ids: list[str] = []
        self.photo_files: list[str] = []
        self.numbers: dict[str, int] = {}  # of names, in the order of their first use
        self.named = array("I")  # for each scene how many names it has, then their numbers

    @property
    def digest(self) -> str:
        """Of all rows in order."""
        return self._content.hexdigest()[:16]

    def written(self, records: Iterable[IndexedScene | str]) -> Iterator[Scene]:
        """The scenes of ``records``, each written before it is yielded."""
        for found in records:
            if isinstance(found, str):
                self.bad.append(found)
            elif self._is_new(found):
                self._write(found)
                yield found.scene

    def _is_new(self, found: IndexedScene) -> bool:
        scene_id = found.scene.id
        first = self._paths.get(scene_id)
        if first is None:
            self._paths[scene_id] = found.path
            return True
        if first != found.path:  # such as a part of the training set beside all of it: each scene would count twice
            raise DataError(
                f"Expected files without a record in common, but {first} and {found.path} "
                f"both have image={scene_id!r}: name one of the files"
            )
        self.bad.append(
            f"{found.path}: image {short_name(scene_id)}: Expected an id of its own, but an earlier record has it"
        )
        return False

    def _write(self, found: IndexedScene) -> None:
        row = _text(row_of_scene(found.scene, found.photo_file)).encode()
        self._content.update(row + b"\n")
        self._db.execute("INSERT INTO rows VALUES (?, ?)", (len(self.photo_ids), zlib.compress(row)))
        self.photo_ids.append(found.scene.photo.id)
        self.photo_files.append(found.photo_file)
        names = dict.fromkeys(thing.name for thing in found.scene.objects)
        self.named.append(len(names))
        self.named.extend(self.numbers.setdefault(name, len(self.numbers)) for name in names)
        if len(self.photo_ids) % _ROWS_A_COMMIT == 0:
            self._db.commit()


def _corpus_row(corpus: Corpus, rows: _Rows) -> Json:
    """The corpus with each name as its index in ``names``."""
    return {
        "names": list(rows.numbers),
        "ranked": [rows.numbers[name] for name in corpus.names],
        "frequency": [corpus.frequency[name] for name in corpus.names],
        "exhaustive": [*sorted(corpus.exhaustive)],
        "plural": [rows.numbers[name] for name in sorted(corpus.plural)],
        "multi_coloured": [rows.numbers[name] for name in sorted(corpus.multi_coloured)],
        "attributes": {name: [list(pair) for pair in pairs] for name, pairs in corpus.attributes.items()},
        "simplest_first": list(corpus.simplest_first),
    }


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class IndexFile:
    """The index of one reader: opened if it is stored, else built; rebuilt if it is broken.

    Usable from several threads, and from several processes at once.
    """

    def __init__(self, reader: SceneReader) -> None:
        self._reader = reader
        self._lock = RLock()
        self._state = _state(reader)
        self._is_small = sum(_json_bytes(path) for path in reader.files) < _SMALL_BYTES
        # The paths name the data set, and its state the version: an index of an older state is swept by its paths.
        files = digest(*(str(path.resolve()) for path in reader.files))
        self._stem = f"{reader.kind}-{files}"
        self.path = cache_home() / "scenes" / f"{self._stem}-{self._state}.sqlite"
        self._db = self._adopted(self._in_memory() if self._is_small else self._kept() or self._made())

    def fact(self, name: str) -> object:
        return self._read("SELECT value FROM facts WHERE name = ?", name)

    def row(self, place: int) -> object:
        return self._read("SELECT row FROM rows WHERE place = ?", place)

    def _read(self, query: str, key: str | int) -> object:
        with self._lock:
            try:
                return self._value(query, key)
            except (sqlite3.DatabaseError, zlib.error, ValueError, TypeError) as error:  # TypeError: a row is missing
                if self._state != _state(self._reader):
                    raise DataError(
                        f"Expected annotations that do not change, but {self._reader.files[0]} or another of its files "
                        "has changed: run again"
                    ) from error
            self._db.close()  # a disk error, say: it is made anew, once
            self._db = self._adopted(self._made())
            return self._value(query, key)

    def _value(self, query: str, key: str | int) -> object:
        (data,) = self._db.execute(query, (key,)).fetchone()
        return unpacked(data)

    def _adopted(self, db: sqlite3.Connection) -> sqlite3.Connection:
        weakref.finalize(self, db.close)  # Python 3.13 warns of a connection that is collected while open
        return db

    def _kept(self) -> sqlite3.Connection | None:
        """The stored index; None if there is none, or a broken one."""
        try:
            # Immutable: SQLite then neither locks the file nor writes beside it, and a finished index never changes.
            db = sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        except sqlite3.OperationalError:
            return None
        try:
            (facts,) = db.execute("SELECT count(*) FROM facts").fetchone()
        except sqlite3.DatabaseError:
            facts = 0
        if facts == len(FACTS):  # they are written last, so all scenes are there
            return db
        db.close()
        return None

    def _made(self) -> sqlite3.Connection:
        """A new index, stored if possible and else in memory."""
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
                f"{self.path.parent} ({error}): it is made anew each time; {CACHE_HOME_VARIABLE} names another folder",
                stacklevel=2,
            )
            return self._in_memory()
        return made

    def _make(self) -> None:
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        self._sweep(lambda path: path.suffix == ".part" and time.time() - path.stat().st_mtime > _ABANDONED_S)
        with replacing_cached(self.path) as part, closing(sqlite3.connect(part)) as db:
            # Nothing is rolled back: a build that fails leaves a part file, which is removed.
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            self._fill(db)
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
        size = sum(path.stat().st_size for path in self._reader.files)
        with progress_bar(f"indexing {self._reader.kind}", size, "B", delay_s=SHOW_AFTER_S) as progress:
            fill(db, self._reader, progress)

    def _sweep(self, is_waste: Callable[[Path], bool]) -> None:
        """Removes files of this data set, except those that another process has open or has removed."""
        folder = self.path.parent
        for path in sorted((*folder.glob(f"{self._stem}-*"), *folder.glob(f".{self._stem}-*.part"))):
            with suppress(OSError):
                if is_waste(path):
                    path.unlink()


def _state(reader: SceneReader) -> str:
    """Changes whenever the files or their reader change."""
    stats = [(str(path.resolve()), path.stat()) for path in reader.files]
    files = (f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats)
    return digest(reader.kind, str(reader.version), str(VERSION), reader.settings, *files)


def _json_bytes(path: Path) -> int:
    return path.stat().st_size * (_GZIP_RATIO if path.suffix == ".gz" else 1)
