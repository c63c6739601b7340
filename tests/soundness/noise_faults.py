"""Which partition of basic questions catches which planted fault."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import (
    NEGATION,
    NO_ANSWER,
    OF_CONTROLS,
    OF_COUNTS,
    OF_EDITS,
    OF_OTHER_TASKS,
    OF_WORDS,
    Row,
    named,
)

_NOISE = Row(
    caught=(
        # The first question alone is answered right, and of four the last is.
        named("reads-last")
        # Noise makes an odd number of words even, or leaves it odd, and a third of the questions are counts.
        | named("template-sensitive always-yes")
        | NO_ANSWER
    ),
    quiet=(
        # What is misread is misread with and without noise, and "no" to a count is 0, both times.
        named("always-no ignores-attributes order-sensitive sees-absent")
        | NEGATION
        | OF_COUNTS
        | OF_WORDS
        | OF_CONTROLS
        # The picture is the same.
        | OF_EDITS
        | OF_OTHER_TASKS
    ),
)

NOISE: Mapping[str, Row] = {f"basic_questions.noise[{partition}]": _NOISE for partition in range(1, 8)}
"""By item, in the order of the catalogue."""
