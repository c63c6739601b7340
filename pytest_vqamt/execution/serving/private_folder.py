"""The folder of one server: all that it writes is in it, and it goes with the server."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.execution.locked_folder import LockedFolder

_PREFIX = "vqamt-serve-"

_LONGEST = 30
"""Ray's sockets have up to 72 characters more, and their paths may have 103 to 107, as the system is."""


class PrivateFolder(LockedFolder):
    """A folder for this user alone; what a server that was killed has left is taken away when the next one starts."""

    def __init__(self) -> None:
        """Raises OptionError where there is no place for it."""
        super().__init__(_base(), _PREFIX)


def _base() -> Path:
    """The first folder for temporary files with a short path that can be written to."""
    tried = dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp"))
    for name in tried:
        if len(os.fsencode(name)) + len(_PREFIX) + 8 <= _LONGEST and os.access(name, os.W_OK | os.X_OK):
            return Path(name)
    raise OptionError(
        f"Expected a folder for temporary files with a path of at most {_LONGEST - len(_PREFIX) - 8} characters (Ray's "
        f"sockets are in it) that can be written to, but got {', '.join(tried)}: set TMPDIR to one"
    )
