"""Which relation about other views of a picture catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, NOT_A_COUNT, Row, named, row_of


def _same(own: str) -> Row:
    """Counts, existence and places of two views: wrong about both is wrong in the same way."""
    return row_of(caught=named(f"always-yes {own}") | NO_ANSWER)


_TURNED = (
    # Another side is asked for: one in so many words, or one that is taken for its opposite.
    named("rotation-blind ignores-side") | NO_ANSWER
)
_QUARTER = _TURNED | (
    # Left and right on the one picture, higher and lower on the other; "higher up" is a word more.
    named("quarter-turn-blind left-right-blind template-sensitive")
)

VIEWS: Mapping[str, Row] = {
    "view.shift": _same("shift-sensitive"),
    "view.pad": _same("padding-sensitive"),
    "view.rescale[down]": _same("scale-sensitive"),
    "view.rescale[up]": _same("scale-sensitive"),
    "view.jpeg": _same("jpeg-sensitive"),
    # A number, a yes or a refusal is no color, and "no" denies that there is such a thing.
    "view.recolour[color]": row_of(caught=named("always-yes always-no remembers-color color-bound") | NO_ANSWER),
    "view.recolour[count]": row_of(caught=named("color-bound") | NOT_A_COUNT, vacuous=named("always-no always-zero")),
    "view.recolour[exists]": row_of(caught=named("color-bound") | NO_ANSWER),
    "spatial.rotate[90]": row_of(caught=_QUARTER),
    "spatial.rotate[180]": row_of(caught=_TURNED),
    "spatial.rotate[270]": row_of(caught=_QUARTER),
    "count.compose": row_of(
        # One too many in each picture, and in both together; 1 and 1 are 1.
        caught=named("first-panel-only off-by-one saturates") | NOT_A_COUNT,
        vacuous=named("always-no always-zero"),
    ),
}
"""By item, in the order of the catalogue."""
