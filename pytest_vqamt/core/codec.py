"""Frozen values to JSON and back, whole.

A value of a dataclass becomes ``{"is": "Erase", ...}`` with the fields that differ from their defaults; tuples become
lists. Only the types registered here are read back, so a file can name nothing else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from types import NoneType
from typing import TypeAlias, cast

from pytest_vqamt.core.errors import DataError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_AS_THEY_ARE = frozenset((NoneType, bool, int, str))


def encode(value: object) -> Json:
    """``value`` as JSON: frozen dataclasses, tuples, frozen sets of strings, strings, numbers, booleans and None."""
    kind: type = type(value)
    return cast("Json", value) if kind in _AS_THEY_ARE else _encoder(kind)(value)


def decode(row: Json) -> object:
    """The value that ``encode`` made ``row`` of.

    Raises:
        DataError: the row names an unknown type, or lacks a field of it.
    """
    if isinstance(row, list):
        return tuple(decode(item) for item in row)
    if not isinstance(row, dict):
        return row
    name = row.get("is")
    known = _types()
    if not isinstance(name, str) or name not in known:
        raise DataError(f"Expected a record whose 'is' is one of {', '.join(known)}, but got is={name!r}")
    fields = {key: decode(item) for key, item in row.items() if key != "is"}
    converters = _converters(known[name])
    try:
        return known[name](**{key: converters.get(key, _same)(item) for key, item in fields.items()})
    except (TypeError, ValueError) as error:
        raise DataError(f"Expected a whole {name} record, but got {row!r}: {error}") from error


@cache
def _encoder(kind: type) -> Callable[[object], Json]:
    """What encodes the values of a type: it is found once for each, since a large run encodes tens of millions."""
    if issubclass(kind, StrEnum):
        return lambda value: cast("StrEnum", value).value
    if issubclass(kind, float):
        return lambda value: _number(cast("float", value))
    if issubclass(kind, int | str):
        return lambda value: cast("Json", value)
    if issubclass(kind, tuple):
        return lambda value: [encode(item) for item in cast("tuple[object, ...]", value)]
    if issubclass(kind, frozenset):
        return lambda value: [encode(item) for item in sorted(cast("frozenset[str]", value))]
    if dataclasses.is_dataclass(kind):
        return partial(_record, kind.__name__, tuple((each.name, each.default) for each in dataclasses.fields(kind)))
    return _refused


def _number(value: float) -> Json:
    return int(value) if value.is_integer() else value  # 3.0 equals 3: both are written, and named by a digest, as one


def _record(name: str, fields: tuple[tuple[str, object], ...], value: object) -> Json:
    row: dict[str, Json] = {"is": name}
    for field, default in fields:
        item = getattr(value, field)
        if default is dataclasses.MISSING or item != default:
            row[field] = encode(item)
    return row


def _refused(value: object) -> Json:
    raise TypeError(f"Expected a frozen value of ours, but got value={value!r}")


def _same(value: object) -> object:
    return value


@cache
def _types() -> dict[str, type]:
    from pytest_vqamt.core import box, edits, meaning, scene  # they use this module

    listed = (
        box.Box, scene.Photo, scene.Thing, scene.Region, scene.Relationship, scene.PublishedPair,
        scene.PublishedQuestion, scene.LinkedUnit, scene.PublishedHypothesis, scene.Scene,
        edits.Cutout, *edits.EDITS, meaning.Group, meaning.Related, meaning.Unit, *meaning.MEANINGS,
    )  # fmt: skip
    return {each.__name__: each for each in listed}


@cache
def _converters(kind: type) -> dict[str, type]:
    """Fields that JSON has no type for: enumerations and frozen sets."""
    from pytest_vqamt.core.edits import Corrupt, Corruption, Erase, Fill
    from pytest_vqamt.core.scene import Scene

    table: dict[type, dict[str, type]] = {
        Erase: {"fill": Fill},
        Corrupt: {"kind": Corruption},
        Scene: {"exhaustive": frozenset},
    }
    return table.get(kind, {})
