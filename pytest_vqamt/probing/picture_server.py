"""A small HTTP server that a deployment fetches the pictures of a probe from, for the length of one check."""

from __future__ import annotations

import ipaddress
import secrets
from base64 import b64decode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self

from pytest_vqamt.core.query import PictureFile

_TIMEOUT_S = 10


def is_loopback(host: str) -> bool:
    """True for this machine's own names and addresses.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("gpu-box")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class PictureServer(ThreadingHTTPServer):
    """Serves the files that it was given, each at a path that nobody can guess.

    Attributes:
        fetched: the paths that were asked for.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str) -> None:
        # The name of this machine elsewhere need not be an address that it has itself, as in a container.
        super().__init__(("127.0.0.1" if is_loopback(host) else "", 0), _Handler)
        self._host = f"[{host}]" if ":" in host else host
        self.files: dict[str, PictureFile] = {}
        self.fetched: set[str] = set()
        self.last = ""

    def linked(self, file: PictureFile) -> PictureFile:
        """The file as one to fetch; each at a path of its own, so that no cache knows it."""
        suffix = file.media_type.rpartition("/")[2] or "png"
        self.last = f"/{secrets.token_hex(8)}.{suffix}"
        self.files[self.last] = file
        url = f"http://{self._host}:{self.server_address[1]}{self.last}"
        return PictureFile(file.media_type, file.base64, url=url, detail=file.detail)

    @property
    def is_last_fetched(self) -> bool:
        """True if the last file was asked for."""
        return self.last in self.fetched

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone away is no news."""


class _Handler(BaseHTTPRequestHandler):
    timeout = _TIMEOUT_S
    server: PictureServer

    def do_HEAD(self) -> None:  # http.server's name for it
        self._head()

    def do_GET(self) -> None:
        # Before it is sent: the answer may be there before this thread goes on.
        self.server.fetched.add(self.path)
        self.wfile.write(self._head())

    def _head(self) -> bytes:
        file = self.server.files.get(self.path)
        content = b64decode(file.base64) if file else b""
        self.send_response(200 if file else 404)
        if file:
            self.send_header("Content-Type", file.media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return content

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (http.server's name for it)
        """Requests are no news."""
