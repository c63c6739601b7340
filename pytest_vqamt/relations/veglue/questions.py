"""Question targets and facts of VEglue's relations for VQA. Each name is a unit."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.case import Fact
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.relations.soundness import countable_names
from pytest_vqamt.relations.veglue.erasable import erasure_facts
from pytest_vqamt.sampling.chooser import Chooser


def unique_by_name(things: Iterable[Thing], scene: Scene) -> tuple[Thing, ...]:
    """Returns the things whose countable name nothing else in the scene has."""
    here = frozenset(countable_names(scene))
    return tuple(thing for thing in things if thing.name in here and scene.count(thing.name) == 1)


def shuffled_groups(names: Iterable[str], choose: Chooser) -> tuple[Group, ...]:
    """Returns the groups of one or two names, in a random order."""
    groups = tuple(Group(name=name) for name in names)
    return groups[::-1] if len(groups) > 1 and choose.chance(0.5) else groups


def erased_question_facts(
    erased: Thing, groups: tuple[Group, ...], wording: int, beside: Iterable[Thing], scene: Scene
) -> tuple[tuple[str, Fact], ...]:
    """Returns the facts of a case: the erased thing, its relation to the things ``beside``, and the question."""
    return (
        ("erased", erased.name),
        *erasure_facts(erased, tuple(beside), scene),
        ("shape", "two names" if len(groups) > 1 else "one name"),
        ("present_groups", len(groups)),
        ("wording", wording),
    )
