"""A sheet that a person has ticked, read back and held against the sample that it was made for."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from pytest_vqamt.core.errors import DataError, did_you_mean
from pytest_vqamt.reporting.audit.draw import Draw, read_draw
from pytest_vqamt.reporting.audit.judgements import Judgement
from pytest_vqamt.reporting.audit.sample import Key, Sample
from pytest_vqamt.reporting.audit.sheet import SHEET, without_mark

_NEEDED = ("case_id", "model", "data", "judgement", "note", "of", "drawn_from")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """What one person said.

    Attributes:
        file: the sheet.
        said: the judgements there are; cases that were not judged are not among them.
        notes: what was noted of a case, in one line; only where something was.
    """

    file: Path
    said: Mapping[Key, Judgement]
    notes: Mapping[Key, str]


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    cells: Mapping[str, str]

    @property
    def key(self) -> Key:
        case_id, model, data = (without_mark(self.cells[name].strip()) for name in ("case_id", "model", "data"))
        return case_id.lower(), model, data


def draw_of(file: Path) -> tuple[Draw, int]:
    """How the sample of a sheet was drawn, and from how many cases.

    Raises:
        DataError: the file is no sheet, or its rows are of several samples.
    """
    found: dict[tuple[str, str], int] = {}
    for row in _rows(file):
        found.setdefault((row.cells["of"].strip(), row.cells["drawn_from"].strip()), row.number)
    if not found:
        raise DataError(f"{file}: Expected a row for each case, but got none: {_AS_WRITTEN}")
    (told, first), *others = found.items()
    if others:
        raise DataError(
            f"{file}, row {others[0][1]}: Expected rows of one sample, but got drawn_from={others[0][0][1]!r} "
            f"after {told[1]!r} in row {first}: give the sheets one by one"
        )
    try:
        return read_draw(*told)
    except DataError as error:
        raise DataError(f"{file}, row {first}: {error}") from error


def read_ticked(file: Path, sample: Sample, is_known: Callable[[str], bool]) -> Ticked:
    """The judgements of a sheet of ``sample``; ``is_known`` says whether the report has a case of this id.

    Raises:
        DataError: the file is no sheet, a row is no case of the sample, or there twice, or a judgement is none.
    """
    drawn = {each.key for each in sample.cases}
    seen: dict[Key, int] = {}
    said: dict[Key, Judgement] = {}
    notes: dict[Key, str] = {}
    for row in _rows(file):
        where, key = f"{file}, row {row.number}", row.key
        if key not in drawn:
            raise DataError(f"{where}: {_stranger(key, is_known)}")
        if key in seen:
            raise DataError(
                f"{where}: Expected each case once, but got case_id={key[0]!r} in row {seen[key]}, too: "
                "leave one of the two rows"
            )
        seen[key] = row.number
        if judgement := _judgement(row.cells["judgement"], where):
            said[key] = judgement
        if note := " ".join(without_mark(row.cells["note"].strip()).split()):
            notes[key] = note
    return Ticked(file=file, said=said, notes=notes)


def is_ticked(file: Path) -> bool:
    """Whether somebody has judged a case of the sheet, or noted something.

    Raises:
        DataError: the file is no sheet.
    """
    return any(row.cells[name].strip() for row in _rows(file) for name in ("judgement", "note"))


def _stranger(key: Key, is_known: Callable[[str], bool]) -> str:
    """Why a row is not of the sample."""
    case_id, model, data = key
    if not is_known(case_id):
        return (
            f"Expected a case of the report, but got case_id={case_id!r}, which it does not have: name the report that "
            "the sheet was drawn from (a spreadsheet may also have taken an id for a number: set that column to text)"
        )
    told = ", ".join(f"{name}={value!r}" for name, value in (("model", model), ("data", data)) if value)
    return (
        f"Expected a case of the sample, but got case_id={case_id!r}, {told}, which was not drawn: "
        "leave the rows as they were, and judge no others"
    )


def _judgement(cell: str, where: str) -> Judgement | None:
    word = cell.strip().lower()
    if not word:
        return None
    known = [each.value for each in Judgement]
    if word not in known:
        raise DataError(
            f"{where}: Expected judgement to be {', '.join(known[:-1])} or {known[-1]}, or nothing where the case is "
            f"not judged, but got judgement={cell!r}; {did_you_mean(word, known)}"
        )
    return Judgement(word)


_AS_WRITTEN = f"give the {SHEET} that `vqamt audit -o` wrote, or the one that its page gives"


def _rows(file: Path) -> Iterator[_Row]:
    """The rows as a spreadsheet numbers them, blank ones left out; cells are set apart by what the head's are."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(
            f"Expected a ticked sheet, but got --read {str(file)!r} ({error.strerror or error}): {_AS_WRITTEN}"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: Expected a sheet in UTF-8, but got {error}: save it as CSV in UTF-8") from error
    head = text.partition("\n")[0]
    apart = next((mark for mark in ",;\t" if mark in head), ",")
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=apart, strict=True))
    except csv.Error as error:
        raise DataError(f"{file}: Expected a sheet in CSV, but got {error}: {_AS_WRITTEN}") from error
    names = [name.strip() for name in lines[0]] if lines else []
    if missing := [name for name in _NEEDED if name not in names]:
        raise DataError(f"{file}: Expected the columns {', '.join(_NEEDED)}, but got no {missing[0]!r}: {_AS_WRITTEN}")
    for number, line in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in line):
            continue
        yield _Row(number, {**dict.fromkeys(names, ""), **dict(zip(names, line, strict=False))})
