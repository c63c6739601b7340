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
# What shows itself in edited pictures alone.
_OF_EDITS = _faults("counts-pieces-wrong omits-inserted sees-erased background-dependent")
# Asks nothing in the negative.
_NEGATION = _faults("ignores-negation")

# Who is wrong about counts is right about yes and no.
_OF_COUNTS = _faults("first-group-only order-sensitive adds-wrong off-by-one saturates quantifies")
# Neither a number nor a refusal is a yes or a no.
_NEITHER_YES_NOR_NO = _faults("always-zero refuses")
_OF_OTHER_EDITS_THAN_CUTTING = _OF_EDITS - _faults("counts-pieces-wrong")

_PARTITION = (
    # The total of A and B is A's alone, so it falls short wherever there is a B.
    _faults("first-group-only")
    # Half of the totals name the later word first and are one too many; a part names one group and is right.
    | _faults("order-sensitive")
    # Every total is one too many, every part is right.
    | _faults("adds-wrong")
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
    _faults("adds-wrong off-by-one saturates ignores-attributes")
    # It asks for no single group, which is all that these are wrong about.
    | _faults("sees-absent quantifies")
    | _NEGATION
    | _OF_CONTROLS
    | _OF_EDITS
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
        _OF_COUNTS
        # "Is there a red car?" and "Is there no red car?" are both answered about cars: wrongly, but one yes, one no.
        | _faults("ignores-attributes")
        | _OF_CONTROLS
        | _OF_EDITS
    ),
)

_CUTTING_COUNT = Row(
    caught=(
        # One too many in the whole, and in each of two pieces or more.
        _faults("off-by-one order-sensitive adds-wrong")
        # One too many in each piece alone.
        | _faults("counts-pieces-wrong")
        # 1 against 1 + 1, wherever the things asked about lie in several pieces.
        | _faults("saturates")
        # A piece without any counts 1.
        | _faults("sees-absent")
        | _NOT_A_COUNT
    ),
    vacuous=_NOTHING_COUNTED,
    quiet=(
        # What is counted instead is counted in the pieces, too.
        _faults("ignores-attributes first-group-only")
        # "many" is "many" and 0, and "many" against 1 + 1 is left undecided.
        | _faults("quantifies")
        | _NEGATION
        | _OF_CONTROLS
        | _OF_OTHER_EDITS_THAN_CUTTING
    ),
)

# "no" to the whole and to each piece, or "yes": it is as it should be.
_ALIKE_IN_PIECES = (
    _faults("always-yes always-no ignores-attributes") | _OF_COUNTS | _OF_CONTROLS | _OF_OTHER_EDITS_THAN_CUTTING
)
_CUTTING_EXISTS = Row(
    caught=_NEITHER_YES_NOR_NO,
    # Counts are not asked, be it in pieces; what is seen where it is not is in the whole as well.
    quiet=_ALIKE_IN_PIECES | _NEGATION | _faults("counts-pieces-wrong sees-absent"),
)
_CUTTING_ABSENT = Row(
    # "yes" of the whole, where there is one, and "no" of each piece that has none.
    caught=_NEITHER_YES_NOR_NO | _NEGATION,
    # It is wrong about "is there any" alone.
    quiet=_ALIKE_IN_PIECES | _faults("counts-pieces-wrong sees-absent"),
)

# What is asked about is in both pictures alike, so whoever is wrong about it is wrong twice in the same way: what is
# inserted or erased is something else, be it seen or not.
_COUNTED_ALIKE = Row(
    caught=_NOT_A_COUNT,
    vacuous=_NOTHING_COUNTED,
    quiet=(
        _faults("ignores-attributes first-group-only order-sensitive adds-wrong off-by-one saturates sees-absent")
        | _faults("quantifies")
        | _NEGATION
        | _OF_CONTROLS
        | _OF_EDITS
    ),
)
_SEEN_ALIKE = Row(
    caught=_NEITHER_YES_NOR_NO,
    quiet=(
        _faults("always-yes always-no ignores-attributes sees-absent")
        | _NEGATION
        | _OF_COUNTS
        | _OF_CONTROLS
        | _OF_EDITS
    ),
)

_ONE_MORE_OR_LESS = (
    # 0 is not one more than 0: this is what the authors made the relation for.
    _NOTHING_COUNTED
    # Where the thing is of the second group, the first has as many in both pictures.
    | _faults("first-group-only")
    # 1 before and 1 after, wherever there is one of them in either.
    | _faults("saturates")
    # 0 is called 1, and the other is 1: of a property that nothing else has, or of the only thing of its name.
    | _faults("sees-absent")
    | _NOT_A_COUNT
)
_ONE_MORE_OR_LESS_ALL_THE_SAME = (
    # One too many in both pictures.
    _faults("off-by-one order-sensitive adds-wrong")
    # The thing is a car, be it red or not.
    | _faults("ignores-attributes")
    # "many" against 1 or "many" is left undecided.
    | _faults("quantifies")
    | _NEGATION
    | _OF_CONTROLS
)

# Everything around what is asked about is obscured, and the rest is as it was: who is wrong is wrong twice.
_OBSCURED_ALIKE = _SEEN_ALIKE.quiet - _faults("always-yes ignores-attributes background-dependent")
_OBSCURED = Row(
    # A third of the questions are counts, the others are not.
    caught=_faults("always-yes background-dependent") | _NEITHER_YES_NOR_NO,
    # Blurred, the blue car beside the red ones is still a car.
    quiet=_OBSCURED_ALIKE | _faults("ignores-attributes"),
)
_HIDDEN = Row(
    # The blue car beside the red ones is painted over or cut off, and there is a car less: cut off in 1 case of 60.
    caught=_OBSCURED.caught | _faults("ignores-attributes"),
    quiet=_OBSCURED_ALIKE,
)

_NO_LONGER_THERE = Row(
    # "yes" although it is gone: always, wherever one thing is asked about, and by whoever still sees it.
    caught=_faults("always-yes sees-absent sees-erased") | _NEITHER_YES_NOR_NO,
    # "no" from the start.
    vacuous=_faults("always-no"),
    # Bare names, no counts and no negation.
    quiet=(_faults("ignores-attributes") | _NEGATION | _OF_COUNTS | _OF_CONTROLS | _OF_EDITS - _faults("sees-erased")),
)

# What is there is there behind the noise. Half of the questions are counts.
_CORRUPTED = Row(
    caught=_faults("always-yes") | _NEITHER_YES_NOR_NO,
    quiet=_SEEN_ALIKE.quiet - _faults("always-yes"),
)

# The controls ask one thing twice, so a model that is wrong in the same way both times does all that they demand, be
# it that it says "0" or nothing of use. Their holds are never vacuous: what they show is that nothing has changed.
_WRONG_ALIKE = _faults(
    "always-yes always-no always-zero refuses ignores-negation ignores-attributes first-group-only"
) | _faults("order-sensitive adds-wrong off-by-one saturates sees-absent quantifies")

TABLE: Mapping[str, Row] = {
    "metavqa.partition[object]": Row(
        caught=_PARTITION,
        vacuous=_NOTHING_COUNTED,
        # It asks for bare names, so there are no attributes to ignore.
        quiet=_NEGATION | _OF_CONTROLS | _OF_EDITS | _faults("ignores-attributes"),
    ),
    "metavqa.partition[property]": Row(
        # Of 2 cars, "red cars and blue cars" counts 2, "red cars" 2 and "blue cars" 2.
        caught=_PARTITION | _faults("ignores-attributes"),
        vacuous=_NOTHING_COUNTED,
        quiet=_NEGATION | _OF_CONTROLS | _OF_EDITS,
    ),
    "metavqa.reorder[object]": Row(caught=_REORDER, vacuous=_NOTHING_COUNTED, quiet=_BOTH_ORDERS_ALIKE),
    "metavqa.reorder[property]": Row(caught=_REORDER, vacuous=_NOTHING_COUNTED, quiet=_BOTH_ORDERS_ALIKE),
    "metavqa.reversion[object]": _REVERSION,
    "metavqa.reversion[property]": _REVERSION,
    "metavqa.cutting[count]": _CUTTING_COUNT,
    "metavqa.cutting[exists]": _CUTTING_EXISTS,
    "metavqa.cutting[absent]": _CUTTING_ABSENT,
    "metavqa.insertion[count]": _COUNTED_ALIKE,
    "metavqa.insertion[exists]": _SEEN_ALIKE,
    "metavqa.insertion[absent]": _SEEN_ALIKE,
    "metavqa.insertion_plus": Row(
        caught=_ONE_MORE_OR_LESS | _faults("omits-inserted"),
        quiet=_ONE_MORE_OR_LESS_ALL_THE_SAME | _OF_EDITS - _faults("omits-inserted"),
    ),
    "metavqa.removal[count]": _COUNTED_ALIKE,
    "metavqa.removal[exists]": _SEEN_ALIKE,
    "metavqa.removal[absent]": _SEEN_ALIKE,
    "metavqa.removal_plus": Row(
        caught=_ONE_MORE_OR_LESS | _faults("sees-erased"),
        quiet=_ONE_MORE_OR_LESS_ALL_THE_SAME | _OF_EDITS - _faults("sees-erased"),
    ),
    **{f"carets.visual[blur{sigma}]": _OBSCURED for sigma in (3, 6, 9)},
    "carets.visual[mask]": _HIDDEN,
    "carets.visual[crop]": _HIDDEN,
    # All that is asked about is there, before and after.
    "veglue.vqa_mr1": _SEEN_ALIKE,
    "veglue.vqa_mr2": _NO_LONGER_THERE,
    "veglue.vqa_mr3": _SEEN_ALIKE,
    **{
        f"corruption[{kind}-{where}]": _CORRUPTED
        for kind in ("impulse", "zoom", "snow", "contrast")
        for where in ("object", "global")
    },
    "control.repeat": Row(
        caught=_faults("inconsistent"),
        # The text is the same, to the letter.
        quiet=_WRONG_ALIKE | _OF_EDITS | _faults("spacing-sensitive"),
    ),
    "control.reencode": Row(
        caught=_faults("spacing-sensitive"),
        # Another picture and another text, so neither query is asked again.
        quiet=_WRONG_ALIKE | _OF_EDITS | _faults("inconsistent"),
    ),
}
"""By item, in the order of the catalogue."""
