"""Dataclasses as JSON, and back.

``encode`` and ``decode`` are for values whose type the JSON must name: ``{"is": "Erase", ...}`` with the fields that
differ from their defaults. Only ``registered`` types are decoded, so a file can name nothing else, and each field must
have a value of its own type. ``to_row`` and ``from_row`` are for rows of a known type with all of its fields.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache, partial
from math import isfinite
from reprlib import repr as shortened
from threading import Lock
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import msgspec
from msgspec import Meta, Struct, StructMeta

from pytest_vqamt.core.errors import DataError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

T = TypeVar("T")

# Bounds are for the schema alone: what a run has found is written and read again whatever it is.
Count: TypeAlias = Annotated[int, Meta(extra_json_schema={"minimum": 0})]
Amount: TypeAlias = Annotated[float, Meta(extra_json_schema={"minimum": 0})]
Rate: TypeAlias = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1})]
SignedRate: TypeAlias = Annotated[float, Meta(extra_json_schema={"minimum": -1, "maximum": 1})]
Interval: TypeAlias = tuple[Rate, Rate]
SignedInterval: TypeAlias = tuple[SignedRate, SignedRate]

_JSON_TYPES = frozenset((NoneType, bool, int, str))

_REGISTERED: dict[str, type] = {}
"""The types that a record may name."""

_FIRST_USE = Lock()
_USED: set[object] = set()
"""The types that msgspec has met."""


class _PublicMeta(StructMeta):
    def __setattr__(self, name: str, value: object) -> None:
        # The first attribute that ``dataclass`` sets. Its methods replace those of the Struct, and fields are lost.
        if name == "__dataclass_params__":
            raise TypeError(
                f"Expected {self.__name__} without @dataclass, as {self.__mro__[1].__name__} is a msgspec.Struct: "
                "leave the decorator off, and its fields stay as they are written"
            )
        super().__setattr__(name, value)


class PublicStruct(Struct, frozen=True, metaclass=_PublicMeta):
    """A Struct that users may subclass; ``@dataclass`` on a subclass says what to do."""


def registered(kind: type[T]) -> type[T]:
    """Lets records name a dataclass, by the name of the class.

    It stands above the definition, so that no list elsewhere has to be kept in step.
    """
    known = _REGISTERED.get(kind.__name__, kind)
    if known.__module__ != kind.__module__:
        raise TypeError(f"Expected one class of a name, but {known.__module__} has a {kind.__name__}: rename this one")
    _REGISTERED[kind.__name__] = kind
    return kind


def registered_types(base: type[T]) -> tuple[type[T], ...]:
    """The registered types that are of the class ``base``, in the order of their definition."""
    return tuple(kind for kind in _REGISTERED.values() if issubclass(kind, base))


def encode(value: object) -> Json:
    """``value`` as JSON: frozen dataclasses, tuples, frozen sets of strings, strings, numbers, booleans and None."""
    kind: type = type(value)
    if kind in _JSON_TYPES:
        return value  # type: ignore[return-value]  # calling cast() here would cost time
    return _encoder(kind)(value)


@overload
def decode(row: Json, kind: type[T]) -> T: ...


@overload
def decode(row: Json, kind: object) -> object: ...  # a union is no type


def decode(row: Json, kind: object) -> object:
    """The value that ``encode`` made ``row`` from; its types are checked all the way down.

    ``kind`` is the type that is expected: a registered class or a base class of some, a union of them, or a type as a
    field may have it, such as ``tuple[tuple[str, float], ...]``.

    Raises:
        DataError: the row names an unknown type, lacks a field, has another one, or has a value of another type.
    """
    return _decoder(kind)(row)


def replace(value: T, /, **changes: Any) -> T:
    """A copy with other fields of a Struct or a dataclass, as ``copy.replace`` makes it from Python 3.13 on."""
    if isinstance(value, Struct):
        return msgspec.structs.replace(value, **changes)
    return cast("T", dataclasses.replace(cast("Any", value), **changes))


def written(default: T) -> T:
    """A default of a field that is written even where the value is equal, of a type with ``omit_defaults``.

    msgspec leaves out what is equal to a default, but not what is equal to the result of a factory.
    """
    made_anew: T = msgspec.field(default_factory=lambda: default)
    return made_anew


def made(kind: type[T], source: Struct, /, **own: Any) -> T:
    """A Struct of ``own`` fields, and of those that ``source`` has of the same names; others keep their defaults."""
    names = set(cast("type[Struct]", kind).__struct_fields__).difference(own)
    return kind(**{name: getattr(source, name) for name in source.__struct_fields__ if name in names}, **own)


def to_row(value: Struct | DataclassInstance) -> dict[str, Json]:
    """The fields of a Struct or a dataclass as an object for ``json.dumps``, which writes tuples as lists."""
    row: dict[str, Json] = msgspec.to_builtins(value, enc_hook=dict)  # for read-only mappings, unknown to msgspec
    return row


def from_row(row: Json, kind: type[T], where: str = "") -> T:
    """The value that ``to_row`` made ``row`` from; unknown members are ignored, and missing ones have their defaults.

    ``where`` is the place of the row in a larger one, for messages.

    Raises:
        ValueError: the row lacks a field, or has one of another type; the message has its path.
    """
    introduce(kind)
    try:
        return msgspec.convert(row, kind, dec_hook=_built)
    except msgspec.ValidationError as error:
        raise ValueError(explained(error, where)) from error


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
"""Words for the types of JSON as msgspec's messages name them."""
_UNFIT = re.compile(r"Expected `(?P<expected>[^`]+)`(?: of length (?P<length>\d+))?, got `?(?P<got>[^`]+)`?")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`")


def explained(error: msgspec.ValidationError, where: str = "") -> str:
    """What does not fit its type, in words: what is expected, and where; ``where`` is the place of the whole value.

    >>> try:
    ...     msgspec.convert({"runs": [["one"]]}, dict[str, list[tuple[int]]])
    ... except msgspec.ValidationError as error:
    ...     explained(error)
    'expected a whole number as [...][0][0], but got a text'
    """
    what, _, path = str(error).partition(" - at `")
    place = f"{where}{path.removesuffix('`').removeprefix('$')}".removeprefix(".")
    if missing := _MISSING.fullmatch(what):
        return f"{place or 'it'} has no {missing['name']}"
    if not (unfit := _UNFIT.fullmatch(what)):
        return f"{place}: {what[0].lower()}{what[1:].replace('`', '')}" if place else what
    expected = " or ".join(_KINDS.get(each, each) for each in unfit["expected"].split(" | "))
    if unfit["length"]:
        expected, got = f"{expected} of {unfit['length']}", f"one of {unfit['got']}"
    else:
        got = _KINDS.get(unfit["got"], unfit["got"])
    return f"expected {expected} as {place}, but got {got}" if place else f"expected {expected}, but got {got}"


def introduce(kind: object) -> None:
    """Lets msgspec look at a type before several threads do.

    msgspec 0.22 is not safe there: of processes in which four threads used a dataclass for the first time at once, one
    in ten died with SIGSEGV. Everything that reads into a type calls this first.
    """
    if kind in _USED:
        return
    with _FIRST_USE:
        if kind not in _USED:
            msgspec.json.Decoder(kind, dec_hook=_built)
            _USED.add(kind)


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


class _UnfitError(DataError):
    """A value of another type than its field."""

    def __init__(self, expected: str, got: Json) -> None:
        self.expected, self.got = expected, shortened(got)
        super().__init__(f"Expected {expected}, but got {self.got}")


_Decoder: TypeAlias = "Callable[[Json], object]"


@cache
def _decoder(kind: object) -> _Decoder:
    """The function that reads a value of a type, as a field's annotation gives it."""
    if kind in _PLAIN:
        return partial(_plain, _PLAIN[cast("type", kind)])
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return partial(_one_of, {value: value for value in arguments})
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is tuple and arguments[1:] == (...,):
        return partial(_items, arguments[0])
    if origin is tuple:
        return partial(_fixed_items, arguments)
    if origin is frozenset:
        return lambda row: frozenset(_items(arguments[0], row))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return partial(_one_of, {member.value: member for member in kind})
    if isinstance(kind, type):
        return partial(_any_record, (kind,))
    raise TypeError(f"Expected a type that JSON can hold, but got {kind!r}: encode it otherwise")


def _union(arguments: tuple[object, ...]) -> _Decoder:
    others = tuple(each for each in arguments if each is not NoneType)
    decoder: _Decoder
    if len(others) == 1:
        decoder = _decoder(others[0])
    else:
        decoder = partial(_any_record, cast("tuple[type, ...]", others))
    return decoder if len(others) == len(arguments) else lambda row: None if row is None else decoder(row)


_PLAIN: Mapping[object, tuple[str, frozenset[type]]] = {
    bool: ("true or false", frozenset((bool,))),
    int: ("a whole number", frozenset((int,))),
    float: ("a number", frozenset((int, float))),
    str: ("a text", frozenset((str,))),
}


def _plain(expected: tuple[str, frozenset[type]], row: Json) -> object:
    if type(row) not in expected[1] or (type(row) is float and not isfinite(row)):
        raise _UnfitError(expected[0], row)
    return row


def _one_of(values: Mapping[str, object], row: Json) -> object:
    if type(row) is not str or row not in values:
        raise _UnfitError(f"one of {', '.join(values)}", row)
    return values[row]


def _items(kind: object, row: Json) -> tuple[object, ...]:
    if not isinstance(row, list | tuple):
        raise _UnfitError("a list", row)
    return tuple(map(_decoder(kind), row))


def _fixed_items(kinds: tuple[object, ...], row: Json) -> tuple[object, ...]:
    if not isinstance(row, list | tuple) or len(row) != len(kinds):
        raise _UnfitError(f"a list of {len(kinds)}", row)
    return tuple([_decoder(kind)(item) for kind, item in zip(kinds, row, strict=True)])


def _any_record(bases: tuple[type, ...], row: Json) -> object:
    """A record of a registered type that is one of ``bases``, or of a class derived from one."""
    name = row.get("is") if isinstance(row, dict) else None
    kind = _REGISTERED.get(name) if isinstance(name, str) else None
    if kind is None or not issubclass(kind, bases):
        known = ", ".join(name for name, each in _REGISTERED.items() if issubclass(each, bases))
        raise _UnfitError(f"a record whose 'is' is one of {known}", row)
    return _record_of(kind, cast("dict[str, Json]", row))


def _record_of(kind: type, row: dict[str, Json]) -> object:
    readers, required = _fields(kind)
    values: dict[str, object] = {}
    for name, item in row.items():
        if name == "is":
            continue
        if name not in readers:
            raise DataError(f"Expected {kind.__name__} with {', '.join(readers)}, but got {shortened(name)}")
        try:
            values[name] = readers[name](item)
        except _UnfitError as error:
            where = f"{name} of {kind.__name__}"
            raise DataError(f"Expected {error.expected} as {where}, but got {name}={error.got}") from None
    if missing := [name for name in required if name not in values]:
        raise DataError(f"Expected {kind.__name__} with {', '.join(required)}, but {', '.join(missing)} is missing")
    return kind(**values)


@cache
def _fields(kind: type) -> tuple[dict[str, _Decoder], tuple[str, ...]]:
    """What reads each field, and the names of those without a default."""
    hints, fields = get_type_hints(kind), [each for each in dataclasses.fields(kind) if each.init]
    required = (
        each.name
        for each in fields
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    )
    return {each.name: _decoder(hints[each.name]) for each in fields}, tuple(required)
