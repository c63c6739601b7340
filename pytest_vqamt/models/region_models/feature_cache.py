"""Regions kept: in memory the latest, on disk all of them, a file a picture."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.region_models.regions import REGIONS, WIDTH, Regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Precision: TypeAlias = Literal["float32", "float16"]
"""How features are kept: 296 kB or 149 kB a picture."""

MEMORY_BYTES = 512 << 20
"""How much of memory regions may take: those of 1,800 pictures."""

_numbers = count()


class LatestRegions:
    """The regions that were used last, in memory, of as many pictures as fit; for several threads."""

    def __init__(self, most_bytes: int = MEMORY_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, Regions] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> Regions | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: str, regions: Regions) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += _size(regions) - (_size(before) if before else 0)
            self._kept[key] = regions
            while self._bytes > self._most_bytes and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._bytes -= _size(dropped)


class KeptRegions:
    """Regions in a folder. A file appears there whole or not at all, whoever else writes and reads at the same time.

    A file is a NumPy archive of ``features`` (n, 2048) and ``boxes`` (n, 4, shares of width and height): the real rows
    alone. A file that is damaged is as good as none.
    """

    def __init__(self, folder: Path, precision: Precision) -> None:
        """Makes the folder.

        Raises:
            ModelError: it cannot be made.
        """
        self._folder = folder
        self._precision = precision
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def get(self, key: str) -> Regions | None:
        """The regions filed under ``key``, a name that is fit for a file."""
        import numpy as np

        try:
            content = BytesIO(self._file(key).read_bytes())
            with np.load(content, allow_pickle=False) as archive:
                return _regions(archive["features"], archive["boxes"])
        except Exception:  # zip, zlib and NumPy's own reader raise a different one each; it is made again
            return None

    def put(self, key: str, regions: Regions) -> None:
        """Files the regions under ``key``.

        Raises:
            ModelError: there is no room, or no right to write: what the detector takes seconds for would be lost.
        """
        import numpy as np

        content = BytesIO()
        real = slice(regions.count)
        np.savez(content, features=regions.features[real].astype(self._precision), boxes=regions.boxes[real])
        file = self._file(key)
        unfinished = file.with_name(f"{file.stem}.{os.getpid()}-{next(_numbers)}.part")
        try:
            file.parent.mkdir(exist_ok=True)
            unfinished.write_bytes(content.getvalue())
            unfinished.replace(file)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink()
            raise self._unwritable(error) from error

    @contextmanager
    def claim(self, key: str, wait: bool) -> Iterator[bool]:
        """Keeps other processes from working on ``key`` meanwhile; False where one is at it and ``wait`` is not."""
        from filelock import FileLock, Timeout  # comes with torch

        lock = FileLock(self._file(key).with_suffix(".lock"))
        try:
            self._file(key).parent.mkdir(exist_ok=True)
            lock.acquire(blocking=wait)
        except Timeout:
            yield False
            return
        except (OSError, NotImplementedError):  # a file system without locks: the work may be done twice
            yield True
            return
        try:
            yield True
        finally:
            lock.release()
            if self._file(key).is_file():
                with suppress(OSError):  # another process may have it open
                    Path(lock.lock_file).unlink()

    def _file(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.npz"

    def _unwritable(self, error: OSError) -> ModelError:
        return ModelError(
            f"Expected to keep region features in {self._folder}, but: {error}; make room there, or give another "
            "--vqamt-cache, or --vqamt-no-cache to keep them for this run alone"
        )


def rounded(regions: Regions, precision: Precision) -> Regions:
    """The regions as they will be read back from the disk, so that the first run answers as the next one does."""
    import numpy as np

    if precision == "float32":
        return regions
    features = regions.features.astype(precision).astype(np.float32)
    return Regions(boxes=regions.boxes, features=features, count=regions.count)


def _regions(features: NDArray[np.generic], boxes: NDArray[np.generic]) -> Regions:
    """Raises ValueError where the arrays are of other shapes."""
    import numpy as np

    number = len(features)
    if features.shape != (number, WIDTH) or boxes.shape != (number, 4) or number > REGIONS:
        raise ValueError(f"features {features.shape!r}, boxes {boxes.shape!r}")
    filled, shares = np.zeros((REGIONS, WIDTH), np.float32), np.zeros((REGIONS, 4), np.float32)
    filled[:number], shares[:number] = features, boxes
    return Regions(boxes=shares, features=filled, count=number)


def _size(regions: Regions) -> int:
    return regions.features.nbytes + regions.boxes.nbytes
