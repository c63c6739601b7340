"""Object description units: a hypothesis taken apart into objects and what it says of each, and put together again."""

from __future__ import annotations

from collections.abc import Callable

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.units.erasing import remaining_units, without_unit
from pytest_vqamt.language.units.parser import by_rules
from pytest_vqamt.language.units.unit import DescriptionUnit, head_noun, unit_of
from pytest_vqamt.language.units.writing import recombine

__all__ = ["DescriptionUnit", "head_noun", "recombine", "remaining_units", "unit_of", "units_of", "without_unit"]


def units_of(hypothesis: str, by: str = "rules") -> tuple[DescriptionUnit, ...]:
    """The object description units of a hypothesis, in the order of the sentence (VEglue section 3.2).

    An object is what a picture shows as a thing of its own: people, animals, things; not what is worn, parts of bodies,
    stuff, ground, sky, and what is done. What a clause says goes to its subjects, to each of them; other objects come
    with an empty property, but for what somebody does whom another watches, helps or stands by.

    >>> [(unit.object, unit.property) for unit in units_of("The man is aiming his rifle at something.")]
    [('man', 'is aiming his rifle at something'), ('rifle', '')]

    **Deviation**: the authors ask a language model; here rules do it, or a parser.

    Args:
        hypothesis: one sentence.
        by: "rules", "spacy" (its small English model), or "spacy:MODEL".

    Raises:
        OptionError: there is no such way, or it is not installed.
    """
    return splitter(by)(hypothesis)


def splitter(by: str) -> Callable[[str], tuple[DescriptionUnit, ...]]:
    """What takes hypotheses apart in this way; whatever it needs is there.

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
