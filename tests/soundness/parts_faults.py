"""Which relation about the parts of a thing catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, Row, named, row_of

# One more, or one less, of what is counted, and neither a group nor a picture that the other faults are wrong about.
_PRIOR = row_of(caught=named("counts-by-prior always-yes always-no") | NO_ANSWER)

PARTS: Mapping[str, Row] = {"count.prior[more]": _PRIOR, "count.prior[less]": _PRIOR}
"""By item, in the order of the catalogue."""
