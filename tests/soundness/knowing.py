"""What can be said for certain about a picture by one who sees some things well and others not: yes, no, or nothing.

Written with none of the package's own logic for truth, which takes every thing for surely there or surely not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Absent,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    PartCount,
    Property,
    WhichThere,
    groups_of,
)
from pytest_vqamt.core.scene import Relationship, Thing
from tests.reader.truths import is_on_side
from tests.soundness.kinds_of_things import Kinds, meant

Inventory: TypeAlias = tuple[tuple[str, int], ...]
"""Names of things, with how many there are."""

Known: TypeAlias = bool | int | str | Inventory | None
"""The right answer; None where it cannot be told."""

_SEVERAL = 2

BY_COMPARISON = frozenset(("large", "small", "tall", "short"))
"""Nobody tells these of a thing by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubtful:
    """What may be a thing of its own, or not; ``badly`` seen, it may be taken for what looks like it."""

    thing: Thing
    badly: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowing:
    """What one knows who looks at a picture.

    Attributes:
        things: seen for what they are, each with the box around what is seen of it.
        doubtful: the others.
        relationships: of the unedited photo.
        kinds: what words for classes stand for.
        compares: whether there is anything else to compare sizes with.
        alike: whether a thing of the one name, badly seen, may be taken for one of the other.
        parts: the number of a thing's parts of this name; None where they cannot be counted.
    """

    things: tuple[Thing, ...]
    doubtful: tuple[Doubtful, ...]
    relationships: tuple[Relationship, ...]
    kinds: Kinds
    compares: bool
    alike: Callable[[str, str], bool]
    parts: Callable[[Thing, str], int | None] = lambda _thing, _part: None

    def answer(self, meaning: Meaning) -> Known:
        """The right answer, if it can be told."""
        if isinstance(meaning, Entails):
            return self._label(unit.group for unit in meaning.units)
        if isinstance(meaning, Describe):
            return self._inventory()
        beside = (condition.to for group in groups_of(meaning) for condition in group.related)
        if any(self._only(group) is None for group in beside):
            # "On the table" says that there is one table.
            return None
        match meaning:
            case Count(groups=groups):
                return self._count(groups)
            case Exists(group=group):
                return self._exists(group)
            case Absent(group=group):
                return _not(self._exists(group))
            case Both(groups=groups):
                return _all(map(self._exists, groups))
            case NotBoth(groups=groups):
                return _not(_all(map(self._exists, groups)))
            case Either(groups=groups):
                return _not(_all(_not(self._exists(group)) for group in groups))
            case Neither(groups=groups):
                return _all(_not(self._exists(group)) for group in groups)
            case Has(group=group, attribute=attribute):
                only = self._only(group)
                return None if only is None else self._bears(only, attribute)
            case Located(group=group, side=side, other=other):
                one, another = self._only(group), self._only(other)
                return None if one is None or another is None else is_on_side(one, another, side.value)
            case Choice(what=what, options=options):
                return self._chosen(what, options)
            case Property(group=group, values=values):
                return NO_SUCH_THING if self._exists(group) is False else self._chosen(group, values)
            case PartCount(group=group, part=part):
                only = self._only(group)
                return None if only is None else self.parts(only, part)
            case WhichThere(groups=groups, missing=missing, or_none=or_none):
                return self._which(groups, missing=missing, or_none=or_none)
        raise AssertionError(f"say here what is known of {meaning!r}")

    def _inventory(self) -> Inventory | None:
        """Everything, with a crowd as several; None where one might name what is seen badly, or not.

        What lies in pieces behind another thing is one thing to whoever describes a picture.
        """
        if any(each.badly for each in self.doubtful):
            return None
        seen = {thing.id for thing in self.things}
        counts = Counter(thing.name for thing in self.things)
        counts.update({each.thing.name: _SEVERAL for each in self.doubtful if each.thing.id not in seen})
        return tuple(counts.items())

    def _label(self, groups: Iterable[Group]) -> str | None:
        """Whether there is one of each group; what stands "on a table" may stand on any of them."""
        there = _all(map(self._is_some, groups))
        return None if there is None else "entailment" if there else "contradiction"

    def _is_some(self, group: Group) -> bool | None:
        """Whether there is one, be it beside any of several others."""
        plain = Group(name=group.name, covers=group.covers, attributes=group.attributes)
        perhaps = any(self._may_fit(each, plain) for each in self.doubtful)
        found = {
            _all((self._fits(thing, plain), *(self._is_beside_one(thing, it.predicate, it.to) for it in group.related)))
            for thing in self.things
        }
        return True if True in found else None if None in found or perhaps else False

    def _is_beside_one(self, thing: Thing, predicate: str, beside: Group) -> bool | None:
        others = {r.object for r in self.relationships if (r.subject, r.predicate) == (thing.id, predicate)}
        found = {self._fits(other, beside) for other in self.things if other.id in others}
        perhaps = any(each.thing.id in others and self._may_fit(each, beside) for each in self.doubtful)
        return True if True in found else None if None in found or perhaps else False

    def _count(self, groups: Iterable[Group]) -> int | None:
        found = set()
        for group in groups:
            fit = {thing.id: self._fits(thing, group) for thing in self.things}
            if None in fit.values() or any(self._may_fit(each, group) for each in self.doubtful):
                return None
            found |= {name for name, does in fit.items() if does}
        return len(found)

    def _exists(self, group: Group) -> bool | None:
        fit = [self._fits(thing, group) for thing in self.things]
        if True in fit:
            return True
        return None if None in fit or any(self._may_fit(each, group) for each in self.doubtful) else False

    def _only(self, group: Group, among: tuple[str, ...] = ()) -> Thing | None:
        """The one thing that the phrase means; None where it might mean another, or nothing.

        Of what is seen badly, where the name of the thing is one of ``among``, only what may be taken for one of them.
        """
        fit = [(thing, self._fits(thing, group)) for thing in self.things]
        perhaps = [thing for thing, does in fit if does is not False]
        if len(perhaps) != 1 or (perhaps[0], True) not in fit:
            return None
        return None if any(self._may_fit(each, group, among) for each in self.doubtful) else perhaps[0]

    def _chosen(self, what: Group, options: tuple[str, ...]) -> str | None:
        named = meant(what, self.kinds)
        thing = self._only(what, tuple(option for option in options if option in named.surely))
        if thing is None:
            return None
        right = [option for option in options if option == thing.name or self._bears(thing, option)]
        unsure = any(self._bears(thing, option) is None for option in options)
        if not right and not unsure and NONE_OF_THESE in options:
            return NONE_OF_THESE
        return right[0] if len(right) == 1 and not unsure else None

    def _which(self, groups: tuple[Group, ...], *, missing: bool, or_none: bool) -> str | None:
        there = {group.name: self._exists(group) for group in groups}
        right = [name for name, is_there in there.items() if is_there is not missing]
        if None in there.values() or len(right) > 1:
            return None
        return right[0] if right else NONE_OF_THESE if or_none else None

    def _fits(self, thing: Thing, group: Group) -> bool | None:
        return _all(
            (
                self._is_named(thing, group),
                *(self._bears(thing, word) for word in group.attributes),
                *(self._stands(thing, condition.predicate, condition.to) for condition in group.related),
            )
        )

    def _may_fit(self, each: Doubtful, group: Group, among: tuple[str, ...] = ()) -> bool:
        names = among or tuple(meant(group, self.kinds).surely)
        if each.badly and any(self.alike(each.thing.name, name) for name in names):
            return True
        is_so = (self._is_named(each.thing, group), *(self._bears(each.thing, word) for word in group.attributes))
        return _all(is_so) is not False

    def _is_named(self, thing: Thing, group: Group) -> bool | None:
        named = meant(group, self.kinds)
        return True if thing.name in named.surely else None if thing.name in named.perhaps else False

    def _bears(self, thing: Thing, word: str) -> bool | None:
        return None if word in BY_COMPARISON and not self.compares else word in thing.attributes

    def _stands(self, thing: Thing, predicate: str, beside: Group) -> bool | None:
        target = self._only(beside)
        if target is None:
            return None
        return Relationship(subject=thing.id, predicate=predicate, object=target.id) in self.relationships


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _all(known: Iterable[bool | None]) -> bool | None:
    found = set(known)
    return False if False in found else None if None in found else True
