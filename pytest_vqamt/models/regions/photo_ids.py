"""Which row of a file of features belongs to a photo, however the two write its id.

The files of COCO's photos are called ``COCO_val2014_000000123456.jpg`` or ``000000123456.jpg``, and files of features
name the same photo ``COCO_val2014_000000123456``, ``000000123456`` or ``123456``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import TypeAlias

from pytest_vqamt.core.errors import DataError

_OF_A_PICTURE = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff")
_COCO = re.compile(r"(?:COCO_(?:train|val|test)\d{4}_)?0*(\d+)")


class PhotoIds:
    """The ids of a file of features, found by those of photos.

    A photo's id is looked for as it is, then without the ending of a picture's file, then without its folders, then by
    COCO's number. The first of these that finds any row decides. Folders in the id of a row are never left out.
    """

    def __init__(self, ids: Iterable[str], where: str) -> None:
        """Indexes ``ids``; ``where`` is the file that has them, as messages name it."""
        self._where = where
        self._known = tuple(ids)
        self._by: list[dict[str, list[int]]] = [{} for _ in _FORMS]
        for row, known in enumerate(self._known):
            for (form, _), places in zip(_FORMS, self._by, strict=True):
                if (key := form(known)) is not None:
                    places.setdefault(key, []).append(row)

    def __len__(self) -> int:
        return len(self._known)

    def row(self, photo_id: str) -> int | None:
        """The number of the row of this photo, from 0; None where there is none.

        Raises:
            DataError: several rows may be meant.
        """
        for (_, form), places in zip(_FORMS, self._by, strict=True):
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
    return named[: -len(path.suffix)] if path.suffix.lower() in _OF_A_PICTURE else named


def _name(named: str) -> str:
    return PurePosixPath(_without_ending(named)).name


def _coco_number(named: str) -> str | None:
    """The number of a COCO image, without leading zeros: "COCO_val2014_000000000042.jpg" gives "42"."""
    found = _COCO.fullmatch(_without_ending(named))
    return found[1] if found else None


_Form: TypeAlias = Callable[[str], str | None]

_FORMS: tuple[tuple[_Form, _Form], ...] = (
    (str, str),
    (_without_ending, _without_ending),
    (_without_ending, _name),
    (_coco_number, lambda named: _coco_number(_name(named))),
)
"""What of a row's id is held against what of a photo's."""
