"""Which cases of an item were judged and how, small enough for millions of them: what models are compared by.

It is gathered only where a session has several models; of a report it is ``cases.jsonl`` that has it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass, field

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.identity import digest

HOLDS, PRESUMED = 1, 2
"""The bits of a record's last byte."""

RECORD_BYTES = 17
"""Eight that name the case, eight that name its scene, and one of bits."""


@dataclass(slots=True)
class JudgedCases:
    """The judged cases of one item as they come: neither errors nor waived cases are among them.

    Attributes:
        records: ``RECORD_BYTES`` of each, one after the other.
    """

    records: bytearray = field(default_factory=bytearray)

    def add(self, case_id: str, scene: str, outcome: Outcome, *, presumed: bool) -> None:
        """Adds a case, unless it is an error; one that is waived is not to be added."""
        if outcome is Outcome.ERROR:
            return
        self.records += bytes.fromhex(digest(case_id) + digest(scene))
        self.records.append(HOLDS * (outcome is Outcome.HOLDS) + PRESUMED * presumed)

    @property
    def text(self) -> str:
        """The records as plain text, as a worker tells them."""
        return b64encode(self.records).decode("ascii")

    @classmethod
    def of_text(cls, text: str) -> JudgedCases:
        """The cases that ``text`` was made of.

        Raises:
            ValueError: it is none.
        """
        records = b64decode(text, validate=True)
        if len(records) % RECORD_BYTES:
            raise ValueError(f"expected records of {RECORD_BYTES} bytes, got {len(records)} bytes")
        return cls(bytearray(records))
