"""JSON files and lines as values; broken ones are named, with the place."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from functools import partial
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.messages import reason, shown, shown_path

_AROUND = 15
"""How many characters before and after a mistake are shown."""


def read_json(path: Path) -> object:
    """What the file says: UTF-8 with or without a byte order mark, compressed where its name ends in ``.gz``.

    Raises:
        DataError: it cannot be read, is no JSON, or has an object with one key twice.
    """
    named = shown_path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"Expected a JSON file, but {named} cannot be read ({reason(error)}): name one that can"
        ) from error
    try:
        plain = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"Expected {named} to be whole, but it cannot be decompressed ({reason(error)}): fetch it again"
        ) from error
    return parse(text_of(plain, named), named)


def text_of(data: bytes, where: str) -> str:
    """UTF-8, with or without a byte order mark, as text; an error begins with ``where``.

    Raises:
        DataError: it is in another encoding.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where}: Expected UTF-8, but got byte {error.start} wrong ({error.reason}): save it as UTF-8"
        ) from error


def parse(text: str, where: str) -> object:
    """What the text says; an error begins with ``where``, the file or the line of a file.

    Raises:
        DataError: it is no JSON, or has an object with one key twice.
    """
    if not text.strip():
        raise DataError(f"{where}: Expected JSON, but it is empty: fetch it again")
    try:
        value: object = json.loads(text, object_pairs_hook=partial(_each_key_once, where))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        near = text[max(0, error.pos - _AROUND) : error.pos + _AROUND]
        raise DataError(
            f"{where}: Expected JSON, but it breaks off at {place} ({error.msg}), near {shown(near)}: "
            "correct it there, or fetch it again"
        ) from error
    except RecursionError as error:
        raise DataError(
            f"{where}: Expected a record, but got lists or objects nested too deep to read: take them out"
        ) from error
    except ValueError as error:  # Python reads no whole number of more than some thousand digits
        raise DataError(
            f"{where}: Expected JSON, but got a number of too many digits to be read: correct it"
        ) from error
    return value


def _each_key_once(where: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = Counter(key for key, _ in pairs)
        twice = next(key for key in found if seen[key] > 1)
        raise DataError(
            f"{where}: Expected each key of an object once, but got {shown(twice)} twice in {shown(found)}: remove one"
        )
    return found
