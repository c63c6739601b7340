"""Values of a configuration file, each checked for what it must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite


@dataclass(frozen=True, slots=True)
class Form:
    """What a value must be, in words, and how it is read: None where it is something else."""

    told: str
    read: Callable[[object], object]


def whole(least: int = 1) -> Form:
    """A whole number."""
    return Form(
        f"a whole number, {least} or more", lambda value: value if type(value) is int and value >= least else None
    )


def one_of(*known: object) -> Form:
    """One of a few values."""
    return Form(" or ".join(map(str, known)), lambda value: value if value in known else None)


def below(limit: float, told: str) -> Form:
    """A number of 0 or more and less than ``limit``."""

    def read(value: object) -> float | None:
        number = _number(value)
        return number if number is not None and 0 <= number < limit else None

    return Form(told, read)


def numbers(told: str, *, above: float = 0, most: float = inf, count: int | None = None) -> Form:
    """One number or a list of them, as a tuple; a list of one list is that list: that of the only map of features."""

    def read(value: object) -> tuple[float, ...] | None:
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
            value = value[0]
        found = [_number(each) for each in (value if isinstance(value, list) else [value])]
        sound = tuple(each for each in found if each is not None and above < each <= most)
        return sound if sound and len(sound) == len(found) and count in (None, len(sound)) else None

    return Form(told, read)


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    return None
