"""Object description units: the objects of a hypothesis with their properties, and the sentence of units."""

from __future__ import annotations

from collections.abc import Callable

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.units.erasing import remaining_units, without_unit
from pytest_vqamt.language.units.parser import by_rules
from pytest_vqamt.language.units.unit import DescriptionUnit, head_noun, unit_of
from pytest_vqamt.language.units.writing import recombine

__all__ = ["DescriptionUnit", "head_noun", "recombine", "remaining_units", "unit_of", "units_of", "without_unit"]


def units_of(hypothesis: str, by: str = "rules") -> tuple[DescriptionUnit, ...]:
    """Returns the object description units of a hypothesis, in the order of the sentence (VEglue section 3.2).

    An object is a thing of its own in a picture: people, animals, things; no garments, parts of bodies, stuff, ground,
    sky or activities. A clause is the property of each of its subjects. Other objects have an empty property, except
    for those who do something that another watches, helps or stands by.

    >>> [(unit.object, unit.property) for unit in units_of("The man is aiming his rifle at something.")]
    [('man', 'is aiming his rifle at something'), ('rifle', '')]

    **Deviation**: the authors ask a language model; this uses rules, or a parser.

    Args:
        hypothesis: one sentence.
        by: "rules", "spacy" (its small English model), or "spacy:MODEL".

    Raises:
        OptionError: there is no such way, or it is not installed.
    """
    return splitter(by)(hypothesis)


def splitter(by: str) -> Callable[[str], tuple[DescriptionUnit, ...]]:
    """Returns the function that ``units_of`` calls.

    Raises:
        OptionError: as ``units_of``.
    """
    kind, _, model = by.partition(":")
    if by == "rules":
        return by_rules
    if kind == "spacy":
        from pytest_vqamt.language.units.spacy_backend import MODEL, load, units_of_doc

        parse = load(model or MODEL)
        return lambda hypothesis: units_of_doc(parse(hypothesis))
    raise OptionError(f"Expected 'rules', 'spacy' or 'spacy:MODEL', but got by={by!r}")
