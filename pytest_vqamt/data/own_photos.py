"""``photos:DIR``: a folder of users' own photos with a file of scene graphs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.input_files import MAX_DATA_BYTES, parse_json, read_bytes
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import short_name, short_path
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.conversations import files_named_in
from pytest_vqamt.data.graphs import open_graphs
from pytest_vqamt.data.json_io import JsonLines
from pytest_vqamt.data.photo_io import check_folder, plain_name, unreadable_folder
from pytest_vqamt.data.records import SUFFIXES, Record
from pytest_vqamt.data.scene_source import warn_of_data
from pytest_vqamt.data.series import ids_of, names_of

FILE = "graphs.jsonl"
"""The file of scene graphs in a folder of photos."""

_NOT_READ = frozenset({".arw", ".avif", ".cr2", ".cr3", ".dng", ".heic", ".heif", ".jxl", ".nef"})
"""The suffixes of photos that cannot be read."""

_NOT_THEIRS = frozenset({"__MACOSX", "@eaDir"})
"""Folders that are added to those of users: by zip on macOS, and by Synology for its thumbnails."""

NOTES = "graphs.detected.jsonl"
"""The settings and scores of detections, which ``vqamt annotate`` writes beside the lines; no source needs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPhotos:
    """A folder of photos with a file of lines about them."""

    path: Path
    """The folder; photos may lie in folders within it."""
    name: str = FILE
    """The name of the file of lines."""
    key: str = "photo"
    """The field in which a line names its photo: "image" in a file of questions."""

    @property
    def file(self) -> Path:
        """The file of lines, by default of scene graphs; it need not be there."""
        return self.path / self.name

    @property
    def has_file(self) -> bool:
        return self.file.is_file()

    def photos(self) -> tuple[str, ...]:
        """The names of the photos, with forward slashes, sorted; names that begin with a dot are left out.

        Raises:
            DataError: a folder cannot be read.
        """
        return self._files(SUFFIXES)

    def not_read(self) -> tuple[str, ...]:
        """The names of photos in formats that cannot be read."""
        return self._files(_NOT_READ)

    def _files(self, suffixes: frozenset[str]) -> tuple[str, ...]:
        found = []
        for folder, folders, files in os.walk(self.path, onerror=_refuse):
            # In place: os.walk then leaves these folders out. Linked folders it leaves out by itself.
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_THEIRS]
            inner = Path(folder).relative_to(self.path)
            found += [
                (inner / name).as_posix()
                for name in files
                if Path(name).suffix.lower() in suffixes and not name.startswith(".")
            ]
        return tuple(sorted(found))

    def without_line(self) -> tuple[str, ...]:
        """The photos that no line of the file names; raises DataError if the folder or the file cannot be read."""
        lines = self.lines()
        return tuple(name for name in self.photos() if name not in lines)

    def lines(self) -> frozenset[str]:
        """The photos that lines of the file name, as their files are called; lines that are no JSON name none.

        Raises:
            DataError: the file cannot be read.
        """
        rows = [record.row for record in self._records() if isinstance(record, Record)]
        named = [row.get(self.key) for row in rows]
        # A row of questions, or a line of scene graphs, may name several.
        several = files_named_in if self.key == "image" else names_of
        named += [name for row in rows for name in several(row)]
        photos = self.photos()
        # As PhotoFiles finds them: a line may write the name in another way.
        there, plain = frozenset(photos), {plain_name(photo): photo for photo in photos}
        names = (normpath(name) for name in named if isinstance(name, str))
        return frozenset(name if name in there else plain.get(normpath(plain_name(name)), name) for name in names)

    def ids(self) -> frozenset[str]:
        """The ids of the lines in the file, and of the photos of a line of several.

        Raises:
            DataError: a line is no JSON object, so that its photo is not known.
        """
        found: set[str] = set()
        for record in self._records():
            if isinstance(record, DataError):
                raise DataError(f"{record} (before photos can be added, since the photo of this line is not known)")
            found.update(ids_of(record.row))
        return frozenset(found)

    def size_bytes(self, name: str) -> int | None:
        """The size of the photo's file; None if it cannot be known."""
        with suppress(OSError, ValueError):  # ValueError: no file can have such a name
            return (self.path / name).stat().st_size
        return None

    def _records(self) -> Iterator[Record | DataError]:
        """The record of each line; the error if it is no JSON object."""
        for line in JsonLines(self.file) if self.has_file else ():
            try:
                yield line.record()
            except DataError as error:
                yield error


def open_folder(argument: str) -> OwnPhotos:
    """The folder that ``photos:ARGUMENT`` names.

    Raises:
        OptionError: none is named.
        DataError: there is no such folder.
    """
    if not argument:
        raise OptionError(f"Expected {option('data', 'photos:DIR')}, but got no folder")
    check_folder(Path(argument), "photos")
    return OwnPhotos(path=Path(argument))


def _refuse(error: OSError) -> None:
    raise unreadable_folder(str(error.filename), error) from error


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``photos:DIR`` by its file ``graphs.jsonl``; a photo without a line is left out, with a warning.

    Raises:
        OptionError: no folder is named.
        DataError: there is no such folder, it has no such file, or no record can be used.
    """
    folder = open_folder(argument)
    _warn_of_kinds(argument, folder.not_read())
    bare = folder.without_line()
    if not folder.has_file and bare:
        raise DataError(
            f"Expected {FILE} beside the photos in {short_path(argument)}, but there is none: {_how(argument)}"
        )
    if not folder.has_file:
        raise DataError(
            f"Expected photos ({', '.join(sorted(SUFFIXES))}) and {FILE} in {short_path(argument)}, but there are "
            "none: name the folder of your photos"
        )
    # Warnings come after it: where the file cannot be used, its error is the only message.
    source = open_graphs(f"photos:{argument}", folder.file, folder.path)
    _warn_of(argument, bare)
    _warn_of_others(folder, frozenset(bare))
    return source


def _how(argument: str) -> str:
    folder = shlex.quote(f"photos:{argument}")
    return f"run: vqamt annotate {folder} --option boxes=PekingU/rtdetr_r50vd (docs/how-to/annotate.md)"


def _warn_of(argument: str, bare: tuple[str, ...]) -> None:
    if bare:
        one = len(bare) == 1
        _warn(
            f"{len(bare)} photo{'' if one else 's'} in {short_path(argument)} {'has' if one else 'have'} no line in "
            f"{FILE} and {'is' if one else 'are'} left out, the first: {short_name(bare[0])}; {_how(argument)}"
        )


def _warn_of_others(folder: OwnPhotos, bare: frozenset[str]) -> None:
    """Warns of photos that were replaced after a detector wrote their line."""
    # Notes of photos without a line are left over from lines that were deleted.
    sizes = {name: size for name, size in sizes_of_lines(folder.path).items() if name not in bare}
    others = [name for name, size in sizes.items() if folder.size_bytes(name) not in (None, size)]
    if others:
        _warn(
            f"{len(others)} of the photos in {short_path(folder.path)} {'has' if len(others) == 1 else 'have'} another "
            f"size in bytes than when detectors looked at it, the first: {short_name(others[0])}. Delete its line in "
            f"{FILE} and run vqamt annotate, or, if the line is right, delete that in {NOTES}"
        )


def _warn_of_kinds(argument: str, not_read: tuple[str, ...]) -> None:
    if not_read:
        kinds = ", ".join(sorted({Path(name).suffix.lower() for name in not_read}))
        _warn(
            f"photos in {short_path(argument)} of kinds that are not read ({kinds}) are left out, {len(not_read)} in "
            f"all, the first: {short_name(not_read[0])}. Convert them to JPEG or PNG"
        )


def _warn(text: str) -> None:
    warn_of_data(text, "Expected each photo to have a line and be used", stacklevel=4)


def sizes_of_lines(folder: Path) -> Mapping[str, int]:
    """The size in bytes of each photo when a detector last wrote its line."""
    # Later lines of one photo replace earlier ones.
    return {str(row.get("photo")): size for row in noted(folder / NOTES) if isinstance(size := row.get("bytes"), int)}


def noted(file: Path) -> Iterator[Mapping[str, object]]:
    """The rows of a file of notes on detections, which may be missing; lines of another form are left out."""
    try:
        lines = read_bytes(file, MAX_DATA_BYTES, is_text=True).splitlines()
    except OSError:
        return
    for line in filter(None, lines):
        try:
            row = parse_json(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row
