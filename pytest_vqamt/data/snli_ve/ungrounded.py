"""Entailed hypotheses of which nobody has said where their units are, by photo; and the lines that say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.jsonl import JsonLines
from pytest_vqamt.data.own.photos import DetectionFailure, DetectorUse
from pytest_vqamt.data.own.writing import append
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import Record
from pytest_vqamt.data.snli_ve.files import UNITS, SnliVeFiles
from pytest_vqamt.data.snli_ve.index import BOUNDLESS, HypothesisIndex
from pytest_vqamt.data.snli_ve.rows import HypothesisRow, thing_name


@dataclass(frozen=True, slots=True, kw_only=True)
class UngroundedUnit:
    """A unit of a hypothesis; ``is_one`` tells whether it is about one thing, which a box can be drawn around."""

    object: str
    property: str
    is_one: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UngroundedHypothesis:
    """A hypothesis with its units in the order of the sentence."""

    row: HypothesisRow
    units: tuple[UngroundedUnit, ...]


class UngroundedHypotheses:
    """The hypotheses of a data set whose units want boxes.

    Attributes:
        folder: of the data set.
        photos: None where there are none.
        counts: how many there are about each photo that has any, in the order of the files.
    """

    def __init__(self, files: SnliVeFiles) -> None:
        self.folder = files.folder
        self.photos: PhotoFiles | None = files.photos
        self.without_photos = files.without_photos
        self._index = HypothesisIndex(files, lambda _photo: BOUNDLESS)
        counts = {photo: self._index.counts(photo)[2] for photo in self._index.first}
        self.counts: Mapping[str, int] = {photo: count for photo, count in counts.items() if count}

    def about(self, photo: str) -> tuple[UngroundedHypothesis, ...]:
        """Those about a photo."""
        rows = (each.row for each in self._index.of(photo) if each.is_ungrounded)
        return tuple(UngroundedHypothesis(row=row, units=_units(row)) for row in rows)

    def has_photo(self, photo: str) -> bool:
        """Whether the photo is there; what is wrong with its name is told where the data set is opened."""
        try:
            return self.photos is not None and self.photos.has(photo)
        except DataError:
            return False


def settled_ids(files: SnliVeFiles) -> frozenset[str]:
    """The ids of the hypotheses of which the file of units has a line."""
    found = set()
    for line in JsonLines(files.units) if files.units else ():
        with suppress(DataError):  # told of where the data set is opened
            found.add(str(line.record().row.get("id")))
    return frozenset(found)


def write(folder: Path, grounded: Iterable[tuple[UngroundedHypothesis, Sequence[Box | None]]]) -> None:
    """Adds a line for each hypothesis to the file of units, with a box or none for each of its units.

    Raises:
        DataError: the file cannot be written.
    """
    append(folder / UNITS, [_line(hypothesis, boxes) for hypothesis, boxes in grounded])


def _line(hypothesis: UngroundedHypothesis, boxes: Sequence[Box | None]) -> dict[str, Json]:
    row = hypothesis.row
    units: list[Json] = [
        {"object": unit.object, "property": unit.property, "box": _numbers(box)}
        for unit, box in zip(hypothesis.units, boxes, strict=True)
    ]
    return {"id": row.id, "photo": row.photo, "hypothesis": row.text, "label": row.label, "units": units}


def _numbers(box: Box | None) -> Json:
    return None if box is None else [encode(number) for number in (box.x, box.y, box.w, box.h)]


def _units(row: HypothesisRow) -> tuple[UngroundedUnit, ...]:
    """The units that the row has, else those that are read off the sentence."""
    if row.units is None:
        from pytest_vqamt.language.units import units_of

        return tuple(
            UngroundedUnit(
                object=unit.object,
                property=unit.property,
                is_one=not unit.is_plural and bool(thing_name(unit.object)),
            )
            for unit in units_of(row.text)
        )
    return tuple(
        UngroundedUnit(object=unit.object, property=unit.property, is_one=bool(thing_name(unit.object)))
        for unit in row.units
    )


# It stands in a file of its own beside the units, one photo a line: a person may correct the units, and their form
# has no place for it. Nothing of it is needed to read them.


FILE = "units.grounded.jsonl"


def note_found(folder: Path, photo: str, author: DetectorUse, scores: Mapping[str, Sequence[float | None]]) -> None:
    """Notes who has written the lines of the hypotheses about ``photo``, and how sure each unit's box is.

    Raises:
        DataError: the file cannot be written.
    """
    hypotheses: dict[str, Json] = {
        hypothesis: [None if score is None else round(score, 3) for score in each]
        for hypothesis, each in scores.items()
    }
    row: dict[str, Json] = {
        "photo": photo,
        "settings": dict(author.settings),
        "grounder": author.fingerprint,
        "hypotheses": hypotheses,
    }
    append(folder / FILE, [row])


def note_trouble(folder: Path, photo: str, trouble: DetectionFailure) -> None:
    """Notes that nothing could be grounded in ``photo``.

    Raises:
        DataError: the file cannot be written.
    """
    append(folder / FILE, [{"photo": photo, "trouble": trouble.why, "digest": trouble.digest, "asked": trouble.asked}])


def troubles(folder: Path) -> Mapping[str, DetectionFailure]:
    """The photos in which nothing could be grounded when last tried. Lines of another form are passed over."""
    found: dict[str, DetectionFailure] = {}
    for row in _rows(folder / FILE):
        photo, why, digest = row.get("photo"), row.get("trouble"), row.get("digest")
        if isinstance(photo, str):
            found.pop(photo, None)
            if isinstance(why, str) and isinstance(digest, str):
                found[photo] = DetectionFailure(why=why, digest=digest, asked=str(row.get("asked")))
    return found


def settings_of_lines(folder: Path) -> Mapping[str, Mapping[str, object]]:
    """The settings by which the line of each hypothesis was last written, where a grounding model has written it."""
    found: dict[str, Mapping[str, object]] = {}
    for row in _rows(folder / FILE):
        settings, hypotheses = row.get("settings"), row.get("hypotheses")
        if isinstance(settings, dict) and isinstance(hypotheses, dict):
            found |= dict.fromkeys(hypotheses, settings)
    return found


def _rows(file: Path) -> Iterator[Mapping[str, object]]:
    if not file.is_file():
        return
    for line in JsonLines(file):
        try:
            record: Record = line.record()
        except DataError:
            continue
        yield record.row
