"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.spelling import option

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yields the path of a new file, which replaces ``file`` in one step when the block ends without an error.

    Other processes see the old file or the new one. The folder must exist.

    Raises:
        OSError: the new file cannot be written or moved; ``file`` is unchanged.
    """
    # tempfile would make a file that only its owner may read.
    part = file.with_name(f".{file.name}.{uuid4().hex}.part")
    try:
        yield part
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_cached(file: Path) -> Iterator[Path]:
    """As ``replacing``, for a file that other processes make with the same content."""
    try:
        with replacing(file) as part:
            yield part
    except PermissionError:  # Windows: another process has the file open
        if not file.exists():
            raise


def remove_leftovers(file: Path) -> None:
    """Removes temporary files of ``file`` that killed processes left.

    Raises:
        OSError: one cannot be removed.
    """
    for left in file.parent.glob(f".{file.name}.*"):
        left.unlink(missing_ok=True)


def replace_text(file: Path, text: str) -> Path:
    """Replaces the content of ``file``, in the folder of a report, in one step.

    Raises:
        VqamtError: the folder cannot be written to.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable_folder(file.parent, error) from error
    return file


def unwritable_folder(folder: Path, error: OSError) -> VqamtError:
    """The error of a report folder that cannot be written to."""
    full = error.errno in _DISK_FULL
    hint = "; free some space and run again: no answer that was kept is asked for again" if full else ""
    return VqamtError(
        f"Expected a folder that can be written to, but got {option('report')}={str(folder)!r}: {error}{hint}"
    )
