"""Attributes (category, opposites, exclusion), relationships and class nouns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_vqamt.language.english.nouns import head, singular

if TYPE_CHECKING:
    from pytest_vqamt.language.wordnet import WordNet


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A kind of attribute."""

    name: str
    """As in [category.NAME]: "color"."""
    noun: str
    """The noun of questions ("What color is ..."), "" without a natural one."""
    is_action: bool
    """True if the attributes are what is done, not how a thing is."""
    is_gradable: bool
    """True if the attributes depend on the class of the thing and on its surroundings."""
    members: tuple[str, ...]
    """Its attributes; those shared with another category last."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ontology:
    """Tables of attributes, relationships and classes; attributes may have any listed spelling."""

    predicates: tuple[str, ...]
    """Relationships for questions, the most telling first."""
    classes: tuple[NounClass, ...]
    """The more specific first; a class comes before the one that it is within."""
    likeness_first: frozenset[str]
    """First words of names of likenesses: "toy" of "toy car"."""
    likeness_last: frozenset[str]
    """Last words of names of likenesses: "statue" of "horse statue"."""
    categories: Mapping[str, Category]
    """By name."""
    spellings: Mapping[str, str]
    """The usual spelling by each other one: "gray" by "grey"."""
    category_by_attribute: Mapping[str, str]
    """The name of the home category of each attribute in its usual spelling."""
    exclusive: frozenset[tuple[str, str]]
    """Pairs that no thing has both of, in both orders."""
    opposites: Mapping[str, tuple[str, ...]]
    """All opposites of an attribute, the most usual first."""
    opposite_by_name: Mapping[tuple[str, str], str]
    """The opposite of an ambiguous attribute of a thing: "tall" by ("short", "man")."""
    ambiguous: frozenset[str]
    """Attributes whose opposite depends on the thing: "short"."""
    not_askable: frozenset[str]
    """Attributes that cannot follow "is the cup": "carrying"."""
    vague_predicates: frozenset[str]
    """Relationships that depend on who looks: "near"."""
    exact_predicates: frozenset[str]
    """Relationships that a picture shows or does not: "on"."""

    def __repr__(self) -> str:
        return f"Ontology({len(self.category_by_attribute)} attributes, {len(self.classes)} classes)"

    def canonical(self, attribute: str) -> str:
        """Returns the usual spelling: attributes that share it are one value.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> ontology().canonical("grey"), ontology().canonical("gray"), ontology().canonical("frobbed")
        ('gray', 'gray', 'frobbed')
        """
        return self.spellings.get(attribute, attribute)

    def category_of(self, attribute: str) -> str | None:
        """Returns the home category of an attribute, None without one."""
        return self.category_by_attribute.get(self.canonical(attribute))

    def noun(self, category: str) -> str:
        """Returns the noun of a category ("color"), "" without a natural one."""
        found = self.categories.get(category)
        return found.noun if found else ""

    def is_action(self, category: str) -> bool:
        """True if the attributes of the category are what is done: pose, activity, sport, gesture."""
        found = self.categories.get(category)
        return found is not None and found.is_action

    def members(self, category: str) -> tuple[str, ...]:
        """Returns the attributes of a category in their usual spelling, those at home elsewhere last."""
        found = self.categories.get(category)
        return found.members if found else ()

    def excludes(self, a: str, b: str) -> bool:
        """True if no thing is both, as annotators use the words.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> known = ontology()
        >>> known.excludes("red", "green"), known.excludes("gold", "yellow"), known.excludes("gray", "grey")
        (True, False, False)
        """
        return (self.canonical(a), self.canonical(b)) in self.exclusive

    def antonyms(self, attribute: str) -> tuple[str, ...]:
        """Returns all opposites, the most usual first: "short" is opposed to "tall" and to "long"."""
        return self.opposites.get(self.canonical(attribute), ())

    def antonym(self, attribute: str, name: str = "") -> str | None:
        """Returns the only opposite, for things of this name if that matters; else None.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> known = ontology()
        >>> known.antonym("open"), known.antonym("tall"), known.antonym("short")
        ('closed', 'short', None)
        >>> known.antonym("short", "man"), known.antonym("short", "hair")
        ('tall', 'long')
        """
        word = self.canonical(attribute)
        # "Short" has two opposites, of which the thing decides: of men "tall", of hair "long".
        if word in self.ambiguous:
            return self.opposite_by_name.get((word, name))
        found = self.opposites.get(word)
        return found[0] if found else None

    def is_gradable(self, attribute: str) -> bool:
        """True if it depends on the class of the thing and on its surroundings: small, tall, old."""
        found = self.categories.get(self.category_of(attribute) or "")
        return found is not None and found.is_gradable

    def askable(self, attribute: str) -> bool:
        """True if it can follow "is the cup" and stand in a noun phrase."""
        word = self.canonical(attribute)
        return word in self.category_by_attribute and word not in self.not_askable

    def asks(self, predicate: str) -> bool:
        return predicate in self.exact_predicates or predicate in self.vague_predicates

    def is_vague(self, predicate: str) -> bool:
        """True if its limits are a matter of opinion: near, behind. Such a relationship is never denied."""
        return predicate in self.vague_predicates

    def noun_class(self, word: str) -> NounClass | None:
        return _by_word(self).get(word)

    def classes_of(self, name: str, wordnet: WordNet) -> tuple[str, ...]:
        """Returns the classes of every thing of the name, nearest first: "fruit", "food".

        >>> from pytest_vqamt.language.ontology import ontology
        >>> from pytest_vqamt.language.wordnet import wordnet
        >>> ontology().classes_of("apple", wordnet()), ontology().classes_of("teddy bear", wordnet())
        (('fruit', 'food'), ('toy',))
        """
        return _surely(self, name, wordnet)

    def perhaps_classes_of(self, name: str, wordnet: WordNet) -> tuple[str, ...]:
        """Returns those, and the classes that the name may have, or that it seldom comes without.

        Their absence cannot be claimed beside such a thing: a teddy bear may be taken for an animal, a man comes with
        clothing, and a thing unknown to WordNet may be anything.
        """
        return _perhaps(self, name, wordnet)


@dataclass(frozen=True, slots=True, kw_only=True)
class NounClass:
    """A noun for things of many names."""

    word: str
    """"animal", "furniture"."""
    synsets: tuple[str, ...] = ()
    """WordNet's synsets at or below these are of the class."""
    names: frozenset[str] = frozenset()
    """Of the class whatever WordNet has."""
    not_names: frozenset[str] = frozenset()
    """Never of it."""
    perhaps: frozenset[str] = frozenset()
    """Of the class for some people only, or seldom seen without one."""
    perhaps_synsets: tuple[str, ...] = ()
    """The same, for synsets at or below these."""
    within: str = ""
    """The class that all of this one belongs to, or ""."""
    may_be_absent: bool = True
    """True if its absence can be claimed; False of plants, which stand in the background unannotated."""
    choice_sets: tuple[tuple[str, ...], ...] = ()
    """Names of which no thing bears two."""
    may_be: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Other names of a name, which are no alternatives to it."""

    @property
    def choices(self) -> tuple[str, ...]:
        return self.choice_sets[0] if self.choice_sets else ()

    def others(self, name: str) -> tuple[str, ...]:
        """Returns names to offer together with ``name``: no thing has two of them. Empty if none are known.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> person = next(each for each in ontology().classes if each.word == "person")
        >>> person.others("boy"), person.others("guy"), person.others("skier")
        (('girl',), ('woman',), ())
        """
        also = self.may_be.get(name, frozenset())
        for names in self.choice_sets:
            # A "guy" is not listed, but may be a man: then the choices of "man" are his, without "man".
            if name in names or (also and not also.isdisjoint(names)):
                return tuple(each for each in names if each != name and each not in also)
        return ()


@lru_cache(maxsize=8)
def _by_word(known: Ontology) -> Mapping[str, NounClass]:
    return {each.word: each for each in reversed(known.classes)}


@lru_cache(maxsize=65536)
def _surely(known: Ontology, name: str, wordnet: WordNet) -> tuple[str, ...]:
    return tuple(_with_parents(known, lambda each: _belongs(known, each, name, wordnet), name))


@lru_cache(maxsize=65536)
def _perhaps(known: Ontology, name: str, wordnet: WordNet) -> tuple[str, ...]:
    # A thing unknown to WordNet may be anything, and a likeness may pass for what it shows.
    nothing_known = wordnet.sense(name) is None
    shown = _shown_by(known, name)
    surely = {*_surely(known, name, wordnet), *(_surely(known, shown, wordnet) if shown else ())}

    def may_be(each: NounClass) -> bool:
        listed = each.word in surely or _doubtful(each, name)
        return nothing_known or listed or wordnet.is_under(name, each.perhaps_synsets)

    return tuple(_with_parents(known, may_be, name))


def _with_parents(known: Ontology, is_of: Callable[[NounClass], bool], name: str) -> Iterator[str]:
    parents: set[str] = set()
    for each in known.classes:
        if not _listed(name, each.not_names) and (each.word in parents or is_of(each)):
            # A class comes before the one that it is within, so one pass finds all parents.
            parents.add(each.within)
            yield each.word


def _belongs(known: Ontology, each: NounClass, name: str, wordnet: WordNet) -> bool:
    if name == each.word or _listed(name, each.names):
        return True
    # A toy car is no vehicle, whatever WordNet has above "car".
    if _doubtful(each, name) or _shown_by(known, name):
        return False
    return wordnet.is_under(name, each.synsets) and not wordnet.is_under(name, each.perhaps_synsets)


def _shown_by(known: Ontology, name: str) -> str:
    """Returns the thing that a likeness shows: "car" of "toy car", "horse" of "horse statue"; else ""."""
    first, _, after = name.partition(" ")
    before, _, last = name.rpartition(" ")
    if after and first in known.likeness_first:
        return after
    return before if singular(last) in known.likeness_last else ""


def _doubtful(each: NounClass, name: str) -> bool:
    """True if the name or its head noun is doubtful; not of a compound that is listed itself."""
    return _listed(name, each.perhaps) or (head(name) != name and _listed(head(name), each.perhaps))


def _listed(name: str, names: frozenset[str]) -> bool:
    # Annotations have plurals, the lists singulars.
    return name in names or singular(name) in names
