"""Rows and photos of a dataset of Hugging Face: a folder of ``save_to_disk``, or of Parquet files as on the hub."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.input_files import parse_json, read_text
from pytest_vqamt.core.text import count_noun, error_reason, short_path, short_repr
from pytest_vqamt.data.photo_io import END_BYTES, PhotoFiles, PhotoHead, head_of, size_px_of
from pytest_vqamt.data.records import Record

_FILES = ("data-*.arrow", "*.arrow", "data/*.parquet", "*.parquet")
"""Where datasets and the hub put the files of a dataset, the likeliest first."""
_MAX_STATE_BYTES = 1 << 20
_STATE = "state.json"
"""Names the files of a dataset that save_to_disk wrote; datasets leaves others beside them (cache-*.arrow)."""
_PART = re.compile(r"(.+?)-\d{5}-of-(\d{5})(?:-[0-9a-f]{16})?")
"""One of the files of a split; those of earlier years end with a digest."""
_SPLIT = re.compile(r"(train(?:ing)?|test(?:ing)?|validation|valid|val|dev)(?:[-_.]?\d+)?", re.IGNORECASE)
"""A file that has the name of its split alone."""
TABLE_SUFFIXES = (".parquet", ".arrow")
_POINTER = b"version https://git-lfs"
"""How a file begins that Git LFS has not fetched."""
_MAX_POINTER_BYTES = 4096
_CACHED_GROUPS = 4
"""Groups of rows in memory; each photo is read from its group again."""

_NO_BYTES = "Expected the bytes of a photo, but there are none: save the dataset with its photos embedded"

_UNKNOWN = -1
"""The number of a label that is not known, as test splits have it."""


def table_files(folder: Path, split: str = "") -> tuple[Path, ...]:
    """The Arrow or Parquet files of a dataset in the folder, or of one split of it; none if it holds no dataset."""
    if not folder.is_dir():  # Python 3.13 raises where the name has a null character
        return ()
    try:
        state: object = parse_json(read_text(folder / _STATE, _MAX_STATE_BYTES))
        rows = state["_data_files"] if isinstance(state, dict) else []
        named = [folder / Path(str(row["filename"])).name for row in rows]
    except (OSError, ValueError, LookupError, TypeError):
        named = []
    if named and not split and all(file.is_file() for file in named):
        return tuple(named)  # else parts were not fetched, or renamed: those that are there
    for pattern in _FILES:
        found = [file for file in sorted(folder.glob(pattern)) if not file.name.startswith("cache-")]
        if split:
            found = [file for file in found if split_of(file) == split]
        if found:
            return tuple(found)
    return ()


def split_of(file: Path) -> str:
    """The split in the name of a Parquet file as on the hub; "" for others.

    >>> split_of(Path("data/train-00000-of-00002.parquet")), split_of(Path("test.parquet"))
    ('train', 'test')
    """
    found = (_PART.fullmatch(file.stem) or _SPLIT.fullmatch(file.stem)) if file.suffix == ".parquet" else None
    return found[1] if found else ""


def missing_parts(files: Sequence[Path]) -> tuple[str, ...]:
    """A line for each split with missing files."""
    parts = Counter((file.parent, found[1], int(found[2])) for file in files if (found := _PART.fullmatch(file.stem)))
    return tuple(
        f"only {there:,} of the {count:,} files of {short_path(folder, name)} {'is' if there == 1 else 'are'} there: "
        "the other rows are left out, so fetch them if they matter"
        for (folder, name, count), there in parts.items()
        if there < count
    )


def saved_splits(folder: Path) -> tuple[str, ...]:
    """The folders that hold a split or a configuration of a dataset, at most two levels down; else none."""
    if not folder.is_dir():
        return ()
    found = (each for depth in ("*", "*/*") for each in sorted(folder.glob(depth)) if each.is_dir())
    return tuple(each.relative_to(folder).as_posix() for each in found if each.name != "data" and table_files(each))


class TablePhotos(PhotoFiles):
    """The photos in the cells of a table, each with the name of the first row that has it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._cells: dict[str, Callable[[], bytes]] = {}  # what reads each photo again
        self._by_content: dict[str, str] = {}  # the name of each photo by the digest of its bytes
        self._sizes: dict[str, int] = {}  # in bytes

    def add(self, name: str, data: bytes, read: Callable[[], bytes]) -> str:
        """Adds a photo, which ``read`` gives again, and returns its name; two photos of the same bytes share one."""
        known = self._by_content.setdefault(sha256(data).hexdigest(), name)
        self._cells.setdefault(known, read)
        self._sizes[known] = len(data)
        return known

    def size_px(self, name: str) -> tuple[int, int]:
        return size_px_of(self._read(name), self._shown(name))

    def head(self, name: str) -> PhotoHead:
        return head_of(self._read(name), self._shown(name))

    def end(self, name: str) -> bytes:
        return self._read(name)[-END_BYTES:]

    def _beginning(self, name: str) -> bytes:
        return self._read(name)

    def _size_bytes(self, name: str) -> int | None:
        return self._sizes.get(name)

    def _read(self, name: str) -> bytes:
        self.size_bytes(name)  # raises where there is no such photo
        return self._whole(name, self._cells[name]())


def read_table(
    files: tuple[Path, ...],
    names: tuple[str, ...],
    several: str,
    numbered: Callable[[Iterable[str]], tuple[str, ...]] = lambda _columns: (),
) -> tuple[TablePhotos, Iterator[Record | DataError]]:
    """The photos and the rows of a dataset.

    Args:
        files: its files.
        names: those that the column of photos may have.
        several: the name of a column with a list of photos in each cell.
        numbered: those of the columns that have the first, the second photo and so on, in their order; they are used
            where no other has photos, and come under the name ``several``.

    Raises:
        OptionError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise OptionError(
            f"Expected pyarrow to read {short_path(files[0])}, but it is not installed: "
            'run: pip install "pytest-vqamt[parquet]"'
        )
    photos = TablePhotos(files[0].parent)
    return photos, _rows(files, names, several, numbered, photos)


def _rows(
    files: tuple[Path, ...],
    names: tuple[str, ...],
    several: str,
    numbered: Callable[[Iterable[str]], tuple[str, ...]],
    photos: TablePhotos,
) -> Iterator[Record | DataError]:
    for file in files:
        number = 0
        for read in _groups(file):
            with _of(file):
                table = read()
                # Unchecked, a broken offset gives the texts of other cells, or ends the process.
                table.validate(full=True)
                labels = _labels(table.schema)
                rows = table.to_pylist()
            column = next((name for name in names if name in table.column_names), "")
            columns = () if column or several in table.column_names else numbered(table.column_names)
            if not column and not columns and several not in table.column_names:
                raise DataError(
                    f"Expected a column of photos ({', '.join((*names, several))}) in {short_path(file)}, but its "
                    f"columns are {', '.join(table.column_names)}: rename it"
                )
            if twice := next((name for name in table.column_names if table.column_names.count(name) > 1), ""):
                raise repeated_column(twice, file)
            for place, row in enumerate(rows):
                number += 1
                where = f"{file.name}:{number}"
                cells = _listed(row, column, several, columns)
                if columns and [name for _, name, _ in cells] != [*columns[: len(cells)]]:
                    yield DataError(f"{where}: {columns[0]}: Expected a photo, but the cell is empty: move the others")
                    continue
                if cells:
                    found = [_bytes_in(cell) for cell, _, _ in cells]
                    if not all(isinstance(each, bytes) for each in found):
                        yield DataError(f"{where}: {cells[0][1]}: {_NO_BYTES}")
                        continue
                    for name in (column, *columns):
                        row.pop(name, None)
                    row[several] = [
                        photos.add(f"{file.stem}-{number}-{n}", each, partial(_cell, file, read, name, place, nth))
                        for n, (each, (_, name, nth)) in enumerate(
                            zip(cast("list[bytes]", found), cells, strict=True), start=1
                        )
                    ]
                    record = Record.of(row, where)
                    yield _with_names(record, labels) if labels else record
                    continue
                cell = row.pop(column, None)
                data = _bytes_in(cell)
                if isinstance(data, bytes):
                    # The bytes are read again on use: the photos of a dataset would fill memory.
                    name = photos.add(f"{file.stem}-{number}", data, partial(_cell, file, read, column, place))
                    record = Record.of({**row, names[0]: name}, where)
                    yield _with_names(record, labels) if labels else record
                elif cell is None:
                    empty = column or (columns[0] if columns else several)
                    yield DataError(f"{where}: {empty}: Expected a photo, but the cell is empty: leave the row out")
                else:
                    yield DataError(f"{where}: {column}: {_NO_BYTES}")


def _listed(
    row: Mapping[str, object], column: str, several: str, columns: Sequence[str]
) -> list[tuple[object, str, int]]:
    """The cells with several photos: each with its column and its place in the list there, from 1, or 0."""
    for name in (several, column):
        listed = row.get(name)
        if isinstance(listed, list) and listed:
            return [(each, name, place) for place, each in enumerate(listed, start=1)]
    return [(row[name], name, 0) for name in columns if row[name] is not None]


def repeated_column(name: str, file: Path) -> DataError:
    """The error of a file with two columns of one name: only the last of them would be read."""
    return DataError(
        f"Expected one column {short_repr(name)} in {short_path(file)}, but there are several: rename or remove them"
    )


def _cell(file: Path, read: Callable[[], Any], column: str, place: int, number: int = 0) -> bytes:
    """The bytes of the photo of a cell, or of a photo in its list, counted from 1."""
    with _of(file):
        cell: Any = read()[column][place].as_py()
        return cast("bytes", _bytes_in(cell[number - 1] if number else cell))


def _bytes_in(cell: object) -> object:
    """The bytes of a photo in a cell: as datasets stores them, with a path, or alone, as pandas does."""
    return cell.get("bytes") if isinstance(cell, Mapping) else cell


@contextmanager
def _of(file: Path) -> Iterator[None]:
    """Turns errors of pyarrow into DataError; it finds a broken page only when it reads the page."""
    import pyarrow as pa  # type: ignore[import-untyped]  # it has no types

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        is_pointer = (
            file.is_file() and file.stat().st_size < _MAX_POINTER_BYTES and file.read_bytes().startswith(_POINTER)
        )
        advice = "it is a pointer of Git LFS, so run: git lfs pull" if is_pointer else "save it again"
        raise DataError(
            f"Expected a dataset in {short_path(file)}, but it cannot be read ({error_reason(error)}): {advice}"
        ) from error


def _labels(schema: Any) -> dict[str, list[str]]:
    """The names of labels for each column of a ClassLabel, which are stored as numbers."""
    try:
        metadata: Any = parse_json((schema.metadata or {})[b"huggingface"])
        info = metadata["info"]["features"]
    except (KeyError, TypeError, ValueError):
        return {}
    return {
        column: names
        for column, feature in (info.items() if isinstance(info, dict) else ())
        if (names := _label_names(feature))
    }


def _label_names(feature: object) -> list[str]:
    """The names of a ClassLabel, or of a sequence of them."""
    if isinstance(feature, list):  # a sequence, written as a list of its one feature
        return _label_names(feature[0]) if len(feature) == 1 else []
    if not isinstance(feature, dict):
        return []
    names = feature.get("names") if feature.get("_type") == "ClassLabel" else None
    if isinstance(names, list):
        return [str(name) for name in names]
    return _label_names(feature.get("feature"))


def _with_names(record: Record, labels: Mapping[str, list[str]]) -> Record | DataError:
    """The record with the names of labels for their numbers; the error of a number that has no name."""
    named = {}
    for column, names in labels.items():
        value = record.row.get(column)
        numbers = [each for each in (value if isinstance(value, list) else [value]) if type(each) is int]
        if any(not _UNKNOWN <= number < len(names) for number in numbers):
            advice = f"the column has {count_noun(len(names), 'name')}, from {short_repr(names[0])} on"
            return record.wrong(column, f"the number of a label from 0 to {len(names) - 1}, or {_UNKNOWN}", advice)
        named[column] = _named_label(names, value)
    return Record({**record.row, **named}, record.where)


def _named_label(names: Sequence[str], value: object) -> object:
    if isinstance(value, list):
        return [_named_label(names, each) for each in value]
    if type(value) is int:
        return None if value == _UNKNOWN else names[value]
    return value


def _groups(file: Path) -> Iterator[Callable[[], Any]]:
    """Yields what gives each group of rows as an Arrow table."""
    with _of(file):
        count = _parquet(file).num_row_groups if file.suffix == ".parquet" else len(_batches(file))
    group = _parquet_group if file.suffix == ".parquet" else _arrow_group
    yield from (partial(group, file, number) for number in range(count))


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
