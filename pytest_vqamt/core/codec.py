"""Frozen values to JSON and back, whole.

A value of a dataclass becomes ``{"is": "Erase", ...}`` with the fields that differ from their defaults; tuples become
lists. Only the types registered here are read back, so a file can name nothing else.
"""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from pytest_vqamt.core.errors import DataError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def encode(value: object) -> Json:
    """``value`` as JSON: frozen dataclasses, tuples, frozen sets of strings, strings, numbers, booleans and None."""
    if isinstance(value, float) and value.is_integer():
        return int(value)  # 3.0 equals 3, so both are written, and named by a digest, as one
    if value is None or isinstance(value, bool | int | float | str):
        return value.value if isinstance(value, StrEnum) else value
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if isinstance(value, frozenset):
        return [encode(item) for item in sorted(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        row: dict[str, Json] = {"is": type(value).__name__}
        for name, default in _fields(type(value)):
            item = getattr(value, name)
            if item != default:
                row[name] = encode(item)
        return row
    raise TypeError(f"Expected a frozen value of ours, but got value={value!r}")


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
def _fields(kind: type) -> tuple[tuple[str, object], ...]:
    """The names and defaults of a dataclass's fields."""
    return tuple((field.name, field.default) for field in dataclasses.fields(kind))


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
