"""Sends HTTP requests to one server, with a time limit and without following redirects.

httpx2 is imported by the first client: the checks of a spec need none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from threading import Lock, local
from typing import TYPE_CHECKING, Any

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.http_settings import ApiKey, is_loopback_url
from pytest_vqamt.models.http.retry import QueryError, ServerState, StoppedError, TransientError

if TYPE_CHECKING:
    import httpx2


_MAX_RESPONSE_BYTES = 16 * 2**20
"""Default limit, unpacked. Anything longer is no answer."""

_CONNECT_S = 15.0
"""A connection is made at once or not at all; only the answer takes long."""


class _Deadline(local):
    """When the exchange of this thread must end, by ``time.monotonic``; None outside of an exchange."""

    ends: float | None = None


_DEADLINE = _Deadline()


@contextmanager
def deadline(seconds: float) -> Iterator[float]:
    """Sets the deadline for all reads of this thread within the block; yields it, by ``time.monotonic``."""
    _DEADLINE.ends = time.monotonic() + seconds
    try:
        yield _DEADLINE.ends
    finally:
        _DEADLINE.ends = None


def bound_by_deadlines(client: httpx2.Client) -> None:
    """Makes the connections of a client observe ``deadline``.

    Headers that come a byte at a time would keep a request open for ever. httpx2 has no public place for the
    connections of its pools; in a version that names them otherwise, only bodies are bounded.
    """
    import httpcore2

    class Stream(httpcore2.NetworkStream):
        def __init__(self, stream: httpcore2.NetworkStream) -> None:
            self._stream = stream

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            # httpx2 has a time limit for each read, which a server that sends a byte a second never meets.
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
            # The encrypted stream is a new one, and would read without a deadline.
            return Stream(self._stream.start_tls(*given, **named))

        def get_extra_info(self, info: str) -> Any:
            return self._stream.get_extra_info(info)

    class Backend(httpcore2.SyncBackend):
        def connect_tcp(self, *given: Any, **named: Any) -> httpcore2.NetworkStream:
            return Stream(super().connect_tcp(*given, **named))

    transports = [getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values()]
    pools: list[Any] = [getattr(transport, "_pool", None) for transport in transports]
    for pool in pools:
        # Proxies' transports may be None, and another version of httpx2 may name its pool otherwise.
        if hasattr(pool, "_network_backend"):
            pool._network_backend = Backend()


class HttpClient:
    """A client of one server with persistent connections. It follows no redirect: the key is for this server only."""

    def __init__(
        self, url: str, key: ApiKey, *, timeout_s: float, connections: int, max_response_bytes: int | None = None
    ) -> None:
        """Raises OptionError where nothing can be sent to the URL."""
        import httpx2

        self._url = url
        self._key = key
        self._timeout_s = timeout_s
        self._max_bytes = max_response_bytes or _MAX_RESPONSE_BYTES
        self._lock = Lock()
        self._in_flight = 0
        self._is_closed = False
        limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
        try:
            # Here, since a client is made without its URL and would raise at the first request.
            httpx2.URL(url)
        except httpx2.InvalidURL as error:
            raise OptionError(f"Expected a URL, but got {url!r}: {error}") from error
        self._http = httpx2.Client(
            limits=limits,
            # No proxy for a server on this machine. Over http:// there is no certificate to check, and to read the
            # known ones takes longer than a request.
            transport=httpx2.HTTPTransport(limits=limits, verify=url.startswith("https:"))
            if is_loopback_url(url)
            else None,
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)),
            follow_redirects=False,
            headers={
                "User-Agent": f"pytest-vqamt/{version('pytest-vqamt')}",
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
            auth=self._authorized if key.headers else None,  # so that the key is not among the client's own headers
        )
        bound_by_deadlines(self._http)

    def get(self, path: str) -> HttpResponse:
        """Sends a GET request; see ``post``."""
        return self._send("GET", path, b"")

    def post(self, body: bytes, path: str = "") -> HttpResponse:
        """Sends ``body`` to the URL followed by ``path``.

        Raises:
            TransientError: there is no complete response in time.
            QueryError: the response cannot be decoded.
            StoppedError: the client is closed.
        """
        return self._send("POST", path, body)

    def close(self) -> None:
        """Closes the connections once no request is in flight; no request starts any more."""
        with self._lock:
            self._is_closed = True
            is_idle = not self._in_flight
        if is_idle:
            self._http.close()

    def _send(self, method: str, path: str, body: bytes) -> HttpResponse:
        self._start()
        try:
            return self._exchange(method, path, body)
        finally:
            self._finish()

    def _start(self) -> None:
        with self._lock:
            if self._is_closed:
                raise StoppedError
            self._in_flight += 1

    def _finish(self) -> None:
        with self._lock:
            self._in_flight -= 1
            is_last = self._is_closed and not self._in_flight
        if is_last:
            # Not earlier: httpx2 drops a connection that is still being made when it is closed, and leaves it open.
            self._http.close()

    def _exchange(self, method: str, path: str, body: bytes) -> HttpResponse:
        import httpx2

        try:
            with (
                deadline(self._timeout_s) as ends,
                self._http.stream(method, self._url + path, content=body) as response,
            ):
                return HttpResponse(
                    status=response.status_code,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=self._read(response, ends),
                )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            raise TransientError(f"no connection ({self._describe(error)})", state=ServerState.UNREACHABLE) from None
        # After the connection errors, of which ConnectTimeout is also a TimeoutException.
        except httpx2.TimeoutException:
            raise TransientError(self._timeout_message(), state=ServerState.BUSY) from None
        except httpx2.TransportError as error:
            # Without its cause: what the server sent stands in there, which may be the key.
            raise TransientError(
                f"a reply that broke off ({self._describe(error)})", state=ServerState.BROKEN
            ) from None
        except httpx2.DecodingError as error:
            raise QueryError(f"Expected {self._url} to reply readably, but got {self._describe(error)}") from None

    def _authorized(self, request: httpx2.Request) -> httpx2.Request:
        request.headers.update(self._key.headers)
        return request

    def _read(self, response: httpx2.Response, ends: float) -> bytes:
        """Reads the body up to the deadline."""
        read = bytearray()
        for some in response.iter_bytes():
            read += some
            # Checked while reading: a server that repeats itself without end would fill the memory.
            if len(read) > self._max_bytes:
                raise QueryError(f"Expected an answer of {self._url}, but got more than {self._max_bytes} bytes")
            if time.monotonic() > ends:
                raise TransientError(self._timeout_message(), state=ServerState.BUSY)
        return bytes(read)

    def _timeout_message(self) -> str:
        return f"no whole reply within timeout-s={self._timeout_s:g}"

    def _describe(self, error: Exception) -> str:
        return self._key.redact(f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A whole response, whatever its status."""

    status: int
    """Such as 200."""
    headers: Mapping[str, str]
    """By names in lower case."""
    body: bytes
    """Unpacked, where the server compressed it."""
