"""Which relation about hypotheses catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NEGATION, NO_ANSWER, OF_CONTROLS, OF_COUNTS, OF_EDITS, OF_WORDS, Row, named

# Neither a number nor a refusal is a label, and nor is "yes" or "no".
_NO_LABEL = NO_ANSWER | named("always-yes always-no")
# What is wrong about questions alone, be it what they ask for or how they are worded; or about descriptions alone.
_OF_QUESTIONS = (
    named("sees-absent order-sensitive template-sensitive reads-last wrong-class always-plural")
    | NEGATION
    | OF_WORDS
    | OF_COUNTS
)
# No text is put twice, no picture cut, blurred or masked, and nothing is inserted.
_OF_OTHERS = _OF_QUESTIONS | OF_CONTROLS | OF_EDITS - named("sees-erased")

_STAYS_ENTAILED = Row(
    # "contradiction", whatever is right; or because entailment is right, as it is of all that is left to be said.
    caught=named("contradicts-everything label-swap") | _NO_LABEL,
    quiet=(
        # What is erased is not spoken of (any more), so that it does no harm to see it still.
        named("entails-everything sees-erased")
        # A red car is a car.
        | named("ignores-attributes")
        | _OF_OTHERS
    ),
)
_BECOMES_CONTRADICTION = Row(
    caught=(
        # Still entailed, to who sees what was erased, or says so of everything.
        named("entails-everything sees-erased")
        # "entailment", because contradiction is right.
        | named("label-swap")
        | _NO_LABEL
    ),
    # "contradiction" from the start.
    vacuous=named("contradicts-everything"),
    # No car at all is left, be it a red one.
    quiet=named("ignores-attributes") | _OF_OTHERS,
)

# The same to both: what is wrong about the one is wrong about the other, which is entailed, too.
_SAME_LABEL = Row(
    caught=_NO_LABEL,
    quiet=(named("entails-everything contradicts-everything label-swap ignores-attributes sees-erased") | _OF_OTHERS),
)

_SWAPPED = Row(
    caught=(
        # A closed door is a door, like an open one: where a name is swapped it is right, and where an attribute is not.
        named("ignores-attributes") | named("entails-everything label-swap") | _NO_LABEL
    ),
    vacuous=named("contradicts-everything"),
    # No picture is edited.
    quiet=named("sees-erased") | _OF_OTHERS,
)

ENTAILMENT: Mapping[str, Row] = {
    "veglue.mr1_joint_erase": _STAYS_ENTAILED,
    "veglue.mr2_linked_erase": _BECOMES_CONTRADICTION,
    "veglue.mr3_unlinked_erase": _STAYS_ENTAILED,
    **{
        f"veglue.corruption[{kind}-{where}]": _SAME_LABEL
        for kind in ("impulse", "zoom", "snow", "contrast")
        for where in ("object", "global")
    },
    "text.antonym_swap": _SWAPPED,
    "text.word_substitution": _SAME_LABEL,
}
"""By item, in the order of the catalogue."""
