"""What can go wrong with a request, told apart by what is to be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http import HTTPStatus
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import VqamtError

if TYPE_CHECKING:
    from PIL.Image import Image


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


_COMPRESSION = 1
"""Of photos the least compression makes files 7 % larger than the usual one, in a third of the time."""


def png_of(image: Image) -> bytes:
    """The image, RGB uint8, as a PNG file: the very pixels come out of it again."""
    file = BytesIO()
    image.save(file, "PNG", compress_level=_COMPRESSION)
    return file.getvalue()


def status_named(status: int) -> str:
    """A status by its number and its name.

    >>> status_named(503)
    '503 Service Unavailable'
    """
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def told_to_wait(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait as the server asks in Retry-After (RFC 9110, section 10.2.3); None where it does not.

    A date is taken from the server's own ``Date``, where there is one: its clock and ours may differ. OpenAI's
    ``retry-after-ms`` is the more exact.

    >>> told_to_wait({"retry-after": "2"})
    2.0
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after", "")
    seconds = _number(asked)
    if seconds is not None:
        return seconds
    then = _date(asked)
    if then is None:
        return None
    return max(0.0, (then - (_date(headers.get("date", "")) or now or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server said; the names of ``headers`` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
