"""Embeddings of pools and rankings, cached in the user's folder.

Files are written atomically and damaged ones made again. Their names include all that their content depends on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.atomic_write import replacing_cached
from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE, cache_home

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Arrays: TypeAlias = "Mapping[str, NDArray[np.generic]]"


def cached_arrays(key: str, make: Callable[[], Arrays]) -> Arrays:
    """Returns the arrays of ``key``; one process makes missing ones while others wait."""
    file = _folder() / "embeddings" / f"{key}.npz"
    found = _read_arrays(file)
    if found is not None:
        return found
    with _only_maker(file):
        found = _read_arrays(file)
        if found is None:
            found = make()
            _write(file, partial(_archive, found))
    return found


def cached_texts(key: str) -> tuple[str, ...] | None:
    """Returns the texts of ``key``, None if there are none or the file is damaged."""
    try:
        texts: object = json.loads(_texts_file(key).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    return tuple(texts)


def store_texts(key: str, texts: tuple[str, ...]) -> None:
    """Caches the texts under ``key``."""
    content = json.dumps(texts, ensure_ascii=False, indent=0).encode()
    _write(_texts_file(key), lambda opened: opened.write(content))


def _folder() -> Path:
    return cache_home() / "basic-questions"


def _texts_file(key: str) -> Path:
    return _folder() / "rankings" / key[:2] / f"{key}.json"


def _read_arrays(file: Path) -> Arrays | None:
    import numpy as np

    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except Exception:  # zip, zlib and NumPy's own reader raise a different one each; it is made again
        return None


def _archive(arrays: Arrays, opened: IO[bytes]) -> None:
    import numpy as np

    np.savez(opened, allow_pickle=False, **arrays)


def _write(file: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Warns and goes on if the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing_cached(file) as part, part.open("wb") as opened:
            write(opened)
    except OSError as error:
        warnings.warn(
            f"Expected a folder to keep rankings of basic questions in, but got {file.parent} ({error}): they are made "
            f"anew in each run; {CACHE_HOME_VARIABLE} names another folder",
            stacklevel=2,
        )


@contextmanager
def _only_maker(file: Path) -> Iterator[None]:
    """Excludes other processes of this machine; nothing is excluded where the folder cannot be written."""
    from filelock import FileLock

    lock = FileLock(file.with_suffix(".lock"))
    with suppress(OSError, NotImplementedError):  # the caller reports a folder that cannot be written
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
