r"""Features in the tab-separated files of LXMERT's authors, of which one takes tens of gigabytes.

Ten columns without a heading: ``img_id img_h img_w objects_id objects_conf attrs_id attrs_conf num_boxes boxes
features``. The arrays are little-endian bytes in base64: ids int64 (n,), confidences float32 (n,), boxes float32 (n, 4)
as x1 y1 x2 y2 in pixels, features float32 (n, 2048). So they are written and read in ``extract_coco_image.py`` and
``utils.py`` of github.com/airsplay/lxmert.

Where each row begins is found out once, by its length, which ``num_boxes`` tells; rows are read when they are wanted.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.region_models.regions import WIDTH
from pytest_vqamt.models.regions.feature_rows import FeatureRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


COLUMNS = (
    "img_id", "img_h", "img_w", "objects_id", "objects_conf",
    "attrs_id", "attrs_conf", "num_boxes", "boxes", "features",
)  # fmt: skip

_HEAD = 16384
"""Bytes that hold all of a row but its boxes and features, of 400 boxes even."""


class TsvFeatures:
    """The features in one file."""

    def __init__(self, file: Path) -> None:
        """Finds out where the row of each photo begins.

        Raises:
            DataError: it cannot be read, or a row is of another form or cut off.
        """
        self._file = file
        try:
            with file.open("rb") as opened:
                found = list(_rows(opened, file))
        except OSError as error:
            raise DataError(f"Expected features=FILE.tsv that can be read, but got {file}: {error}") from error
        if not found:
            raise DataError(f"{file}: Expected rows of features, but it is empty")
        self.ids = tuple(photo for photo, _ in found)
        self._starts = tuple(start for _, start in found)

    def row(self, number: int) -> FeatureRow:
        where = f"{self._file}:{number + 1}"
        with self._file.open("rb") as opened:
            opened.seek(self._starts[number])
            fields = opened.readline().rstrip(b"\r\n").split(b"\t")
        if len(fields) != len(COLUMNS):
            raise DataError(f"{where}: Expected the {len(COLUMNS)} columns {' '.join(COLUMNS)}, but got {len(fields)}")
        told = dict(zip(COLUMNS, fields, strict=True))
        height, width, count = (_number(told[name], name, where) for name in ("img_h", "img_w", "num_boxes"))
        boxes_px, features = (_array(told[name], name, count, where) for name in ("boxes", "features"))
        return FeatureRow(where=where, boxes_px=boxes_px, features=features, width=width, height=height)


def _rows(opened: BinaryIO, file: Path) -> Iterator[tuple[str, int]]:
    """The photo of each row, and the byte at which the row begins."""
    size = file.stat().st_size
    start = number = 0
    while start < size:
        number += 1
        where = f"{file}:{number}"
        opened.seek(start)
        head = opened.read(_HEAD)
        if head.strip(b"\r\n") == b"":
            return
        fields = head.split(b"\t")[: len(COLUMNS) - 1]
        if len(fields) < len(COLUMNS) - 1 or b"\n" in b"".join(fields[:-1]):
            raise DataError(
                f"{where}: Expected the {len(COLUMNS)} columns {' '.join(COLUMNS)}, separated by tabs and without a "
                "heading, but the row has others"
            )
        before = sum(len(field) + 1 for field in fields[:-1])
        count = _number(fields[-2], "num_boxes", where)
        end = start + before + _encoded(count * 16) + 1 + _encoded(count * 4 * WIDTH)
        yield fields[0].decode("utf-8", "replace"), start
        start = _next_row(opened, start, end, size, where)


def _next_row(opened: BinaryIO, start: int, end: int, size: int, where: str) -> int:
    """The byte after the line that begins at ``start`` and ends at ``end``, if it is as long as it should be."""
    if end > size:
        raise DataError(f"{where}: Expected {end - start} bytes, but the file ends after {size - start}: copy it again")
    opened.seek(end)
    after = opened.read(2)
    if after in (b"", b"\n", b"\r\n"):
        return end + len(after)
    if after.startswith(b"\n"):
        return end + 1
    raise DataError(
        f"{where}: Expected features of {WIDTH} float32 numbers for each of num_boxes, but the row is longer or shorter"
    )


def _encoded(count: int) -> int:
    """How many characters of base64 so many bytes take."""
    return 4 * -(-count // 3)


def _number(field: bytes, name: str, where: str) -> int:
    if not field.isdigit():
        raise DataError(f"{where}: Expected {name} to be a whole number, but got {name}={field[:20]!r}")
    return int(field)


def _array(field: bytes, name: str, count: int, where: str) -> NDArray[np.float32]:
    import numpy as np

    try:
        array = np.frombuffer(base64.b64decode(field, validate=True), "<f4")
        return array.astype(np.float32).reshape(count, -1)
    except ValueError as error:
        raise DataError(f"{where}: Expected {name} as base64 of {count} rows of float32, but: {error}") from error
