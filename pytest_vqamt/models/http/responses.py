"""What can go wrong with a request, told apart by what is to be done about it."""

from __future__ import annotations

from enum import StrEnum

from pytest_vqamt.core.errors import VqamtError


class QueryError(VqamtError):
    """One query has no answer, and asking it once more would not help; others may well be answered."""


class Sign(StrEnum):
    """What a failure says about the server: no connection can be made, it breaks down, or it is at work."""

    ABSENT = "absent"
    BROKEN = "broken"
    BUSY = "busy"


class PassingError(Exception):
    """A failure that may pass: the same request may be answered later.

    Attributes:
        reason: what happened, in words.
        sign: what it says about the server.
        wait_s: how long the server asks to be left alone; None where it does not say.
    """

    def __init__(self, reason: str, *, sign: Sign, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sign = sign
        self.wait_s = wait_s


class ForbiddenError(Exception):
    """The server refuses: everything, or this query alone, which it tells by the same status."""
