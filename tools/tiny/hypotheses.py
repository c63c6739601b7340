"""Entailment hypotheses written from a scene: what it shows, what it does not, and what no picture could."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vqamt.core.meaning import Entails, Group, Label, Related, Unit, members, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.picture_world.looks import (
    CATEGORIES,
    CATEGORY_OF,
    FAMILIES,
    FAMILY_OF,
    NAMES,
    PREDICATE_CATEGORIES,
    a,
    capital,
    listed,
    noun_phrase,
)
from pytest_vqamt.sampling.chooser import Chooser

_HYPERNYMS = ("person", "animal", "vehicle")
"""Families whose name is itself a word for any one of them."""

_VERBS = {"wearing": "is wearing", "holding": "is holding", "on": "is on", "under": "is under", "near": "is near"}


@dataclass(frozen=True, slots=True)
class _Claim:
    """One unit with its words: after "there is" where it only says that something is there, else a clause."""

    unit: Unit
    words: str
    only_there: bool


def hypothesis(scene: Scene, choose: Chooser, label: Label) -> tuple[str, Entails] | None:
    """A hypothesis of which ``label`` is the truth about ``scene``, and its meaning; None where it allows none."""
    if not scene.objects:
        return None
    last = _false_claim(scene, choose) if label is Label.CONTRADICTION else _true_claim(scene, choose)
    if last is not None and label is Label.NEUTRAL:
        last = _unseen_claim(last.unit.group, scene, choose)
    if last is None:
        return None
    claims = [last]
    if choose.chance(0.35):
        first = _true_claim(scene, choose)
        if not _names(first) & _names(last):
            claims = [first, last] if choose.chance(0.5) else [last, first]
    meaning = Entails(units=tuple(claim.unit for claim in claims))
    return (_sentence(claims), meaning) if truth(meaning, scene) is label else None


def _names(claim: _Claim) -> set[str]:
    group = claim.unit.group
    return {group.name, *group.covers}


def _sentence(claims: list[_Claim]) -> str:
    if all(claim.only_there for claim in claims):
        return f"There is {listed([claim.words for claim in claims])}."
    clauses = [f"there is {claim.words}" if claim.only_there else claim.words for claim in claims]
    return f"{capital(' and '.join(clauses))}."


def _true_claim(scene: Scene, choose: Chooser) -> _Claim:
    thing = choose.one(scene.objects)
    kind = choose.weighted(("there", "related", "state", "hypernym"), (45, 30, 20, 5))
    if kind == "related":
        links = [each for each in scene.relationships if each.subject == thing.id]
        first = [each for each in links if each.predicate in ("wearing", "holding", "on", "under")]
        if links:
            link = choose.one(first) if first and choose.chance(0.7) else choose.one(links)
            return _related(_some(thing, choose), link.predicate, _some(scene.thing(link.object), choose))
    if kind == "state":
        words = [word for word in thing.attributes if _can_be_said_after_is(word)]
        if words:
            return _state(thing.name, choose.one(words))
    if kind == "hypernym" and FAMILY_OF[thing.name] in _HYPERNYMS:
        family = FAMILY_OF[thing.name]
        return _there(Group(name=family, covers=(family, *FAMILIES[family])))
    return _there(_some(thing, choose))


def _some(thing: Thing, choose: Chooser) -> Group:
    """The thing by its name and none, one or two of the words that can stand before it."""
    words = [word for word in thing.attributes if CATEGORY_OF[word] not in PREDICATE_CATEGORIES and word != "plain"]
    most = min(2, len(words))
    said = choose.weighted(range(most + 1), (30, 50, 20)[: most + 1])
    return Group(name=thing.name, attributes=choose.several(words, said))


def _there(group: Group) -> _Claim:
    return _Claim(Unit(group=group), _named(group), only_there=True)


def _named(group: Group) -> str:
    return a(noun_phrase(group.name, group.attributes))


def _state(name: str, word: str) -> _Claim:
    group = Group(name=name, attributes=(word,))
    return _Claim(Unit(group=group), f"{a(name)} is {word}", only_there=False)


def _related(subject: Group, predicate: str, other: Group) -> _Claim:
    group = Group(name=subject.name, attributes=subject.attributes, related=(Related(predicate=predicate, to=other),))
    verb = _VERBS.get(predicate, f"is {predicate}")
    return _Claim(Unit(group=group), f"{_named(subject)} {verb} {_named(other)}", only_there=False)


def _unseen_claim(group: Group, scene: Scene, choose: Chooser) -> _Claim | None:
    things = members(group, scene)
    if not things:
        return None
    plain = Group(name=things[0].name, attributes=() if group.covers else group.attributes)
    said = " ".join(word for word in plain.attributes if CATEGORY_OF[word] in PREDICATE_CATEGORIES)
    unseen = choose.one(unseen_of(things[0].name))
    words = _named(plain) + (f" that is {said}" if said else "")
    return _Claim(Unit(group=plain, unseen=unseen), f"{words} {unseen}", only_there=False)


def _false_claim(scene: Scene, choose: Chooser) -> _Claim | None:
    """A claim about a name that is absent, or a word that something true of every bearer of the name excludes."""
    if choose.chance(0.5):
        names = dict.fromkeys(thing.name for thing in scene.objects)
        wrong = [(name, word) for name in names for word in _wrong(name, scene)]
        if wrong:
            name, word = choose.one(wrong)
            if _can_be_said_after_is(word) and (CATEGORY_OF[word] in PREDICATE_CATEGORIES or choose.chance(0.4)):
                return _state(name, word)
            return _there(Group(name=name, attributes=(word,)))
    return _absent_claim(scene, choose)


def _absent_claim(scene: Scene, choose: Chooser) -> _Claim | None:
    present = {thing.name for thing in scene.objects}
    absent = [name for name in NAMES if name in scene.exhaustive and name not in present]
    if not absent:
        return None
    families = {FAMILY_OF[name] for name in present if name in FAMILY_OF}
    alike = [name for name in absent if FAMILY_OF[name] in families]
    name = choose.one(alike) if alike and choose.chance(0.5) else choose.one(absent)
    kind = choose.weighted(("there", "coloured", "related"), (50, 25, 25))
    if kind == "coloured" and FAMILY_OF[name] != "person":
        return _there(Group(name=name, attributes=(choose.one(CATEGORIES["colour"]),)))
    if kind == "related":
        other = _some(choose.one(scene.objects), choose)
        return _related(Group(name=name), choose.one(("near", "to the left of", "to the right of")), other)
    return _there(Group(name=name))


def _wrong(name: str, scene: Scene) -> Iterator[str]:
    """Words that no bearer of the name has, though each has another word of the same category."""
    bearers = [thing for thing in scene.objects if thing.name == name]
    if any(thing.multi_coloured for thing in bearers):
        return
    for category, words in CATEGORIES.items():
        if category in ("size", "gesture"):
            continue
        has = [{word for word in thing.attributes if CATEGORY_OF[word] == category} for thing in bearers]
        if all(has):
            possible = _POSTURES.get(FAMILY_OF[name], ()) if category == "posture" else words
            yield from (word for word in possible if not any(word in each for each in has))


_POSTURES = {
    "person": ("standing", "sitting", "lying", "walking", "running", "jumping"),
    "animal": ("standing", "sitting", "lying", "flying"),
}


def _can_be_said_after_is(word: str) -> bool:
    return CATEGORY_OF[word] != "pattern"


_PEOPLE = (
    "is called Anna", "is called Sam", "is hungry", "is a teacher", "is a doctor", "is on holiday", "lives nearby",
    "has two sisters", "likes music", "speaks French", "is thinking of lunch", "is late for work", "won a prize",
    "is waiting for a friend", "had a birthday yesterday",
)  # fmt: skip
_ANIMALS = (
    "is called Max", "is called Bella", "is hungry", "is three years old", "belongs to a farmer",
    "is afraid of thunder", "ate an hour ago", "slept all night", "was born in spring",
    "is looking for a home", "is friendly",
)  # fmt: skip
_FOOD = (
    "is very sweet", "was bought yesterday", "is for lunch", "is still warm", "was a present", "is from the market",
    "costs two euros", "will be eaten soon",
)  # fmt: skip
_VEHICLES = (
    "belongs to a doctor", "was bought last year", "is going to the city", "needs a repair", "is for sale",
    "was built in Italy", "is very loud", "is rented",
)  # fmt: skip
_PLANTS = (
    "was planted last year", "needs water", "is ten years old", "smells good", "belongs to a neighbour",
    "will be cut down", "was a present",
)  # fmt: skip
_CLOTHES = (
    "was bought yesterday", "is made of cotton", "was very cheap", "is a present", "belongs to a teacher", "is new",
    "was washed this morning", "is too tight",
)  # fmt: skip
_THINGS = (
    "was bought yesterday", "is a present", "belongs to a teacher", "is for sale", "is very old", "was very cheap",
    "is heavy", "was made by hand", "was found in the cellar", "is going to be sold", "was lost last week",
)  # fmt: skip

_UNSEEN: dict[str, tuple[str, ...]] = {
    "person": _PEOPLE, "animal": _ANIMALS, "food": _FOOD, "vehicle": _VEHICLES, "plant": _PLANTS,
    "clothing": _CLOTHES,
}  # fmt: skip


def unseen_of(name: str) -> tuple[str, ...]:
    """What could be said of a thing of this name and not be seen.

    >>> "is hungry" in unseen_of("man"), "is hungry" in unseen_of("car")
    (True, False)
    """
    return _UNSEEN.get(FAMILY_OF[name], _THINGS)
