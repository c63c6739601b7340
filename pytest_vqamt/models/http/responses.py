"""HTTP responses and the exceptions that failed requests raise."""

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
    """One query has no answer, and a retry would not help; others may be answered."""


class ServerState(StrEnum):
    """What a failure says about the server."""

    UNREACHABLE = "absent"
    BROKEN = "broken"
    BUSY = "busy"


class TransientError(Exception):
    """A failure that may pass: the same request may be retried.

    Attributes:
        reason: what happened, in words.
        state: what it says about the server.
        wait_s: the delay that the server asks for; None where it asks for none.
    """

    def __init__(self, reason: str, *, state: ServerState, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.state = state
        self.wait_s = wait_s


class ForbiddenError(Exception):
    """The server refuses with 403: either everything, or this query alone."""


_COMPRESSION = 1
"""For photos the lowest level makes files 7 % larger than the default one, in a third of the time."""


def png_bytes(image: Image) -> bytes:
    """The image, RGB uint8, as a lossless PNG file."""
    file = BytesIO()
    image.save(file, "PNG", compress_level=_COMPRESSION)
    return file.getvalue()


def status_text(status: int) -> str:
    """A status as number and phrase.

    >>> status_text(503)
    '503 Service Unavailable'
    """
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by Retry-After (RFC 9110, section 10.2.3); None where there is no such header.

    A date is compared with the server's own ``Date`` where there is one, since its clock and ours may differ. OpenAI's
    ``retry-after-ms``, which is more exact, comes first.

    >>> retry_after_s({"retry-after": "2"})
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
class HttpResponse:
    """A response; the names of ``headers`` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
