"""``cases.jsonl``: each item writes a part of its own as it goes; at the end those of the report are joined.

An item that stopped half-way (it failed, it lacks answers, its worker died) has a part, but no result: it is in neither
file. The lines stand in the order of the run's items, and within an item in that of the case ids: an order that a merge
of shards arrives at too.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO

from pytest_vqamt.core.case_rows import case_line, case_row
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.reporting.beside import Beside, remove_leftovers, unusable

FILE = "cases.jsonl"
REPORT = ("report.html", "summary.md", "audit.json", "report.json", FILE)
"""All files of a report; each is made of those after it."""

_PARTS = ".cases"


class CasesPart:
    """Listens to one item and writes its cases, a line each."""

    def __init__(self, folder: Path, position: int) -> None:
        self._folder = folder
        try:
            (folder / _PARTS).mkdir(parents=True, exist_ok=True)
            self._file: TextIO = (folder / _PARTS / _part(position)).open("w", encoding="utf-8")
        except OSError as error:
            raise unusable(folder, error) from error

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged):
            row = case_row(
                event.case,
                event.answers,
                event.verdict,
                model=event.model,
                data=event.data,
                waived=event.waived,
                before=event.before,
            )
            try:
                self._file.write(case_line(row) + "\n")
            except OSError as error:
                raise unusable(self._folder, error) from error

    def __enter__(self) -> CasesPart:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError as failed:
            raise unusable(self._folder, failed) from failed


def start_parts(folder: Path) -> None:
    """Removes the parts of an earlier run that never ended, and what it had begun to put together.

    Raises:
        VqamtError: there is no such folder, and it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in REPORT:
            remove_leftovers(folder / name)
    except OSError as error:
        raise unusable(folder, error) from error
    remove_parts(folder)


def remove_report(folder: Path) -> None:
    """Removes the report of an earlier run: nobody is to take it for that of a run that fails.

    What is made of other files goes before them, so that no page is ever beside the report of another run.

    Raises:
        VqamtError: it cannot be removed.
    """
    try:
        for name in REPORT:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error


def _part(position: int) -> str:
    return f"{position:06}.jsonl"


def remove_parts(folder: Path) -> None:
    """Removes the parts: they are joined, or nobody will join them."""
    shutil.rmtree(folder / _PARTS, ignore_errors=True)


def join_parts(folder: Path, positions: Collection[int]) -> int:
    """Makes ``cases.jsonl`` of the parts of the items at ``positions``, in one step; gives the number of its lines."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Beside(folder / FILE) as cases:
            written = write_joined(folder, positions, cases.path)
            cases.put()
    except OSError as error:
        raise unusable(folder, error) from error
    remove_parts(folder)
    return written


def write_joined(folder: Path, positions: Collection[int], file: Path) -> int:
    """Writes the lines of the parts of the items at ``positions`` into ``file``, and gives their number.

    Raises:
        OSError: a part cannot be read, or the file not be written.
    """
    wanted = set(map(_part, positions))
    written = 0
    with file.open("wb") as joined:
        for part in sorted(part for part in (folder / _PARTS).glob("*.jsonl") if part.name in wanted):
            with part.open("rb") as lines:
                for line in _by_case_id(lines):
                    joined.write(line)
                    written += 1
    return written


def _by_case_id(lines: BinaryIO) -> Iterator[bytes]:
    """The lines in the order of their case ids, with which each begins; only their places are in memory."""
    places: list[tuple[bytes, int]] = []
    place = 0
    for line in lines:
        places.append((line.split(b",", 1)[0], place))
        place += len(line)
    for _, place in sorted(places):
        lines.seek(place)
        yield lines.readline()
