"""SHA-256 of weights: 15 GB take 14 to 21 s to read, so they are read once for all processes and runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from pytest_vqamt.core.errors import cache_home
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import open_input
from pytest_vqamt.core.kept_table import KeptTable

FILE = "digests.sqlite"
"""Its name in the folder of files that are kept between runs."""

_WORTH_KEEPING_BYTES = 16 << 20
"""A smaller file is read faster than it is looked up."""

_LONGEST_WAIT_S = 600.0
"""After so long another process that reads the same weights is waited for no more."""

# Of this process: several models may share a file of gigabytes.
_known: dict[str, str] = {}


def sha256_of(file: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits.

    A file of the hub's cache has it as its name. That of any other large file is kept, with all by which a change of
    the file shows without reading it.
    """
    path = file.resolve()
    if named := _blob_name(path):
        return named
    key = _key(path)
    if key not in _known:
        is_large = path.stat().st_size >= _WORTH_KEEPING_BYTES
        _known[key] = _kept(path, key) if is_large else _read(path)
    return _known[key]


def _blob_name(path: Path) -> str:
    """The SHA-256 that the hub's cache names the file by; "" for any other file.

    The hub's client checks it when it fetches a file of LFS or Xet. Small files are named by Git's SHA-1 instead.
    """
    is_blob = path.parent.name == "blobs" and path.parents[1].name.startswith("models--")
    return path.name if is_blob and re.fullmatch(r"[0-9a-f]{64}", path.name) else ""


def _key(path: Path) -> str:
    """Another one after each change of the file: a copy with an old date has another inode or time of change."""
    stat = path.stat()
    parts = (stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev, stat.st_ctime_ns)
    return digest(str(path), *map(str, parts))


def _kept(path: Path, key: str) -> str:
    table = KeptTable(cache_home() / FILE, "digests", "sha256")
    if found := _valid(table.get(key)):
        return found
    with _alone():
        # Meanwhile another process may have read it.
        if found := _valid(table.get(key)):
            return found
        found = _read(path)
        # Not of a file that was written to meanwhile.
        if _key(path) == key:
            table.put(key, found)
    return found


def _valid(kept: bytes | None) -> str:
    return kept.decode() if kept is not None and re.fullmatch(rb"[0-9a-f]{64}", kept) else ""


@contextmanager
def _alone() -> Iterator[None]:
    """Lets one process read at a time: the others find what it has read, and the disk serves one reader best."""
    from filelock import FileLock, Timeout

    lock = FileLock(cache_home() / f".{FILE}.lock")
    try:
        cache_home().mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=_LONGEST_WAIT_S)
    except (OSError, NotImplementedError, Timeout):  # a folder that cannot be written, or a file system without locks
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _read(path: Path) -> str:
    total = sha256()
    with open_input(path) as opened:
        while block := opened.read(1 << 20):
            total.update(block)
    return total.hexdigest()
