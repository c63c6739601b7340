"""All hypotheses by photo: each line is checked once, when the files are opened, and read again when it is asked for.

Half a million hypotheses would fill memory, and a run asks for few of them: what is kept is where their lines begin.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.coco_records import id_of
from pytest_vqamt.data.graphs import Graphs
from pytest_vqamt.data.json_io import JsonLines, Line
from pytest_vqamt.data.messages import short_name
from pytest_vqamt.data.photo_io import PhotoFiles, size_px
from pytest_vqamt.data.records import MAX_SIDE_PX, Record
from pytest_vqamt.data.snli_ve.files import Form, SnliVeFiles
from pytest_vqamt.data.snli_ve.rows import (
    FrameOf,
    HypothesisRow,
    is_of_any_photo,
    official_row,
    sentence_row,
    table_row,
    units_row,
    words_of,
)

_NOWHERE = -1
_FILE_BIT = 48
"""A place is a number: that of the file from this bit on, and the first byte of the line below it."""
_WIDTH = 4
"""So many numbers are kept of a hypothesis: its places in the three kinds of files, and its state."""
_LINKED, _WANTING = 1, 2
"""States: entailed with a box of a unit; entailed without any, and without a line in the file of units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """What the files together say of a hypothesis.

    Attributes:
        row: its text, its label and its units.
        is_ungrounded: whether it is entailed, no unit has a box, and the file of units has no line of its own for it.
    """

    row: HypothesisRow
    is_ungrounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Noted:
    """A usable row: where it stands, and what is asked of it before it is read again."""

    photo: str
    place: int
    where: str
    is_entailed: bool
    is_boxed: bool


class HypothesisIndex:
    """The hypotheses of a data set.

    Where a file decides which there are, other files add the units of these alone.

    Attributes:
        bad: what is wrong with each line that cannot be used.
        first: for each photo, in the order of the files, where it is first named.
    """

    def __init__(self, files: SnliVeFiles, frame_of: FrameOf) -> None:
        self.bad: list[str] = []
        self.first: dict[str, str] = {}
        self._frame_of = frame_of
        decides = files.decides[1] if files.decides else None
        official = (JsonLines(files.decides[0]),) if files.decides and decides is Form.OFFICIAL else ()
        tables = tuple(map(JsonLines, files.tables)) if decides is not Form.UNITS else ()
        units = (JsonLines(files.units),) if files.units else ()
        self._files = (*official, *tables, *units)
        self._places: dict[str, array[int]] = {}
        self._sentences: dict[str, int] = {}
        broken: set[str] = set()
        of_units = self._noted(units, "id", units_row, broken)
        of_tables = self._noted(tables, "uniq_id", table_row, broken)
        for file in official:
            self._add_official(file, of_tables, of_units, broken)
        if not official:
            for hypothesis in of_tables if decides is Form.TABLE else dict.fromkeys((*of_tables, *of_units)):
                if hypothesis not in broken:
                    self._add(None, of_tables.get(hypothesis), of_units.get(hypothesis))

    @property
    def digest(self) -> str:
        """Of the bytes of the files."""
        return digest(*(f"{file.file.name} {file.digest}" for file in self._files))

    def counts(self, photo: str) -> tuple[int, int, int]:
        """How many hypotheses there are about a photo; entailed with a box of a unit; and wanting to be grounded."""
        states = self._places[photo][_WIDTH - 1 :: _WIDTH]
        return len(states), states.count(_LINKED), states.count(_WANTING)

    def of(self, photo: str, *, only_with_units: bool = False) -> tuple[Hypothesis, ...]:
        """Those about a photo, in the order of the files; or those of them alone of which a line gives the units.

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
        read: Callable[[Record, FrameOf], HypothesisRow],
        broken: set[str],
    ) -> dict[str, _Noted]:
        """The usable rows by id; ids of others that have any go to ``broken``."""
        found: dict[str, _Noted] = {}
        for file in files:
            for line in file:
                own = None
                try:
                    record = line.record()
                    if id_field == "id" and is_of_any_photo(record):
                        self._sentences.setdefault(sentence_row(record)[0], self._place(file, line))
                        continue
                    own = id_of(record.row, id_field)
                    if own in found:
                        self.bad.append(str(record.wrong(id_field, "an id of its own", f"{found[own].where} has it")))
                        continue
                    row = read(record, self._frame_of)
                except DataError as error:
                    self.bad.append(str(error))
                    if own is not None:
                        broken.add(own)
                    continue
                found[row.id] = _Noted(
                    photo=row.photo,
                    place=self._place(file, line),
                    where=line.where,
                    is_entailed=row.label == "entailment",
                    is_boxed=row.is_boxed,
                )
        return found

    def _add_official(
        self, file: JsonLines, tables: Mapping[str, _Noted], units: Mapping[str, _Noted], broken: set[str]
    ) -> None:
        seen: set[str] = set()
        for line in file:
            try:
                record = line.record()
                row = official_row(record)
                if row is None or row.id in broken:
                    continue
                if row.id in seen:
                    raise record.wrong("pairID", "an id of its own", "another line has it")
            except DataError as error:
                self.bad.append(str(error))
                continue
            seen.add(row.id)
            noted = _Noted(
                photo=row.photo,
                place=self._place(file, line),
                where=line.where,
                is_entailed=row.label == "entailment",
                is_boxed=False,
            )
            self._add(noted, tables.get(row.id), units.get(row.id))

    def _add(self, official: _Noted | None, table: _Noted | None, units: _Noted | None) -> None:
        """Adds a hypothesis of which one line or several say something, if all say it of one photo."""
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
        if (units or first).is_entailed:
            state = _LINKED if noted[-1].is_boxed else _WANTING if units is None else 0
        self._places.setdefault(first.photo, array("q")).extend((*places, state))
        self.first.setdefault(first.photo, first.where)

    def _place(self, file: JsonLines, line: Line) -> int:
        return self._files.index(file) << _FILE_BIT | line.offset

    def _records(self, places: Iterable[int]) -> dict[int, Record]:
        """What the lines at these places say."""
        found: dict[int, Record] = {}
        wanted = sorted(place for place in places if place != _NOWHERE)
        for number, file in enumerate(self._files):
            own = [place for place in wanted if place >> _FILE_BIT == number]
            if own:
                found |= zip(own, file.at([place & (1 << _FILE_BIT) - 1 for place in own]), strict=True)
        return found

    def _joined(self, photo: str, official: Record | None, table: Record | None, units: Record | None) -> Hypothesis:
        """One of three records or more; the file of units wins over the others, and the table says the units only."""
        row = official_row(official) if official else None
        if table:
            given = table_row(table, self._frame_of)
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
        return Hypothesis(row=row, is_ungrounded=is_ungrounded)


BOUNDLESS = Box(0, 0, MAX_SIDE_PX, MAX_SIDE_PX)
"""The frame of a photo of which nothing is known."""


class GraphsBeside(Graphs):
    """A file of scene graphs, by the names of the photos, which lie anywhere or nowhere; one line a photo.

    Attributes:
        sizes: width and height as the line of each photo has them.
    """

    def __init__(self, file: Path) -> None:
        self.sizes: dict[str, tuple[int, int]] = {}
        super().__init__(file, PhotoFiles(file.parent))
        self.places: Mapping[str, int] = {Path(self.photo_file(place)).name: place for place in range(len(self))}

    def _check_photo(self, scene: Scene, file: str, where: str) -> None:
        photo = Path(file).name
        if photo in self.sizes:
            raise DataError(
                f"{where}: photo: Expected one line a photo, but got another of {short_name(photo)}: remove one"
            )
        self.sizes[photo] = (scene.width, scene.height)


class Frames:
    """The frames of photos by name."""

    def __init__(self, photos: PhotoFiles | None, graphs: GraphsBeside | None) -> None:
        self._photos = photos
        self._graphs = graphs
        self._known: dict[str, Box] = {}

    def of(self, photo: str) -> Box:
        """The frame, ``BOUNDLESS`` where its size is not known.

        Raises:
            DataError: the photo is there and cannot be read.
        """
        if photo not in self._known:
            self._known[photo] = self._find(photo)
        return self._known[photo]

    def _find(self, photo: str) -> Box:
        if self._photos and self._photos.has(photo):
            return Box(0, 0, *size_px(self._photos.folder / photo))
        size = self._graphs.sizes.get(photo) if self._graphs else None
        return Box(0, 0, *size) if size else BOUNDLESS
