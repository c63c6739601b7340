"""What an HTTP status is called, and how long a server that sends it asks to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from math import isfinite


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
