"""``features=FILE.npz`` or ``FILE.tsv``: precomputed region features, matched by the photo's id."""

from __future__ import annotations

import base64
import re
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias
from zipfile import is_zipfile

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.input_files import open_input
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.spelling import setting
from pytest_vqamt.data.records import SUFFIXES
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH, REGIONS, Regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.lib.npyio import NpzFile
    from numpy.typing import NDArray


VERSION = 1
"""Goes up when the same file gives other regions."""

_BLOCK = 1 << 16
_BLOCKS = 8192
"""A larger file than so many blocks, half a gigabyte, is digested in part: to read it all would take minutes."""

_BEYOND_PX = 1.5
"""The most by which a box may exceed its picture: detectors round, and some count pixels from 1."""

_COCO_NAME = re.compile(r"(?:COCO_(?:train|val|test)\d{4}_)?0*(\d+)")

_IdForm: TypeAlias = Callable[[str], str | None]
"""Makes a key of an id; None where the id has no such form."""

_PARTS = ("features", "boxes", "size")

COLUMNS = (
    "img_id", "img_h", "img_w", "objects_id", "objects_conf",
    "attrs_id", "attrs_conf", "num_boxes", "boxes", "features",
)  # fmt: skip

_HEAD_BYTES = 16384
"""Hold all columns of a row but its boxes and features, even of 400 boxes."""


class FeatureFile:
    """The features in one file."""

    def __init__(self, file: Path) -> None:
        """Opens the file and indexes its photos.

        Raises:
            OptionError: there is no such file, or it has another suffix.
            DataError: it cannot be read.
        """
        self._file = file
        self._table = _open_table(file)
        self._ids = PhotoIds(self._table.ids, str(file))
        self.fingerprint = f"features-{VERSION}={_digest_of(file)}"

    def find(self, picture: Picture) -> Regions | None:
        """The regions of an unedited photo; None if the file lacks it, or the picture is edited.

        Raises:
            DataError: its row cannot be read, is of another picture, or is ambiguous.
        """
        # Features are of the photo as it is: those of an edited picture would be an answer to another question.
        if picture.edits:
            return None
        number = self._ids.row(picture.photo.id)
        if number is None:
            return None
        row = self._table.row(number)
        _check_size(row, picture)
        return regions_of(row)

    def lacks(self, picture: Picture) -> DataError:
        """The error for a picture without features where there is no detector either."""
        if picture.edits:
            what = (
                f"they are of photos as they are, and this picture of {picture.photo.id!r} is edited "
                f"({', '.join(type(edit).__name__.lower() for edit in picture.edits)})"
            )
        else:
            what = f"they have no row for photo {picture.photo.id!r}, among {len(self._ids)}"
        return DataError(
            f"Expected region features of every picture, but {self._file} cannot give them: {what}. Give "
            f"{setting('detector', 'PATH')} as well, or leave out the relations that change pictures"
        )


def _open_table(file: Path) -> FeatureTable:
    if not file.is_file():
        raise OptionError(f"Expected features=FILE.npz or FILE.tsv, but there is no file features={str(file)!r}")
    if file.suffix == ".npz":
        return NpzFeatures(file)
    if file.suffix == ".tsv":
        return TsvFeatures(file)
    raise OptionError(f"Expected features=FILE.npz or FILE.tsv, but got features={str(file)!r}")


def _check_size(row: FeatureRow, picture: Picture) -> None:
    """Checks the size of the photo, since COCO and Visual Genome may have different photos of the same number."""
    wanted = (picture.scene.width, picture.scene.height)
    if (row.width, row.height) != wanted:
        raise DataError(
            f"{row.where}: Expected the features of photo {picture.photo.id!r} of {wanted[0]} x {wanted[1]} pixels, "
            f"but they are of a picture of {row.width} x {row.height}: is the file of another data set?"
        )


def _digest_of(file: Path) -> str:
    """SHA-256 of size and content, 16 hexadecimal digits; of evenly spread blocks for a very large file."""
    size = file.stat().st_size
    total = sha256(str(size).encode())
    # Evenly spread, with the first and the last, and the size: a file that was extracted anew differs in all of them.
    blocks = -(-size // _BLOCK)
    chosen = (
        range(blocks) if blocks <= _BLOCKS else (number * (blocks - 1) // (_BLOCKS - 1) for number in range(_BLOCKS))
    )
    with open_input(file) as opened:
        for number in chosen:
            opened.seek(number * _BLOCK)
            total.update(opened.read(_BLOCK))
    return total.hexdigest()[:16]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FeatureRow:
    """The regions of one photo as in the file, unchecked."""

    where: str
    """The file and the row, for messages."""
    boxes_px: NDArray[np.generic]
    """(n, 4), x1 y1 x2 y2 in pixels."""
    features: NDArray[np.generic]
    """(n, 2048)."""
    width: int
    """Of the photo, in pixels."""
    height: int
    """Of the photo, in pixels."""


class FeatureTable(Protocol):
    """A file of features."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The photo of each row."""
        ...

    def row(self, number: int) -> FeatureRow:
        """Reads one row.

        Raises:
            DataError: it cannot be read.
        """
        ...


def regions_of(row: FeatureRow) -> Regions:
    """Checks a row, and turns it into 36 regions.

    Raises:
        DataError: it does not have the features of at most 36 boxes of a picture.
    """
    import numpy as np

    _check_shapes(row)
    boxes_px = row.boxes_px.astype(np.float32)
    features = row.features.astype(np.float32)
    # float16 overflows at 65,504.
    if not np.isfinite(features).all() or not np.isfinite(boxes_px).all():
        raise DataError(f"{row.where}: Expected finite features and boxes, but some are not: extract them again")
    _check_boxes(row, boxes_px)
    return Regions.of(boxes_px, features, width=row.width, height=row.height)


def _check_shapes(row: FeatureRow) -> None:
    boxes, features = row.boxes_px.shape, row.features.shape
    if len(features) != 2 or features[1] != FEATURE_WIDTH or not 1 <= features[0] <= REGIONS:
        raise DataError(
            f"{row.where}: Expected features of shape (n, {FEATURE_WIDTH}), n from 1 to {REGIONS}, but got "
            f"features={features!r}: take those of the Bottom-Up-Top-Down detector, the best 36 of each photo at most"
        )
    if boxes != (features[0], 4):
        raise DataError(f"{row.where}: Expected boxes of shape {(features[0], 4)!r}, but got boxes={boxes!r}")
    if row.width < 1 or row.height < 1:
        raise DataError(f"{row.where}: Expected a size in pixels, but got {row.width} x {row.height}")


def _check_boxes(row: FeatureRow, boxes_px: NDArray[np.float32]) -> None:
    x1, y1, x2, y2 = boxes_px.T
    if (x1 > x2).any() or (y1 > y2).any():
        raise DataError(
            f"{row.where}: Expected boxes as x1 y1 x2 y2, but some end before they begin: are they x y w h?"
        )
    # Regions are made shares of the size below, so shares would all end up in one corner.
    if boxes_px.max() <= 1 < max(row.width, row.height):
        raise DataError(f"{row.where}: Expected boxes in pixels, but all lie within [0, 1]: multiply them by the size")
    if boxes_px.min() < -_BEYOND_PX or (x2 > row.width + _BEYOND_PX).any() or (y2 > row.height + _BEYOND_PX).any():
        raise DataError(
            f"{row.where}: Expected boxes within the photo of {row.width} x {row.height} pixels, but some reach beyond "
            "it: give the size and the boxes of the same picture"
        )


# The files of COCO's photos are called ``COCO_val2014_000000123456.jpg`` or ``000000123456.jpg``, and files of
# features name the same photo ``COCO_val2014_000000123456``, ``000000123456`` or ``123456``.


class PhotoIds:
    """Matches photo ids with the row ids of a file of features.

    A photo's id is tried as it is, then without its suffix, then without its folders, then as COCO's number. The first
    of these with a match decides. Folders in a row's id are never left out.
    """

    def __init__(self, ids: Iterable[str], where: str) -> None:
        """Indexes ``ids``; ``where`` names the file in messages."""
        self._where = where
        self._known = tuple(ids)
        self._by: list[dict[str, list[int]]] = [{} for _ in _ID_FORMS]
        # Each id under each of its forms: looking a photo up reads no list.
        for row, known in enumerate(self._known):
            for (form, _), places in zip(_ID_FORMS, self._by, strict=True):
                if (key := form(known)) is not None:
                    places.setdefault(key, []).append(row)

    def __len__(self) -> int:
        return len(self._known)

    def row(self, photo_id: str) -> int | None:
        """The row of this photo, from 0; None where there is none.

        Raises:
            DataError: several rows match.
        """
        for (_, form), places in zip(_ID_FORMS, self._by, strict=True):
            # No row has the key "".
            rows = places.get(form(photo_id) or "", ())
            if len(rows) > 1:
                named = ", ".join(repr(self._known[row]) for row in rows[:3])
                raise DataError(
                    f"{self._where}: Expected one row of features for photo {photo_id!r}, but got {len(rows)} that may "
                    f"be meant ({named}): leave one of them in the file"
                )
            if rows:
                return rows[0]
        return None


def _without_ending(named: str) -> str:
    path = PurePosixPath(named)
    # Only suffixes of pictures: "img.v2" is an id without one.
    return named[: -len(path.suffix)] if path.suffix.lower() in SUFFIXES else named


def _file_name(named: str) -> str:
    return PurePosixPath(_without_ending(named)).name


def _coco_number(named: str) -> str | None:
    """The number of a COCO image without leading zeros: "COCO_val2014_000000000042.jpg" gives "42"."""
    found = _COCO_NAME.fullmatch(_without_ending(named))
    return found[1] if found else None


_ID_FORMS: tuple[tuple[_IdForm, _IdForm], ...] = (
    (str, str),
    (_without_ending, _without_ending),
    (_without_ending, _file_name),
    (_coco_number, lambda named: _coco_number(_file_name(named))),
)
"""Pairs of forms of a row's id and of a photo's id that are compared."""


# Of each photo: ``ID/features``, float32 or float16, (n, 2048), n from 1 to 36; ``ID/boxes``, (n, 4), x1 y1 x2 y2 in
# pixels; ``ID/size``, (2,), width and height in pixels. Arrays are read one photo at a time.


class NpzFeatures:
    """The features in one archive, which stays open; reads are serialized."""

    def __init__(self, file: Path) -> None:
        """Reads the names of the arrays.

        Raises:
            DataError: it is no such archive, or lacks an array.
        """
        self._file = file
        self._arrays = _open_archive(file)
        self._lock = Lock()
        # A model has no end of its own.
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


def _open_archive(file: Path) -> NpzFile:
    import numpy as np
    from numpy.lib.npyio import NpzFile

    try:
        # numpy.load would take any other file for a pickle, and name that in its error.
        opened = np.load(file, allow_pickle=False) if is_zipfile(file) else None
    except Exception as error:  # as above
        raise DataError(f"Expected features=FILE.npz that can be read, but got {file}: {error}") from error
    if not isinstance(opened, NpzFile):
        raise DataError(
            f"Expected features=FILE.npz to be a NumPy archive, as numpy.savez makes it, but {file} is none"
        )
    return opened


# Ten columns without a heading: ``img_id img_h img_w objects_id objects_conf attrs_id attrs_conf num_boxes boxes
# features``. The arrays are little-endian bytes in base64: ids int64 (n,), confidences float32 (n,), boxes float32
# (n, 4) as x1 y1 x2 y2 in pixels, features float32 (n, 2048). So they are written and read in
# ``extract_coco_image.py`` and ``utils.py`` of github.com/airsplay/lxmert.
#
# Where each row begins is found out once, by its length, which ``num_boxes`` gives; rows are read when they are
# wanted.


class TsvFeatures:
    """The features in one file of tab-separated rows."""

    def __init__(self, file: Path) -> None:
        """Finds the start of each row.

        Raises:
            DataError: it cannot be read, or a row is invalid or cut off.
        """
        self._file = file
        try:
            with open_input(file) as opened:
                found = list(_row_starts(opened, file))
        except OSError as error:
            raise DataError(f"Expected features=FILE.tsv that can be read, but got {file}: {error}") from error
        if not found:
            raise DataError(f"{file}: Expected rows of features, but it is empty")
        self.ids = tuple(photo for photo, _ in found)
        self._starts = tuple(start for _, start in found)

    def row(self, number: int) -> FeatureRow:
        where = f"{self._file}:{number + 1}"
        with open_input(self._file) as opened:
            opened.seek(self._starts[number])
            fields = opened.readline().rstrip(b"\r\n").split(b"\t")
        if len(fields) != len(COLUMNS):
            raise DataError(f"{where}: Expected the {len(COLUMNS)} columns {' '.join(COLUMNS)}, but got {len(fields)}")
        row = dict(zip(COLUMNS, fields, strict=True))
        height, width, count = (_int_column(row[name], name, where) for name in ("img_h", "img_w", "num_boxes"))
        boxes_px, features = (_array_column(row[name], name, count, where) for name in ("boxes", "features"))
        return FeatureRow(where=where, boxes_px=boxes_px, features=features, width=width, height=height)


def _row_starts(opened: BinaryIO, file: Path) -> Iterator[tuple[str, int]]:
    """Yields the photo and the offset of each row."""
    size = file.stat().st_size
    start = number = 0
    while start < size:
        number += 1
        where = f"{file}:{number}"
        opened.seek(start)
        # Not the whole row, most of which is features: a file of COCO has 120,000 rows of 400 kB.
        head = opened.read(_HEAD_BYTES)
        # Blank lines at the end.
        if head.strip(b"\r\n") == b"":
            return
        fields = head.split(b"\t")[: len(COLUMNS) - 1]
        if len(fields) < len(COLUMNS) - 1 or b"\n" in b"".join(fields[:-1]):
            raise DataError(
                f"{where}: Expected the {len(COLUMNS)} columns {' '.join(COLUMNS)}, separated by tabs and without a "
                "heading, but the row has others"
            )
        # The bytes up to the boxes; boxes and features have a length that the number of boxes gives.
        before = sum(len(field) + 1 for field in fields[:-1])
        count = _int_column(fields[-2], "num_boxes", where)
        end = start + before + _base64_length(count * 16) + 1 + _base64_length(count * 4 * FEATURE_WIDTH)
        yield fields[0].decode("utf-8", "replace"), start
        start = _next_row(opened, start, end, size, where)


def _next_row(opened: BinaryIO, start: int, end: int, size: int, where: str) -> int:
    """The first byte of the next line; raises DataError unless this one reaches from ``start`` to ``end``."""
    if end > size:
        raise DataError(f"{where}: Expected {end - start} bytes, but the file ends after {size - start}: copy it again")
    opened.seek(end)
    after = opened.read(2)
    if after in (b"", b"\n", b"\r\n"):
        return end + len(after)
    # The second byte belongs to the next row.
    if after.startswith(b"\n"):
        return end + 1
    raise DataError(
        f"{where}: Expected features of {FEATURE_WIDTH} float32 numbers for each of num_boxes, but the row is longer "
        "or shorter"
    )


def _base64_length(count: int) -> int:
    return 4 * -(-count // 3)


def _int_column(field: bytes, name: str, where: str) -> int:
    if not field.isdigit():
        raise DataError(f"{where}: Expected {name} to be a whole number, but got {name}={field[:20]!r}")
    return int(field)


def _array_column(field: bytes, name: str, count: int, where: str) -> NDArray[np.float32]:
    import numpy as np

    try:
        # Validated, or stray characters would be skipped and numbers move.
        array = np.frombuffer(base64.b64decode(field, validate=True), "<f4")
        return array.astype(np.float32).reshape(count, -1)
    except ValueError as error:
        raise DataError(f"{where}: Expected {name} as base64 of {count} rows of float32, but: {error}") from error
