"""The file of the cases of a report: one of two names, one of which is compressed."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.packed import Members, is_packed, packing, unpacking

PLAIN = "cases.jsonl"
PACKED = "cases.jsonl.gz"
NAMES = (PLAIN, PACKED)


def cases_in(folder: Path) -> Path:
    """The file of cases in the folder of a report.

    Raises:
        DataError: there is none, or there are two.
    """
    found = [folder / name for name in NAMES if (folder / name).is_file()]
    if not found:
        raise DataError(
            f"Expected a folder that --vqamt-report wrote, but got {str(folder)!r}: it has no {PLAIN} and no {PACKED}"
        )
    if len(found) > 1:
        raise DataError(
            f"Expected the cases of a report once, but got both {PLAIN} and {PACKED} in {str(folder)!r}: remove one"
        )
    return found[0]


def opened(file: Path, members: Members | None = None) -> BinaryIO:
    """The lines of a file of cases, from any place; whether they are compressed, its content tells, not its name.

    ``members`` are for whoever opens a compressed one again to read from a place that is known already. Reading raises
    DataError where the file is compressed and broken.

    Raises:
        DataError: it cannot be read.
    """
    try:
        return unpacking(file, members) if is_packed(file) else file.open("rb")
    except OSError as error:
        raise DataError(
            f"Expected a file of cases that can be read, but got {str(file)!r}: {error.strerror or error}"
        ) from error


def created(file: Path, name: str) -> BinaryIO:
    """Opens ``file``, which is to have one of the two names once it is whole, to write cases into it.

    Raises:
        OSError: it cannot be written.
    """
    return packing(file) if name == PACKED else file.open("wb")
