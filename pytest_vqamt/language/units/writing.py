"""Units put together again, as one English sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pytest_vqamt.language.english.phrases import in_a_row
from pytest_vqamt.language.units.naming import is_several, named, stands_alone
from pytest_vqamt.language.units.predicates import Kind, predicate
from pytest_vqamt.language.units.unit import DescriptionUnit, says_all_of


def recombined(units: Sequence[DescriptionUnit]) -> str:
    """A sentence that says what the units say, with "a" for whatever article there was; "" where there are none.

    An object of which nothing is said, and that another unit's property names, is not said again. Things of which the
    same is said share a verb.

    >>> man = DescriptionUnit(object="man", property="walking")
    >>> recombined((man, DescriptionUnit(object="old dog"), DescriptionUnit(object="boys", is_plural=True)))
    'A man is walking and there is an old dog and boys.'
    """
    left = [unit for unit in units if not any(says_all_of(other, unit) for other in units if other is not unit)]
    text = _joined([clause for said, group in groupby(left, key=_said) for clause in _clauses(said, tuple(group))])
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _joined(clauses: Sequence[str]) -> str:
    """The clauses with "and"; with a comma before it where one of them has an "and" of its own."""
    *before, last = clauses or [""]
    if any(" and " in clause for clause in before):
        return f"{', '.join(before)}, and {last}"
    return in_a_row(clauses)


def _said(unit: DescriptionUnit) -> str | None:
    """What is said of the object; None where no more is said than that it is there, or what it has with it."""
    says = predicate(unit.property)
    if says.kind in (Kind.VERB, Kind.STATE):
        return says.of_many()
    return "there" if stands_alone(unit.object) else None


def _clauses(said: str | None, units: Sequence[DescriptionUnit]) -> Iterator[str]:
    if said is None:
        yield f"there {'are' if is_several(units[0]) else 'is'} {in_a_row(_with_more(units))}"
        return
    says = predicate(units[0].property or said)
    is_of_one = len(units) == 1 and not is_several(units[0])
    # "Sandy, wearing a hat, sings": the comma before the verb has another before what stands in between.
    comma = "," if says.verbs and says.text[: says.verbs[0][0]].rstrip().endswith(",") else ""
    yield f"{in_a_row(map(named, units))}{comma} {says.of_one() if is_of_one else says.of_many()}"


def _with_more(units: Sequence[DescriptionUnit]) -> Iterator[str]:
    """What there is, each with what it has; a second thing of the same name is "another"."""
    seen: set[str] = set()
    for unit, following in zip(units, [*units[1:], None], strict=True):
        is_second = unit.object in seen and not unit.is_plural
        seen.add(unit.object)
        is_said_next = following is not None and following.property == unit.property
        name = f"another {unit.object}" if is_second else named(unit, is_new=True)
        yield name if is_said_next else f"{name} {unit.property}".strip()
