"""Connections over which nothing whole is asked: ended, so that they do not take the room of others."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Protocol

MOST_S = 90.0
"""Longer than a connection is kept open for the next request: what is still there has begun one and not gone on."""


class _Cycle(Protocol):
    """A request and its reply, as uvicorn has it."""

    @property
    def response_complete(self) -> bool: ...


class _Transport(Protocol):
    def abort(self) -> None: ...


class Connection(Hashable, Protocol):
    """A connection of uvicorn; ``cycle`` is None until the headers of a first request have come whole."""

    @property
    def cycle(self) -> _Cycle | None: ...

    @property
    def transport(self) -> _Transport: ...


class Silence:
    """Ends connections that have waited for the headers of a request too long; uvicorn waits for them without end."""

    def __init__(self, *, most_s: float = MOST_S) -> None:
        self._most_s = most_s
        self._since: dict[Connection, tuple[_Cycle | None, float]] = {}

    def end(self, connections: Collection[Connection], now: float) -> None:
        """To be called every now and then; ``now`` is in seconds of a monotonic clock."""
        before, self._since = self._since, {}
        for connection in tuple(connections):
            cycle = connection.cycle
            if cycle is not None and not cycle.response_complete:
                continue
            last, since = before.get(connection, (cycle, now))
            since = since if last is cycle else now
            if now - since > self._most_s:
                connection.transport.abort()
            else:
                self._since[connection] = (cycle, since)
