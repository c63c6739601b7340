"""What a JSON value is: a text that can be used, an id, a number, or many numbers at once."""

from __future__ import annotations

import math
import re
from typing import TypeGuard, cast

MOST_OF_AN_ID = 200
"""The most characters of what a record is called by: messages begin with it."""

_NO_CHARACTER = re.compile("[\0-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_NO_PLAIN_LINE = re.compile("[\t-\r\x80-\x9f\u2028-\u202e\u2066-\u2069]")
"""Line ends, control characters, and those that turn the text behind them about."""
_NUMBERS = frozenset((int, float))


def is_text(value: object) -> TypeGuard[str]:
    """Whether it is a text that is not blank, without half surrogates, and control characters but for line ends.

    >>> is_text("dog"), is_text(" "), is_text(chr(0)), is_text(3)
    (True, False, False, False)
    """
    if not isinstance(value, str) or not value or value.isspace():
        return False
    return value.isprintable() or not _NO_CHARACTER.search(value)


def is_short_line(text: str) -> bool:
    """Whether a record can be called so in a message."""
    return len(text) <= MOST_OF_AN_ID and (text.isprintable() or not _NO_PLAIN_LINE.search(text))


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite number, and no boolean."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond what floating point holds
        return False


def are_numbers(values: list[object]) -> TypeGuard[list[float]]:
    """Whether surely all are finite numbers, found out quickly; False too where their sum is not finite."""
    if not _NUMBERS.issuperset(map(type, values)):
        return False
    try:
        return math.isfinite(sum(cast("list[float]", values)))
    except OverflowError:
        return False


def whole(value: object) -> int | None:
    """The whole number that it is, which may be written as 3.0; None where it is something else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None
