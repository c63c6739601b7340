"""Reads single fields of JSON objects that come over the wire, within bounds of depth, size and length."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from math import isfinite
from reprlib import repr as shortened
from typing import NoReturn

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import VqamtError

MAX_NAME = 4_096
"""Characters of any string but questions and answers, such as a photo's id."""

MAX_VALUES = 20_000
"""Values within one recipe or meaning, at any depth."""

MAX_DEPTH = 24
"""Nested lists and objects in a recipe or meaning."""

MAX_NUMBER = 1e9
"""Absolute value of any number in a recipe or a meaning."""


class WireError(VqamtError):
    """A message of the wire format cannot be read."""


def parse_object(body: bytes, what: str) -> dict[str, object]:
    """The JSON object in ``body``; ``what`` names it in messages.

    Raises:
        WireError: it is no JSON object, or holds NaN.
    """
    try:
        found: object = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise WireError(f"Expected {what} as JSON, but got {len(body)} bytes that hold none") from None
    if not isinstance(found, dict):
        raise WireError(f"Expected {what} as a JSON object, but got {type(found).__name__}")
    return found


def object_with(value: object, where: str, *, required: Collection[str], known: Collection[str]) -> dict[str, object]:
    """``value``, checked to be an object with all ``required`` fields and only ``known`` ones."""
    if not isinstance(value, dict):
        raise WireError(f"Expected {where} to be an object, but got {shortened(value)}")
    check_fields(value, where, required=required, known=known)
    return value


def check_fields(row: Mapping[str, object], where: str, *, required: Collection[str], known: Collection[str]) -> None:
    """Raises WireError for missing and for unknown fields."""
    missing = [name for name in required if name not in row]
    strange = [name for name in row if name not in known]
    if missing:
        raise WireError(f"Expected {where} to have {missing[0]!r}, but it has {shortened(sorted(row))}")
    if strange:
        raise WireError(f"Expected {where} to have no more than {', '.join(known)}, but it has {shortened(strange[0])}")


def text_field(row: Mapping[str, object], name: str, where: str, *, most: int = MAX_NAME) -> str:
    """The string ``name``, of at most ``most`` characters and encodable as UTF-8."""
    value = row.get(name)
    if not isinstance(value, str):
        raise WireError(f"Expected {name!r} of {where} to be a string, but got {name}={shortened(value)}")
    _check_text(value, f"{name!r} of {where}", most)
    return value


def int_field(
    row: Mapping[str, object], name: str, where: str, *, most: int = 2**53, default: int | None = None
) -> int:
    """The whole number ``name`` from 0 to ``most``."""
    value = row.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise WireError(
            f"Expected {name!r} of {where} to be a whole number from 0 to {most}, but got {name}={shortened(value)}"
        )
    return value


def number_field(row: Mapping[str, object], name: str, where: str) -> float:
    """The finite, non-negative number ``name``."""
    value = row.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not (value >= 0 and isfinite(value)):
        raise WireError(f"Expected {name!r} of {where} to be a number from 0 up, but got {name}={shortened(value)}")
    return value


def bool_field(row: Mapping[str, object], name: str, where: str, *, default: bool | None = None) -> bool:
    """The boolean ``name``."""
    value = row.get(name, default)
    if not isinstance(value, bool):
        raise WireError(f"Expected {name!r} of {where} to be true or false, but got {name}={shortened(value)}")
    return value


def list_field(row: Mapping[str, object], name: str, where: str) -> list[object]:
    """The list ``name``."""
    value = row.get(name)
    if not isinstance(value, list):
        raise WireError(f"Expected {name!r} of {where} to be a list, but got {name}={shortened(value)}")
    return value


def bounded_json(value: object, where: str) -> Json:
    """``value`` unchanged, after a check of its depth, size, numbers and strings."""
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
