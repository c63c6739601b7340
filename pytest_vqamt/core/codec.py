"""Dataclasses as JSON, and back.

``encode`` and ``decode`` are for values whose type the JSON must name: ``{"is": "Erase", ...}`` with the fields that
differ from their defaults. Only the types registered here are decoded, so a file can name nothing else.
``to_row`` and ``from_row`` are for rows of a known type with all of its fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from types import NoneType
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast, get_origin

from pytest_vqamt.core.errors import DataError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

T = TypeVar("T")

_JSON_TYPES = frozenset((NoneType, bool, int, str))


def encode(value: object) -> Json:
    """``value`` as JSON: frozen dataclasses, tuples, frozen sets of strings, strings, numbers, booleans and None."""
    kind: type = type(value)
    if kind in _JSON_TYPES:
        return value  # type: ignore[return-value]  # calling cast() here would cost time
    return _encoder(kind)(value)


def decode(row: Json) -> object:
    """The value that ``encode`` made ``row`` from.

    Raises:
        DataError: the row names an unknown type, or lacks one of its fields.
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
        return known[name](**{key: converters.get(key, _unchanged)(item) for key, item in fields.items()})
    except (TypeError, ValueError) as error:
        raise DataError(f"Expected a whole {name} record, but got {row!r}: {error}") from error


def to_row(value: DataclassInstance) -> dict[str, Json]:
    """The fields of a dataclass as an object for ``json.dumps``, which writes tuples as lists."""
    import msgspec  # here, as pytest starts without it

    row: dict[str, Json] = msgspec.to_builtins(value, enc_hook=dict)  # for read-only mappings, unknown to msgspec
    return row


def from_row(row: Json, kind: type[T]) -> T:
    """The value that ``to_row`` made ``row`` from; unknown members are ignored, and missing ones have their defaults.

    Raises:
        ValueError: the row lacks a field, or has one of another type; the message has its path.
    """
    import msgspec

    try:
        return msgspec.convert(row, kind, dec_hook=_built)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def _built(kind: type, value: object) -> object:
    """Builds a type that msgspec does not know, which is a Counter."""
    return cast("Callable[[object], object]", get_origin(kind) or kind)(value)


@cache
def _encoder(kind: type) -> Callable[[object], Json]:
    # Cached for each type, since a large run encodes tens of millions of values.
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
    return _refuse_type


def _number(value: float) -> Json:
    # 3.0 equals 3, so both are written, and enter digests, alike.
    return int(value) if value.is_integer() else value


def _record(name: str, fields: tuple[tuple[str, object], ...], value: object) -> Json:
    row: dict[str, Json] = {"is": name}
    for field, default in fields:
        item = getattr(value, field)
        if item is not default and (default is dataclasses.MISSING or item != default):
            row[field] = item if type(item) in _JSON_TYPES else encode(item)
    return row


def _refuse_type(value: object) -> Json:
    raise TypeError(f"Expected a frozen dataclass, a tuple, a text or a number, but got value={value!r}")


def _unchanged(value: object) -> object:
    return value


@cache
def _types() -> dict[str, type]:
    from pytest_vqamt.core import box, edits, meaning, scene  # they use this module

    listed = (
        box.Box, scene.Photo, scene.Thing, scene.Region, scene.Relationship, scene.Parts, scene.Inscription,
        scene.PublishedPair, scene.PublishedQuestion, scene.LinkedUnit, scene.PublishedHypothesis, scene.Scene,
        edits.Cutout, *edits.EDITS, meaning.Group, meaning.Related, meaning.Unit, *meaning.MEANINGS,
    )  # fmt: skip
    return {each.__name__: each for each in listed}


@cache
def _converters(kind: type) -> dict[str, type]:
    """Converters for the fields whose type JSON does not have: enumerations and frozen sets."""
    from pytest_vqamt.core.edits import Corrupt, Corruption, Erase, Fill
    from pytest_vqamt.core.meaning import Located, Side
    from pytest_vqamt.core.scene import Scene

    table: dict[type, dict[str, type]] = {
        Erase: {"fill": Fill},
        Corrupt: {"kind": Corruption},
        Located: {"side": Side},
        Scene: {"exhaustive": frozenset},
    }
    return table.get(kind, {})
