"""A folder for temporary files that goes with the process that made it, or, where that was killed, after it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

LOCK = "lock"
"""The file in it that is locked as long as its process lives."""


class LockedFolder:
    """A folder for this user alone, locked as long as this process lives.

    What a process that was killed (SIGKILL) has left is taken away when the next one of its kind is made: nobody holds
    its lock. (Windows has no such locks: there it stays.)
    """

    def __init__(self, base: Path, prefix: str) -> None:
        """Makes it in ``base``; ``prefix`` is how the names of all of its kind begin."""
        _clear(base, prefix)
        self._lock: int | None = None
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
            with suppress(FileNotFoundError):
                self._lock = _locked(self.path / LOCK)
                if sys.platform == "win32" or (self._lock is not None and (self.path / LOCK).exists()):
                    return
            # Another process was clearing away and took it for left behind, since it was not locked yet.
            if self._lock is not None:
                os.close(self._lock)

    def remove(self) -> None:
        """Takes the folder away, with all that is in it. A process that has not ended yet may hold a file open."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _clear(base: Path, prefix: str) -> None:
    """Takes away what is left of processes of this user that live no more."""
    if sys.platform == "win32":
        return
    for folder in sorted(base.glob(f"{prefix}*")):
        with suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.lstat().st_uid != os.getuid():
                continue
            lock = _locked(folder / LOCK, create=False)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(file: Path, *, create: bool = True) -> int | None:
    """The file, open and locked by this process; None where another has the lock. It ends with the process."""
    if sys.platform == "win32":
        return None
    opened = os.open(file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
