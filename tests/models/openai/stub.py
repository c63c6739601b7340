"""A real HTTP server on this machine that answers as a script says."""

from __future__ import annotations

import json
import socket
import threading
import time
from abc import ABC, abstractmethod
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the server got; the names of ``headers`` are in lower case. ``number`` counts requests from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    fields: dict[str, Any]
    content: bytes = b""

    @property
    def prompt(self) -> str:
        return str(self.fields["messages"][-1]["content"][1]["text"])

    @property
    def picture(self) -> str:
        """The data URI."""
        return str(self.fields["messages"][-1]["content"][0]["image_url"]["url"])

    @property
    def conversation(self) -> list[tuple[str, list[str | bytes]]]:
        """The roles with texts and the files of pictures, in the order in which they came."""
        return [(message["role"], list(_parts_of(message["content"]))) for message in self.fields["messages"]]


def _parts_of(content: str | list[dict[str, Any]]) -> Iterator[str | bytes]:
    if isinstance(content, str):
        yield content
        return
    for part in content:
        if part["type"] == "text":
            yield part["text"]
        else:
            yield b64decode(part["image_url"]["url"].partition(",")[2], validate=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server sends.

    Attributes:
        delay_s: how long it waits before.
        cut: the connection is closed after so many bytes of the body; None to send all of it.
        drip_s: seconds between any two bytes of the body.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0
    cut: int | None = None
    drip_s: float = 0


def said(text: object, *, usage: object = None, delay_s: float = 0, reason: str = "stop") -> Reply:
    """A completion."""
    fields: dict[str, object] = {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text}}],
    }
    if usage is not None:
        fields["usage"] = usage
    return Reply(body=json.dumps(fields).encode(), delay_s=delay_s)


def failed(status: int, message: str = "no", **headers: str) -> Reply:
    """An error as OpenAI's API has them; ``Retry_After`` is the header Retry-After."""
    body = json.dumps({"error": {"message": message, "type": "an_error", "code": None}}).encode()
    return Reply(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def echo_parts(request: Request) -> Reply:
    """Says what came: a line for each part, its role and its text, or the digest of its file."""
    return said("\n".join(f"{role} {_shown(part)}" for role, parts in request.conversation for part in parts))


def _shown(part: str | bytes) -> str:
    return part.replace("\n", " / ") if isinstance(part, str) else digest_of(part)


def digest_of(file: bytes) -> str:
    """What ``echo_parts`` says of a file."""
    return sha256(file).hexdigest()[:16]


Script = Callable[[Request], Reply]


def always(reply: Reply) -> Script:
    return lambda _: reply


def in_turn(*replies: Reply) -> Script:
    """The replies one after the other, then the last again and again."""
    return lambda request: replies[min(request.number, len(replies) - 1)]


class LocalServer(ThreadingHTTPServer, ABC):
    """A server on this machine; it listens as long as it is entered. ``port`` 0 is any that is free."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @abstractmethod
    def reply(self, path: str, headers: Mapping[str, str], content: bytes) -> Reply:
        """The reply to a request; ``headers`` have names in lower case. Called by several threads at once."""

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone away is no news."""


class Stub(LocalServer):
    """A server that answers as a script says.

    Attributes:
        requests: all there were, in the order of their arrival.
        times: when each arrived, in seconds of the monotonic clock.
        peak: how many were being answered at once at most.
    """

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script
        self.requests: list[Request] = []
        self.times: list[float] = []
        self.peak = 0
        self._now = 0
        self._lock = threading.Lock()

    def reply(self, path: str, headers: Mapping[str, str], content: bytes) -> Reply:
        with self._lock:
            self.times.append(time.monotonic())
            request = Request(
                number=len(self.requests),
                path=path,
                headers=headers,
                fields=json.loads(content) if content else {},
                content=content,
            )
            self.requests.append(request)
            self._now += 1
            self.peak = max(self.peak, self._now)
        reply = self.script(request)
        time.sleep(reply.delay_s)
        with self._lock:
            self._now -= 1  # before the client can know that it has its answer
        return reply


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: LocalServer

    def do_POST(self) -> None:  # http.server's name for it
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reply = self.server.reply(self.path, {name.lower(): value for name, value in self.headers.items()}, content)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if reply.drip_s:
            self._drip(reply)
            return
        self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
        self.wfile.flush()
        if reply.cut is not None:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST  # noqa: N815  # as above

    def _drip(self, reply: Reply) -> None:
        for place in range(len(reply.body)):
            self.wfile.write(reply.body[place : place + 1])
            self.wfile.flush()
            time.sleep(reply.drip_s)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # http.server's name for it
        """Nothing is to be seen of it."""
