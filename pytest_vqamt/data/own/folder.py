"""Which photos lie in a user's folder, and which of them its file of scene graphs says something of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.json_io import parse, text_of
from pytest_vqamt.data.messages import error_reason, short_path

FILE = "graphs.jsonl"

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"})
"""What a photo's name ends in, in capitals or not."""

_NOT_READ = frozenset({".arw", ".avif", ".cr2", ".cr3", ".dng", ".heic", ".heif", ".jxl", ".nef"})
"""The same of photos that nothing here reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPhotos:
    """A folder of photos."""

    path: Path

    @property
    def file(self) -> Path:
        """The file of scene graphs, which need not be there."""
        return self.path / FILE

    @property
    def has_file(self) -> bool:
        return self.file.is_file()

    def photos(self) -> tuple[str, ...]:
        """The photos in it and its folders, by name with forward slashes, sorted; nothing that begins with a dot.

        Raises:
            DataError: a folder cannot be read.
        """
        return self._files(SUFFIXES)

    def not_read(self) -> tuple[str, ...]:
        """The same of photos of a kind that is not read."""
        return self._files(_NOT_READ)

    def _files(self, suffixes: frozenset[str]) -> tuple[str, ...]:
        found = []
        for folder, folders, files in os.walk(self.path, onerror=_refuse):
            folders[:] = [name for name in folders if not name.startswith(".")]
            inner = Path(folder).relative_to(self.path)
            found += [
                (inner / name).as_posix()
                for name in files
                if Path(name).suffix.lower() in suffixes and not name.startswith(".")
            ]
        return tuple(sorted(found))

    def without_line(self) -> tuple[str, ...]:
        """The photos that no line of the file names.

        Raises:
            DataError: the folder or the file cannot be read.
        """
        lines = self.lines()
        return tuple(name for name in self.photos() if name not in lines)

    def lines(self) -> frozenset[str]:
        """The photos that lines of the file name; lines that are no JSON name none.

        Raises:
            DataError: the file cannot be read.
        """
        return frozenset(normpath(name) for _, row in self._lines() if isinstance(name := _field(row, "photo"), str))

    def ids(self) -> frozenset[str]:
        """The ids of the scenes in the file.

        Raises:
            DataError: a line is no JSON object, so that its photo is not known.
        """
        found = set()
        for number, row in self._lines():
            if isinstance(row, DataError):
                raise DataError(f"{row} (before photos can be added, since the photo of this line is not known)")
            if not isinstance(row, dict):
                raise DataError(
                    f"{FILE}:{number}: Expected a JSON object, but got {type(row).__name__}: correct it before photos "
                    "are added, since the photo of this line is not known"
                )
            found.add(str(_field(row, "id")))
        return frozenset(found)

    def size_bytes(self, name: str) -> int | None:
        """The size of the photo's file; None if it cannot be known."""
        with suppress(OSError, ValueError):  # ValueError: no file can have such a name
            return (self.path / name).stat().st_size
        return None

    def _lines(self) -> Iterator[tuple[int, object]]:
        """What each line says, with its number; the error where it is no JSON."""
        try:
            if not self.has_file:
                return
            with self.file.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        yield number, _parsed(line, f"{FILE}:{number}")
        except OSError as error:
            raise DataError(
                f"Expected a file of scene graphs, but {short_path(self.file)} cannot be read ({error_reason(error)}): "
                "make it readable"
            ) from error


def open_folder(argument: str) -> OwnPhotos:
    """The folder that ``photos:ARGUMENT`` names.

    Raises:
        OptionError: none is named.
        DataError: there is no such folder.
    """
    if not argument:
        raise OptionError("Expected --vqamt-data=photos:DIR, but got no folder")
    folder = Path(argument)
    try:
        why = "" if folder.is_dir() else "there is no such folder"
    except OSError as error:
        why = f"it cannot be read ({error_reason(error)})"
    if why:
        raise DataError(f"Expected a folder of photos, but got photos={short_path(argument)}: {why}")
    return OwnPhotos(path=folder)


def _parsed(line: bytes, where: str) -> object:
    try:
        return parse(text_of(line.rstrip(), where), where)
    except DataError as error:
        return error


def _field(row: object, name: str) -> object:
    return row.get(name) if isinstance(row, dict) else None


def _refuse(error: OSError) -> None:
    raise DataError(
        f"Expected a folder of photos, but {short_path(str(error.filename))} cannot be read ({error_reason(error)}): "
        "make it readable"
    ) from error
