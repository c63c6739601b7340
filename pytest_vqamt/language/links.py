"""Relationships in words: how a noun is joined to what it is related to."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LISTS = Path(__file__).with_name("adjectives.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The words of annotators' predicates.

    Attributes:
        whole: predicates as they are worded after a noun ("left of": "to the left of").
        participles: finite verbs with their participles ("sits": "sitting").
        clauses: what is no predicate after "is", with its verb in the singular and the plural ("with": "has", "have").
        stuff: predicates after which a mass noun has no article ("made of wood").
    """

    whole: dict[str, str]
    participles: dict[str, str]
    clauses: dict[str, tuple[str, str]]
    stuff: frozenset[str]

    def after_a_noun(self, predicate: str) -> str:
        """The predicate as it can follow a noun: "is wearing a" becomes "wearing", "has" becomes "with".

        >>> links().after_a_noun("is wearing a"), links().after_a_noun("has"), links().after_a_noun("sits on")
        ('wearing', 'with', 'sitting on')
        """
        return _after_a_noun(predicate)

    def in_a_clause(self, predicate: str, *, many: bool) -> str:
        """The predicate as it follows "that" or "who".

        >>> links().in_a_clause("on", many=True), links().in_a_clause("has", many=False)
        ('are on', 'has')
        """
        words = self.after_a_noun(predicate)
        if words in self.clauses:
            return self.clauses[words][many]
        return f"{'are' if many else 'is'} {words}"

    def of_stuff(self, predicate: str) -> bool:
        """Whether a mass noun after the predicate has no article.

        >>> links().of_stuff("made of"), links().of_stuff("in")
        (True, False)
        """
        return self.after_a_noun(predicate) in self.stuff


@cache
def links() -> Links:
    """The words that ``adjectives.toml`` gives for predicates."""
    table = tomllib.loads(_LISTS.read_text(encoding="utf-8"))
    return Links(
        whole=table["predicate"],
        participles=table["participle"],
        clauses={words: (one, many) for words, (one, many) in table["in_a_clause"].items()},
        stuff=frozenset(table["of_stuff"]),
    )


@cache
def _after_a_noun(predicate: str) -> str:
    words = predicate.split(" ")
    if words[0] in ("is", "are") and len(words) > 1:
        words = words[1:]
    if words[-1] in ("a", "an", "the") and len(words) > 1:
        words = words[:-1]
    bare = " ".join(words)
    if bare in links().whole:
        return links().whole[bare]
    return " ".join((links().participles.get(words[0], words[0]), *words[1:]))
