"""What a malformed input is, and ways to make one of a good data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, auto

from tests.malformed.good import Data, Json

Damage = Callable[[Data], object]
Step = str | int


class At(StrEnum):
    """When a mistake is told."""

    SOURCE = auto()
    """When the data set is opened, and none of it can be used."""
    RECORD = auto()
    """When the data set is opened; the other records can be used where that is allowed."""
    USE = auto()
    """At the latest when the record's scene, photo or mask is asked for; the others can be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A data set with one thing wrong.

    Attributes:
        name: what is wrong ("coco: annotations[3].bbox[2] is NaN").
        data: which of the good data sets it is made of.
        damage: makes it malformed.
        says: what the error must name: the file, the record, the field.
        lost: the ids of the records that cannot be used for it.
        bad: how many mistakes are told.
        is_of_full: whether the default tier leaves it out, as another entry is about the same field.
    """

    name: str
    data: str
    damage: Damage
    says: tuple[str, ...]
    at: At = At.RECORD
    lost: tuple[str, ...] = ("2",)
    bad: int = 1
    is_of_full: bool = False


def put(file: str, *path: Step, value: object) -> Damage:
    """Puts ``value`` where ``path`` leads to in ``file``."""

    def damage(data: Data) -> None:
        *way, last = path
        inner = _inner(data.files[file], way)
        inner[last] = value

    return damage


def drop(file: str, *path: Step) -> Damage:
    """Takes away what ``path`` leads to."""

    def damage(data: Data) -> None:
        *way, last = path
        del _inner(data.files[file], way)[last]

    return damage


def append(file: str, *path: Step, value: object) -> Damage:
    """Puts ``value`` behind the list that ``path`` leads to."""
    return lambda data: _inner(data.files[file], path).append(value)


def rename(file: str, *path: Step, to: str) -> Damage:
    """Gives the last key of ``path`` another name, at the same place of its object."""

    def damage(data: Data) -> None:
        *way, last = path
        inner: dict[str, Json] = _inner(data.files[file], way)
        items = [(to if key == last else key, value) for key, value in inner.items()]
        inner.clear()
        inner.update(items)

    return damage


def rewrite(file: str, change: Callable[[bytes], bytes | None], *, name: str = "") -> Damage:
    """Changes the bytes of ``file``, which goes by another ``name`` where one is given; None makes a folder of it."""

    def damage(data: Data) -> None:
        data.raw[name or file] = change(data.bytes_of(file))
        if name:
            del data.files[file]

    return damage


def both(*damages: Damage) -> Damage:
    def damage(data: Data) -> None:
        for each in damages:
            each(data)

    return damage


def path_in_words(path: tuple[Step, ...]) -> str:
    """The path as a person would write it.

    >>> path_in_words(("objects", 1, "box", 2))
    'objects[1].box[2]'
    """
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")


def _inner(value: Json, path: tuple[Step, ...] | list[Step]) -> Json:
    for step in path:
        value = value[step]
    return value
