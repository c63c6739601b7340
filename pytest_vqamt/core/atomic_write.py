"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.spelling import option

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space on the device, a user's quota, or a limit on the size of one file."""


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yields the path of a new file, which replaces ``file`` in one step when the block ends without an error.

    Other processes see the old file or the new one. The folder must exist.

    Raises:
        OSError: the new file cannot be written or moved; it names ``file``, which is unchanged.
    """
    if file.is_dir():  # before the work of writing it, and before "." is asked for a name
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    # tempfile would make a file that only its owner may read.
    part = file.with_name(f".{file.name}.{uuid4().hex}.part")
    try:
        yield part
        part.replace(file)
    except OSError as error:
        if error.filename != str(part):  # of another file, which the block has opened
            raise
        raise OSError(error.errno, error.strerror, str(file)) from error  # the user knows of no temporary file
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def writing(file: Path, spelt: str) -> Iterator[Path]:
    """As ``replacing``, for a file that the user has named with the option ``spelt``; its folder is made.

    Raises:
        OptionError: the file cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as part:
            yield part
    except OSError as error:
        raise unwritable_file(file, spelt, error) from error


def write_file(file: Path, text: str, spelt: str) -> None:
    """Writes a text into a file that the user has named with the option ``spelt``, in one step.

    Raises:
        OptionError: the file cannot be written.
    """
    with writing(file, spelt) as part:
        part.write_text(text, encoding="utf-8", newline="")


def unwritable_file(file: Path, spelt: str, error: OSError) -> OptionError:
    """The error of a file, named with the option ``spelt``, that cannot be written."""
    return OptionError(
        f"Expected a file that can be written, but got {spelt}={str(file)!r} ({error.strerror or error}): name another"
    )


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
        left.unlink(missing_ok=True)  # another process may remove it at the same time


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
    named = option("report")  # "" in a command, where it is not --vqamt-report that names the folder
    hint = "; free some space and run again: no answer that was kept is asked for again" if full else ""
    return VqamtError(
        f"Expected a folder that can be written to, but got {named and f'{named}='}{str(folder)!r}: {error}{hint}"
    )
