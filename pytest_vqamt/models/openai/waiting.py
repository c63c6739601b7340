"""How long to wait before a request is sent again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from pytest_vqamt.core.hashing import digest

_FIRST_S = 0.5
_LONGEST_S = 30.0


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


def back_off(name: str, failures: int) -> float:
    """Seconds to wait after so many failures of the query ``name``: they double, up to 30.

    A share of it is made from the name: requests that failed together do not come back together, without any chance.
    """
    longest = min(_LONGEST_S, _FIRST_S * 2.0 ** min(failures - 1, 16))
    share = int(digest("back off", name, str(failures)), 16) / 2**64
    return longest * (0.5 + 0.5 * share)


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
