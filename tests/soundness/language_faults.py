"""Which planted faults a question in another language shows."""

from __future__ import annotations

from collections.abc import Mapping

from tests.soundness.fault_effects import NO_ANSWER, NOT_A_COUNT, OF_LANGUAGES, Row, named, row_of

_SWITCH = row_of(
    caught=(
        OF_LANGUAGES
        # One of the two questions has an odd number of words, now and then.
        | named("template-sensitive")
        # Neither is a colour, and "no" is 0 of what is there in both languages alike.
        | named("always-no")
        | NO_ANSWER
        | NOT_A_COUNT
    )
)

LANGUAGES: Mapping[str, Row] = {f"lang.switch[{code}]": _SWITCH for code in ("de", "fr", "es", "zh", "ja", "pt")}
"""By item, in the order of the catalogue."""
