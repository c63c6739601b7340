"""Users' own scene graphs: a file of JSON Lines, one scene a line, and a folder of photos."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.graph_rows import file_of_row, mask_of_row, scene_of_row
from pytest_vqamt.data.json_io import parse, text_of
from pytest_vqamt.data.messages import reason, shown, shown_path
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.polygons import drawn
from pytest_vqamt.data.records import Once, Record

if TYPE_CHECKING:
    from PIL.Image import Image


_COMPRESSED = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a usable record stands: its number from 1, its first byte, and what it is of."""

    number: int
    offset: int
    scene_id: str
    photo_file: str


class Graphs:
    """The scenes of ``file``: each line is checked once, with its photo's size, and read again when it is asked for."""

    def __init__(self, file: Path, photos: PhotoFiles) -> None:
        self.file = file
        self._photos = photos
        self._lines: list[_Line] = []
        self._bad: list[str] = []
        self._digest = ""
        self._read_all()
        if not self._lines:
            first = f"none of its {len(self._bad)} can be used: {self._bad[0]}" if self._bad else "it is empty"
            raise DataError(f"Expected scenes in {shown_path(file)}, one a line (docs/graphs.md), but {first}")

    @property
    def bad_records(self) -> tuple[str, ...]:
        return tuple(self._bad)

    @property
    def digest(self) -> str:
        """Of the bytes of the file."""
        return self._digest

    def __len__(self) -> int:
        return len(self._lines)

    def photo_ids(self) -> tuple[str, ...]:
        return tuple(line.scene_id for line in self._lines)

    def photo_file(self, index: int) -> str:
        return self._lines[index].photo_file

    def scene(self, index: int) -> Scene:
        return scene_of_row(self._row(index), self._where(self._lines[index].number))

    def mask(self, index: int, thing_id: str) -> Image:
        row, where = self._row(index), self._where(self._lines[index].number)
        mask = drawn(mask_of_row(row, where, thing_id), *Record.of(row, where).size())
        if mask.getbbox() is None:
            raise DataError(
                f"{where}: Expected a mask of one pixel or more, but the polygons of object {shown(thing_id)} hold the "
                "centre of none: correct them, or leave them out"
            )
        return mask

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        return None

    def _read_all(self) -> None:
        content, offset, ids = sha256(), 0, Once()
        try:
            with self.file.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if number == 1 and line.startswith(_COMPRESSED):
                        raise DataError(
                            f"Expected lines of JSON, but {shown_path(self.file)} is compressed: decompress it"
                        )
                    if line.strip():
                        self._note(number, offset, line, ids)
                    content.update(line)
                    offset += len(line)
        except OSError as error:
            raise DataError(
                f"Expected a file of scene graphs, but {shown_path(self.file)} cannot be read ({reason(error)}): "
                "make it readable"
            ) from error
        self._digest = content.hexdigest()[:16]

    def _note(self, number: int, offset: int, line: bytes, ids: Once) -> None:
        where = self._where(number)
        try:
            row = _parsed(line, where)
            scene, file = scene_of_row(row, where), file_of_row(row, where)
            self._check_photo(scene, file, where)
            ids.add(scene.id, Record.of(row, where), "id")
        except DataError as error:
            self._bad.append(str(error))
        else:
            self._lines.append(_Line(number, offset, scene.id, file))

    def _check_photo(self, scene: Scene, file: str, where: str) -> None:
        try:
            self._photos.check_size(file, scene.width, scene.height)
        except DataError as error:
            raise DataError(f"{where}: photo: {error}") from error

    def _row(self, index: int) -> object:
        """The record, as the line that was noted has it.

        Raises:
            DataError: the file has changed.
        """
        noted = self._lines[index]
        where = self._where(noted.number)
        try:
            with self.file.open("rb") as lines:
                lines.seek(noted.offset)
                row = _parsed(lines.readline(), where)
        except OSError as error:
            raise DataError(
                f"{where}: Expected a record, but the file cannot be read any more ({reason(error)}): start again"
            ) from error
        found = Record.of(row, where).identity("id")
        if found != noted.scene_id:
            raise DataError(
                f"{where}: Expected the scene {shown(noted.scene_id)}, but got id={shown(found)}: the file has changed "
                "since it was opened, so start again"
            )
        return row

    def _where(self, number: int) -> str:
        return f"{self.file.name}:{number}"


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``graphs:FILE.jsonl``, with photos beside the file, or of ``graphs:FILE.jsonl:PHOTOS``.

    Raises:
        OptionError: no file is named.
        DataError: the file or the folder is not there, or no record can be used.
    """
    if not argument:
        raise OptionError("Expected --vqamt-data=graphs:FILE.jsonl or graphs:FILE.jsonl:PHOTOS, but got no file")
    file, photos = _named(argument)
    return open_graphs(f"graphs:{argument}", file, photos)


def open_graphs(spec: str, file: Path, folder: Path) -> AnnotatedPhotos:
    """The scenes of ``file`` as the source ``spec``.

    Raises:
        DataError: the file or the folder of photos is not there, or no record can be used.
    """
    photos = PhotoFiles(folder)
    graphs = Graphs(file, photos)
    scenes = f"{len(graphs)} scene{'s' if len(graphs) > 1 else ''}"
    return AnnotatedPhotos(
        spec=spec,
        description=f"{scenes} of {file.name}, photos in {folder.resolve().name}",
        annotations=graphs,
        photos=photos,
    )


def _named(argument: str) -> tuple[Path, Path]:
    """The file and the folder of photos; either may have colons in its name."""
    places = [place for place, letter in enumerate(argument) if letter == ":"]
    why = "there is no such file"
    for place in (len(argument), *reversed(places)):
        file, photos = Path(argument[:place]), argument[place + 1 :]
        try:
            if file.is_file():
                return file, Path(photos) if photos else file.parent
        except OSError as error:
            why = f"it cannot be read ({reason(error)})"
    raise DataError(f"Expected a file of scene graphs (docs/graphs.md), but got graphs={shown_path(argument)}: {why}")


def _parsed(line: bytes, where: str) -> object:
    return parse(text_of(line.rstrip(), where), where)
