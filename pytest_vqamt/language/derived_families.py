"""The family of a name that is not listed, as WordNet has it; cautious: None where there is any doubt."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.wordnet import WordNet, wordnet


def derived_family(name: str) -> str | None:
    """The one family that everything the name may mean in a photo is of, by ``families_of_kinds.toml``.

    A fruit or vegetable is food, although WordNet knows the plant of that name as well. Where WordNet lacks a compound,
    it may mean what its head noun may. It is always the bundled WordNet that is asked, so that families are the same in
    every run.

    >>> derived_family("robin"), derived_family("limousine"), derived_family("steering wheel")
    ('animal', 'vehicle', 'part')
    >>> derived_family("chicken"), derived_family("seal"), derived_family("glass")
    (None, None, None)
    """
    if is_of_none(name):
        return None
    listed = _table().names.get(name) or _table().names.get(singular(name))
    if listed:
        return listed
    words = wordnet()
    found = {_family_of(words, synset) for synset in words.senses(name)}
    if found == {"food", "plant"}:
        return "food" if _family_of(words, words.sense(name) or "") == "food" else None
    return found.pop() if len(found) == 1 else None


def is_of_none(name: str) -> bool:
    """Whether the name is listed as one that could stand for things of two families."""
    return name in _table().of_none or singular(name) in _table().of_none


class _Table(NamedTuple):
    of_none: frozenset[str]
    names: dict[str, str]
    synsets: dict[str, str]


def _family_of(words: WordNet, synset: str) -> str | None:
    """The family that the synset is at or below; None of none, or of two."""
    above = words.at_or_above(synset)
    families = {family for top, family in _table().synsets.items() if top in above}
    return families.pop() if len(families) == 1 else None


@cache
def _table() -> _Table:
    table = tomllib.loads(files("pytest_vqamt.language").joinpath("families_of_kinds.toml").read_text(encoding="utf-8"))
    families: dict[str, dict[str, list[str]]] = table["family"]
    return _Table(
        of_none=frozenset(table["of_none"]),
        names={name: family for family, of in families.items() for name in of["names"]},
        synsets={synset: family for family, of in families.items() for synset in of["synsets"]},
    )
