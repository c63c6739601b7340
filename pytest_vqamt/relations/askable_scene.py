"""What can be asked of a scene: names that are there, names that are absent, and phrases that mean one thing.

Docstrings name the rules of docs/explanation/soundness.md that a method keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeVar, cast

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group, Related
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import is_nearly_everywhere
from pytest_vqamt.language.english.nouns import is_countable, is_everywhere, is_mass, plural, singular
from pytest_vqamt.language.ontology import NounClass
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.soundness import annotated_names, object_names, presumed

T = TypeVar("T")

_NATURAL_CLASSES = frozenset({"person", "animal", "plant", "food"})
"""Classes without a material: a wooden duck is not a duck."""
_METAL_COLOURS = frozenset({"bronze", "copper", "gold", "golden", "silver"})
"""Colours that mostly name a material."""

# A few, so that absent names stay plausible: a kitchen has no fork, rather than no giraffe.
MAX_PLAUSIBLE_NAMES = 12
"""The most absent names to draw from, those that co-occur most often with the companion."""

MAX_ABSENT_NAMES = 100
"""The most absent names to draw from without a companion, the most frequent ones of the corpus."""

_CACHE_SIZE = 16384
"""Entries of some kB each: a large run returns to each of thousands of scenes many times."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AskableScene:
    """One scene with its corpus and lexical knowledge. Results are cached."""

    scene: Scene
    """The scene that is asked about, which an edit may have changed."""
    corpus: Corpus
    """The data of the run: what is plausible beside what, and how frequent."""
    known: LexicalKnowledge
    """WordNet and the ontology, as the relation's settings name them."""
    gradable: bool = True
    """True if attributes that depend on class and context ("small", "tall", "old") are askable."""

    def cached(self, what: Hashable, find: Callable[[], T]) -> T:
        """Returns the result of ``find``, cached under the key ``what``."""
        if what not in self._found:
            self._found[what] = find()
        return cast("T", self._found[what])

    @cached_property
    def _found(self) -> dict[Hashable, object]:
        return {}

    @cached_property
    def annotated_names(self) -> frozenset[str]:
        """All names of things and crowds."""
        return annotated_names(self.scene)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The askable names in scene order: of physical things, without crowds and likenesses ("toy")."""
        excluded = {
            *(region.name for region in self.scene.regions),
            *(thing.name for thing in self.scene.objects if self._is_likeness(thing)),
        }
        # One toy dog excludes "dog": nobody could say which of the two a question is about.
        return tuple(name for name in object_names(self.scene) if name not in excluded and self.known.is_named(name))

    def _is_likeness(self, thing: Thing) -> bool:
        """True if the thing may not be what its name says: a toy, a duck of rubber, a roasted one."""
        said = {self.known.ontology.category_of(word) for word in thing.attributes}
        if not _METAL_COLOURS.isdisjoint(thing.attributes):
            said.add("material")
        of = {each.word for each in self.known.classes_of(thing.name)}
        if self.known.wordnet.may_name_the_same(thing.name, "animal"):
            of.add("animal")  # fish are food, too
        return (
            "reality" in said
            or ("material" in said and not _NATURAL_CLASSES.isdisjoint(of))
            or ("food" in said and "animal" in of)
        )

    @cached_property
    def nouns(self) -> tuple[str, ...]:
        """The names whose existence can be asked, so not the ground, which is everywhere."""
        return tuple(name for name in self.names if not is_everywhere(name))

    def things_named(self, name: str) -> tuple[Thing, ...]:
        return tuple(thing for thing in self.scene.objects if thing.name == name)

    def absent(self, companion: str) -> tuple[tuple[str, int], ...]:
        """Returns plausible names that are surely absent, with their frequencies (rule: sure absence).

        They co-occur with the companion in the corpus; if no such name is absent, any names of the corpus.
        """

        def find() -> tuple[tuple[str, int], ...]:
            together, any_names = self.corpus.cooccurring.get(companion, ()), self.corpus.frequency.items()
            # A companion that is alone in its pictures has no names beside it.
            for counted in (together, any_names):
                if found := tuple(islice((pair for pair in counted if self.is_absent(pair[0])), MAX_PLAUSIBLE_NAMES)):
                    return found
            return ()

        return self.cached(("absent", companion), find)

    @cached_property
    def countable_absent(self) -> tuple[str, ...]:
        """The countable names of the corpus that are surely absent, the most frequent first."""
        names = (name for name in self.corpus.names if is_countable(name) and self.is_absent(name))
        return tuple(islice(names, MAX_ABSENT_NAMES))

    def is_presumed(self, name: str) -> bool:
        """True if a thing of this name may be in the picture without being annotated."""
        return presumed((name,), self.scene)

    def askable_attributes(self, thing: Thing) -> tuple[str, ...]:
        """Returns the askable attributes. People have no size: a little girl is not small for a girl."""

        def find() -> tuple[str, ...]:
            category_of = self.known.ontology.category_of
            words = (word for word in thing.attributes if _is_askable(self.known, word, self.gradable))
            excluded = {
                *(("color",) if thing.multi_coloured else ()),
                *(("size",) if any(each.word == "person" for each in self.known.classes_of(thing.name)) else ()),
            }
            return tuple(word for word in words if category_of(word) not in excluded)

        return self.cached(("sayable", thing.id), find)

    def askable_attributes_of(self, name: str) -> tuple[str, ...]:
        """Returns the askable attributes of things of this name in the corpus."""
        return _askable_attributes_of(self.corpus, self.known, name, self.gradable)

    def surely_lacks(self, thing: Thing, word: str) -> bool:
        """True if the thing surely lacks the attribute (rule: sure falsehood).

        One of its attributes excludes it, and so do all of the same category: what is red and orange may be yellow.
        """
        kinds = self.known.ontology
        category = kinds.category_of(word)
        # A red bus that is marked as multi-coloured may have any other colour, too.
        if thing.multi_coloured and category == "color":
            return False
        # Annotated as red and orange: red excludes yellow, orange does not, so yellow may be right.
        excluding = [kinds.excludes(own, word) for own in thing.attributes]
        of_category = [kinds.category_of(own) == category for own in thing.attributes]
        return any(excluding) and all(out for out, same in zip(excluding, of_category, strict=True) if same)

    def false_attributes_of(self, name: str) -> tuple[str, ...]:
        """Returns attributes of the name in the corpus that all of its things here lack (rule: sure falsehood)."""
        things = self.things_named(name)
        if not self.is_unambiguous(name):
            return ()
        return tuple(
            word for word in self.askable_attributes_of(name) if all(self.surely_lacks(thing, word) for thing in things)
        )

    def is_unambiguous(self, name: str) -> bool:
        """True if nothing else in the scene could go by this name (rule: the only one)."""
        return self.cached(
            ("only", name),
            lambda: all(
                self.known.is_apart(name, other, self.scene) for other in self.annotated_names if other != name
            ),
        )

    def is_unique_by_name(self, thing: Thing) -> bool:
        """True if "the NAME" can only mean this thing (rule: the only one)."""
        return (
            len(self.things_named(thing.name)) == 1
            and all(region.name != thing.name for region in self.scene.regions)
            and self.is_unambiguous(thing.name)
        )

    def is_unique_by_attribute(self, thing: Thing, word: str) -> bool:
        """True if "the WORD NAME" can only mean this thing (rules: exclusive properties, the only one)."""
        # One of the crowd may be red as well.
        if any(region.name == thing.name for region in self.scene.regions) or not self.is_unambiguous(thing.name):
            return False
        return all(self.surely_lacks(other, word) for other in self.things_named(thing.name) if other.id != thing.id)

    def is_unique_in_class(self, thing: Thing, word: str, attribute: str = "") -> bool:
        """True if "the CLASS" or "the ATTRIBUTE CLASS" can only mean this thing (rule: the only one)."""
        return all(
            # A toy car is a vehicle to some, so beside it "the vehicle" may mean two things.
            (self.known.is_never(other.name, word) and not self._is_likeness(other))
            or (bool(attribute) and self.surely_lacks(other, attribute))
            for other in self.scene.objects
            if other.id != thing.id
        ) and all(self.known.is_never(region.name, word) for region in self.scene.regions)

    def classes_absent(self, name: str) -> tuple[str, ...]:
        """Returns the classes of the name that are surely absent: nothing is, passes for or comes with one.

        What comes with a class is a part or a garment: no person is absent where there is clothing.
        """
        return tuple(
            each.word for each in self.known.classes_of(name) if each.word != name and self.is_class_absent(each.word)
        )

    def is_class_absent(self, word: str) -> bool:
        """True if the class is surely absent: nothing in the scene belongs to it, could pass for or comes with one."""
        of = self.known.ontology.noun_class(word)
        return (
            of is not None
            # Plants may not: they stand in the background, and hardly anybody annotates them.
            and of.may_be_absent
            and all(
                self.known.is_never(other, word) and not self._comes_with(other, word) for other in self.annotated_names
            )
        )

    def _comes_with(self, name: str, word: str) -> bool:
        """True if an unannotated thing of class ``word`` may be part, whole or wearer of a thing of this name."""
        # Where both are annotated exhaustively, a shirt without a person box means that there is no person.
        return not {name, word} <= self.scene.exhaustive and self.known.wordnet.part_related(name, word)

    @cached_property
    def _relations_by_subject(self) -> dict[str, tuple[tuple[str, Thing], ...]]:
        found: dict[str, tuple[tuple[str, Thing], ...]] = {}
        for subject, predicate, target in self.relations:
            found[subject.id] = (*found.get(subject.id, ()), (predicate, target))
        return found

    def classes_of(self, name: str) -> tuple[NounClass, ...]:
        """Returns the classes of the name, the nearest first, that agree with the synsets of its things here."""
        given = {thing.synset for thing in self.things_named(name) if thing.synset}
        # Visual Genome gives each thing a synset, which may rule out a class that the word alone has.
        classes = self.known.classes_of(name)
        return tuple(each for each in classes if all(self.known.is_meant(name, synset, each.word) for synset in given))

    def phrases_by_relation(self, thing: Thing, group: Group) -> tuple[Group, ...]:
        """Returns ``group`` with each relation that identifies the thing."""
        return tuple(
            replace(group, related=(Related(predicate=predicate, to=Group(name=target.name)),))
            for predicate, target in self._relations_by_subject.get(thing.id, ())
        )

    @cached_property
    def relations(self) -> tuple[tuple[Thing, str, Thing], ...]:
        """Subject, predicate and object of each askable relationship. The object is the only one of its name."""
        by_id = {thing.id: thing for thing in self.scene.objects}
        only = {thing.id for thing in self.scene.objects if thing.name in self.names and self.is_unique_by_name(thing)}
        return tuple(
            (subject, each.predicate, by_id[each.object])
            for each in self.scene.relationships
            # "The cup on the table" must mean one table, or the truth hangs on which.
            if each.object in only
            and self.known.ontology.asks(each.predicate)
            # "A man near the man" cannot be asked.
            and (subject := by_id[each.subject]).name != by_id[each.object].name
            and subject.name in self.names
        )

    def is_absent(self, name: str) -> bool:
        """True if the name is surely absent."""
        return (
            self.known.is_absent(name, self.annotated_names, self.scene.exhaustive)
            and self.known.is_named(name)
            and not is_everywhere(name)
            # Nobody annotates each wall or shadow, so their absence is never sure without a class list.
            and (name in self.scene.exhaustive or not is_nearly_everywhere(name))
            and (
                is_mass(name)
                or (plural(name) not in self.annotated_names and singular(name) not in self.annotated_names)
            )
        )


@lru_cache(maxsize=65536)
def _is_askable(known: LexicalKnowledge, word: str, gradable: bool) -> bool:
    kinds = known.ontology
    return kinds.category_of(word) is not None and kinds.askable(word) and (gradable or not kinds.is_gradable(word))


@lru_cache(maxsize=65536)
def _askable_attributes_of(corpus: Corpus, known: LexicalKnowledge, name: str, gradable: bool) -> tuple[str, ...]:
    return tuple(word for word, _ in corpus.attributes.get(name, ()) if _is_askable(known, word, gradable))


def related_group(name: str, predicate: str, target: Group, attributes: tuple[str, ...] = ()) -> Group:
    """Returns the group of things of this name that are related to the one thing of ``target``."""
    return Group(name=name, attributes=attributes, related=(Related(predicate=predicate, to=target),))


_cache: dict[tuple[int, int, int, bool], AskableScene] = {}
"""By the addresses of the arguments, which each entry keeps alive, so that no other object takes the same address."""


def askable_scene_of(scene: Scene, corpus: Corpus, known: LexicalKnowledge, *, gradable: bool = True) -> AskableScene:
    """Returns the askable scene, from the cache if it is there."""
    key = id(scene), id(corpus), id(known), gradable
    found = _cache.get(key)
    if found is None:
        # The oldest goes first; pop with a default, as another thread may have taken it.
        if len(_cache) >= _CACHE_SIZE:
            _cache.pop(next(iter(_cache)), None)
        found = AskableScene(scene=scene, corpus=corpus, known=known, gradable=gradable)
        _cache[key] = found
    return found
