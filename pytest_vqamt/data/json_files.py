"""JSON files and lines as values; broken ones are named, with the place."""

from __future__ import annotations

import gzip
import json
import zlib
from functools import partial
from pathlib import Path

from pytest_vqamt.core.errors import DataError


def read_json(path: Path) -> object:
    """What the file says: UTF-8 with or without a byte order mark, compressed where its name ends in ``.gz``.

    Raises:
        DataError: it cannot be read, is no JSON, or has an object with one key twice.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"Expected {path} to be UTF-8, but got byte {error.start} wrong: {error.reason}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"Expected a JSON file, but {path} cannot be read: {error}") from error
    return parse(text, str(path))


def parse(text: str, where: str) -> object:
    """What the text says; an error begins with ``where``, the file or the line of a file.

    Raises:
        DataError: it is no JSON, or has an object with one key twice.
    """
    try:
        value: object = json.loads(text, object_pairs_hook=partial(_each_key_once, where))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        raise DataError(f"{where}: Expected JSON, but it breaks off at {place}: {error.msg}") from error
    except RecursionError as error:
        raise DataError(f"{where}: Expected a record, but got lists or objects nested too deep to read") from error
    except ValueError as error:
        raise DataError(f"{where}: Expected JSON, but got a value that cannot be read: {error}") from error
    return value


def _each_key_once(where: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise DataError(f"{where}: Expected each key of an object once, but got {twice!r} twice: remove one")
    return found
