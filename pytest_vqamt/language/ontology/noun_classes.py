"""Class nouns that people use ("animal", "fruit", "furniture"), and what surely or perhaps belongs to each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_vqamt.language.english.nouns import head, singular

if TYPE_CHECKING:
    from pytest_vqamt.language.wordnet import WordNet


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
    by_word: Mapping[str, NounClass] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_word", {each.word: each for each in self.all})

    def get(self, word: str) -> NounClass | None:
        """The class of that word."""
        return self.by_word.get(word)

    def of(self, name: str, wordnet: WordNet) -> tuple[str, ...]:
        """The classes that every thing of the name belongs to, nearest first."""
        return _surely(self, name, wordnet)

    def perhaps_of(self, name: str, wordnet: WordNet) -> tuple[str, ...]:
        """Those, and the classes that a thing of the name belongs to for some people, or seldom comes without."""
        return _perhaps(self, name, wordnet)

    def shown_by(self, name: str) -> str:
        """What the name of a likeness is a likeness of: "car" of "toy car", "horse" of "horse statue"; else "".

        >>> from pytest_vqamt.language.ontology import ontology
        >>> [ontology().noun_classes.shown_by(each) for each in ("toy car", "horse statue", "red car")]
        ['car', 'horse', '']
        """
        first, _, after = name.partition(" ")
        before, _, last = name.rpartition(" ")
        if after and first in self.likeness_first:
            return after
        return before if singular(last) in self.likeness_last else ""


@lru_cache(maxsize=65536)
def _surely(classes: NounClasses, name: str, wordnet: WordNet) -> tuple[str, ...]:
    return tuple(_with_parents(classes, lambda each: _belongs(classes, each, name, wordnet), name))


@lru_cache(maxsize=65536)
def _perhaps(classes: NounClasses, name: str, wordnet: WordNet) -> tuple[str, ...]:
    nothing_known = wordnet.sense(name) is None
    shown = classes.shown_by(name)
    surely = {*classes.of(name, wordnet), *(classes.of(shown, wordnet) if shown else ())}
    return tuple(
        _with_parents(
            classes,
            lambda each: (
                each.word in surely
                or nothing_known
                or _doubtful(each, name)
                or wordnet.is_under(name, each.perhaps_synsets)
            ),
            name,
        )
    )


def _with_parents(classes: NounClasses, is_of: Callable[[NounClass], bool], name: str) -> Iterator[str]:
    parents: set[str] = set()
    for each in classes.all:
        if not _listed(name, each.not_names) and (each.word in parents or is_of(each)):
            parents.add(each.within)
            yield each.word


def _belongs(classes: NounClasses, each: NounClass, name: str, wordnet: WordNet) -> bool:
    if name == each.word or _listed(name, each.names):
        return True
    if _doubtful(each, name) or classes.shown_by(name):
        return False
    return wordnet.is_under(name, each.synsets) and not wordnet.is_under(name, each.perhaps_synsets)


def _doubtful(each: NounClass, name: str) -> bool:
    """A compound is as doubtful as its head noun: a car seat as a seat, but where the compound is listed itself."""
    return _listed(name, each.perhaps) or (head(name) != name and _listed(head(name), each.perhaps))


def _listed(name: str, names: frozenset[str]) -> bool:
    return name in names or singular(name) in names
