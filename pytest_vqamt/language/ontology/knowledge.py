"""What is known of attributes (category, opposites, what excludes what), relationships and class nouns."""

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
    """A kind of attribute.

    Attributes:
        name: "color", "pose".
        noun: how a question calls it ("What color is ..."), "" where there is no natural noun.
        is_action: what the attributes say is done, not how a thing is.
        is_gradable: what the attributes mean depends on the class of the thing and on what stands beside it.
        members: its attributes, those of another category that count here too at the end.
    """

    name: str
    noun: str
    is_action: bool
    is_gradable: bool
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ontology:
    """Answers each question by one look into a table; attributes may be spelled in any listed way.

    Attributes:
        predicates: relationships that may be asked about, the most telling first.
        noun_classes: see there.
    """

    predicates: tuple[str, ...]
    noun_classes: NounClasses
    categories: Mapping[str, Category]
    spellings: Mapping[str, str]
    category_by_attribute: Mapping[str, str]
    exclusive: frozenset[tuple[str, str]]
    opposites: Mapping[str, tuple[str, ...]]
    opposite_by_name: Mapping[tuple[str, str], str]
    ambiguous: frozenset[str]
    not_askable: frozenset[str]
    vague_predicates: frozenset[str]
    exact_predicates: frozenset[str]

    def __repr__(self) -> str:
        return f"Ontology({len(self.category_by_attribute)} attributes, {len(self.classes)} classes)"

    def canonical(self, attribute: str) -> str:
        """The usual spelling: two attributes that share it are one value.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> ontology().canonical("grey"), ontology().canonical("gray"), ontology().canonical("frobbed")
        ('gray', 'gray', 'frobbed')
        """
        return self.spellings.get(attribute, attribute)

    def category_of(self, attribute: str) -> str | None:
        """The category that it is at home in, None where it is in none.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> [ontology().category_of(each) for each in ("grey", "wooden", "standing", "frobbed")]
        ['color', 'material', 'pose', None]
        """
        return self.category_by_attribute.get(self.canonical(attribute))

    def noun(self, category: str) -> str:
        """How a question calls the category: "color"; "" where there is no natural noun, or no such category."""
        found = self.categories.get(category)
        return found.noun if found else ""

    def is_action(self, category: str) -> bool:
        """Whether its attributes say what is done: pose, activity, sport, gesture."""
        found = self.categories.get(category)
        return found is not None and found.is_action

    def members(self, category: str) -> tuple[str, ...]:
        """Its attributes in their usual spelling; those at home elsewhere last. None of an unknown category.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> ontology().members("length"), ontology().category_of("short")
        (('long', 'short'), 'height')
        """
        found = self.categories.get(category)
        return found.members if found else ()

    def excludes(self, a: str, b: str) -> bool:
        """Whether surely no thing is both, as annotators use the words.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> known = ontology()
        >>> known.excludes("red", "green"), known.excludes("gold", "yellow"), known.excludes("gray", "grey")
        (True, False, False)
        """
        return (self.canonical(a), self.canonical(b)) in self.exclusive

    def antonyms(self, attribute: str) -> tuple[str, ...]:
        """All its opposites, the most usual first: "short" is opposed to "tall" and to "long"."""
        return self.opposites.get(self.canonical(attribute), ())

    def antonym(self, attribute: str, name: str = "") -> str | None:
        """The one opposite that it has, of a thing of this name where that makes a difference; else None.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> known = ontology()
        >>> known.antonym("open"), known.antonym("tall"), known.antonym("short")
        ('closed', 'short', None)
        >>> known.antonym("short", "man"), known.antonym("short", "hair")
        ('tall', 'long')
        """
        word = self.canonical(attribute)
        if word in self.ambiguous:
            return self.opposite_by_name.get((word, name))
        found = self.opposites.get(word)
        return found[0] if found else None

    def is_gradable(self, attribute: str) -> bool:
        """Whether it depends on the class of the thing and on what is around it: small, tall, old."""
        found = self.categories.get(self.category_of(attribute) or "")
        return found is not None and found.is_gradable

    def askable(self, attribute: str) -> bool:
        """Whether it can follow "is the cup" and go into a noun phrase (language.phrases), naturally.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> [ontology().askable(each) for each in ("red", "on", "standing", "soccer", "carrying", "frobbed")]
        [True, True, True, False, False, False]
        """
        word = self.canonical(attribute)
        return word in self.category_by_attribute and word not in self.not_askable

    def asks(self, predicate: str) -> bool:
        """Whether the relationship may be asked about: it is one of ``predicates``."""
        return predicate in self.exact_predicates or predicate in self.vague_predicates

    def is_vague(self, predicate: str) -> bool:
        """Whether who looks decides where it ends: near, behind, to the left of. Taken as annotated, never denied."""
        return predicate in self.vague_predicates

    @property
    def classes(self) -> tuple[NounClass, ...]:
        """The class nouns, the more specific first."""
        return self.noun_classes.all

    def noun_class(self, word: str) -> NounClass | None:
        """The class of that word, None where there is none."""
        return self.noun_classes.get(word)

    def classes_of(self, name: str, wordnet: WordNet) -> tuple[str, ...]:
        """The class words that every thing of the name goes by, nearest first: "fruit", "food". A class's own word too.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> from pytest_vqamt.language.wordnet import wordnet
        >>> ontology().classes_of("apple", wordnet()), ontology().classes_of("teddy bear", wordnet())
        (('fruit', 'food'), ('toy',))
        """
        return self.noun_classes.of(name, wordnet)

    def perhaps_classes_of(self, name: str, wordnet: WordNet) -> tuple[str, ...]:
        """Those, and the class words that it goes by for some, or that it seldom comes without.

        Where such a thing is, nothing says that the class is absent: a teddy bear may be taken for an animal, a man
        comes with clothing, and a thing unknown to WordNet may be anything.

        >>> from pytest_vqamt.language.ontology import ontology
        >>> from pytest_vqamt.language.wordnet import wordnet
        >>> [word for word in ontology().perhaps_classes_of("lamp", wordnet()) if word in ("furniture", "animal")]
        ['furniture']
        """
        return self.noun_classes.perhaps_of(name, wordnet)


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
