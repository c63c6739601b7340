"""``cases.jsonl``: each item writes a part of its own as it goes; at the end those of the report are joined.

An item that stopped half-way (it failed, it lacks answers, its worker died) has a part, but no result: it is in neither
file. The lines stand in the order of the run's items, and within an item in that of the case ids: an order that a merge
of shards arrives at too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO

from pytest_vqamt.core.case_rows import case_line, case_row
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.events import Event, Judged

FILE = "cases.jsonl"
_PARTS = ".cases"


class CasesPart:
    """Listens to one item and writes its cases, a line each."""

    def __init__(self, folder: Path, position: int) -> None:
        self._folder = folder
        try:
            (folder / _PARTS).mkdir(parents=True, exist_ok=True)
            self._file: TextIO = (folder / _PARTS / _part(position)).open("w", encoding="utf-8")
        except OSError as error:
            raise _unusable(folder, error) from error

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
                raise _unusable(self._folder, error) from error

    def __enter__(self) -> CasesPart:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError as failed:
            raise _unusable(self._folder, failed) from failed


def start_parts(folder: Path) -> None:
    """Removes the parts of an earlier run that never ended.

    Raises:
        VqamtError: there is no such folder, and it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from error
    _remove_parts(folder)


def remove_report(folder: Path) -> None:
    """Removes the report of an earlier run: nobody is to take it for that of a run that fails.

    Raises:
        VqamtError: it cannot be removed.
    """
    try:
        for name in (FILE, "report.json"):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from error


def _part(position: int) -> str:
    return f"{position:06}.jsonl"


def _remove_parts(folder: Path) -> None:
    shutil.rmtree(folder / _PARTS, ignore_errors=True)


def join_parts(folder: Path, positions: Collection[int]) -> int:
    """Makes ``cases.jsonl`` of the parts of the items at ``positions``, in one step; gives the number of its lines."""
    wanted = set(map(_part, positions))
    file, beside = folder / FILE, folder / f".{FILE}.{os.getpid()}"
    written = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as joined:
            for part in sorted(part for part in (folder / _PARTS).glob("*.jsonl") if part.name in wanted):
                with part.open("rb") as lines:
                    for line in _by_case_id(lines):
                        joined.write(line)
                        written += 1
        beside.replace(file)
    except OSError as error:
        raise _unusable(folder, error) from error
    _remove_parts(folder)
    return written


def _unusable(folder: Path, error: OSError) -> VqamtError:
    return VqamtError(f"Expected a folder that can be written to, but got --vqamt-report={str(folder)!r}: {error}")


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
