"""Which relation about places and parts catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import (
    NEGATION,
    NO_ANSWER,
    NOT_A_COUNT,
    OF_CONTROLS,
    OF_COUNTS,
    OF_EDITS,
    OF_OTHER_TEXTS,
    OF_PLACES,
    OF_WORDS,
    Row,
    named,
)

# Plain names are asked about; both questions have as many words, so that who is wrong about that is wrong twice.
_MISREAD_ALIKE = named("ignores-attributes sees-absent template-sensitive") | OF_WORDS | NEGATION
_OF_OTHERS = _MISREAD_ALIKE | OF_COUNTS | OF_CONTROLS | OF_EDITS | OF_OTHER_TEXTS
_YES_OR_NO = named("always-yes always-no")
_ORDER = named("order-sensitive")

_OPPOSITE = Row(
    caught=(
        # The same to both pictures: of all places, of left and right, of what a mirror changes, of what is far apart.
        _YES_OR_NO | named("left-right-blind mirror-blind near-sighted") | NO_ANSWER
    ),
    # The words are the same: wrong about both is one yes, one no.
    quiet=_ORDER | named("ignores-side") | _OF_OTHERS,
)
_SWAP = Row(
    # "Left" of both pictures, asked for left and right; and right of the mirrored picture as if it were not mirrored.
    caught=named("ignores-side mirror-blind") | NO_ANSWER,
    # The same to both questions, which is as it should be: both are wrong, or neither.
    quiet=_YES_OR_NO | _ORDER | named("left-right-blind near-sighted") | _OF_OTHERS,
)
_INVERSE = Row(
    # Just one of the two orders is that of the alphabet. The dog is left of the car, and the car left of the dog.
    caught=_ORDER | named("ignores-side") | NO_ANSWER,
    # No picture is mirrored.
    quiet=_YES_OR_NO | named("left-right-blind near-sighted mirror-blind") | _OF_OTHERS,
)
_ANTISYMMETRIC = Row(
    # Each is left of the other. One of two in the wrong order is wrong, which is yes and yes where it should be no.
    caught=named("always-yes left-right-blind") | _ORDER | NO_ANSWER,
    vacuous=named("always-no"),
    # Taken for the other side, one is yes and the other no.
    quiet=named("ignores-side near-sighted mirror-blind") | _OF_OTHERS,
)
_TRANSITIVE = Row(
    # The first is near to the second, the second to the third, and the third is far from the first.
    caught=named("near-sighted") | NO_ANSWER,
    vacuous=named("always-no"),
    # All are yes, or the first two are not; two in the order of the alphabet have the third in it, too.
    quiet=named("always-yes") | _ORDER | OF_PLACES - named("near-sighted") | _OF_OTHERS,
)
_PART_OF_WHOLE = Row(
    # One more red dog than there are dogs, wherever all of them are red.
    caught=named("overcounts-described") | NOT_A_COUNT,
    vacuous=named("always-no always-zero"),
    # A group by itself is asked for: what is wrong about both is wrong alike, and never more of the part.
    quiet=_ORDER | OF_PLACES | _OF_OTHERS - named("overcounts-described"),
)

PLACES: Mapping[str, Row] = {
    "spatial.mirror[opposite]": _OPPOSITE,
    "spatial.mirror[swap]": _SWAP,
    "spatial.inverse": _INVERSE,
    "spatial.antisymmetric": _ANTISYMMETRIC,
    "spatial.transitive": _TRANSITIVE,
    "count.part_of_whole": _PART_OF_WHOLE,
}
"""By item, in the order of the catalogue."""
