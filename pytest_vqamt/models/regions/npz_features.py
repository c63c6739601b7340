"""Features in a NumPy archive: ``ID/features``, ``ID/boxes`` and ``ID/size`` of each photo.

==============  =====================================================================================
``ID/features``  float32 or float16, (n, 2048), n from 1 to 36
``ID/boxes``     (n, 4), x1 y1 x2 y2 in pixels of the photo
``ID/size``      (2,), width and height of the photo in pixels
==============  =====================================================================================

``numpy.savez(file, **{f"{photo}/features": ..., f"{photo}/boxes": ..., f"{photo}/size": ...})`` writes it. Arrays are
read one photo at a time.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from zipfile import is_zipfile

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.regions.feature_rows import FeatureRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.lib.npyio import NpzFile
    from numpy.typing import NDArray

_PARTS = ("features", "boxes", "size")


class NpzFeatures:
    """The features in one archive, which stays open, and of which one thread reads at a time."""

    def __init__(self, file: Path) -> None:
        """Reads what the archive has of which photos.

        Raises:
            DataError: it is no such archive, or lacks an array.
        """
        self._file = file
        self._arrays = _opened(file)
        self._lock = Lock()
        weakref.finalize(self, self._arrays.close)
        names = set(self._arrays.files)
        self.ids = tuple(name.removesuffix("/features") for name in self._arrays.files if name.endswith("/features"))
        missing = [f"{photo}/{part}" for photo in self.ids for part in _PARTS if f"{photo}/{part}" not in names]
        if missing or not self.ids:
            what = f"it lacks {missing[0]!r}" if missing else f"it has {sorted(names)[:3]!r}"
            raise DataError(
                f"{file}: Expected arrays ID/features, ID/boxes and ID/size of each photo, but {what}: write them so"
            )

    def row(self, number: int) -> FeatureRow:
        photo = self.ids[number]
        where = f"{self._file}: {photo}"
        features, boxes, size = (self._array(photo, part) for part in _PARTS)
        if size.shape != (2,) or size.dtype.kind not in "iu":
            raise DataError(
                f"{where}: Expected size as two whole numbers, width and height, but got size={size.tolist()!r}"
            )
        width, height = (int(side) for side in size)
        return FeatureRow(where=where, boxes_px=boxes, features=features, width=width, height=height)

    def _array(self, photo: str, part: str) -> NDArray[np.generic]:
        name = f"{photo}/{part}"
        try:
            with self._lock:
                array: NDArray[np.generic] = self._arrays[name]
        except Exception as error:  # zip, zlib and NumPy's own reader raise a different one each
            raise DataError(f"{self._file}: Expected to read {name!r}, but: {error}: copy the file again") from error
        return array


def _opened(file: Path) -> NpzFile:
    import numpy as np
    from numpy.lib.npyio import NpzFile

    try:
        opened = np.load(file, allow_pickle=False) if is_zipfile(file) else None
    except Exception as error:  # as above
        raise DataError(f"Expected features=FILE.npz that can be read, but got {file}: {error}") from error
    if not isinstance(opened, NpzFile):
        raise DataError(
            f"Expected features=FILE.npz to be a NumPy archive, as numpy.savez makes it, but {file} is none"
        )
    return opened
