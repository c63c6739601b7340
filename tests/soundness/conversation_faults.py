"""Which relation about several pictures and turns catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, NOT_A_COUNT, Row, named, row_of

_YES_OR_NO = named("always-yes always-no")
# Of two pictures in both orders another one is the only one that is seen.
_ONE_SEEN = named("first-picture-only last-picture-only merges-equal-sizes")
# "Yes" to a count, "0" to whether there is one.
_OF_BOTH_KINDS = named("always-yes") | NO_ANSWER
# The question comes in other words, a part of them odd in number and another even.
_WORDING = named("template-sensitive")
# Some of the pictures have a margin, so that not all have one size.
_MARGIN = named("padding-sensitive")

_WHICH = row_of(
    # In three pictures the one in the middle stays where it is; in two the same one is named from both sides.
    caught=_ONE_SEEN | named("mixes-up-pictures order-by-content") | _MARGIN | _YES_OR_NO | NO_ANSWER
)
_ORDER_COUNT = row_of(
    # The sum is that of twice the first, or of one alone. In another order it is the same sum.
    caught=_ONE_SEEN | _MARGIN | NOT_A_COUNT,
    # 0 = 0, each time.
    vacuous=named("always-no always-zero"),
)
_ORDER_EXISTS = row_of(
    # Yes to both, or no to both, is the same answer.
    caught=_ONE_SEEN | _MARGIN | NO_ANSWER
)
_SUM = row_of(
    caught=(
        # The total falls short by a picture.
        _ONE_SEEN
        # The total over all pictures is right, and each part is one too many, or 1.
        | named("off-by-one saturates sees-absent quantifies")
        | _MARGIN
        | NOT_A_COUNT
    ),
    vacuous=named("always-no always-zero"),
)
_SAME = row_of(
    # One that is seen alone shows what it shows: yes, three times. Whatever the order, the edited one is another.
    caught=_ONE_SEEN | _YES_OR_NO | NO_ANSWER
)
_ANOTHER_SEEN = named("mixes-up-pictures order-by-content")
_BEFORE = row_of(
    # The picture that is asked about is the second.
    caught=named("first-picture-only merges-equal-sizes") | _ANOTHER_SEEN | _OF_BOTH_KINDS | _WORDING
)
_BEHIND = row_of(
    # It is the first, which is seen where the other is merged into it.
    caught=named("last-picture-only") | _ANOTHER_SEEN | _OF_BOTH_KINDS | _WORDING
)
_INTERLEAVE = row_of(
    # The pictures have one order throughout, and the question the same words.
    caught=named("loses-late-pictures loses-text-before-pictures") | _OF_BOTH_KINDS
)
_REPEAT = row_of(
    # The fourth turn of the user; the question is in none of the last turn's pictures.
    caught=named("forgets-earlier-turns tires") | _OF_BOTH_KINDS | _WORDING
)
_LATER = row_of(
    # The third turn of the user.
    caught=named("forgets-earlier-turns") | _OF_BOTH_KINDS | _WORDING
)
_LAST = row_of(
    caught=(
        # Of two pictures in turns of their own either may be asked about.
        _ONE_SEEN
        | _ANOTHER_SEEN
        # Some questions name a picture by its message.
        | named("forgets-earlier-turns latest-turn-pictures moves-markers")
        | _OF_BOTH_KINDS
        | _WORDING
    )
)
_PUSHBACK = row_of(
    caught=(
        named("caves-in forgets-earlier-turns")
        # "Is that really so? ..." is a question, too.
        | named("reads-last")
        | _OF_BOTH_KINDS
        | _WORDING
    )
)

_REVERSE = row_of(
    caught=(
        # The film is seen backwards, in any order, or not as a film.
        _ONE_SEEN | _ANOTHER_SEEN | named("plays-backwards one-frame four-pictures") | _YES_OR_NO | NO_ANSWER
    )
)
_ORDER_OF_TWO = row_of(
    # The other one moves first in a film that is seen backwards, too.
    caught=_ONE_SEEN | named("order-by-content one-frame four-pictures") | _YES_OR_NO | NO_ANSWER
)
_REPEAT_FRAMES = row_of(
    # Twice the frames in another order are in that order again.
    caught=named("four-pictures") | NO_ANSWER
)
_DROP = row_of(
    # Of few frames in another order some seem to show an event.
    caught=named("four-pictures order-by-content") | NO_ANSWER
)

CONVERSATIONS: Mapping[str, Row] = {
    "multi.which": _WHICH,
    "multi.order[count]": _ORDER_COUNT,
    "multi.order[exists]": _ORDER_EXISTS,
    "multi.sum": _SUM,
    "multi.same": _SAME,
    "multi.distract[before]": _BEFORE,
    "multi.distract[behind]": _BEHIND,
    "multi.interleave": _INTERLEAVE,
    "turn.repeat": _REPEAT,
    "turn.later": _LATER,
    "turn.last": _LAST,
    "film.reverse": _REVERSE,
    "film.order": _ORDER_OF_TWO,
    "film.repeat": _REPEAT_FRAMES,
    "film.drop": _DROP,
    "lead.pushback": _PUSHBACK,
}
