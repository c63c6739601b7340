"""Rows and photos of a dataset of Hugging Face: a folder of ``save_to_disk``, or of Parquet files as on the hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.messages import error_reason, short_path
from pytest_vqamt.data.photo_io import PhotoFiles, is_whole, size_px_of
from pytest_vqamt.data.records import Record

_FILES = ("*.arrow", "data/*.parquet", "*.parquet")
_END_BYTES = 4096
_CACHED_GROUPS = 4


def table_files(folder: Path) -> tuple[Path, ...]:
    """The Arrow or Parquet files of a dataset in the folder; none if it holds no dataset."""
    return next((tuple(sorted(found)) for pattern in _FILES if (found := list(folder.glob(pattern)))), ())


class TablePhotos(PhotoFiles):
    """The photos in the cells of a table, each with the name of the first row that has it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._cells: dict[str, Callable[[], bytes]] = {}
        self._by_content: dict[str, str] = {}
        self._sizes: dict[str, int] = {}

    def add(self, name: str, data: bytes, read: Callable[[], bytes]) -> str:
        """Adds a photo, which ``read`` gives again, and returns its name: that of an earlier one of the same bytes."""
        known = self._by_content.setdefault(sha256(data).hexdigest(), name)
        self._cells.setdefault(known, read)
        self._sizes[known] = len(data)
        return known

    def size_px(self, name: str) -> tuple[int, int]:
        return size_px_of(self._read(name), self._shown(name))

    def end(self, name: str) -> bytes:
        return self._read(name)[-_END_BYTES:]

    def _size_bytes(self, name: str) -> int | None:
        return self._sizes.get(name)

    def _read(self, name: str) -> bytes:
        self.size_bytes(name)
        data = self._cells[name]()
        if not is_whole(data):
            raise DataError(f"Expected a whole photo, but {self._shown(name)} is truncated: fetch it again")
        return data


def read_table(files: tuple[Path, ...], names: tuple[str, ...]) -> tuple[TablePhotos, Iterator[Record | DataError]]:
    """The photos and the rows of a dataset; ``names`` are those that the column of photos may have.

    Raises:
        OptionError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise OptionError(
            f"Expected pyarrow to read {short_path(files[0])}, but it is not installed: "
            'run: pip install "pytest-vqamt[parquet]"'
        )
    photos = TablePhotos(files[0].parent)
    return photos, _rows(files, names, photos)


def _rows(files: tuple[Path, ...], names: tuple[str, ...], photos: TablePhotos) -> Iterator[Record | DataError]:
    for file in files:
        number = 0
        for read in _groups(file):
            table = read()
            column = next((name for name in names if name in table.column_names), "")
            if not column:
                raise DataError(
                    f"Expected a column of photos ({', '.join(names)}) in {short_path(file)}, but its columns are "
                    f"{', '.join(table.column_names)}: rename it"
                )
            for place, row in enumerate(table.to_pylist()):
                number += 1
                where = f"{file.name}:{number}"
                cell = row.pop(column)
                data = cell.get("bytes") if isinstance(cell, Mapping) else None
                if isinstance(data, bytes):
                    name = photos.add(f"{file.stem}-{number}", data, partial(_cell, read, column, place))
                    yield Record.of({**row, names[0]: name}, where)
                else:
                    yield DataError(
                        f"{where}: {column}: Expected the bytes of a photo, but there are none: save the dataset with "
                        "its photos embedded"
                    )


def _cell(read: Callable[[], Any], column: str, place: int) -> bytes:
    return cast("bytes", read()[column][place].as_py()["bytes"])


def _groups(file: Path) -> Iterator[Callable[[], Any]]:
    """Yields what gives each group of rows as an Arrow table."""
    import pyarrow as pa  # type: ignore[import-untyped]  # it has no types

    try:
        if file.suffix == ".parquet":
            for number in range(_parquet(file).num_row_groups):
                yield partial(_parquet_group, file, number)
        else:
            for number in range(len(_batches(file))):
                yield partial(_arrow_group, file, number)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"Expected a dataset in {short_path(file)}, but it cannot be read ({error_reason(error)}): save it again"
        ) from error


def _parquet(file: Path) -> Any:
    from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped] # it has no types

    return ParquetFile(file)


@lru_cache(maxsize=_CACHED_GROUPS)
def _parquet_group(file: Path, number: int) -> Any:
    return _parquet(file).read_row_group(number)


@lru_cache(maxsize=_CACHED_GROUPS)
def _batches(file: Path) -> list[Any]:
    """The batches of an Arrow file, which is mapped into memory and not read."""
    import pyarrow as pa

    return list(pa.ipc.open_stream(pa.memory_map(str(file))))


def _arrow_group(file: Path, number: int) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([_batches(file)[number]])
