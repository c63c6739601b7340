"""``cases.jsonl``: each item writes a part of its own as it goes; at the end those of the report are joined.

An item that stopped half-way (it failed, it lacks answers, its worker died) has a part, but no result: it is in neither
file. The lines stand in the order of the run's items, and within an item in that of the case ids: an order that a merge
of shards arrives at too. However many cases an item has, some megabytes of them are in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path
from types import TracebackType

from pytest_vqamt.core.case_store import NAMES, PLAIN, LineSorter, created, in_order
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.report_json import case_line, case_row
from pytest_vqamt.reporting.atomic_write import Beside, remove_leftovers, unusable

REPORT = ("report.html", "summary.md", "audit.json", "report.json", *NAMES)
"""All files of a report; each is made of those after it."""

_PARTS = ".cases"


class CasesPart:
    """Listens to one item and writes its cases, a line each."""

    def __init__(self, folder: Path, position: int) -> None:
        self._folder = folder
        try:
            (folder / _PARTS).mkdir(parents=True, exist_ok=True)
            self._lines = LineSorter(folder / _PARTS / _part(position))
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
                self._lines.add(f"{case_line(row)}\n".encode())
            except OSError as error:
                raise unusable(self._folder, error) from error

    def __enter__(self) -> CasesPart:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._lines.close()
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


def join_parts(folder: Path, positions: Collection[int], name: str = PLAIN) -> int:
    """Makes the file of cases of the parts of the items at ``positions``, in one step; gives the number of its lines.

    It is compressed where its ``name`` says so.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Beside(folder / name) as cases:
            written = write_joined(folder, positions, cases)
            cases.put()
    except OSError as error:
        raise unusable(folder, error) from error
    remove_parts(folder)
    return written


def write_joined(folder: Path, positions: Collection[int], cases: Beside) -> int:
    """Writes the lines of the parts of the items at ``positions`` into ``cases``, and gives their number.

    A part is gone once its lines are there, so that there is no need of twice the room.

    Raises:
        OSError: a part cannot be read, or the file not be written.
    """
    wanted = set(map(_part, positions))
    written = 0
    with created(cases.path, cases.file.name) as joined:
        for part in sorted(part for part in (folder / _PARTS).glob("*.jsonl") if part.name in wanted):
            for line in in_order(part):  # each begins with its case id
                joined.write(line)
                written += 1
            part.unlink()
    return written
