"""JSON that came over a wire, read field by field: nothing is taken for what it is not."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from math import isfinite
from reprlib import repr as shortened
from typing import NoReturn

from pytest_vqamt.core.codec import Json
from pytest_vqamt.models.served.protocol import MAX_DEPTH, MAX_NAME, MAX_NUMBER, MAX_VALUES, WireError


def loaded(body: bytes, what: str) -> dict[str, object]:
    """The JSON object that ``body`` holds; ``what`` is what it should be.

    Raises:
        WireError: it holds none, or a number that JSON has not (NaN).
    """
    try:
        found: object = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise WireError(f"Expected {what} as JSON, but got {len(body)} bytes that hold none") from None
    if not isinstance(found, dict):
        raise WireError(f"Expected {what} as a JSON object, but got {type(found).__name__}")
    return found


def row_of(value: object, where: str, *, required: Collection[str], known: Collection[str]) -> dict[str, object]:
    """``value``, which must be an object with all of the fields ``required`` and none but ``known``."""
    if not isinstance(value, dict):
        raise WireError(f"Expected {where} to be an object, but got {shortened(value)}")
    check_fields(value, where, required=required, known=known)
    return value


def check_fields(row: Mapping[str, object], where: str, *, required: Collection[str], known: Collection[str]) -> None:
    """Refuses fields that are missing, and such as nobody reads."""
    missing = [name for name in required if name not in row]
    strange = [name for name in row if name not in known]
    if missing:
        raise WireError(f"Expected {where} to have {missing[0]!r}, but it has {shortened(sorted(row))}")
    if strange:
        raise WireError(f"Expected {where} to have no more than {', '.join(known)}, but it has {shortened(strange[0])}")


def text(row: Mapping[str, object], name: str, where: str, *, most: int = MAX_NAME) -> str:
    """The string ``name``, of at most so many characters, all of which UTF-8 can hold."""
    value = row.get(name)
    if not isinstance(value, str):
        raise WireError(f"Expected {name!r} of {where} to be a string, but got {name}={shortened(value)}")
    _check_text(value, f"{name!r} of {where}", most)
    return value


def whole(row: Mapping[str, object], name: str, where: str, *, most: int = 2**53, default: int | None = None) -> int:
    """The whole number ``name`` from 0 to ``most``."""
    value = row.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise WireError(
            f"Expected {name!r} of {where} to be a whole number from 0 to {most}, but got {name}={shortened(value)}"
        )
    return value


def number(row: Mapping[str, object], name: str, where: str) -> float:
    """The number ``name``, finite and not negative."""
    value = row.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not (value >= 0 and isfinite(value)):
        raise WireError(f"Expected {name!r} of {where} to be a number from 0 up, but got {name}={shortened(value)}")
    return value


def truth(row: Mapping[str, object], name: str, where: str, *, default: bool | None = None) -> bool:
    """The boolean ``name``."""
    value = row.get(name, default)
    if not isinstance(value, bool):
        raise WireError(f"Expected {name!r} of {where} to be true or false, but got {name}={shortened(value)}")
    return value


def rows(row: Mapping[str, object], name: str, where: str) -> list[object]:
    """The list ``name``."""
    value = row.get(name)
    if not isinstance(value, list):
        raise WireError(f"Expected {name!r} of {where} to be a list, but got {name}={shortened(value)}")
    return value


def plain(value: object, where: str) -> Json:
    """``value`` as it is, once it is known to be small: its depth, its size, its numbers, its strings."""
    count = 0
    waiting = [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        count += 1
        if count > MAX_VALUES:
            raise WireError(f"Expected {where} to hold at most {MAX_VALUES} values, but it holds more")
        if depth > MAX_DEPTH:
            raise WireError(f"Expected {where} to be at most {MAX_DEPTH} deep, but it is deeper")
        match each:
            case dict():
                for name in each:
                    _check_text(name, f"a name in {where}", MAX_NAME)
                waiting += [(item, depth + 1) for item in each.values()]
            case list():
                waiting += [(item, depth + 1) for item in each]
            case str():
                _check_text(each, f"a string in {where}", MAX_NAME)
            case int() | float() if not -MAX_NUMBER <= each <= MAX_NUMBER:
                raise WireError(f"Expected numbers up to {MAX_NUMBER:g} in {where}, but got {shortened(each)}")
    checked: Json = value  # type: ignore[assignment] # every value in it has just been looked at
    return checked


def _check_text(value: str, what: str, most: int) -> None:
    if len(value) > most:
        raise WireError(f"Expected {what} to have at most {most} characters, but it has {len(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise WireError(f"Expected {what} to be text, but got half of a character: {ascii(value)[:80]}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
