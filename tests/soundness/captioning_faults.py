"""Which relation of captions catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import (
    NEGATION,
    OF_CONTROLS,
    OF_COUNTS,
    OF_EDITS,
    OF_OTHER_TEXTS,
    OF_WORDS,
    Row,
    named,
    row_of,
)

# Words that name nothing at all.
_NO_CAPTION = named("always-yes always-no always-zero")
_OF_CAPTIONS = named("wrong-class always-plural")
# No question is asked, and no hypothesis put: there is nothing to misread, to count, or to be asked again.
_NOTHING_ASKED = (
    named("ignores-attributes sees-absent order-sensitive template-sensitive")
    | NEGATION
    | OF_WORDS
    | OF_COUNTS
    | OF_CONTROLS
    | (OF_OTHER_TEXTS - _OF_CAPTIONS)
)

_APPEARANCE = Row(
    caught=(
        # What was put in is not named.
        named("omits-inserted")
        # A zebra is named in its place.
        | named("wrong-class")
        # Nothing is named, or nothing is said.
        | _NO_CAPTION
        | named("refuses")
    ),
    # "dogs" are of the class that one dog is of.
    quiet=_NOTHING_ASKED | named("always-plural") | OF_EDITS - named("omits-inserted"),
)

_FORMS = Row(
    caught=(
        # One dog is "two dogs".
        named("always-plural")
        # Where there was a dog before, the class is there without the one that was put in, and in the singular.
        | named("omits-inserted")
        | named("refuses")
    ),
    # What is wrong are the classes, in each case, so that their numbers are not judged.
    vacuous=named("wrong-class") | _NO_CAPTION,
    quiet=_NOTHING_ASKED | OF_EDITS - named("omits-inserted"),
)

# The same is said of both pictures, be it "yes", two of everything, or of what nobody put in.
_SAME_AGAIN = _NOTHING_ASKED | _NO_CAPTION | _OF_CAPTIONS
_TRANSFORMED = Row(caught=named("refuses"), quiet=_SAME_AGAIN | OF_EDITS)
# Each picture is blurred all over.
_BLURRED = Row(
    caught=named("refuses background-dependent"), quiet=_SAME_AGAIN | OF_EDITS - named("background-dependent")
)

# A dog is named where it was erased, be it for what was there before or for what often is.
_ERASED = row_of(
    caught=named("sees-erased caption-hallucinates refuses"),
    # What names nothing loses nothing.
    vacuous=_NO_CAPTION,
)
# Of what stays, only the largest is named.
_OTHERS = row_of(caught=named("omits-beside-erased refuses"), vacuous=_NO_CAPTION)
# What was moved is what was put in, and not seen, or taken for a zebra; or only the largest is named.
_MOVED = row_of(caught=named("omits-inserted wrong-class omits-beside-erased refuses"), vacuous=_NO_CAPTION)

CAPTIONING: Mapping[str, Row] = {
    **{f"metaic.object_appearance[{level}]": _APPEARANCE for level in ("0", "15", "30", "45")},
    **{f"metaic.singular_plural[{level}]": _FORMS for level in ("0", "15", "30", "45")},
    "metaic.deeptest[blur]": _BLURRED,
    **{f"metaic.deeptest[{how}]": _TRANSFORMED for how in ("brightness", "contrast", "shear")},
    "caption.removal[erased]": _ERASED,
    "caption.removal[others]": _OTHERS,
    "caption.layout": _MOVED,
}
"""By item, in the order of the catalogue."""
