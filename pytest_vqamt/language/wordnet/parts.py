"""Parts, garments and gear that WordNet does not list with what they belong to: ``parts.toml``, curated."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pytest_vqamt.language.english.nouns import head, singular


def listed_wholes(name: str, kinds: frozenset[str]) -> frozenset[str]:
    """The synsets that things of this name are listed as parts of: by the name, its head noun, or one of its kinds."""
    names = {name, singular(name), head(name), singular(head(name))}
    return frozenset(
        whole
        for each in _entries()
        if not names.isdisjoint(each.parts) or not kinds.isdisjoint(each.kinds)
        for whole in each.of
    )


def listed_parts(kinds: Iterable[str]) -> tuple[str, ...]:
    """The names listed as parts of one of these synsets."""
    of = frozenset(kinds)
    return tuple(part for each in _entries() if not of.isdisjoint(each.of) for part in each.parts)


class _Entry(NamedTuple):
    of: tuple[str, ...]
    parts: tuple[str, ...]
    kinds: tuple[str, ...]


@cache
def _entries() -> tuple[_Entry, ...]:
    table = tomllib.loads(files("pytest_vqamt.language.wordnet").joinpath("parts.toml").read_text(encoding="utf-8"))
    return tuple(
        _Entry(tuple(each["of"]), tuple(each.get("parts", ())), tuple(each.get("kinds", ()))) for each in table["whole"]
    )
