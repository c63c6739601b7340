"""Class nouns that people use ("animal", "fruit", "furniture"), and what surely or perhaps belongs to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from pytest_vqamt.language.nouns import singular


class Senses(Protocol):
    """What is asked of WordNet here (language.wordnet)."""

    def sense(self, name: str, synset: str | None = None) -> str | None: ...

    def is_under(self, name: str, synsets: tuple[str, ...]) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NounClass:
    """A noun that people use for things of many names.

    Attributes:
        word: "animal", "furniture".
        synsets: what WordNet has at or below them is of the class.
        names: of the class whatever WordNet says.
        not_names: never of it.
        perhaps: of the class for some people only, or seldom seen without one.
        perhaps_synsets: the same of all that WordNet has at or below them.
        within: the class that all of this one belongs to, or "".
        may_be_absent: whether it can be said that there is none: plants stand in the background unannotated.
        choice_sets: of each, no thing bears two of the names, even as people use them loosely.
        may_be: what else a name is called, so that it is no alternative to it.
    """

    word: str
    synsets: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    not_names: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()
    perhaps_synsets: tuple[str, ...] = ()
    within: str = ""
    may_be_absent: bool = True
    choice_sets: tuple[tuple[str, ...], ...] = ()
    may_be: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def choices(self) -> tuple[str, ...]:
        """The first set of names that exclude each other."""
        return self.choice_sets[0] if self.choice_sets else ()

    def others(self, name: str) -> tuple[str, ...]:
        """Names that exclude ``name`` and each other: what can be offered beside it. None where that is not known.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> person = next(each for each in ontology().classes if each.word == "person")
        >>> person.others("boy"), person.others("guy"), person.others("skier")
        (('girl',), ('woman',), ())
        """
        also = self.may_be.get(name, frozenset())
        for names in self.choice_sets:
            if name in names or (also and not also.isdisjoint(names)):
                return tuple(each for each in names if each != name and each not in also)
        return ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NounClasses:
    """All the classes, the more specific first.

    Attributes:
        all: in that order; a class comes before the one that it is within.
        likeness_first, likeness_last: words that begin, or end, names of what only looks like something ("toy car").
    """

    all: tuple[NounClass, ...]
    likeness_first: frozenset[str]
    likeness_last: frozenset[str]

    def of(self, name: str, senses: Senses) -> tuple[str, ...]:
        """The classes that every thing of the name belongs to, nearest first."""
        return _surely(self, name, senses)

    def perhaps_of(self, name: str, senses: Senses) -> tuple[str, ...]:
        """Those, and the classes that a thing of the name belongs to for some people, or seldom comes without."""
        return _perhaps(self, name, senses)

    def is_likeness(self, name: str) -> bool:
        first, _, rest = name.partition(" ")
        return bool(rest) and (first in self.likeness_first or name.rpartition(" ")[2] in self.likeness_last)


@lru_cache(maxsize=65536)
def _surely(classes: NounClasses, name: str, senses: Senses) -> tuple[str, ...]:
    return tuple(_with_parents(classes, lambda each: _belongs(classes, each, name, senses), name))


@lru_cache(maxsize=65536)
def _perhaps(classes: NounClasses, name: str, senses: Senses) -> tuple[str, ...]:
    nothing_known = senses.sense(name) is None or classes.is_likeness(name)
    surely = classes.of(name, senses)
    return tuple(
        _with_parents(
            classes,
            lambda each: (
                each.word in surely
                or nothing_known
                or _listed(name, each.perhaps)
                or senses.is_under(name, each.perhaps_synsets)
            ),
            name,
        )
    )


def _with_parents(classes: NounClasses, is_of: _Test, name: str) -> Iterator[str]:
    parents: set[str] = set()
    for each in classes.all:
        if not _listed(name, each.not_names) and (each.word in parents or is_of(each)):
            parents.add(each.within)
            yield each.word


class _Test(Protocol):
    def __call__(self, each: NounClass, /) -> bool: ...


def _belongs(classes: NounClasses, each: NounClass, name: str, senses: Senses) -> bool:
    if _listed(name, each.names):
        return True
    if _listed(name, each.perhaps) or classes.is_likeness(name):
        return False
    return senses.is_under(name, each.synsets) and not senses.is_under(name, each.perhaps_synsets)


def _listed(name: str, names: frozenset[str]) -> bool:
    return name in names or singular(name) in names
