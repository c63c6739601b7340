"""Whether the right answer is known for certain: what is not annotated may be there all the same.

A relation can be sound where the truth is not known: "is there a dog?" and "in the picture, is there a dog?" have the
same answer, whatever it is. A label needs more. It rests on what is annotated; on absence only where the scene
annotates every instance of the name (``Scene.exhaustive``) and has no crowd of it; and on a missing attribute only
where each thing of the name bears one that excludes it, by the ontology and by ``language.properties``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Meaning,
    Neither,
    NotBoth,
    members,
    truth,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.lexical_relations import exclusive_pool
from pytest_vqamt.language.ontology import ontology

Known: TypeAlias = bool | None
"""Surely true, surely false, or None: either may be."""


def is_certain(query: Query) -> bool:
    """Whether the scene's annotations leave no doubt about the right answer."""
    return truth(query.meaning, query.picture.scene) is not None and _is_certain(query.meaning, query.picture.scene)


def _is_certain(meaning: Meaning, scene: Scene) -> bool:
    match meaning:
        case Count(groups=groups):
            return all(_Seen.of(group, scene).is_all for group in groups)
        case Exists(group=group) | Absent(group=group):
            return _Seen.of(group, scene).any is not None
        case Both(groups=groups) | NotBoth(groups=groups):
            return _all(_Seen.of(group, scene).any for group in groups) is not None
        case Either(groups=groups) | Neither(groups=groups):
            return _all(_not(_Seen.of(group, scene).any) for group in groups) is not None
        case Has(group=group, attribute=attribute):
            seen = _Seen.of(group, scene)
            return seen.is_one and _has(seen.things[0], attribute) is not None
        case Choice(what=what):
            return _Seen.of(what, scene).is_one
        case Entails(units=units):
            return _all(_Seen.of(unit.group, scene).any for unit in units) is not None
        case Describe():
            return bool(scene.objects) and _is_listed((thing.name for thing in scene.objects), scene)
        case Annotated(answers=answers):
            weights = sorted((weight for _, weight in answers), reverse=True)
            return len(weights) == 1 or weights[0] > weights[1]
        case _:
            assert_never(meaning)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a scene tells of a group: the things that surely belong to it, and whether these are all."""

    things: tuple[Thing, ...]
    is_all: bool

    @classmethod
    def of(cls, group: Group, scene: Scene) -> _Seen:
        names = group.covers or (group.name,)
        things = members(group, scene)
        surely = {thing.id for thing in things}
        others = (thing for thing in scene.objects if thing.name in names and thing.id not in surely)
        return cls(things, _is_listed(names, scene) and not any(_may_be(thing, group) for thing in others))

    @property
    def any(self) -> Known:
        """Whether there is one."""
        return True if self.things else False if self.is_all else None

    @property
    def is_one(self) -> bool:
        """Whether "the" thing of the group can be no other."""
        return self.is_all and len(self.things) == 1


def _is_listed(names: Iterable[str], scene: Scene) -> bool:
    """Whether every thing of these names is annotated, each by itself."""
    listed = frozenset(names)
    return listed <= scene.exhaustive and all(region.name not in listed for region in scene.regions)


def _may_be(thing: Thing, group: Group) -> bool:
    """Whether a thing of the right name, which is not annotated to belong to the group, may belong to it."""
    return all(_has(thing, attribute) is not False for attribute in group.attributes)


def _has(thing: Thing, attribute: str) -> Known:
    """Whether the thing has the attribute; what is red and orange may be yellow, too."""
    if attribute in thing.attributes:
        return True
    kinds, pool = ontology(), exclusive_pool(thing.name)
    category = kinds.category_of(attribute)
    if thing.multi_coloured and category == "color":
        return None
    if attribute in pool and sum(word in pool for word in thing.attributes) == 1:
        return False
    beside = [word for word in thing.attributes if kinds.category_of(word) == category]
    excluding = [word for word in thing.attributes if kinds.excludes(word, attribute)]
    return False if excluding and set(beside) <= set(excluding) else None


def _all(each: Iterable[Known]) -> Known:
    known = tuple(each)
    return False if False in known else None if None in known else True


def _not(known: Known) -> Known:
    return None if known is None else not known
