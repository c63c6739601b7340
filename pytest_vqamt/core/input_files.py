"""Opens and parses the files that users give: regular files alone, of a bounded size, nested to a bounded depth.

A file that cannot be read raises ``OSError``, and wrong content ``ValueError``: readers make one line of either.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple, Protocol, cast

from pytest_vqamt.core.case import RelationSetting
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import split_name
from pytest_vqamt.core.text import quoted

MAX_NESTING = 100
"""Lists and objects within each other."""
MAX_BYTES = 1 << 24
"""The size of a file that is read as a whole, unless its reader says another: 16 MiB."""
MAX_DATA_BYTES = 1 << 31
"""The size of a data set's file that is read as a whole: 2 GiB. COCO's largest has 0.45 GiB."""
MAX_PHOTO_BYTES = 1 << 28
"""The size of a photo's file: 256 MiB."""
MAX_REPORT_BYTES = 1 << 28
"""The size of a report without its cases: 256 MiB."""
MAX_WORDNET_BYTES = 1 << 28
"""The size of one of WordNet's files: 256 MiB. WordNet 3.1's largest has 15 MiB."""
MAX_ID_LIST_BYTES = 1 << 28
"""The size of a list of scene ids: 256 MiB."""
MAX_CONFIG_BYTES = 1 << 20
"""The size of a file of TOML or YAML, whose parsers are slow: 1 MiB."""
MAX_LINE_BYTES = 1 << 28
"""The length of a line, which may hold a model's answers: 256 MiB."""

_CHUNK_BYTES = 1 << 20
"""Read at once from a file."""
_PIECE_BYTES = 1 << 16
"""Measured at once for its nesting; also the size of a file's buffer."""

_BRACKETS_AND_QUOTES = b'[]{}"'
_ALL_OTHERS = bytes(set(range(256)) - set(_BRACKETS_AND_QUOTES))

_LONGEST_ESCAPE = 12
r"""The bytes of a surrogate pair, "\ud83d\ude00"."""
_MAX_ROUNDS = 64
"""How often a piece is lengthened until it ends without an escape; a file of escapes alone would go on for ever."""
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
r"""A pair of surrogates, half of one, or another escape: "\\ud83d" is a backslash and plain letters."""
_MASK = re.compile("\0([dD][89a-fA-F][0-9a-fA-F]{2})")
"""Half a surrogate as ``JsonInput`` masks it: a null character and its digits."""

_MAX_SHOWN = 80
"""The characters that messages quote of an id or a setting."""
_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


class InputError(OSError):
    """A file is not read: it is of another kind, too large, or no text. ``str`` gives the reason alone."""

    def __str__(self) -> str:
        return self.strerror or ""


class NestingError(ValueError):
    """Lists or objects are nested too deep."""

    def __init__(self) -> None:
        super().__init__(f"lists or objects are nested more than {MAX_NESTING} deep")


def expanded(path: str | Path) -> Path:
    """The path with the home folder in place of "~"; that of an unknown user stays as it is.

    >>> expanded("~nosuchuser/x")
    PosixPath('~nosuchuser/x')
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path's raises RuntimeError for an unknown user


def open_input(path: str | Path) -> BufferedReader:
    """Opens a regular file.

    Raises:
        OSError: there is no such file, it cannot be opened, or it is of another kind.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - Path() of each photo takes time
    except ValueError as error:
        raise InputError(errno.EINVAL, "no path has a null character", os.fspath(path)) from error
    # Checked before it is opened: to open a pipe would be to wait for ever.
    if not stat.S_ISREG(mode):
        kind = "a folder, not a file" if stat.S_ISDIR(mode) else "no file"
        raise InputError(errno.EINVAL, f"it is {kind}", os.fspath(path))
    return BufferedReader(_InputFile(path, "rb"), _PIECE_BYTES)


class _InputFile(FileIO):
    """A file that raises InputError where reading fails, so that errors of a file written meanwhile stay apart."""

    def readinto(self, buffer: Any, /) -> int | None:
        with _read_errors(self):
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with _read_errors(self):
            return super().readall()


@contextmanager
def _read_errors(file: FileIO) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(error.errno or errno.EIO, error.strerror or "it cannot be read", str(file.name)) from error


def gunzipped(file: BufferedReader) -> gzip.GzipFile:
    """The content of an open gzip file; raises InputError if it ends in null bytes, which gzip skips one by one."""
    # A download that broke off may leave a sparse file with gigabytes of them.
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _PIECE_BYTES))
    if size > _PIECE_BYTES and not file.read().strip(b"\0"):
        raise InputError(errno.EINVAL, "it ends in null bytes")
    file.seek(0)
    return gzip.open(file)


def read_bytes(path: str | Path, max_bytes: int = MAX_BYTES, *, is_text: bool = False) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: as ``open_input``, the file is larger than ``max_bytes``, or it ``is_text`` and has null bytes.
    """
    with open_input(path) as file:
        # Before it is read; ``_pieces`` counts again, as the file may grow meanwhile.
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise _too_large(max_bytes)
        return b"".join(_pieces(file, max_bytes, is_text=is_text))


def read_end(path: str, most_bytes: int) -> bytes:
    """The last bytes of a file that is known to be regular; raises OSError if it cannot be read."""
    with FileIO(path) as file:  # no buffer, as it is read once
        file.seek(max(0, os.fstat(file.fileno()).st_size - most_bytes))
        return file.read(most_bytes)


def read_text(path: str | Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of a regular file in UTF-8, also with a byte order mark.

    Raises:
        OSError: as ``read_bytes``, or it is no UTF-8.
    """
    try:
        return read_bytes(path, max_bytes, is_text=True).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            errno.EILSEQ, f"byte {error.start} is wrong ({error.reason}): save it as UTF-8", os.fspath(path)
        ) from error


def read_plain(path: str | Path, max_bytes: int = MAX_DATA_BYTES, *, is_json: bool = False) -> bytes:
    """The bytes of a file of text, decompressed if its name ends in ".gz".

    JSON is read to its first null byte, where a parser stops.

    Raises:
        OSError: as ``read_bytes``; of a damaged gzip file also EOFError and zlib.error.
        NestingError: it ``is_json`` and is nested too deep.
    """
    nesting, pieces = Nesting(), []
    with open_input(path) as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise _too_large(max_bytes)
        with gunzipped(file) if os.fspath(path).endswith(".gz") else file as plain:
            # The bound holds for what comes out: a small gzip file may hold a terabyte of zeros.
            for piece in _pieces(cast("IO[bytes]", plain), max_bytes, is_text=not is_json):
                pieces.append(piece)
                if is_json:
                    nesting.add(piece)
                    if b"\0" in piece:
                        break
    return b"".join(pieces)


def _pieces(file: IO[bytes], max_bytes: int, *, is_text: bool) -> Iterator[bytes]:
    size = 0
    while piece := file.read(_CHUNK_BYTES):
        size += len(piece)
        if size > max_bytes:
            raise _too_large(max_bytes)
        if is_text and b"\0" in piece:
            raise InputError(errno.EINVAL, "it has null bytes, which no text has")
        yield piece


class LineReader(Protocol):
    """A binary stream of lines."""

    def readline(self, size: int = -1, /) -> bytes: ...


def file_digest(path: str | Path) -> str:
    """The SHA-256 of a regular file's bytes, in hexadecimal digits; raises OSError as ``open_input``."""
    with open_input(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def lines_of(file: LineReader) -> Iterator[bytes]:
    """The lines of an open file, with their ends.

    Raises:
        OSError: a line is longer than ``MAX_LINE_BYTES``, or is long and has null bytes.
    """
    while line := read_line(file):
        yield line


def read_line(file: LineReader) -> bytes:
    """The next line of an open file, with its end; b"" at the end of the file. Raises OSError as ``lines_of``."""
    # In chunks: readline alone would take a file without line ends into memory.
    line = file.readline(_CHUNK_BYTES)
    if len(line) < _CHUNK_BYTES or line.endswith(b"\n"):
        return line
    pieces, size = [line], len(line)
    while line and not line.endswith(b"\n"):
        if b"\0" in line:
            raise InputError(errno.EINVAL, "it has null bytes, which no text has")
        line = file.readline(_CHUNK_BYTES)
        pieces.append(line)
        size += len(line)
        if size > MAX_LINE_BYTES:
            raise InputError(errno.EFBIG, f"it has a line of more than {MAX_LINE_BYTES >> 20} MiB")
    return b"".join(pieces)


def parse_json(
    text: str | bytes, object_pairs_hook: Callable[[list[tuple[str, object]]], object] | None = None
) -> object:
    """Parses JSON.

    Raises:
        ValueError: it is no JSON, no UTF-8, has a number of too many digits, or is nested too deep (``NestingError``).
    """
    few = (text.count("[") + text.count("{")) if isinstance(text, str) else (text.count(b"[") + text.count(b"{"))
    if few > MAX_NESTING:  # with fewer brackets it cannot be deeper, and most texts have few
        Nesting().add(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    try:
        value: object = json.loads(text, object_pairs_hook=object_pairs_hook)
    except RecursionError as error:  # the caller stands deep in calls itself
        raise NestingError from error
    return value


def describe_broken(error: Exception) -> str:
    """What is wrong with a file that could not be read or parsed as JSON.

    >>> try:
    ...     parse_json('{"schema": 1,')
    ... except ValueError as error:
    ...     print(describe_broken(error))
    it is no whole JSON: it breaks off at column 14
    """
    if not isinstance(error, json.JSONDecodeError):
        return getattr(error, "strerror", None) or str(error)
    if not error.doc.strip():
        return "it is empty"
    if error.pos == 0:
        return "it is no JSON"
    place = f"line {error.lineno}, column {error.colno}" if "\n" in error.doc.strip() else f"column {error.colno}"
    return f"it is no whole JSON: it breaks off at {place}"


def parse_toml(text: str) -> dict[str, object]:
    """Parses TOML.

    Raises:
        ValueError: it is no TOML, or is nested too deep (``NestingError``).
    """
    # A dotted key nests without brackets: a.b.c = 1.
    if any(part.count(".") > MAX_NESTING for line in text.splitlines() for part in line.split("=")):
        raise NestingError
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise NestingError from error


class Nesting:
    """Measures how deep JSON is nested while its bytes come in pieces; several times faster than a parser."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_text = False  # the last piece ended within a string, whose brackets do not count
        self._held = b""  # a backslash at the end of the last piece, which escapes what comes next

    def add(self, data: bytes) -> None:
        """Takes the next bytes; raises NestingError if they go too deep."""
        for start in range(0, len(data), _PIECE_BYTES):
            self._add(data[start : start + _PIECE_BYTES])

    def _add(self, piece: bytes) -> None:
        if b"\\" in piece or self._held:
            # Escaped backslashes first: in "\\" the quote ends the string. All quotes that are left are real.
            piece = (self._held + piece).replace(b"\\\\", b"").replace(b'\\"', b"")
            self._held = b"\\" if piece.endswith(b"\\") else b""
        # Every other part between quotes lies outside of strings; an odd number of quotes changes sides.
        outside = piece.translate(None, _ALL_OTHERS).split(b'"')
        in_text = self._in_text
        self._in_text ^= len(outside) % 2 == 0
        brackets = b"".join(outside[1 if in_text else 0 :: 2])
        for _ in range(MAX_NESTING + 1):  # each round takes the innermost pairs away
            size = len(brackets)
            brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
            if len(brackets) == size:
                break
        else:
            raise NestingError
        opened = brackets.count(b"[") + brackets.count(b"{")
        # What is left closes brackets of earlier pieces, then opens new ones; broken JSON may close too many.
        self._depth = max(0, self._depth - (len(brackets) - opened)) + opened
        if self._depth > MAX_NESTING:
            raise NestingError


class JsonInput:
    r"""The bytes of open JSON as a streaming parser reads them, checked for their nesting.

    The parser takes half a surrogate pair ("\ud83d") for a question mark; each is masked, and ``unmasked`` restores it.

    Attributes:
        has_halves: True once there was one.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.has_halves = False
        self._file = file
        self._nesting = Nesting()

    def read(self, size: int) -> bytes:
        """Some ``size`` bytes, b"" at the end; raises NestingError if they go too deep."""
        piece = self._file.read(size)
        self._nesting.add(piece)
        if b"\\" not in piece:
            return piece
        for _ in range(_MAX_ROUNDS):  # no escape is cut in two
            if b"\\" not in piece[-_LONGEST_ESCAPE:] or not (more := self._file.read(_LONGEST_ESCAPE)):
                break
            self._nesting.add(more)
            piece += more
        if b"\\ud" in piece or b"\\uD" in piece:
            return _ESCAPE.sub(self._masked, piece)
        return piece

    def _masked(self, found: re.Match[bytes]) -> bytes:
        half = found["half"]
        if half is None:  # a pair, or another escape, which the parser reads rightly
            return found[0]
        self.has_halves = True
        return b"\\u0000" + half


def unmasked(value: object) -> object:
    """A value parsed of ``JsonInput``, with the half surrogates that the file has."""
    match value:
        case str():
            return _MASK.sub(lambda found: chr(int(found[1], 16)), value)
        case list():
            return [unmasked(each) for each in value]
        case dict():
            for key in list(value):  # in place, and in the same order: each key is taken out and put at the end
                inner = value.pop(key)
                value[unmasked(key)] = unmasked(inner)
    return value


def _too_large(max_bytes: int) -> InputError:
    return InputError(errno.EFBIG, f"it is larger than {max_bytes >> 20} MiB, the most that is read")


def check_id(value: object) -> str:
    """Returns the id of a case.

    Raises:
        ValueError: it is not 16 hexadecimal digits.
    """
    if isinstance(value, str) and is_id(value):
        return value
    raise ValueError(f"expected 16 hexadecimal digits, but got case_id={quoted(str(value), _MAX_SHOWN)}")


def is_id(value: object) -> bool:
    """True for an id of a case, and for a digest of a picture: they become names of files and parts of commands."""
    return isinstance(value, str) and bool(_ID.fullmatch(value))


class RecordedSettings(NamedTuple):
    """The settings in a report or a baseline."""

    used: Mapping[str, str] = MappingProxyType({})
    """Those with a value that the setting lists."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """All others, which could name files or code: a report may come from a stranger."""

    @property
    def note(self) -> str:
        """What is left out, and what to do; "" for nothing."""
        if not self.left_out:
            return ""
        named = ", ".join(f"{name}={quoted(value, _MAX_SHOWN)}" for name, value in self.left_out.items())
        return (
            f"not taken from the file of that run, since only you may name files and code: {named}; where a picture or "
            "a reading needs it, give it with --option NAME=VALUE (pytest: --vqamt-option)"
        )


def recorded_settings(recorded: Mapping[str, object], known: Iterable[RelationSetting]) -> RecordedSettings:
    """Splits the settings that a file names into those with a value of the lists of ``known``, and all others."""
    # "PATH" in the list of a setting stands for any text, and is no value itself.
    listed = {each.name: [value for value in each.values if not value.endswith("PATH")] for each in known}
    used: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for name, value in recorded.items():
        kept = used if isinstance(value, str) and value in listed.get(name, ()) else left_out
        kept[str(name)] = str(value)
    return RecordedSettings(used, left_out)


def check_data(spec: str, kinds: Iterable[str]) -> str:
    """Returns a spec of data that a file names, if it is of one of ``kinds``: the sources that run no foreign code.

    Raises:
        DataError: it is of another kind, whose code an installed package would run.
    """
    kind = split_name(spec)[1].partition(":")[0]
    if kind in kinds:
        return spec
    raise DataError(
        f"Expected data of a kind that comes with pytest-vqamt ({', '.join(kinds)}), but got "
        f"data={quoted(spec, _MAX_SHOWN)}: if you trust it, name it on the command line"
    )
