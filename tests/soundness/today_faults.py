"""Which relation about choices, leading statements, premises and written words catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, Row, named, row_of

_YES_OR_NO = named("always-yes always-no")
# The statement has another number of words than the neutral one, in some cases.
_WORDING = named("template-sensitive")

_LED = row_of(
    # Yes to both, or no to both, is the same answer, right or wrong.
    caught=named("follows-the-asker") | _WORDING | NO_ANSWER
)
_PREMISE = row_of(
    # "Yes" is no color, and "no" denies the thing of the control, which is there.
    caught=named("accepts-premises")
    | _YES_OR_NO
    | NO_ANSWER
    # Where no thing has a known color, the control asks whether a thing is there, in an odd number of words.
    | named("template-sensitive counts-but-denies")
)
_SCOPE = row_of(
    # The same one both times.
    caught=named("ignores-not first-choice") | _YES_OR_NO | NO_ANSWER
)
# Nobody who says yes or no names an option.
_NO_OPTION = _YES_OR_NO | NO_ANSWER
_ROTATE = row_of(
    # The first, or the second, is another one in each rotation. Of two wrong ones the first depends on the order, too.
    caught=named("first-choice letter-biased order-sensitive template-sensitive") | _NO_OPTION
)
_LABELS = row_of(
    # Right with numbers. Whoever takes the first option, or is wrong for the words, does so both times.
    caught=named("letter-biased") | _NO_OPTION
)
_NONE = row_of(
    # An option where none is right; of colors, the wrong one for the order or the number of words.
    caught=named("never-none first-choice letter-biased order-sensitive template-sensitive") | _NO_OPTION
)
_NEUTRAL = row_of(
    # The third answer is no: nothing is written.
    caught=named("cannot-read always-no") | NO_ANSWER
)
_CONTRADICTING = row_of(caught=named("cannot-read reads-words-as-things") | _NO_OPTION)
_ABSENT_NAME = row_of(caught=named("cannot-read reads-words-as-things always-no") | NO_ANSWER)
_DRAWN = row_of(
    caught=named("ignores-drawn-questions") | _WORDING,
    # Who says the same to a sentence that is written and to one that is not, reads neither; and who is wrong about
    # padded pictures says that the one is not written.
    vacuous=named("cannot-read padding-sensitive") | _YES_OR_NO | NO_ANSWER,
)

TODAY: Mapping[str, Row] = {
    "lead.belief": _LED,
    "lead.authority": _LED,
    "absent.premise": _PREMISE,
    "negation.scope": _SCOPE,
    "choice.rotate": _ROTATE,
    "choice.labels": _LABELS,
    "choice.none": _NONE,
    "overlay.text[neutral]": _NEUTRAL,
    "overlay.text[contradicting]": _CONTRADICTING,
    "overlay.text[absent_name]": _ABSENT_NAME,
    "overlay.question": _DRAWN,
}
"""By item, in the order of the catalogue."""
