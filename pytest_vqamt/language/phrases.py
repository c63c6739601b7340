"""Groups of things as English noun phrases, and the inventory of a scene as a list."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pytest_vqamt.core.meaning import Group
from pytest_vqamt.language.nouns import indefinite, is_mass, is_plural, number_word, plural, with_article

Number: TypeAlias = Literal["singular", "plural"]

_LISTS = Path(__file__).with_name("adjectives.toml")
_BEFORE_THE_NOUN = ("size", "state", "age", "shape", "action", "colour", "pattern", "material", "kind")


@lru_cache(maxsize=65536)
def phrase(group: Group, number: Number) -> str:
    """The noun phrase of ``group`` without an article: its attributes, its noun, what it is related to.

    The things that it is related to are any of their group, so they come with "a": "dogs on a table".

    >>> phrase(Group(name="car", attributes=("red", "large")), "plural")
    'large red cars'
    >>> from pytest_vqamt.core.meaning import Related
    >>> table = Group(name="table", attributes=("wooden",))
    >>> phrase(Group(name="dog", related=(Related(predicate="on", to=table),)), "singular")
    'dog on a wooden table'
    >>> phrase(Group(name="man", attributes=("playing tennis",)), "plural")
    'men playing tennis'
    """
    lists = _lists()
    before = sorted((word for word in group.attributes if _place(word) == "before"), key=lists.rank_of)
    after = [word for word in group.attributes if _place(word) == "after"]
    clauses = [word for word in group.attributes if _place(word) == "clause"]
    noun = plural(group.name) if number == "plural" else group.name
    many = (number == "plural" or is_plural(noun)) and not is_mass(noun)
    parts = [*before, noun, *after]
    if clauses:
        parts.append(f"that {'are' if many else 'is'} {' and '.join(clauses)}")
    parts += (f"{_predicate(condition.predicate)} {with_indefinite(condition.to)}" for condition in group.related)
    return " ".join(parts)


@lru_cache(maxsize=65536)
def with_indefinite(group: Group) -> str:
    """The phrase of any one of ``group``: with "a" or "an", or bare where the noun takes no article.

    >>> with_indefinite(Group(name="pear", attributes=("unripe",))), with_indefinite(Group(name="grass"))
    ('an unripe pear', 'grass')
    """
    words = phrase(group, "singular")
    return words if is_mass(group.name) or is_plural(group.name) else with_article(words)


def in_a_row(phrases: Iterable[str]) -> str:
    """The phrases as a list in a sentence.

    >>> in_a_row(["a dog", "two cats", "a red bus"])
    'a dog, two cats and a red bus'
    """
    items = tuple(phrases)
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def describe(inventory: Iterable[tuple[str, int]]) -> str:
    """What is there, as names with their numbers: the caption of a perfect perceiver.

    Names without a number ("water", "pants") stand as they are, however many there are.

    >>> describe([("dog", 1), ("cat", 2), ("grass", 1), ("umbrella", 1)])
    'a dog, two cats, grass and an umbrella'
    """
    return in_a_row(_counted(name, n) for name, n in inventory if n > 0) or "nothing"


@cache
def _counted(name: str, n: int) -> str:
    if n == 1 or is_mass(name) or is_plural(name):
        return indefinite(name)
    return f"{number_word(n)} {plural(name)}"


@cache
def descriptions() -> frozenset[str]:
    """The attributes that describe a thing without making it another: "black", "small", not "hot" of a hot dog."""
    return frozenset(_lists().ranks)


class _Lists(NamedTuple):
    ranks: dict[str, int]
    after: frozenset[str]
    particles: frozenset[str]
    clause: frozenset[str]
    predicate: dict[str, str]

    def rank_of(self, attribute: str) -> int:
        if attribute not in self.ranks:
            return _BEFORE_THE_NOUN.index("action" if attribute.endswith("ing") else "state")
        return self.ranks[attribute]


@cache
def _lists() -> _Lists:
    table = tomllib.loads(_LISTS.read_text(encoding="utf-8"))
    return _Lists(
        ranks={word: rank for rank, kind in enumerate(_BEFORE_THE_NOUN) for word in table.get(kind, ())},
        after=frozenset(table["after"]),
        particles=frozenset(table["particles"]),
        clause=frozenset(table["clause"]),
        predicate=table["predicate"],
    )


@cache
def _place(attribute: str) -> Literal["before", "after", "clause"]:
    lists = _lists()
    if attribute in lists.clause:
        return "clause"
    if attribute in lists.ranks:
        return "before"
    words = attribute.split(" ")
    if attribute in lists.after or (len(words) > 1 and (words[0].endswith("ing") or words[-1] in lists.particles)):
        return "after"
    return "before"


@cache
def _predicate(predicate: str) -> str:
    """The predicate as it can follow a noun: "is wearing a" becomes "wearing", "has" becomes "with"."""
    words = predicate.split(" ")
    if words[0] in ("is", "are") and len(words) > 1:
        words = words[1:]
    if words[-1] in ("a", "an", "the") and len(words) > 1:
        words = words[:-1]
    bare = " ".join(words)
    return _lists().predicate.get(bare, bare)
