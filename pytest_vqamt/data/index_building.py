"""An index of scenes is made: each scene as a compressed row, and what is known of all of them together."""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.corpus import Corpus, gather
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.graph_rows import row_of_scene

VERSION = 1
"""Of what an index holds."""

FACTS = ("summary", "bad", "photos", "corpus", "named")
"""What an index holds besides the scenes."""

_ROWS_A_COMMIT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A record that can be used.

    Attributes:
        scene: the record; without masks, and with an empty digest of its photo.
        photo_file: the photo's file, relative to the folder of photos.
        path: the file that the record is from.
    """

    scene: Scene
    photo_file: str
    path: Path


class SceneReader(Protocol):
    """What reads the annotation files of one kind."""

    @property
    def kind(self) -> str:
        """What users call such data ("gqa")."""
        ...

    @property
    def version(self) -> int:
        """Goes up when the same files give other scenes."""
        ...

    @property
    def files(self) -> tuple[Path, ...]:
        """The annotation files."""
        ...

    @property
    def settings(self) -> str:
        """What else decides about the scenes (which photos there are), as a digest."""
        ...

    def records(self, progress: Callable[[int], object]) -> Iterator[Found | str]:
        """Each record in order: the scene, or one line on what is wrong with it.

        ``progress`` is told how many more bytes of the files were read.

        Raises:
            DataError: a file is damaged.
        """
        ...


def fill(db: sqlite3.Connection, reader: SceneReader, progress: Callable[[int], object]) -> None:
    """Writes the index of all that ``reader`` gives into an empty database.

    Raises:
        DataError: a file is damaged, or two files have a record of the same id.
    """
    db.execute("CREATE TABLE rows (place INTEGER PRIMARY KEY, row BLOB NOT NULL)")
    db.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL)")
    rows = _Rows(db)
    corpus = gather(rows.written(reader.records(progress)))
    facts: dict[str, Json] = {
        "summary": {"scenes": corpus.scenes, "digest": rows.digest},
        "bad": list(rows.bad),
        "photos": {"ids": list(rows.photo_ids), "files": list(rows.photo_files)},
        "corpus": _corpus_row(corpus, rows),
        "named": _numbers_text(rows.named),
    }
    db.executemany("INSERT INTO facts VALUES (?, ?)", [(name, packed(facts[name])) for name in FACTS])
    db.commit()


def packed(value: Json) -> bytes:
    """The value as an index holds it."""
    return zlib.compress(_text(value).encode())


def unpacked(data: bytes) -> object:
    """The value that ``packed`` made ``data`` of."""
    value: object = json.loads(zlib.decompress(data))
    return value


def numbers_of(text: object) -> Iterator[tuple[int, ...]]:
    """For each scene the numbers of its names, out of the fact "named"."""
    numbers = array("I", b64decode(str(text)))
    if sys.byteorder == "big":
        numbers.byteswap()
    place = 0
    while place < len(numbers):
        end = place + 1 + numbers[place]
        yield tuple(numbers[place + 1 : end])
        place = end


def _numbers_text(numbers: array[int]) -> str:
    """Millions of numbers, which as JSON would take longer to read than all else."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return b64encode(numbers.tobytes()).decode()


class _Rows:
    """Writes scenes down as they come, and keeps of each what little the facts need."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._content = sha256()
        self._paths: dict[str, Path] = {}
        self.bad: list[str] = []
        self.photo_ids: list[str] = []
        self.photo_files: list[str] = []
        self.numbers: dict[str, int] = {}
        self.named = array("I")

    @property
    def digest(self) -> str:
        """Of all rows in order."""
        return self._content.hexdigest()[:16]

    def written(self, records: Iterable[Found | str]) -> Iterator[Scene]:
        """The scenes of ``records``, each written down before it is given."""
        for found in records:
            if isinstance(found, str):
                self.bad.append(found)
            elif self._is_new(found):
                self._write(found)
                yield found.scene

    def _is_new(self, found: Found) -> bool:
        scene_id = found.scene.id
        first = self._paths.get(scene_id)
        if first is None:
            self._paths[scene_id] = found.path
            return True
        if first != found.path:
            raise DataError(
                f"Expected files without a record in common, but {first} and {found.path} "
                f"both have image={scene_id!r}: name one of the files"
            )
        self.bad.append(f"{found.path}: image {scene_id}: Expected an id of its own, but an earlier record has it")
        return False

    def _write(self, found: Found) -> None:
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
    """The corpus with each name as a number: its place in ``names``."""
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
