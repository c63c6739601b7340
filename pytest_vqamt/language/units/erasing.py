"""What is left of a hypothesis when one of its objects is erased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_vqamt.language.units.mentions import mentions
from pytest_vqamt.language.units.unasserted import asserts
from pytest_vqamt.language.units.unit import DescriptionUnit, head_noun, says_all_of


def without(units: Sequence[DescriptionUnit], erased: int) -> tuple[DescriptionUnit, ...]:
    """The other units; of one whose property mentions the erased object, the object alone (VEglue section 3.4.1).

    **Deviation** for soundness: the paper looks for the erased object's own words. Here a synonym, a kind or a plural
    of it is a mention as well, a pronoun that may stand for it, and what two do with each other ("are hugging"). What
    only a dropped property names, as something sought, meant or pictured, is dropped with it.

    >>> man = DescriptionUnit(object="man", property="is aiming his rifle at something")
    >>> without((man, DescriptionUnit(object="rifle")), 1)
    (DescriptionUnit(object='man', property='', is_plural=False),)

    Args:
        units: those of one hypothesis, in order.
        erased: the place of the one to leave out.
    """
    return tuple(unit for _, unit in left_in_place(units, erased))


def left_in_place(units: Sequence[DescriptionUnit], erased: int) -> tuple[tuple[int, DescriptionUnit], ...]:
    """What ``without`` leaves, each with the place among ``units`` of the one that it is left of."""
    gone = units[erased]
    kept = [(place, unit) for place, unit in enumerate(units) if place != erased and not _is_some_of(unit, gone)]
    left = [
        replace(
            unit,
            object=_without_owner(unit.object, gone),
            property="" if mentions(unit, gone, is_first=place < erased) else unit.property,
        )
        for place, unit in kept
    ]
    pairs = [(unit, now) for (_, unit), now in zip(kept, left, strict=True)]
    return tuple((place, now) for (place, unit), now in zip(kept, left, strict=True) if _stays(unit, units, pairs))


def _stays(
    unit: DescriptionUnit, units: Sequence[DescriptionUnit], pairs: Sequence[tuple[DescriptionUnit, DescriptionUnit]]
) -> bool:
    """Whether the hypothesis says that there is such a thing, or what is left speaks of it as the hypothesis does.

    Args:
        unit: one of those kept.
        units: all of the hypothesis.
        pairs: each that is kept, and what is left of it.
    """
    tells = (was for was, now in pairs if was is not unit and says_all_of(now, unit))
    return _is_sure(unit, units) or any(_stays(was, units, pairs) for was in tells)


def _is_sure(unit: DescriptionUnit, units: Sequence[DescriptionUnit]) -> bool:
    """Whether the hypothesis says that there is such a thing: not "bus" of "is waiting for the bus"."""
    tellers = [other for other in units if other is not unit and says_all_of(other, unit)]
    return not tellers or any(asserts(other, unit) and _is_sure(other, units) for other in tellers)


def _is_some_of(unit: DescriptionUnit, gone: DescriptionUnit) -> bool:
    """Whether the unit is one of those that are erased: "one of the men"."""
    return unit.object.lower().startswith("one of ") and head_noun(unit.object) == head_noun(gone.object)


def _without_owner(name: str, gone: DescriptionUnit) -> str:
    """The object alone where it is said whose or of what it is: "hat" of "man's hat" with the man erased."""
    owner, apostrophe, own = name.partition("'s ")
    if apostrophe and head_noun(owner) == head_noun(gone.object):
        return own
    whole, of, part_of = name.partition(" of ")
    return (
        whole if of and head_noun(whole) == head_noun(name) and head_noun(part_of) == head_noun(gone.object) else name
    )
