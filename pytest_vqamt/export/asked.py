"""Uses of queries as lines that can be sorted: first by the query, so that it is there once, then by its photo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple, cast

from pytest_vqamt.core.codec import Json

_END = b"\0"
"""Of the key in a line. In JSON it stands for nothing, so that what follows decides only among equal keys."""


class Asked(NamedTuple):
    """A query and the cases that ask it; one of them, or all.

    Attributes:
        query: its row.
        line: the number of the line that it was read from, the first of them.
        uses: a ``Use`` each, as a list.
    """

    data: str
    scene: str
    line: int
    query: dict[str, Json]
    uses: list[list[str | int]]

    @classmethod
    def of(cls, query: dict[str, Json], data: str, scene: str, line: int, use: tuple[str | int, ...]) -> Asked:
        """One use.

        Raises:
            KeyError, TypeError: the query is not whole.
        """
        asked = cls(data, scene, line, query, [list(use)])
        asked.key()
        return asked

    def by_query(self) -> bytes:
        """A line that stands beside those of the same query, in the order of the file."""
        return self._line(self.key())

    def by_photo(self) -> bytes:
        """A line that stands beside those about the same photo."""
        task, picture, text = self.key()
        photo = str(cast("dict[str, Json]", self.query["picture"])["photo"])
        return self._line((self.data, photo, picture, task, text))

    def key(self) -> tuple[str, str, str]:
        """Equal for what is one query."""
        picture = cast("dict[str, Json]", self.query["picture"])
        return str(self.query["task"]), str(picture["digest"]), str(self.query["text"])

    def _line(self, key: tuple[str, ...]) -> bytes:
        place = f"{self.line:015} {self.uses[0][2]:06}"
        return b"".join((_json(key), _END, place.encode(), _END, _json(self), b"\n"))


def asked_of(line: bytes) -> Asked:
    """What a line says."""
    return Asked(*json.loads(line.rpartition(_END)[2]))


def each_query(sorted_uses: Iterable[Asked]) -> Iterator[Asked]:
    """Every query once, as it stands first, with all its uses."""
    for _, same in groupby(sorted_uses, Asked.key):
        first, *others = same
        yield first._replace(uses=[*first.uses, *(use for other in others for use in other.uses)])


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
