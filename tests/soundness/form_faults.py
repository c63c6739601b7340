"""Which relation between two forms of one fact catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, NOT_A_COUNT, Row, named, row_of

_DENIES = named("counts-but-denies")
_MAKES_UP = named("caption-hallucinates")
# "Are there dogs?" is wrong, and counts and captions are right in any number of words.
_WORDING = named("template-sensitive")

_COUNT_EXISTS = row_of(
    # One, where "no" is right; 0 and nothing of use to the question of yes or no.
    caught=_DENIES | _WORDING | named("off-by-one") | NOT_A_COUNT | named("always-zero"),
)
_CHOICE_EXISTS = row_of(
    # There is a cat, too, though the dog was chosen; neither a yes nor a no is a choice; and the first of the two may
    # be the one that is not there.
    caught=_DENIES | _WORDING | named("sees-absent always-yes always-no first-choice") | NO_ANSWER,
)
_CAPTION_EXISTS = row_of(
    caught=_DENIES | _MAKES_UP | _WORDING | NO_ANSWER,
    # "Yes" and "no" name nothing.
    vacuous=named("always-yes always-no"),
)
_CAPTION_COUNT = row_of(
    # Two or more of each, and one or none by count.
    caught=_MAKES_UP | named("always-plural saturates") | NOT_A_COUNT,
    # "0" and "no" name nothing.
    vacuous=named("always-no always-zero"),
)
_ON_OFF = row_of(
    # No number, and no yes or no.
    caught=named("thinks-itself-wrong always-zero") | NOT_A_COUNT,
)

FORMS: Mapping[str, Row] = {
    "agree.form[count_exists]": _COUNT_EXISTS,
    "agree.form[choice_exists]": _CHOICE_EXISTS,
    "agree.form[caption_exists]": _CAPTION_EXISTS,
    "agree.form[caption_count]": _CAPTION_COUNT,
    "think.on_off": _ON_OFF,
}
"""By item, in the order of the catalogue."""
