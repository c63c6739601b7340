"""The one place that knows the right answer."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias, assert_never

from pytest_vqamt.core.meaning import (
    YES_OR_NO,
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
    Unit,
)
from pytest_vqamt.core.scene import Scene, Thing


class Label(StrEnum):
    """The three labels of visual entailment."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


Inventory: TypeAlias = tuple[tuple[str, int], ...]
"""Object names with how many there are, in the order in which the scene first has them."""

Truth: TypeAlias = bool | int | str | Label | Inventory | None
"""yes or no; a count; the option or the annotators' answer; a label; what is there; None where nothing is right."""


def members(group: Group, scene: Scene) -> tuple[Thing, ...]:
    """The things of ``scene`` that ``group`` names, in scene order."""
    names = group.covers or (group.name,)
    found = tuple(thing for thing in scene.objects if thing.name in names)
    for attribute in group.attributes:
        found = tuple(thing for thing in found if attribute in thing.attributes)
    for condition in group.related:
        others = {thing.id for thing in members(condition.to, scene)}
        subjects = {r.subject for r in scene.relationships if r.predicate == condition.predicate and r.object in others}
        found = tuple(thing for thing in found if thing.id in subjects)
    return found


def truth(meaning: Meaning, scene: Scene) -> Truth:
    """The right answer to ``meaning`` about ``scene``, as far as the scene's annotations know it.

    Counts are of distinct things. ``Has`` and ``Choice`` speak of one thing; the relations ask them only where exactly
    one answers to the phrase. A hypothesis is contradicted where a unit's group is absent, neutral where all are there
    but something is said that no picture shows.
    """
    match meaning:
        case Count(groups=groups):
            return len({thing.id for group in groups for thing in members(group, scene)})
        case Exists(group=group):
            return bool(members(group, scene))
        case Absent(group=group):
            return not members(group, scene)
        case Both(groups=groups):
            return all(members(group, scene) for group in groups)
        case NotBoth(groups=groups):
            return not all(members(group, scene) for group in groups)
        case Either(groups=groups):
            return any(members(group, scene) for group in groups)
        case Neither(groups=groups):
            return not any(members(group, scene) for group in groups)
        case Has(group=group, attribute=attribute):
            return any(attribute in thing.attributes for thing in members(group, scene))
        case Choice(what=what, options=options):
            return _chosen(members(what, scene), options)
        case Entails(units=units):
            return _label(units, scene)
        case Describe():
            return _inventory(scene)
        case Annotated(answers=answers):
            best = max(answers, key=lambda answer: answer[1])[0] if answers else None
            return best == "yes" if meaning.is_yes_no and best in YES_OR_NO else best
        case _:
            assert_never(meaning)


def _chosen(things: tuple[Thing, ...], options: tuple[str, ...]) -> str | None:
    right = [
        option for option in options if any(option == thing.name or option in thing.attributes for thing in things)
    ]
    return right[0] if len(right) == 1 else None


def _label(units: tuple[Unit, ...], scene: Scene) -> Label:
    if any(not members(unit.group, scene) for unit in units):
        return Label.CONTRADICTION
    return Label.NEUTRAL if any(unit.unseen for unit in units) else Label.ENTAILMENT


def _inventory(scene: Scene) -> Inventory:
    counts: dict[str, int] = {}
    for thing in scene.objects:
        counts[thing.name] = counts.get(thing.name, 0) + 1
    return tuple(counts.items())
