"""A time limit for a whole exchange: the limits of HTTP libraries begin anew with each byte that arrives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2


class _Deadline(local):
    """The end of the exchange of a thread, by ``time.monotonic``; None outside of one."""

    ends: float | None = None


_DEADLINE = _Deadline()


@contextmanager
def deadline(seconds: float) -> Iterator[float]:
    """Bounds what this thread reads inside; gives the end by ``time.monotonic``."""
    _DEADLINE.ends = time.monotonic() + seconds
    try:
        yield _DEADLINE.ends
    finally:
        _DEADLINE.ends = None


def bound_by_deadlines(client: httpx2.Client) -> None:
    """Lets the connections of a client keep to ``deadline``.

    Headers that come a byte at a time would keep a request open for ever. httpx2 has no public place for the
    connections of its pools; in a version that names them otherwise, only bodies are bounded.
    """
    import httpcore2

    class Stream(httpcore2.NetworkStream):
        def __init__(self, stream: httpcore2.NetworkStream) -> None:
            self._stream = stream

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            if _DEADLINE.ends is not None:
                left = _DEADLINE.ends - time.monotonic()
                if left <= 0:
                    raise httpcore2.ReadTimeout
                timeout = left if timeout is None else min(left, timeout)
            return self._stream.read(max_bytes, timeout)

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            self._stream.write(buffer, timeout)

        def close(self) -> None:
            self._stream.close()

        def start_tls(self, *given: Any, **named: Any) -> httpcore2.NetworkStream:
            return Stream(self._stream.start_tls(*given, **named))

        def get_extra_info(self, info: str) -> Any:
            return self._stream.get_extra_info(info)

    class Backend(httpcore2.SyncBackend):
        def connect_tcp(self, *given: Any, **named: Any) -> httpcore2.NetworkStream:
            return Stream(super().connect_tcp(*given, **named))

    transports = [getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values()]
    pools: list[Any] = [getattr(transport, "_pool", None) for transport in transports]
    for pool in pools:
        if hasattr(pool, "_network_backend"):
            pool._network_backend = Backend()
