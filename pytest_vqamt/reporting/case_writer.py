"""``cases.jsonl``: each item writes its own part, and the parts are joined at the end.

A violation that was simplified is in ``simplified.jsonl``, so that ``vqamt replay`` finds it: it is no case of the run.

An item that did not finish has a part but no result, so it is in neither file. Lines are in the order of the items, and
within an item sorted by case id, which is also the order after a merge. Memory use does not grow with the cases.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from pytest_vqamt.core.atomic_write import remove_leftovers, unwritable_folder
from pytest_vqamt.core.case_store import FILE_NAMES, SIMPLIFIED_NAME, create_cases, sorted_lines
from pytest_vqamt.core.events import Event, Judged, Simplified
from pytest_vqamt.core.report_json import REPORT_FILE, case_line, case_row

REPORT_FILES = ("report.html", "summary.md", "badge.json", "audit.json", REPORT_FILE, SIMPLIFIED_NAME, *FILE_NAMES)
"""All files of a report; each is made from those after it."""

_PARTS = ".cases"
_PIECE = 1 << 20
"""Bytes that are read at once."""


class CasePartWriter:
    """Writes the cases of one item, a line each, as its events arrive."""

    def __init__(self, folder: Path, position: int) -> None:
        self._folder = folder
        with _writing_into(folder):
            (folder / _PARTS).mkdir(parents=True, exist_ok=True)
            self._lines = (folder / _PARTS / _part(position)).open("w+b")
        self._simplified = folder / _PARTS / _simplified_part(position)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged):
            row = case_row(
                event.case,
                event.answers,
                event.verdict,
                model=event.model,
                data=event.data,
                data_spec=event.data_spec,
                waived=event.waived,
                before=event.before,
            )
            with _writing_into(self._folder):
                self._lines.write(f"{case_line(row)}\n".encode())
        elif isinstance(event, Simplified):
            with _writing_into(self._folder):
                self._simplified.write_text(f"{event.line}\n", encoding="utf-8")

    def pieces(self) -> Iterator[bytes]:
        """The lines that were written so far, in pieces."""
        with _writing_into(self._folder):
            self._lines.seek(0)
            while piece := self._lines.read(_PIECE):
                yield piece

    def write(self, pieces: Iterable[bytes]) -> None:
        """Writes the lines of an earlier run."""
        with _writing_into(self._folder):
            for piece in pieces:
                self._lines.write(piece)

    def __enter__(self) -> CasePartWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _writing_into(self._folder):
            self._lines.close()


@contextmanager
def _writing_into(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable_folder(folder, error) from error


def start_parts(folder: Path) -> None:
    """Removes parts and temporary files of an earlier run that did not finish.

    Raises:
        VqamtError: the folder cannot be made or written to.
    """
    with _writing_into(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in REPORT_FILES:
            remove_leftovers(folder / name)
    remove_parts(folder)


def remove_report(folder: Path) -> None:
    """Removes the report of an earlier run, which could be mistaken for a failed run's.

    Pages go before the files they are made from, so a page is never beside the report of another run.

    Raises:
        VqamtError: a file cannot be removed.
    """
    with _writing_into(folder):
        for name in REPORT_FILES:
            (folder / name).unlink(missing_ok=True)


def _part(position: int) -> str:
    # Padded, so that names sort in the order of the items.
    return f"{position:06}.jsonl"


def _simplified_part(position: int) -> str:
    return f"{position:06}-simplified.jsonl"


def remove_parts(folder: Path) -> None:
    """Removes all parts."""
    # What is left is removed by the next run, so that a failure here fails nothing.
    shutil.rmtree(folder / _PARTS, ignore_errors=True)


def write_joined(folder: Path, positions: Collection[int], cases: Path, name: str) -> int:
    """Writes the lines of the parts at ``positions`` into the new file ``cases``, and returns their number.

    Each part is removed once it is written, so that the disk never holds all lines twice. The file is compressed if
    its final ``name`` says so.

    Raises:
        OSError: a part cannot be read, or the file cannot be written.
    """
    # Parts of items that did not finish are of no result, so they stay out.
    wanted = set(map(_part, positions))
    written = 0
    with create_cases(cases, name) as joined:
        for part in sorted(part for part in (folder / _PARTS).glob("*.jsonl") if part.name in wanted):
            for line in sorted_lines(part):
                joined.write(line)
                written += 1
            part.unlink()
    return written


def simplified_lines(folder: Path, positions: Collection[int]) -> str:
    """The lines of the simplified violations of the items at ``positions``, in their order.

    Raises:
        OSError: a part cannot be read.
    """
    parts = (folder / _PARTS / _simplified_part(position) for position in sorted(positions))
    return "".join(part.read_text(encoding="utf-8") for part in parts if part.is_file())
