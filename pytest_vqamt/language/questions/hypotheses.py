"""Hypotheses about the things that a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Entails, Group, Unit
from pytest_vqamt.language.english.nouns import counting_noun, is_mass, is_plural, with_article
from pytest_vqamt.language.english.phrases import (
    after_a_noun,
    in_a_clause,
    join_phrases,
    phrase_with_the,
    predicative,
    stands_before_its_noun,
)
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.tables import toml_table

_WORDINGS = toml_table("questions/wordings.toml")["hypothesis"]
_LISTED: tuple[str, ...] = tuple(_WORDINGS["in_a_row"])
_IN_CLAUSES: tuple[tuple[str, bool], ...] = tuple((each["text"], each["described"]) for each in _WORDINGS["clauses"])

IN_A_ROW = len(_LISTED)
"""The number of wordings, the first, that put things in a row; the others have a clause for each."""
WORDINGS = IN_A_ROW + len(_IN_CLAUSES)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A text and what it says."""

    text: str
    """A sentence, with its things in a row or a clause for each."""
    meaning: Entails
    """Its units, in the order of the text."""


def hypothesis(units: Sequence[Unit], wording: int = 0) -> Hypothesis:
    """Returns a hypothesis that each unit has at least one thing in the picture.

    >>> from pytest_vqamt.core.meaning import Related
    >>> car, dog = (Unit(group=Group(name=name)) for name in ("car", "dog"))
    >>> cup = Group(name="cup", attributes=("red",))
    >>> man = Unit(group=Group(name="man", related=(Related(predicate="holding", to=cup),)))
    >>> hypothesis((car, dog)).text, hypothesis((man,)).text
    ('There is a car and a dog.', 'There is a man holding a red cup.')
    >>> hypothesis((dog, man, car), IN_A_ROW).text
    'A man is holding a red cup and there is a dog and a car.'

    Raises:
        VqamtError: there is no unit, one says what cannot be seen, or the wording is none of ``wordings_for``.
    """
    every = tuple(units)
    if not every or any(unit.unseen for unit in every):
        raise VqamtError(f"Expected units that a picture shows, one at least, but got units={every!r}")
    if not 0 <= wording < WORDINGS:
        raise VqamtError(f"Expected a wording from 0 to {WORDINGS - 1}, but got wording={wording!r}")
    return _hypothesis(every, wording)


def wordings_for(units: Sequence[Unit]) -> tuple[int, ...]:
    """Returns the wordings that suit the units: those in a row, those in clauses, or both.

    A thing that needs a clause cannot stand in a row: "a dog and a cat on a table" could be said of both.

    >>> dog, cat = (Unit(group=Group(name=name)) for name in ("dog", "cat"))
    >>> wordings_for((dog, cat)) == tuple(range(IN_A_ROW))
    True
    """
    groups = [unit.group for unit in units]
    row = range(IN_A_ROW) if _fits_in_a_row(groups) else ()
    acting, described = (any(_clause(group, described=it) for group in groups) for it in (False, True))
    differ = any(_clause(group, described=True) != _clause(group, described=False) for group in groups)
    clauses = (
        number
        for number, (_, of_described) in enumerate(_IN_CLAUSES, start=IN_A_ROW)
        if (described and differ if of_described else acting)
    )
    return (*row, *clauses)


@lru_cache(maxsize=65536)
def _hypothesis(units: tuple[Unit, ...], wording: int) -> Hypothesis:
    groups = [unit.group for unit in units]
    if wording < IN_A_ROW:
        if not _fits_in_a_row(groups):
            raise VqamtError(f"Expected units that can stand in a row, but got units={units!r}: take another wording")
        text = _LISTED[wording].format(ones=join_phrases(map(_any_of, groups)), is_there=_is_there(groups[0]))
    else:
        frame, described = _IN_CLAUSES[wording - IN_A_ROW]
        units, clauses = _in_clauses(units, described=described)
        text = frame.format(clauses=clauses)
    return Hypothesis(text[0].upper() + text[1:], Entails(units=units))


def _fits_in_a_row(groups: Sequence[Group]) -> bool:
    return len(groups) == 1 or not any(
        group.related or not all(map(stands_before_its_noun, group.attributes)) for group in groups
    )


def _in_clauses(units: Sequence[Unit], *, described: bool) -> tuple[tuple[Unit, ...], str]:
    """Returns the units and their clauses; two or more that are merely there share a clause at the end."""
    bare = [unit for unit in units if _clause(unit.group, described=described) is None]
    # Things that are merely there go last, together: "a man is walking and there is a dog and a car".
    ordered = tuple(units) if len(bare) < 2 else (*(unit for unit in units if unit not in bare), *bare)
    said = [_clause(unit.group, described=described) or _there(unit.group) for unit in ordered]
    if len(bare) > 1:
        said[-len(bare) :] = [_there(*(unit.group for unit in bare))]
    return ordered, join_phrases(said)


def _there(*groups: Group) -> str:
    return f"there {_is_there(groups[0])} {join_phrases(map(_any_of, groups))}"


def _is_there(group: Group) -> str:
    return "are" if _is_many(group) else "is"


def _is_many(group: Group) -> bool:
    return is_plural(group.name) and not is_mass(group.name)


def _any_of(group: Group) -> str:
    """Returns any one of the group: "a red car", "scissors", "a man holding a cup"; of furniture, a piece."""
    # A group that covers other names is a class, of which one thing is a piece: "a piece of furniture".
    one = replace(group, name=counting_noun(group.name), related=()) if group.covers else replace(group, related=())
    words = phrase_with_the(one, "singular")
    noun = words if is_mass(one.name) or is_plural(one.name) else with_article(words)
    beside = (f"{after_a_noun(each.predicate)} {_any_of(each.to)}" for each in group.related)
    return " ".join((noun, *beside))


@lru_cache(maxsize=65536)
def _clause(group: Group, *, described: bool) -> str | None:
    """Returns a clause about the group, None if it only says that it is there. ``described``: also "a car is red"."""
    many = _is_many(group)
    if group.related:
        subject = _any_of(replace(group, related=()))
        said = (f"{in_a_clause(each.predicate, many=many)} {_any_of(each.to)}" for each in group.related)
        return f"{subject} {' and '.join(said)}"
    # What is done goes into the clause first: "a man is riding", rather than "a riding man is old".
    deed = next((word for word in group.attributes if _is_better_in_a_clause(word)), None)
    word = deed or (_quality(group) if described else None)
    if word is None:
        return None
    subject = _any_of(replace(group, attributes=tuple(each for each in group.attributes if each != word)))
    return f"{subject} {'are' if many else 'is'} {predicative(word, 'plural' if many else 'singular')}"


def _is_better_in_a_clause(attribute: str) -> bool:
    """True of an attribute that is hard to put before a noun: "riding", "on", "upside down"."""
    is_action = ontology().is_action(ontology().category_of(attribute) or "")
    return is_action or attribute in ("on", "off") or not stands_before_its_noun(attribute)


def _quality(group: Group) -> str | None:
    """Returns the only attribute of a noun with an article: "grass is green" would be said of all grass."""
    name = counting_noun(group.name) if group.covers else group.name
    has_article = not (is_mass(name) or is_plural(name))
    return group.attributes[0] if len(group.attributes) == 1 and has_article else None
