"""The body of a request, read up to a bound and within a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

Message: TypeAlias = MutableMapping[str, Any]
"""As ASGI has it; the values are of many types."""

Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_AT_MOST_S = 120
"""A body that takes longer is not waited for."""


class TooManyBytesError(Exception):
    """The body is longer than allowed."""


class GoneError(Exception):
    """Whoever sent the request has gone, or is too slow."""


async def body_of(receive: Receive, headers: dict[bytes, bytes], most: int) -> bytes:
    """The body, of at most ``most`` bytes: never are more than that held, whatever a header says or does not say.

    Raises:
        TooManyBytesError: it is longer, or says that it will be.
        GoneError: it did not come to its end.
    """
    said = headers.get(b"content-length", b"")
    if said.isdigit() and int(said[:20]) > most:
        raise TooManyBytesError
    held = bytearray()
    try:
        async with asyncio.timeout(_AT_MOST_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise GoneError
                held += message.get("body", b"")
                if len(held) > most:
                    raise TooManyBytesError
                if not message.get("more_body"):
                    return bytes(held)
    except TimeoutError:
        raise GoneError from None
