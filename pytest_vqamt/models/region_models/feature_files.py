"""``features=FILE.npz`` or ``FILE.tsv``: region features that were extracted elsewhere, found by the photo's id."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.models.region_models.regions import Regions
from pytest_vqamt.models.regions.feature_rows import FeatureRow, FeatureTable, regions_of
from pytest_vqamt.models.regions.npz_features import NpzFeatures
from pytest_vqamt.models.regions.photo_ids import PhotoIds
from pytest_vqamt.models.regions.tsv_features import TsvFeatures

VERSION = 1
"""Goes up when other regions are made of the same file."""

_BLOCK = 1 << 16
_BLOCKS = 8192
"""Of a larger file than so many blocks, half a gigabyte, so many are digested: to read it all would take minutes."""


class Precomputed:
    """The features in one file."""

    def __init__(self, file: Path) -> None:
        """Opens the file and learns which photos it has.

        Raises:
            OptionError: there is no such file, or it is of neither kind.
            DataError: it cannot be read.
        """
        self._file = file
        self._table = _table(file)
        self._ids = PhotoIds(self._table.ids, str(file))
        self.fingerprint = f"features-{VERSION}={_digest_of(file)}"

    def find(self, picture: Picture) -> Regions | None:
        """The regions of an unedited photo; None where the file does not have it, or the picture is edited.

        Raises:
            DataError: its row cannot be read, is of another picture, or is one of several that may be meant.
        """
        if picture.edits:
            return None
        number = self._ids.row(picture.photo.id)
        if number is None:
            return None
        row = self._table.row(number)
        _check_size(row, picture)
        return regions_of(row)

    def lacks(self, picture: Picture) -> DataError:
        """What is to be said where a picture's features are not here, and there is no detector either."""
        if picture.edits:
            what = (
                f"they are of photos as they are, and this picture of {picture.photo.id!r} is edited "
                f"({', '.join(type(edit).__name__.lower() for edit in picture.edits)})"
            )
        else:
            what = f"they have no row for photo {picture.photo.id!r}, among {len(self._ids)}"
        return DataError(
            f"Expected region features of every picture, but {self._file} cannot give them: {what}. Give "
            "--vqamt-option detector=PATH as well, or leave out the relations that change pictures"
        )


def _table(file: Path) -> FeatureTable:
    if not file.is_file():
        raise OptionError(f"Expected features=FILE.npz or FILE.tsv, but there is no file features={str(file)!r}")
    if file.suffix == ".npz":
        return NpzFeatures(file)
    if file.suffix == ".tsv":
        return TsvFeatures(file)
    raise OptionError(f"Expected features=FILE.npz or FILE.tsv, but got features={str(file)!r}")


def _check_size(row: FeatureRow, picture: Picture) -> None:
    """COCO and Visual Genome both number their photos: a row of the same number may be of another photo."""
    wanted = (picture.scene.width, picture.scene.height)
    if (row.width, row.height) != wanted:
        raise DataError(
            f"{row.where}: Expected the features of photo {picture.photo.id!r} of {wanted[0]} x {wanted[1]} pixels, "
            f"but they are of a picture of {row.width} x {row.height}: is the file of another data set?"
        )


def _digest_of(file: Path) -> str:
    """SHA-256 of the size and the content, 16 hexadecimal digits; of a very large file's blocks evenly spread."""
    size = file.stat().st_size
    total = sha256(str(size).encode())
    blocks = -(-size // _BLOCK)
    chosen = (
        range(blocks) if blocks <= _BLOCKS else (number * (blocks - 1) // (_BLOCKS - 1) for number in range(_BLOCKS))
    )
    with file.open("rb") as opened:
        for number in chosen:
            opened.seek(number * _BLOCK)
            total.update(opened.read(_BLOCK))
    return total.hexdigest()[:16]
