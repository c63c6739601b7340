"""Hypotheses that a data set says its picture entails, with the units that are linked to things.

The meaning has the linked units alone: what is said of the others is not known to be true or false of the scene.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_vqamt.core.case import Fact
from pytest_vqamt.core.meaning import Entails, Group, Unit
from pytest_vqamt.core.scene import LinkedUnit, Scene, Thing
from pytest_vqamt.language.english.nouns import head, is_plural, singular
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.language.units import DescriptionUnit, head_noun, left_in_place, recombined
from pytest_vqamt.language.units.lexicon import Tag
from pytest_vqamt.language.units.parser import read
from pytest_vqamt.relations.lexical_knowledge import Knowledge
from pytest_vqamt.relations.veglue.places import is_place

_LEAST_LETTERS = 3
"""WordNet has shorter nouns as well, of chemistry and units of measurement."""
_PEOPLE = frozenset({"person.n.01"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A hypothesis of a data set, or what is left of it."""

    text: str
    units: tuple[LinkedUnit, ...]
    scene: Scene
    known: Knowledge

    @property
    def hypothesis(self) -> Hypothesis:
        return Hypothesis(self.text, Entails(units=tuple(self._meant(unit) for unit in self.units if unit.thing)))

    @property
    def things(self) -> tuple[Thing, ...]:
        return tuple(map(self.scene.thing, dict.fromkeys(unit.thing for unit in self.units if unit.thing)))

    @property
    def names(self) -> frozenset[str]:
        heads = (head_noun(unit.object) for unit in self.units)
        return frozenset((*heads, *(thing.name for thing in self.things), *nouns_in(self.text, self.known)))

    @property
    def is_all_placed(self) -> bool:
        """Whether of everything that it speaks of it is known where it is, be it no unit ("holding a knife").

        Of a place it need not be: no patch takes it away.
        """
        words = {singular(word) for unit in self.units for word in unit.object.lower().split()}
        known = words | {thing.name for thing in self.scene.objects}
        return all(unit.thing for unit in self.units) and all(
            noun in known or is_place(noun, self.known.words) for noun in nouns_in(self.text, self.known)
        )

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("shape", "published"), ("units", len(self.units)), ("wording", "published"))

    def names_of(self, thing: Thing) -> frozenset[str]:
        """The thing's name, and what else the data set's hypotheses call it: a boy, who is a child in another."""
        units = (unit for each in self.scene.hypotheses for unit in each.units if unit.thing == thing.id)
        return frozenset((thing.name, *(head_noun(unit.object) for unit in units)))

    def is_only(self, thing: Thing) -> bool:
        """Whether nothing else in the scene, and nothing else that the text names, could go by a name of the thing."""
        own = self.names_of(thing)
        others = {other.name for other in self.scene.objects if other.id != thing.id}
        others |= {region.name for region in self.scene.regions} | (self.names - own)
        return all(self.known.is_named(name) and all(self._is_apart(name, other) for other in others) for name in own)

    def is_said_of_one(self, thing: Thing) -> bool:
        """Whether the text says of it that it is one: "a bike", and not as in "people are bike riding"."""
        objects = [unit.object for unit in self.units if unit.thing == thing.id]
        return all(head_noun(each) in _said_of_one(self.text) for each in objects)

    def is_none(self, thing: Thing) -> bool:
        """Whether by no name of its own the thing is what the text names, or a part or garment of it."""
        return all(
            self.known.is_absent(name, self.names, self.scene.exhaustive)
            and all(self._is_apart(name, other) for other in self.names)
            for name in self.names_of(thing)
        )

    def _is_apart(self, name: str, other: str) -> bool:
        """Whether no thing goes by both names; a defender may be a player, so of people only listed names count."""
        if self.known.words.is_under(name, _PEOPLE) and self.known.words.is_under(other, _PEOPLE):
            return any(other in each.others(name) for each in self.known.classes_of(name))
        return self.known.is_apart(name, other, self.scene)

    def without(self, thing: Thing) -> Published | None:
        """The other units, recombined, less what they say of this thing."""
        left = self.units
        while (place := next((n for n, unit in enumerate(left) if unit.thing == thing.id), None)) is not None:
            left = _without(left, place)
        if left is self.units:
            return self
        return replace(self, text=recombined([_described(unit) for unit in left]), units=left) if left else None

    def _meant(self, unit: LinkedUnit) -> Unit:
        name = self.scene.thing(unit.thing).name
        return Unit(group=Group(name=name, attributes=(unit.property,) if unit.property else ()))


def published(scene: Scene, known: Knowledge) -> tuple[Published, ...]:
    """The hypotheses of the scene that it entails and of which some unit is linked."""
    return tuple(
        Published(text=each.text, units=each.units, scene=scene, known=known)
        for each in scene.hypotheses
        if each.label == "entailment" and any(unit.thing for unit in each.units)
    )


def _described(unit: LinkedUnit) -> DescriptionUnit:
    return DescriptionUnit(object=unit.object, property=unit.property, is_plural=is_plural(head(unit.object)))


def _without(units: tuple[LinkedUnit, ...], erased: int) -> tuple[LinkedUnit, ...]:
    """What is left of the units once one is erased, each with its thing."""
    return tuple(
        replace(units[place], object=left.object, property=left.property)
        for place, left in left_in_place([_described(unit) for unit in units], erased)
    )


@lru_cache(maxsize=4096)
def nouns_in(text: str, known: Knowledge) -> frozenset[str]:
    """Every noun of the text that WordNet knows as the name of a physical thing, in the singular."""
    nouns = (token.word for token in read(text).tokens if token.tag is Tag.NOUN and len(token.word) >= _LEAST_LETTERS)
    return frozenset(singular(noun) for noun in nouns if known.is_named(noun))


@lru_cache(maxsize=4096)
def _said_of_one(text: str) -> frozenset[str]:
    """The heads of noun phrases that have an article or the like, begin the text, or follow "and"."""
    sentence = read(text)
    return frozenset(
        singular(sentence.word(phrase.head))
        for phrase in sentence.phrases
        if phrase.name > phrase.start or phrase.start == 0 or sentence.tag(phrase.start - 1) is Tag.AND
    )
