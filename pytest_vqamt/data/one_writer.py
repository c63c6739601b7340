"""One process at a time adds to a folder's scene graphs: two would each add a line for the same photo."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.messages import shown_path
from pytest_vqamt.data.own.writing import unwritable


@contextmanager
def only_writer(file: Path) -> Iterator[None]:
    """Within it no other process of this machine is in it with the same ``file``, which is made where it is not there.

    It waits for others; when a process dies, it no longer holds the file. Windows and some network file systems know no
    such thing, and there it lets everybody in.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        opened = file.open("ab")
    except OSError as error:
        raise DataError(unwritable(file, error)) from error
    with opened:
        _wait(opened, file)
        yield


def _wait(opened: IO[bytes], file: Path) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:
        return
    with suppress(OSError):
        try:
            fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"vqamt: waiting for another run that adds to {shown_path(file)}", file=sys.stderr, flush=True)
            fcntl.flock(opened.fileno(), fcntl.LOCK_EX)
