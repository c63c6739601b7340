"""The head of a baseline file: what was blessed. The cases follow it, as rows of ``cases.jsonl``.

The file is JSON Lines, compressed with gzip: the head as a piece of its own, and one piece for each item, so that the
cases of an item can be read without the others. All pieces in a row are one file to any tool that reads gzip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.tallies import Tally

BASELINE_SCHEMA = 1
"""Raised when a field of the head is renamed or removed; additions keep it."""

_COUNTS = ("cases", "holds", "violated", "unparsed", "errors")

Row = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlessedItem:
    """One relation variant on one model and one data source, as it was blessed.

    Attributes:
        item: "metavqa.partition[object]".
        version: of the relation.
        tally: how its cases came out; those that a person had waived are not among them.
        size_bytes: how many its piece of the file has.
    """

    item: str
    version: int
    model: str
    data: str
    tally: Tally
    size_bytes: int

    @property
    def id(self) -> str:
        """What follows ``vqamt::`` in the id of the item that was blessed."""
        return f"{self.item}-{self.model}-{self.data}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineHead:
    """What was blessed, without the cases.

    Attributes:
        models: the name and the fingerprint of each.
        data: the spec and the digest of each.
        settings: those that relations were given.
    """

    vqamt_version: str
    seed: int
    models: tuple[tuple[str, str], ...]
    data: tuple[tuple[str, str], ...]
    items: tuple[BlessedItem, ...]
    settings: tuple[tuple[str, str], ...] = ()


def head_row(head: BaselineHead) -> Row:
    """The first line of the file."""
    return {
        "baseline": BASELINE_SCHEMA,
        "vqamt_version": head.vqamt_version,
        "seed": head.seed,
        "settings": dict(head.settings),
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in head.models],
        "data": [{"spec": spec, "digest": digest} for spec, digest in head.data],
        "items": [
            {
                "relation": each.item,
                "version": each.version,
                "model": each.model,
                "data": each.data,
                **{name: getattr(each.tally, name) for name in _COUNTS},
                "size_bytes": each.size_bytes,
            }
            for each in head.items
        ],
    }


def head_of(row: Row) -> BaselineHead:
    """The head that ``head_row`` made the row of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    return BaselineHead(
        vqamt_version=str(row["vqamt_version"]),
        seed=_int(row["seed"]),
        settings=tuple(sorted(cast("dict[str, str]", row["settings"]).items())),
        models=tuple((str(each["name"]), str(each["fingerprint"])) for each in cast("list[Row]", row["models"])),
        data=tuple((str(each["spec"]), str(each["digest"])) for each in cast("list[Row]", row["data"])),
        items=tuple(
            BlessedItem(
                item=str(each["relation"]),
                version=_int(each["version"]),
                model=str(each["model"]),
                data=str(each["data"]),
                tally=Tally(**{name: _int(each[name]) for name in _COUNTS}),
                size_bytes=_int(each["size_bytes"]),
            )
            for each in cast("list[Row]", row["items"])
        ),
    )


def _int(value: Json) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"expected a whole number from 0 up, got {value!r}")
    return value
