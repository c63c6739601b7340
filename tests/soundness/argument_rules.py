"""What may be asked of a scene, held against questions: the rules that keep the relations in words sound.

A rule is told by its number: 1 names, and what is said of what they name, 2 attributes that exclude each other, 4
absence, 5 false attributes and relations, 6 the only one, 7 gradable attributes, 8 antonyms, 9 either or; "places" are
those of section 8.1. Written with none of the relations' own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vqamt.core.meaning import (
    NONE_OF_THESE,
    Both,
    Choice,
    Either,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Property,
    groups_of,
)
from pytest_vqamt.core.scene import Relationship, Scene, Thing
from tests.soundness.kinds_of_things import Kind, meant
from tests.soundness.words_of_samples import COLOURS, SIZES, Words

_TWO = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The rules for one scene. Each check yields what is wrong, in words."""

    scene: Scene
    words: Words

    def broken(self, meaning: Meaning) -> Iterator[str]:
        """The rules that a question breaks."""
        groups = groups_of(meaning)
        for beside in (condition.to for group in groups for condition in group.related):
            yield from self._the_only(beside)
        yield from self._said(meaning)
        match meaning:
            case Has(group=group, attribute=attribute):
                yield from self._the_only(group)
                yield from self._true_or_excluded(self.members(group), attribute)
            case Choice(what=what, options=options):
                yield from self._the_only(what)
                yield from self._one_right(what, options)
            case Property(group=group) if self.members(group):
                yield from self._the_only(group)
            case Located(group=group, side=side, other=other):
                yield from self._the_only(group)
                yield from self._the_only(other)
                yield from self._apart(group, side.value, other)
            case _:
                for group in groups:
                    if not self.members(group):
                        yield from self._surely_none(group)
        if isinstance(meaning, Both | NotBoth | Either | Neither):
            yield from self._two(meaning)

    def members(self, group: Group) -> tuple[Thing, ...]:
        """The things that the phrase surely names."""
        return tuple(
            thing
            for thing in self._bearers(group)
            if set(group.attributes) <= set(thing.attributes)
            and all(self._stands(thing, each.predicate, each.to) for each in group.related)
        )

    def rests_on_an_absence(self, meaning: Meaning) -> bool:
        """Whether the answer would be another if more were there than is annotated."""
        if isinstance(meaning, Located):
            return not self.scene.exhaustive.issuperset((meaning.group.name, meaning.other.name))
        if isinstance(meaning, Has | Choice):
            return meant(groups_of(meaning)[0], self.words.kinds).surely.isdisjoint(self.scene.exhaustive) or (
                groups_of(meaning)[0].name not in self.scene.exhaustive
            )
        absent = [group for group in groups_of(meaning) if not self.members(group)]
        return any(group.name not in self.scene.exhaustive for group in absent)

    def _bearers(self, group: Group) -> tuple[Thing, ...]:
        names = meant(group, self.words.kinds).surely
        return tuple(thing for thing in self.scene.objects if thing.name in names)

    def _stands(self, thing: Thing, predicate: str, beside: Group) -> bool:
        related = self.scene.relationships
        return any(
            Relationship(subject=thing.id, predicate=predicate, object=other.id) in related
            for other in self.members(beside)
        )

    def _may_be(self, name: str, group: Group, named: Kind) -> bool:
        """Whether a thing of this name might go by the group's noun."""
        own = {group.name} if not group.covers else named.surely
        return name in named.surely | named.perhaps or any(self._one(name, each) for each in own)

    def _one(self, a: str, b: str) -> bool:
        listed = {a, b} <= self.scene.exhaustive and a != b and "bird" not in (a, b)
        return not listed and self.words.may_be_one(a, b)

    def _the_only(self, group: Group) -> Iterator[str]:
        named = meant(group, self.words.kinds)
        rivals = [
            thing
            for thing in self.scene.objects
            if self._may_be(thing.name, group, named)
            and not any(self._surely_lacks(thing, word) for word in group.attributes)
        ]
        if self.words.all_related:
            rivals = [t for t in rivals if all(self._stands(t, each.predicate, each.to) for each in group.related)]
        if len(self.members(group)) != 1 or len(rivals) != 1:
            yield f"6: {_phrase(group)!r} may mean {[(*thing.attributes, thing.name) for thing in rivals]}"
        if any(self._may_be(region.name, group, named) for region in self.scene.regions):
            yield f"6: {_phrase(group)!r} may mean one of a crowd"

    def _surely_lacks(self, thing: Thing, word: str) -> bool:
        if word in COLOURS and self._has_no_one_colour(thing):
            return False
        return word not in thing.attributes and any(self.words.exclude(own, word) for own in thing.attributes)

    def _said(self, meaning: Meaning) -> Iterator[str]:
        """Of what is named: that it is what its name says, and has one colour, or a size, where one is said of it."""
        groups = groups_of(meaning)
        named = [*groups, *(each.to for group in groups for each in group.related)]
        for group in named:
            said = {*group.attributes, *(_asked(meaning) if group is groups[0] else ())}
            things = self.members(group)
            what = f"{_phrase(group)!r} of {[(*thing.attributes, thing.name) for thing in things]}"
            if things and all(self.words.is_likeness(thing.name, thing.attributes) for thing in things):
                yield f"1: {what}, which may be none"
            if things and not COLOURS.isdisjoint(said) and all(map(self._has_no_one_colour, things)):
                yield f"1: {what}, which has no one colour"
            if not SIZES.isdisjoint(said) and any(thing.name in self.words.kinds["person"].surely for thing in things):
                yield f"1: {what}: small, or large, for what?"

    def _has_no_one_colour(self, thing: Thing) -> bool:
        return thing.multi_coloured or self.words.has_no_one_colour(thing.name)

    def _apart(self, group: Group, side: str, other: Group) -> Iterator[str]:
        """That a strip of the picture lies between the two, of 3 % of it."""
        level = side in ("left", "right")
        size = self.scene.width if level else self.scene.height
        boxes = [thing.box for each in (group, other) for thing in self.members(each)]
        ends = sorted((box.x, box.x1) if level else (box.y, box.y1) for box in boxes)
        if len(ends) == _TWO and (gap := ends[1][0] - ends[0][1]) < 0.03 * size - 1e-6:
            yield f"places: {_phrase(group)!r} and {_phrase(other)!r} are {gap:.1f} of {size} px apart"

    def _true_or_excluded(self, things: tuple[Thing, ...], word: str) -> Iterator[str]:
        for thing in things:
            if word in thing.attributes and any(self.words.exclude(own, word) for own in thing.attributes):
                yield f"2: the {thing.name} is {word}, and {thing.attributes}"
            if word not in thing.attributes and not self._surely_lacks(thing, word):
                yield f"5: the {thing.name} is {thing.attributes}, which does not exclude {word!r}"

    def _one_right(self, what: Group, options: tuple[str, ...]) -> Iterator[str]:
        named = meant(what, self.words.kinds)
        for thing in self.members(what):
            if thing.name in options:
                yield from (f"4: {each!r} is not of the class {what.name!r}" for each in set(options) - named.surely)
                rivals = [(a, b) for a in options for b in options if a < b and self.words.may_be_one(a, b)]
                yield from (f"2: a thing may be both {a!r} and {b!r}" for a, b in rivals)
                continue
            right = [option for option in options if option in thing.attributes]
            if len(right) != 1 and not (NONE_OF_THESE in options and not right):
                yield f"2: of {options}, the {thing.name} is {right}"
            if not right:
                yield from (
                    f"5: the {thing.name} is {thing.attributes}, which does not exclude {option!r}"
                    for option in options
                    if option != NONE_OF_THESE and not self._surely_lacks(thing, option)
                )
            for a, b in ((a, b) for a in options for b in options if a < b and NONE_OF_THESE not in (a, b)):
                if not self.words.exclude(a, b):
                    yield f"2: a thing may be both {a!r} and {b!r}"

    def _surely_none(self, group: Group) -> Iterator[str]:
        named = meant(group, self.words.kinds)
        here = {*(thing.name for thing in self.scene.objects), *(region.name for region in self.scene.regions)}
        bearers = self._bearers(group)
        others = {name for name in here if self._may_be(name, group, named) and name not in named.surely}
        if bearers and group.related:
            yield f"5: there is a {group.name}, and {_phrase(group)!r} is false"
        elif bearers:
            lacking = [thing for thing in bearers if not any(self._surely_lacks(thing, w) for w in group.attributes)]
            yield from (f"5: {_phrase(group)!r} is not excluded by {thing.attributes}" for thing in lacking)
        elif here & named.surely:
            yield f"4: there is a crowd of {group.name}"
        else:
            listed = group.name in self.scene.exhaustive
            others |= {
                name
                for name in here
                if self.words.come_together(name, group.name) and not (listed and name in self.scene.exhaustive)
            }
        if others:
            yield f"4: no {group.name} where there is {sorted(others)}"

    def _two(self, meaning: Both | NotBoth | Either | Neither) -> Iterator[str]:
        if len(meaning.groups) != _TWO:
            yield f"9: {len(meaning.groups)} groups"
        first, second = meaning.groups
        if (
            self._one(first.name, second.name)
            or second.name in meant(first, self.words.kinds).surely
            or (first.name in meant(second, self.words.kinds).surely)
        ):
            yield f"9: {first.name!r} and {second.name!r} may be one thing"
        true = sum(bool(self.members(group)) for group in meaning.groups)
        # "Either A or B", and "either no A or no B", are yes of exactly one.
        if true == (_TWO if isinstance(meaning, Either | Neither) else 0):
            yield f"9: {true} of {_phrase(first)!r} and {_phrase(second)!r} are there"


def _asked(meaning: Meaning) -> frozenset[str]:
    """The attributes that are asked about, if not said."""
    match meaning:
        case Has(attribute=attribute):
            return frozenset((attribute,))
        case Choice(options=options):
            return frozenset(options)
        case _:
            return frozenset()


def _phrase(group: Group) -> str:
    beside = "".join(f" {each.predicate} the {_phrase(each.to)}" for each in group.related)
    return " ".join((*group.attributes, group.name)) + beside
