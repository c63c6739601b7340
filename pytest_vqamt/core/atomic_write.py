"""Files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yields the path of a new file, which replaces ``file`` in one step when the block ends without an error.

    Other processes see the old file or the new one. The folder must exist.

    Raises:
        OSError: the new file cannot be written or moved; ``file`` is unchanged.
    """
    # tempfile would make a file that only its owner may read.
    part = file.with_name(f"{file.name}.{uuid4().hex}.part")
    try:
        yield part
        try:
            part.replace(file)
        except PermissionError:  # Windows: another process has the file open, which it made for the same purpose
            if not file.exists():
                raise
    finally:
        part.unlink(missing_ok=True)
