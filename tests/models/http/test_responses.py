"""How long a server asks to be left alone, by the second or by the clock."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pytest_vqamt.models.http.retry import retry_after_s

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "Sunday, 01-Mar-26 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 99 Mar 2026 12:00:30 GMT"}, None),
        # The server's clock is an hour ahead of ours.
        ({"retry-after": "Sun, 01 Mar 2026 13:00:30 GMT", "date": "Sun, 01 Mar 2026 13:00:20 GMT"}, 10),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT", "date": "today"}, 30),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2),
    ],
)
def test_the_server_says_how_long(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
