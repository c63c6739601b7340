"""How large each picture of Visual Genome is: its scene graphs do not say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.decoding import size_px
from pytest_vqamt.data.record_stream import RecordStream
from pytest_vqamt.data.records import Record


class PictureSizes:
    """Sizes in pixels: as image_data.json has them, else as the photo has it."""

    def __init__(self, path: Path | None, photos: Path | None, image_id_of: Callable[[Record], str]) -> None:
        """``path`` is that of image_data.json, ``photos`` the folder of photos; either may be missing."""
        self._path = path
        self._photos = photos
        self._image_id_of = image_id_of
        self._known: dict[str, tuple[int, int] | DataError] = {}

    def read(self, progress: Callable[[int], object]) -> Iterator[str]:
        """Reads image_data.json, and says what is wrong with each record that names no image."""
        if self._path is None:
            return
        for place, value in enumerate(RecordStream(self._path, progress).items()):
            try:
                record = Record.of(value, f"{self._path}: record {place}")
                image_id = self._image_id_of(record)
            except DataError as error:
                yield str(error)
            else:
                self._known.setdefault(image_id, self._size(Record(record.row, f"{self._path}: image {image_id}")))

    def of(self, image_id: str, photo_file: str) -> tuple[int, int] | None:
        """Width and height; None where there are neither photos nor image_data.json.

        Raises:
            DataError: the image's record in image_data.json is missing or broken, or the photo is.
        """
        known = self._known.get(image_id)
        if isinstance(known, DataError):
            raise known
        if known is not None:
            return known
        if self._photos is not None:
            return size_px(self._photos / photo_file)
        if self._path is not None:
            raise DataError(
                f"{self._path}: image {image_id}: Expected its width and height, but there is no such record"
            )
        return None

    def _size(self, record: Record) -> tuple[int, int] | DataError:
        try:
            return record.size()
        except DataError as error:
            return error
