"""Which of CARETS' relations catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NEGATION, NO_ANSWER, OF_CONTROLS, OF_COUNTS, OF_EDITS, OF_WORDS, Row, named

# "yes" is no choice, and nor is "no".
_NO_CHOICE = named("always-yes always-no")
# Nothing is counted, nothing is asked again, and no picture is edited.
_OF_OTHERS = OF_COUNTS | OF_CONTROLS | OF_EDITS
# All groups and choices stand in the same order, and what is wrong about them is wrong twice.
_ORDER = named("order-sensitive")

_REPHRASE = Row(
    caught=(
        # One wording has an odd number of words, and the other an even one.
        named("template-sensitive")
        # Half of the cases are choices.
        | _NO_CHOICE
        | NO_ANSWER
    ),
    quiet=(
        # Misread in both wordings alike: what is meant is the same, and the first choice is.
        named("ignores-attributes sees-absent") | OF_WORDS | NEGATION | _ORDER | _OF_OTHERS
    ),
)

# The class often has more words, or fewer, than the kind: "toy" and "teddy bear".
_IN_ANOTHER_WORD = named("template-sensitive")
# Each is there in any colour.
_BY_WHATEVER_NAME = (
    named("ignores-attributes ignores-not-both antonym-blind first-choice") | NEGATION | _ORDER | _OF_OTHERS
)
_HYPERNYM = Row(
    # There is a dog, and no animal.
    caught=named("hypernym-blind") | _IN_ANOTHER_WORD | NO_ANSWER,
    # No dog, and so nothing follows.
    vacuous=named("always-no counts-but-denies"),
    quiet=_BY_WHATEVER_NAME | named("always-yes sees-absent"),
)
_HYPONYM = Row(
    caught=_IN_ANOTHER_WORD | NO_ANSWER,
    # An animal, and so nothing follows.
    vacuous=named("always-yes sees-absent"),
    # There is no animal, by whatever name: who knows none by that of its class is right.
    quiet=_BY_WHATEVER_NAME | named("always-no hypernym-blind"),
)
_ORDER_OF_TWO = Row(
    # Just one of the two orders is that of the alphabet.
    caught=_ORDER | NO_ANSWER,
    quiet=(
        # The words are the same, and as many, so that who misreads them misreads them twice.
        named("always-yes always-no ignores-attributes sees-absent template-sensitive")
        | OF_WORDS
        | NEGATION
        | _OF_OTHERS
    ),
)
_ORDER_OF_CHOICES = Row(
    caught=(
        # Another one is the first.
        named("first-choice")
        # Of three, the first wrong one is another; of two, one order is that of the alphabet.
        | named("template-sensitive order-sensitive")
        | _NO_CHOICE
        | NO_ANSWER
    ),
    quiet=(
        # No choice is about classes or in the negative, and attributes of what is asked about are read right.
        named("ignores-attributes sees-absent ignores-not-both hypernym-blind antonym-blind") | NEGATION | _OF_OTHERS
    ),
)

_OBSCURED = Row(
    # Three in seven are choices.
    caught=named("background-dependent") | _NO_CHOICE | NO_ANSWER,
    quiet=(
        # Everything around what is asked about is obscured, and the rest is as it was, as are the words: who is wrong
        # is wrong twice. Of a false attribute all bearers of the name are kept, so "red cars" taken for "cars" are
        # there both times.
        named("ignores-attributes sees-absent template-sensitive")
        | OF_WORDS
        | NEGATION
        | _ORDER
        | OF_COUNTS
        | OF_CONTROLS
        | OF_EDITS - named("background-dependent")
    ),
)

_NEGATED = Row(
    caught=(
        # The same to both questions.
        named("always-yes always-no ignores-negation")
        # The same to "both a dog and a cat" and "either no dog or no cat": a third of the cases.
        | named("ignores-not-both")
        # "yes, there is" and "yes, there is none" of what is not there.
        | named("sees-absent")
        # The negation has a word more or less.
        | named("template-sensitive")
        | NO_ANSWER
    ),
    quiet=(
        # What is misread is misread in both, and one is yes and the other no.
        named("ignores-attributes hypernym-blind antonym-blind first-choice") | _ORDER | _OF_OTHERS
    ),
)

_ANTONYM = Row(
    caught=(
        # "yes" to "open" and to "closed": the door has one of the two, or there is a door.
        named("antonym-blind ignores-attributes") | _NO_CHOICE | NO_ANSWER
    ),
    quiet=(
        # One word for another: as many, and wrong about both is one yes, one no.
        named("template-sensitive")
        # One group and no choice, and nothing about classes, in the negative, or whether something is there.
        | named("sees-absent ignores-not-both hypernym-blind first-choice")
        | NEGATION
        | _ORDER
        | _OF_OTHERS
    ),
)

CARETS: Mapping[str, Row] = {
    "carets.rephrase": _REPHRASE,
    "carets.ontological[hypernym]": _HYPERNYM,
    "carets.ontological[hyponym]": _HYPONYM,
    "carets.order[conjunction]": _ORDER_OF_TWO,
    "carets.order[disjunction]": _ORDER_OF_TWO,
    "carets.order[choices]": _ORDER_OF_CHOICES,
    **{f"carets.visual[{how}]": _OBSCURED for how in ("blur3", "blur6", "blur9", "mask", "crop")},
    "carets.negation": _NEGATED,
    "carets.antonym": _ANTONYM,
}
"""By item, in the order of the catalogue."""
