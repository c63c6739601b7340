"""Which relation about another form of file catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, Row, named, row_of

# Counts, existence, places and colors: wrong about both files is wrong in the same way.
_NO_ANSWER = named("always-yes") | NO_ANSWER
_COLORS = row_of(caught=_NO_ANSWER | named("always-no"))
_SWAPPED = row_of(caught=_NO_ANSWER | named("always-no jpeg-swapped"))
_GRAY = row_of(caught=_NO_ANSWER)
_TURNED = row_of(caught=_NO_ANSWER | named("ignores-orientation"))

FILES: Mapping[str, Row] = {
    "form.jpeg[baseline]": _SWAPPED,
    "form.jpeg[progressive]": _SWAPPED,
    "form.jpeg[grayscale]": _GRAY,
    "form.jpeg[cmyk]": _SWAPPED,
    "form.webp[lossless]": _COLORS,
    "form.webp[lossy]": _COLORS,
    "form.png[alpha]": _COLORS,
    "form.png[palette]": _COLORS,
    "form.png[grayscale]": _GRAY,
    "form.png[16-bit]": _COLORS,
    "form.png[interlaced]": _COLORS,
    "form.exif[jpeg]": _TURNED,
    "form.exif[png]": _TURNED,
}
"""By item, in the order of the catalogue."""
