"""Ways to say what is wrong with records beside each other."""

from __future__ import annotations

from tests.malformed.entries import At, Damage, Malformed
from tests.malformed.good import Data, Json

NEST: Json = [[[[[[[[[["dog"]]]]]]]]]]


def broken(data: str, what: str, damage: Damage, *says: str, lost: tuple[str, ...] = ("2",), bad: int = 1) -> Malformed:
    """An entry that some records cannot be used for."""
    return Malformed(name=f"{data}: {what}", data=data, damage=damage, says=says, lost=lost, bad=bad)


def refused(data: str, what: str, damage: Damage, *says: str) -> Malformed:
    """An entry that the whole data set cannot be used for."""
    return Malformed(name=f"{data}: {what}", data=data, damage=damage, says=says, at=At.SOURCE)


def again(file: str, *way: str, **changes: Json) -> Damage:
    """Puts the second record of a list behind it once more, changed."""

    def damage(data: Data) -> None:
        rows = data.files[file]
        for step in way:
            rows = rows[step]
        rows.append({**rows[1], **changes})

    return damage


def second(data: bytes, what: bytes, to: bytes) -> bytes:
    """``data`` with its second ``what`` replaced."""
    first = data.index(what) + len(what)
    return data[:first] + data[first:].replace(what, to, 1)
