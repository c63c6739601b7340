"""Every field of every source with every value that it cannot have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.malformed.entries import At, Malformed, Step, drop, path_in_words, put

NAN, INFINITE = float("nan"), float("inf")

LONG = "x" * 10_000

NO_TEXT: Mapping[str, object] = {
    "a number": 3, "true": True, "blank": " \t", "empty": "", "a list": ["dog"], "an object": {"dog": 1},
    "half a surrogate": "dog\ud83d", "a NUL": "dog\0", "an escape": "\x1b[2Jdog",
}  # fmt: skip
NO_ID: Mapping[str, object] = {
    "true": True, "a half": 1.5, "blank": " ", "a list": [1], "an object": {}, "two lines": "a\nb",
    "a very long text": LONG, "half a surrogate": "\ud83d",
}  # fmt: skip
NO_NUMBER: Mapping[str, object] = {
    "a text": "7", "true": True, "a list": [7], "an object": {"7": 7}, "NaN": NAN, "infinite": INFINITE,
    "minus infinity": -INFINITE, "of 401 digits": 10**400,
}  # fmt: skip
NO_EXTENT: Mapping[str, object] = {"zero": 0, "negative": -3, "tiny beyond measure": 1e-320, **NO_NUMBER}
NO_SIDE: Mapping[str, object] = {
    "zero": 0, "negative": -24, "a half": 24.5, "a text": "24", "true": True, "a list": [24], "NaN": NAN,
    "infinite": INFINITE, "larger than any photo": 100_001, "of 31 digits": 10**30,
}  # fmt: skip
NO_LIST: Mapping[str, object] = {"a text": "dog", "an object": {"0": "dog"}, "a number": 3, "true": True, "zero": 0}
NO_OBJECT: Mapping[str, object] = {"a text": "dog", "a list": [], "a number": 3, "true": True}
NO_FLAG: Mapping[str, object] = {"one": 1, "a text": "true", "a list": []}
IS_NULL: Mapping[str, object] = {"null": None}

_NO_JSON = frozenset({"NaN", "infinite", "minus infinity", "of 31 digits", "of 401 digits"})
"""What JSON has no word for, or what a reader in C cannot hold. Python's takes it, and the field is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of the second record.

    Attributes:
        path: leads to it in its file.
        where: what its error begins with: file and record.
        named: how the error calls it.
        no: what it cannot be.
        needed: whether it must be there.
        bad: how many mistakes are told.
    """

    path: tuple[Step, ...]
    where: str
    named: str
    no: Mapping[str, object]
    needed: bool = True
    bad: int = 1


def broken_fields(data: str, file: str, fields: tuple[Field, ...], *, strict: bool = False) -> Iterator[Malformed]:
    """An entry for each field and value; ``strict`` where the file is read by a reader in C.

    The default tier has one value of each field, each time the next of those that such fields cannot have.
    """
    for number, field in enumerate(fields):
        values = {**field.no, **(IS_NULL if field.needed else {})}
        for place, (what, value) in enumerate(values.items()):
            refused = strict and what in _NO_JSON
            yield Malformed(
                name=f"{data}: {file}: {path_in_words(field.path)} is {what}",
                data=data,
                damage=put(file, *field.path, value=value),
                says=(file,) if refused else (field.where, field.named),
                at=At.SOURCE if refused else At.RECORD,
                bad=field.bad,
                is_of_full=place != number % len(values),
            )
        if field.needed and not isinstance(field.path[-1], int):
            yield Malformed(
                name=f"{data}: {file}: {path_in_words(field.path)} is missing",
                data=data,
                damage=drop(file, *field.path),
                says=(field.where, field.named),
                bad=field.bad,
            )
