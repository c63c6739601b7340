"""Which relation catches which planted fault, worked out from what each asks and what each fault says to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a model with a fault makes of a relation's cases."""

    CAUGHT = "caught"
    VACUOUS = "vacuous"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Every fault, by its effect on one item, each for a reason that the comment beside it gives.

    Attributes:
        caught: some case is violated, or its answer cannot be read.
        vacuous: every case holds, and none of them shows anything (0 = 0 + 0).
        quiet: every case holds, and some show something: the relation is not made for this fault.
    """

    caught: frozenset[str]
    vacuous: frozenset[str] = frozenset()
    quiet: frozenset[str]

    def effect(self, fault: str) -> Effect:
        """The effect of the fault.

        Raises:
            KeyError: the fault has no entry, or several.
        """
        listed = {Effect.CAUGHT: self.caught, Effect.VACUOUS: self.vacuous, Effect.QUIET: self.quiet}
        found = [effect for effect, faults in listed.items() if fault in faults]
        if len(found) != 1:
            raise KeyError(fault)
        return found[0]


def _faults(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Of two groups the total says "no" or "0", and so does each part: no sum is broken, and nothing is shown.
_NOTHING_COUNTED = _faults("always-no always-zero")
# No number.
_NOT_A_COUNT = _faults("always-yes refuses")
# What shows itself to who asks twice, or with two spaces; no other relation does either.
_OF_CONTROLS = _faults("inconsistent spacing-sensitive")
# Asks nothing in the negative.
_NEGATION = _faults("ignores-negation")

_PARTITION = (
    # The total of A and B is A's alone, so it falls short wherever there is a B.
    _faults("first-group-only")
    # Half of the totals name the later word first and are one too many; a part names one group and is right.
    | _faults("order-sensitive")
    # Every total is one too many, every part is right.
    | _faults("counts-pieces-wrong")
    # One too many in the total, two in the parts.
    | _faults("off-by-one")
    # 1 against 1 + 1, wherever both groups are there.
    | _faults("saturates")
    # The total is right, and a part that is not there counts 1.
    | _faults("sees-absent")
    # "many" + 1 must be "many", and is a number, wherever there are two of a group.
    | _faults("quantifies")
    | _NOT_A_COUNT
)

_REORDER = (
    # A's count in one order, B's in the other.
    _faults("first-group-only")
    # Just one of the two orders is that of the alphabet.
    | _faults("order-sensitive")
    | _NOT_A_COUNT
)
_BOTH_ORDERS_ALIKE = (
    # Both totals are wrong in the same way.
    _faults("counts-pieces-wrong off-by-one saturates ignores-attributes")
    # It asks for no single group, which is all that these are wrong about.
    | _faults("sees-absent quantifies")
    | _NEGATION
    | _OF_CONTROLS
)

_REVERSION = Row(
    caught=(
        # The same to both questions.
        _faults("always-yes always-no ignores-negation")
        # A number is no yes and no no; nor is a refusal.
        | _faults("always-zero refuses")
        # "yes, there is" and "yes, there is none" of what is not there.
        | _faults("sees-absent")
    ),
    quiet=(
        # No counts are asked.
        _faults("first-group-only order-sensitive counts-pieces-wrong off-by-one saturates quantifies")
        # "Is there a red car?" and "Is there no red car?" are both answered about cars: wrongly, but one yes, one no.
        | _faults("ignores-attributes")
        | _OF_CONTROLS
    ),
)

# The controls ask one thing twice, so a model that is wrong in the same way both times does all that they demand, be
# it that it says "0" or nothing of use. Their holds are never vacuous: what they show is that nothing has changed.
_WRONG_ALIKE = _faults(
    "always-yes always-no always-zero refuses ignores-negation ignores-attributes first-group-only"
) | _faults("order-sensitive counts-pieces-wrong off-by-one saturates sees-absent quantifies")

TABLE: Mapping[str, Row] = {
    "metavqa.partition[object]": Row(
        caught=_PARTITION,
        vacuous=_NOTHING_COUNTED,
        # It asks for bare names, so there are no attributes to ignore.
        quiet=_NEGATION | _OF_CONTROLS | _faults("ignores-attributes"),
    ),
    "metavqa.partition[property]": Row(
        # Of 2 cars, "red cars and blue cars" counts 2, "red cars" 2 and "blue cars" 2.
        caught=_PARTITION | _faults("ignores-attributes"),
        vacuous=_NOTHING_COUNTED,
        quiet=_NEGATION | _OF_CONTROLS,
    ),
    "metavqa.reorder[object]": Row(caught=_REORDER, vacuous=_NOTHING_COUNTED, quiet=_BOTH_ORDERS_ALIKE),
    "metavqa.reorder[property]": Row(caught=_REORDER, vacuous=_NOTHING_COUNTED, quiet=_BOTH_ORDERS_ALIKE),
    "metavqa.reversion[object]": _REVERSION,
    "metavqa.reversion[property]": _REVERSION,
    "control.repeat": Row(
        caught=_faults("inconsistent"),
        # The text is the same, to the letter.
        quiet=_WRONG_ALIKE | _faults("spacing-sensitive"),
    ),
    "control.reencode": Row(
        caught=_faults("spacing-sensitive"),
        # Another picture and another text, so neither query is asked again.
        quiet=_WRONG_ALIKE | _faults("inconsistent"),
    ),
}
"""By item, in the order of the catalogue."""
