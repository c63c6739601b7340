"""The files of ``snli-ve:DIR`` and an index of their hypotheses by photo.

Each line is checked once on opening, and read again on access: half a million hypotheses would fill memory.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import short_name, short_path
from pytest_vqamt.data.coco_records import id_of
from pytest_vqamt.data.json_io import JsonLines, Line
from pytest_vqamt.data.own_photos import FILE as GRAPHS
from pytest_vqamt.data.photo_io import PhotoFiles, unreadable_folder
from pytest_vqamt.data.records import SUFFIXES, Record
from pytest_vqamt.data.sanity import BoxChecks, SourceChecks
from pytest_vqamt.data.snli_ve.hypothesis_rows import (
    FrameOf,
    HypothesisRow,
    is_of_any_photo,
    official_row,
    photo_of,
    sentence_row,
    table_row,
    units_row,
    words_of,
)

OFFICIAL = ("snli_ve_test.jsonl", "snli_ve_dev.jsonl", "snli_ve_train.jsonl")
"""The official files, in the order of preference."""
UNITS = "units.jsonl"
"""The file of units with boxes, by people or a grounding model."""
_FORMS = "snli-ve:DIR or snli-ve:FILE.jsonl"

PLACES = ("flickr30k-images", "flickr30k_images", "images", "")
"""The possible folders of photos, the likeliest first."""

_NOWHERE = -1
"""The place of a hypothesis in a kind of file that lacks it."""
_FILE_BIT = 48
"""A place has the number of the file from this bit on, and the offset of the line below it."""
_WIDTH = 4
"""The numbers of a hypothesis: its places in the three kinds of files, and its state."""


class HypothesisForm(StrEnum):
    """The forms of hypotheses, one a line."""

    OFFICIAL = "official"
    TABLE = "table"
    UNITS = "units"


_FIELDS = {HypothesisForm.OFFICIAL: ("pairID", "gold_label"), HypothesisForm.TABLE: ("uniq_id", "subject")}
"""The fields of the first record that identify a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnliVeFiles:
    """The files that an argument names."""

    folder: Path
    """The folder of all of them."""
    decides: tuple[Path, HypothesisForm] | None
    """The file with the hypotheses to use, and its form; None for all hypotheses of ``tables`` and ``units``."""
    tables: tuple[Path, ...]
    """Files in the form of the authors of VEglue."""
    units: Path | None
    """The file of units."""
    photos: PhotoFiles | None
    """The folder of photos; None where none of the named photos is in one of ``PLACES``."""
    graphs: Path | None
    """A file of scene graphs."""

    @property
    def without_photos(self) -> str:
        """The advice to users without photos."""
        return f"put them into {self.folder / PLACES[0]}"


def find(argument: str) -> SnliVeFiles:
    """The files of ``snli-ve:DIR``, or of ``snli-ve:FILE.jsonl``, which has the hypotheses.

    Raises:
        OptionError: nothing is named.
        DataError: there is no such path, or no file of hypotheses.
    """
    if not argument:
        raise OptionError(f"Expected {option('data')}={_FORMS}, but got 'snli-ve:': name the folder")
    given = Path(argument)
    if os.path.isdir(given):  # noqa: PTH112 - Path's raises where no system takes such a path
        official = (given / name for name in OFFICIAL if (given / name).is_file())
        folder, decides = given, next(((file, HypothesisForm.OFFICIAL) for file in official), None)
    elif os.path.isfile(given):  # noqa: PTH113 - as above
        folder, decides = given.parent, (given, _form_of_named(given))
    else:
        raise DataError(
            f"Expected a folder, or a file of hypotheses, but got data={short_path(argument)}: there is no such path"
        )
    tables = tuple(_tables(folder, decides))
    units = folder / UNITS if (folder / UNITS).is_file() else None
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


def _tables(folder: Path, decides: tuple[Path, HypothesisForm] | None) -> Iterator[Path]:
    """The tables in the folder by name, or the one that the user has named."""
    if decides and decides[1] is HypothesisForm.TABLE:
        yield decides[0]
        return
    # The authors' tables have no fixed name: the fields of the first line tell.
    for file in sorted(folder.glob("*.jsonl")):
        if file.name not in (*OFFICIAL, UNITS) and file.is_file() and _form_of(file) is HypothesisForm.TABLE:
            yield file


def _form_of_named(file: Path) -> HypothesisForm:
    """The form of a file that the user has named; raises DataError for others."""
    if file.name in OFFICIAL:
        return HypothesisForm.OFFICIAL
    found = HypothesisForm.UNITS if file.name == UNITS else _form_of(file)
    if found is None:
        wanted = " or ".join(" and ".join(fields) for fields in _FIELDS.values())
        raise DataError(
            f"Expected a file of hypotheses, one a line, but the first line of {short_path(file)} has no {wanted}: "
            f"name another file, or call one of units {UNITS}"
        )
    return found


def _form_of(file: Path) -> HypothesisForm | None:
    """The form of a file by its first record, or None."""
    try:
        row = next(line.record().row for line in JsonLines(file))
    except (DataError, StopIteration):
        return None
    return next((form for form, fields in _FIELDS.items() if all(field in row for field in fields)), None)


def folder_of_photos(folder: Path, files: Iterable[Path]) -> Path | None:
    """The first of ``PLACES`` in ``folder`` with a photo that a line of ``files`` names.

    Raises:
        DataError: a folder or a file cannot be read.
    """
    # One listing of each folder, rather than a look at the disk for each of Flickr30k's 31,000 photos.
    held = {place: names for name in PLACES if (names := _photos_in(place := folder / name))}
    if not held:
        return None
    for photo in _named(files):
        for place, names in held.items():
            if photo in names:
                return place
    return None


def _named(files: Iterable[Path]) -> Iterator[str]:
    """The photos of the readable lines; others are reported elsewhere."""
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
        raise unreadable_folder(str(folder), error) from error


_LINKED, _WANTING = 1, 2
"""States: entailed with a box of a unit; entailed without any, and without a line in the file of units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedHypothesis:
    """A hypothesis with what all files have about it."""

    row: HypothesisRow
    is_ungrounded: bool
    """It is entailed without a box, and without a line in the file of units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Noted:
    """What is remembered of a usable row; its texts are read again."""

    photo: str
    """The name of the photo's file."""
    place: int
    """The number of the file and the offset of the line (``_FILE_BIT``)."""
    where: str
    """The file and the line, for messages."""
    is_entailed: bool
    is_boxed: bool
    """A unit has a box."""


class HypothesisIndex:
    """The hypotheses of a data set; if a file decides which there are, others add only units to these.

    Attributes:
        bad: a message about each line that cannot be used.
        first: the first line that names each photo, in the order of the files.
        checks: what is odd in hypotheses, captions and the boxes of units.
    """

    def __init__(self, files: SnliVeFiles, frame_of: FrameOf) -> None:
        self.bad: list[str] = []
        self.first: dict[str, str] = {}
        self._frame_of = frame_of
        decides = files.decides[1] if files.decides else None
        official = (JsonLines(files.decides[0]),) if files.decides and decides is HypothesisForm.OFFICIAL else ()
        tables = tuple(map(JsonLines, files.tables)) if decides is not HypothesisForm.UNITS else ()
        units = (JsonLines(files.units),) if files.units else ()
        self._files = (*official, *tables, *units)
        self._first_files = official or tables or units
        self.checks = SourceChecks.of(self._first_files[0].file.name)
        self._places: dict[str, array[int]] = {}  # by photo, _WIDTH numbers for each hypothesis
        self._sentences: dict[str, int] = {}  # by the words of a sentence, the place of its units in any photo
        broken: set[str] = set()
        # Units and tables first, as their broken rows take the hypothesis of the official file with them.
        of_units = self._noted(units, "id", units_row, broken)
        of_tables = self._noted(tables, "uniq_id", table_row, broken)
        for file in official:
            self._add_official(file, of_tables, of_units, broken)
        if not official:
            # A table that the user has named decides; else both files have hypotheses.
            for hypothesis in of_tables if decides is HypothesisForm.TABLE else dict.fromkeys((*of_tables, *of_units)):
                if hypothesis not in broken:
                    self._add(None, of_tables.get(hypothesis), of_units.get(hypothesis))

    @property
    def digest(self) -> str:
        """Of the bytes of the files."""
        return digest(*(f"{file.file.name} {file.digest}" for file in self._files))

    def counts(self, photo: str) -> tuple[int, int, int]:
        """Three counts of a photo: its hypotheses, the entailed ones with a box, and the ungrounded ones."""
        states = self._places[photo][_WIDTH - 1 :: _WIDTH]
        return len(states), states.count(_LINKED), states.count(_WANTING)

    def of(self, photo: str, *, only_with_units: bool = False) -> tuple[IndexedHypothesis, ...]:
        """The hypotheses about a photo, in the order of the files.

        Raises:
            DataError: a file has changed since it was opened.
        """
        flat = self._places[photo]
        joint = [tuple(flat[start : start + _WIDTH - 1]) for start in range(0, len(flat), _WIDTH)]
        joint = [places for places in joint if not only_with_units or max(places[1:]) != _NOWHERE]
        records = self._records(place for places in joint for place in places)
        return tuple(self._joined(photo, *(records.get(place) for place in places)) for places in joint)

    def _noted(
        self,
        files: Iterable[JsonLines],
        id_field: str,
        read: Callable[[Record, FrameOf, BoxChecks], HypothesisRow],
        broken: set[str],
    ) -> dict[str, _Noted]:
        """The usable rows by id; ids of others are added to ``broken``."""
        found: dict[str, _Noted] = {}
        for file in files:
            for line in file:
                own = None
                try:
                    record = line.record()
                    if id_field == "id" and is_of_any_photo(record):  # a line of ``vqamt units``, in the file of units
                        self._sentences.setdefault(sentence_row(record)[0], self._place(file, line))
                        continue
                    own = id_of(record.row, id_field)
                    if own in found:
                        self.bad.append(str(record.wrong(id_field, "an id of its own", f"{found[own].where} has it")))
                        continue
                    row = read(record, self._frame_of, self.checks.boxes)
                except DataError as error:
                    self.bad.append(str(error))
                    if own is not None:
                        broken.add(own)
                    continue
                found[row.id] = self._note(file, line, row)
        return found

    def _note(self, file: JsonLines, line: Line, row: HypothesisRow) -> _Noted:
        if file in self._first_files:  # the others repeat its hypotheses
            self.checks.hypotheses.add(line.where, row.text)
            if row.caption:
                self.checks.captions.add(line.where, row.caption)
        return _Noted(
            photo=row.photo,
            place=self._place(file, line),
            where=line.where,
            is_entailed=row.label == "entailment",
            is_boxed=row.is_boxed,
        )

    def _add_official(
        self, file: JsonLines, tables: Mapping[str, _Noted], units: Mapping[str, _Noted], broken: set[str]
    ) -> None:
        seen: set[str] = set()
        for line in file:
            try:
                record = line.record()
                row = official_row(record)
                if row is None or row.id in broken:
                    continue  # no label to judge answers by, or a message stands in ``bad`` already
                if row.id in seen:
                    raise record.wrong("pairID", "an id of its own", "another line has it")
            except DataError as error:
                self.bad.append(str(error))
                continue
            seen.add(row.id)
            self._add(self._note(file, line, row), tables.get(row.id), units.get(row.id))

    def _add(self, official: _Noted | None, table: _Noted | None, units: _Noted | None) -> None:
        """Adds a hypothesis of one line or several, if all are of one photo."""
        noted = [each for each in (official, table, units) if each]
        first = noted[0]
        for other in noted[1:]:
            if other.photo != first.photo:
                self.bad.append(
                    f"{other.where}: Expected the photo {short_name(first.photo)}, as {first.where} has it for this "
                    f"id, but got {short_name(other.photo)}: correct one of them"
                )
                return
        places = [each.place if each else _NOWHERE for each in (official, table, units)]
        state = 0
        # Only a true sentence says that its things are there. The label in the file of units counts first.
        if (units or first).is_entailed:
            state = _LINKED if noted[-1].is_boxed else _WANTING if units is None else 0
        self._places.setdefault(first.photo, array("q")).extend((*places, state))
        self.first.setdefault(first.photo, first.where)

    def _place(self, file: JsonLines, line: Line) -> int:
        return self._files.index(file) << _FILE_BIT | line.offset  # one number, as half a million are held

    def _records(self, places: Iterable[int]) -> dict[int, Record]:
        found: dict[int, Record] = {}
        wanted = sorted(place for place in places if place != _NOWHERE)  # forwards through each file
        for number, file in enumerate(self._files):
            own = [place for place in wanted if place >> _FILE_BIT == number]
            if own:
                found |= zip(own, file.at([place & (1 << _FILE_BIT) - 1 for place in own]), strict=True)
        return found

    def _joined(
        self, photo: str, official: Record | None, table: Record | None, units: Record | None
    ) -> IndexedHypothesis:
        """Joins the records of a hypothesis: units win over the table, which gives the units of an official row."""
        row = official_row(official) if official else None
        if table:
            given = table_row(table, self._frame_of)
            # The official spelling wins where both have the same words.
            says_the_same = row is not None and words_of(row.text) == words_of(given.text)
            row = replace(row, units=given.units, text=row.text if says_the_same else given.text) if row else given
        if units:
            caption = row.caption if row else ""
            row = replace(units_row(units, self._frame_of), caption=caption)
        if row is None or row.photo != photo:
            raise DataError(
                f"Expected a hypothesis about {short_name(photo)}, but its line has changed since the data was opened: "
                "start again"
            )
        place = self._sentences.get(words_of(row.text)) if row.units is None else None
        if place is not None:
            (record,) = self._records([place]).values()
            row = replace(row, units=sentence_row(record)[1])
        is_ungrounded = units is None and row.label == "entailment" and not row.is_boxed
        return IndexedHypothesis(row=row, is_ungrounded=is_ungrounded)
