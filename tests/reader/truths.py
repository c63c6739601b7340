"""What is right of a scene of the picture world, worked out from the scene's things and a table of its own."""

from __future__ import annotations

from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Absent,
    Both,
    Choice,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Property,
    WhichThere,
    Written,
)
from pytest_vqamt.core.scene import Scene, Thing
from tests.reader.vocabulary import COLOURS


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split(","))


KINDS_OF = {
    "person": _listed("man,woman,boy,girl"),
    "animal": _listed("dog,cat,horse,cow,sheep,pig,bird,rabbit,elephant,duck,giraffe,turtle,butterfly"),
    "bird": _listed("duck"),
    "insect": _listed("butterfly"),
    "fruit": _listed("apple,banana,pear,strawberry"),
    "vegetable": _listed("carrot"),
    "food": _listed("apple,banana,pear,strawberry,carrot,cake,pizza,sandwich"),
    "dessert": _listed("cake"),
    "aircraft": _listed("airplane"),
    "electronic device": _listed("laptop,television"),
    "musical instrument": _listed("drum"),
    "sports equipment": _listed("ball"),
    "footwear": _listed("shoe"),
    "headwear": _listed("hat"),
    "vehicle": _listed("car,bus,truck,bicycle,boat,airplane,train"),
    "furniture": _listed("chair,table,bed,couch,shelf,lamp"),
    "container": _listed("cup,bottle,bowl,box,vase,bucket"),
    "toy": _listed("ball,balloon,kite,teddy bear,robot,drum"),
    "plant": _listed("tree,flower,cactus,bush"),
    "clothing": _listed("shirt,dress,hat,shoe"),
}
"""What is called by a name in the picture world, beside what has that very name."""


def named(group: Group, scene: Scene) -> tuple[Thing, ...]:
    """The things of the scene that the words name."""
    return tuple(thing for thing in scene.objects if _is_of(thing, group, scene))


def _is_of(thing: Thing, group: Group, scene: Scene) -> bool:
    if thing.name != group.name and thing.name not in KINDS_OF.get(group.name, ()):
        return False
    by_id = {other.id: other for other in scene.objects}
    return all(attribute in thing.attributes for attribute in group.attributes) and all(
        any(
            (one.subject, one.predicate) == (thing.id, related.predicate)
            and _is_of(by_id[one.object], related.to, scene)
            for one in scene.relationships
        )
        for related in group.related
    )


def is_on_side(thing: Thing, other: Thing, side: str) -> bool | None:
    """Whether all of the thing is on this side of all of the other; None where they share a column, or a row."""
    (first, first_end), (second, second_end) = (
        (each.box.x, each.box.x + each.box.w) if side in ("left", "right") else (each.box.y, each.box.y + each.box.h)
        for each in (thing, other)
    )
    if first_end > second and second_end > first:
        return None
    return (first < second) == (side in ("left", "above"))


def answer(meaning: Meaning, scene: Scene) -> bool | str | None:
    """Yes or no, or the one option that is right; none where the words name several things or nothing."""
    match meaning:
        case Exists(group=group):
            return len(named(group, scene)) > 0
        case Absent(group=group):
            return len(named(group, scene)) == 0
        case Both(groups=(first, second)):
            return len(named(first, scene)) > 0 and len(named(second, scene)) > 0
        case NotBoth(groups=(first, second)):
            return len(named(first, scene)) == 0 or len(named(second, scene)) == 0
        case Either(groups=(first, second)):
            return len(named(first, scene)) > 0 or len(named(second, scene)) > 0
        case Neither(groups=(first, second)):
            return len(named(first, scene)) == 0 and len(named(second, scene)) == 0
        case Has(group=group, attribute=attribute):
            things = named(group, scene)
            return attribute in things[0].attributes if len(things) == 1 else None
        case Located(group=group, side=side, other=other):
            things, others = named(group, scene), named(other, scene)
            return is_on_side(things[0], others[0], side.value) if len(things) == len(others) == 1 else None
        case Choice(what=group, options=options):
            things = named(group, scene)
            right = [each for thing in things for each in options if each in (thing.name, *thing.attributes)]
            if len(things) == 1 and not right:
                return NONE_OF_THESE if NONE_OF_THESE in options else None
            return right[0] if len(things) == len(right) == 1 else None
        case WhichThere(groups=groups, missing=missing, or_none=or_none):
            right = [group.name for group in groups if missing != (len(named(group, scene)) > 0)]
            return right[0] if len(right) == 1 else NONE_OF_THESE if or_none and not right else None
        case Property(group=group):
            things = named(group, scene)
            colors = [each for thing in things for each in thing.attributes if each in COLOURS]
            return NO_SUCH_THING if not things else colors[0] if len(colors) == 1 else None
        case Written(text=text):
            return any(each.text.upper() == text.upper() for each in scene.inscriptions)
        case _:
            raise AssertionError(f"not a question of a template: {meaning=!r}")
