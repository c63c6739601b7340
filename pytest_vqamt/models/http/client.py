"""One HTTP request and its reply, within its time, and sent nowhere else."""

from __future__ import annotations

import time
from collections.abc import Generator
from importlib.metadata import version

import httpx

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.key import Key
from pytest_vqamt.models.http.responses import PassingError, QueryError, Reply, Sign
from pytest_vqamt.models.http.settings import is_on_this_machine

_LONGEST_REPLY = 16 * 2**20
"""Bytes, unpacked, where nobody says more. What is longer is no answer."""

_CONNECT_S = 15.0
"""A connection is made at once or not at all; only the answer takes long."""


class Client:
    """Asks one server over connections that are kept open. Redirects are not followed: the key is for this server."""

    def __init__(
        self, url: str, key: Key, *, timeout_s: float, connections: int, longest_reply: int | None = None
    ) -> None:
        """A client that has sent nothing yet; ``longest_reply`` is in bytes.

        Raises:
            OptionError: nothing can be sent to the URL.
        """
        self._url = url
        self._key = key
        self._timeout_s = timeout_s
        self._longest_reply = longest_reply or _LONGEST_REPLY
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        try:
            httpx.URL(url)
        except httpx.InvalidURL as error:
            raise OptionError(f"Expected a URL, but got {url!r}: {error}") from error
        self._http = httpx.Client(
            limits=limits,
            transport=_direct(url, limits) if is_on_this_machine(url) else None,
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)),
            follow_redirects=False,
            headers={
                "User-Agent": f"pytest-vqamt/{version('pytest-vqamt')}",
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
            auth=_Bearer(key) if key else None,
        )

    def get(self, path: str) -> Reply:
        """The reply to a request without a body; see ``post``."""
        return self._sent("GET", path, b"")

    def post(self, body: bytes, path: str = "") -> Reply:
        """The reply to ``body``; ``path`` is what follows the URL.

        Raises:
            PassingError: there was none, or not all of it, in time.
            QueryError: it cannot be read.
        """
        return self._sent("POST", path, body)

    def _sent(self, method: str, path: str, body: bytes) -> Reply:
        deadline = time.monotonic() + self._timeout_s
        try:
            with self._http.stream(method, self._url + path, content=body) as response:
                return Reply(
                    status=response.status_code,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=self._read(response, deadline),
                )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise PassingError(f"no connection ({self._told(error)})", sign=Sign.ABSENT) from None
        except httpx.TimeoutException:
            raise PassingError(self._late(), sign=Sign.BUSY) from None
        except httpx.TransportError as error:
            # Without its cause: what the server sent stands in there, which may be the key.
            raise PassingError(f"a reply that broke off ({self._told(error)})", sign=Sign.BROKEN) from None
        except httpx.DecodingError as error:
            raise QueryError(f"Expected {self._url} to reply readably, but got {self._told(error)}") from None

    def close(self) -> None:
        self._http.close()

    def _read(self, response: httpx.Response, deadline: float) -> bytes:
        """The body, as it comes in; a server that sends a byte now and then does not get more time for it."""
        read = bytearray()
        for some in response.iter_bytes():
            read += some
            if len(read) > self._longest_reply:
                raise QueryError(f"Expected an answer of {self._url}, but got more than {self._longest_reply} bytes")
            if time.monotonic() > deadline:
                raise PassingError(self._late(), sign=Sign.BUSY)
        return bytes(read)

    def _late(self) -> str:
        return f"no whole reply within timeout-s={self._timeout_s:g}"

    def _told(self, error: Exception) -> str:
        return self._key.hidden(f"{type(error).__name__}: {error}")


def _direct(url: str, limits: httpx.Limits) -> httpx.HTTPTransport:
    """The way to a server on this machine: through no proxy, whatever the environment says."""
    # Over http:// there is no certificate to check, and to read the known ones takes longer than a request.
    return httpx.HTTPTransport(limits=limits, verify=url.startswith("https:"))


class _Bearer(httpx.Auth):
    """Shows the key to the server, and keeps it out of the client's own headers."""

    def __init__(self, key: Key) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = self._key.header
        yield request
