"""Where the files of ``snli-ve:DIR`` lie: hypotheses, their units, photos, and what else is in these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.json_io import JsonLines
from pytest_vqamt.data.messages import error_reason, short_path
from pytest_vqamt.data.own_photos import FILE as GRAPHS
from pytest_vqamt.data.own_photos import SUFFIXES
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.snli_ve.rows import photo_of

OFFICIAL = ("snli_ve_test.jsonl", "snli_ve_dev.jsonl", "snli_ve_train.jsonl")
"""The official files by the names that their authors gave them, in the order in which one of several is taken."""
UNITS = "units.jsonl"
"""The file of units with boxes, as people or a grounding model write them."""
_FORMS = "snli-ve:DIR or snli-ve:FILE.jsonl"


class Form(StrEnum):
    """How hypotheses are written down, one a line."""

    OFFICIAL = "official"
    TABLE = "table"
    UNITS = "units"


_FIELDS = {
    Form.OFFICIAL: ("pairID", "gold_label"),
    Form.TABLE: ("uniq_id", "subject"),
}
"""By which fields of its first record a file is known, whatever it is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnliVeFiles:
    """The files that an argument names.

    Attributes:
        folder: in which all of them lie.
        decides: the file that says which hypotheses there are, and its form; None where all of ``tables`` and ``units``
            do.
        tables: files in the form in which the authors of VEglue published theirs.
        units: the file of units, None where there is none.
        photos: the photos, None where there are none.
        graphs: a file of scene graphs, None where there is none.
    """

    folder: Path
    decides: tuple[Path, Form] | None
    tables: tuple[Path, ...]
    units: Path | None
    photos: PhotoFiles | None
    graphs: Path | None

    @property
    def without_photos(self) -> str:
        """What to do where there are no photos."""
        return f"put them into {self.folder / PLACES[0]}"


def find(argument: str) -> SnliVeFiles:
    """The files of ``snli-ve:DIR``, or of ``snli-ve:FILE.jsonl``, which says which hypotheses there are.

    Raises:
        OptionError: nothing is named.
        DataError: there is no such path, or no file of hypotheses.
    """
    if not argument:
        raise OptionError(f"Expected --vqamt-data={_FORMS}, but got data='snli-ve:': name the folder")
    given = Path(argument)
    if os.path.isdir(given):  # noqa: PTH112 - Path's raises where no system takes such a path
        official = (given / name for name in OFFICIAL if _is_there(given, name))
        folder, decides = given, next(((file, Form.OFFICIAL) for file in official), None)
    elif os.path.isfile(given):  # noqa: PTH113 - as above
        folder, decides = given.parent, (given, _form_of_named(given))
    else:
        raise DataError(
            f"Expected a folder, or a file of hypotheses, but got data={short_path(argument)}: there is no such path"
        )
    tables = tuple(_tables(folder, decides))
    units = folder / UNITS if _is_there(folder, UNITS) else None
    if decides is None and not tables and units is None:
        raise DataError(
            f"Expected {', '.join(OFFICIAL)}, {UNITS} or a table of the VEglue authors as JSON Lines in "
            f"{short_path(folder)}, but there is none: fetch one, or name a file with snli-ve:FILE.jsonl"
        )
    named = [file for file in (decides[0] if decides else None, *tables, units) if file]
    photos = folder_of_photos(folder, dict.fromkeys(named))
    beside = (place / GRAPHS for place in ((photos, folder) if photos else (folder / name for name in PLACES)))
    return SnliVeFiles(
        folder=folder,
        decides=decides,
        tables=tables,
        units=units,
        photos=PhotoFiles(photos) if photos else None,
        graphs=next((file for file in beside if file.is_file()), None),
    )


def _tables(folder: Path, decides: tuple[Path, Form] | None) -> Iterator[Path]:
    """The tables in the folder by name; one that is named is the only one, whatever it is called."""
    if decides and decides[1] is Form.TABLE:
        yield decides[0]
        return
    for file in sorted(folder.glob("*.jsonl")):
        if file.name not in (*OFFICIAL, UNITS) and file.is_file() and _form_of(file) is Form.TABLE:
            yield file


def _form_of_named(file: Path) -> Form:
    """The form of a file that the user has named.

    Raises:
        DataError: it is of none.
    """
    if file.name in OFFICIAL:
        return Form.OFFICIAL
    found = Form.UNITS if file.name == UNITS else _form_of(file)
    if found is None:
        wanted = " or ".join(" and ".join(fields) for fields in _FIELDS.values())
        raise DataError(
            f"Expected a file of hypotheses, one a line, but the first line of {short_path(file)} has no {wanted}: "
            f"name another file, or call one of units {UNITS}"
        )
    return found


def _form_of(file: Path) -> Form | None:
    """The form of a file by its first record; None where that is of none, or no record at all."""
    try:
        row = next(line.record().row for line in JsonLines(file))
    except (DataError, StopIteration):
        return None
    return next((form for form, fields in _FIELDS.items() if all(field in row for field in fields)), None)


def _is_there(folder: Path, name: str) -> bool:
    return (folder / name).is_file()


PLACES = ("flickr30k-images", "flickr30k_images", "images", "")
"""The folders in which photos may lie, the likeliest first."""


def folder_of_photos(folder: Path, files: Iterable[Path]) -> Path | None:
    """The first of ``PLACES`` in ``folder`` that holds a photo which a line of ``files`` names; None where none does.

    Raises:
        DataError: a folder or a file cannot be read.
    """
    held = {place: names for name in PLACES if (names := _photos_in(place := folder / name))}
    if not held:
        return None
    for photo in _named(files):
        for place, names in held.items():
            if photo in names:
                return place
    return None


def _named(files: Iterable[Path]) -> Iterator[str]:
    """The photos that lines name, as far as they can be read; what is wrong with others is told elsewhere."""
    for file in files:
        for line in JsonLines(file):
            try:
                photo = photo_of(line.record())
            except DataError:
                continue
            if photo:
                yield photo


def _photos_in(folder: Path) -> frozenset[str]:
    if not folder.is_dir():
        return frozenset()
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries if Path(entry.name).suffix.lower() in SUFFIXES)
    except OSError as error:
        raise DataError(
            f"Expected a folder of photos, but {short_path(folder)} cannot be read ({error_reason(error)}): make it "
            "readable"
        ) from error
