"""A gateway with a fault between ``openai:`` and a real engine: it changes requests, or answers, on their way."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from types import MappingProxyType
from typing import Any, TypeAlias

from PIL import Image

from pytest_vqamt.probing.changes import CHANGES

Fields: TypeAlias = dict[str, Any]
Forward: TypeAlias = Callable[[Fields], bytes]
Gateway: TypeAlias = Callable[[Fields, Forward], bytes]
"""Answers a request, mostly by forwarding it to the engine."""

_PARTNER_S = 0.2
"""How long a request waits for another one to exchange answers with."""


def honest(fields: Fields, forward: Forward) -> bytes:
    """Passes everything on."""
    return forward(fields)


def _pictures(fields: Fields) -> list[Fields]:
    """The parts that are pictures, in the order in which they are sent."""
    contents = [each["content"] for each in fields["messages"] if isinstance(each["content"], list)]
    return [part for content in contents for part in content if part["type"] == "image_url"]


def _file(part: Fields) -> bytes:
    return b64decode(part["image_url"]["url"].partition(",")[2])


def _put(part: Fields, file: bytes, media_type: str) -> None:
    part["image_url"]["url"] = f"data:{media_type};base64,{b64encode(file).decode()}"


def _as_png(image: Image.Image) -> bytes:
    made = BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


def _decoded(change: str, *, only_jpeg: bool = False) -> Gateway:
    """Decodes pictures as they are stored, changes their pixels, and sends them on as PNG."""

    def gateway(fields: Fields, forward: Forward) -> bytes:
        for part in _pictures(fields):
            with Image.open(BytesIO(_file(part))) as image:
                if only_jpeg and image.format != "JPEG":
                    continue
                image.load()
                shown = image if image.mode in ("RGB", "RGBA") else image.convert("RGB")
                alpha = shown.getchannel("A") if shown.mode == "RGBA" else None
                changed = CHANGES[change](shown.convert("RGB"))
                if alpha is not None:
                    changed.putalpha(CHANGES[change](Image.merge("RGB", [alpha] * 3)).getchannel(0))
                _put(part, _as_png(changed), "image/png")
        return forward(fields)

    return gateway


def _without_exif(fields: Fields, forward: Forward) -> bytes:
    """Removes EXIF and leaves the pixels as they are stored."""
    for part in _pictures(fields):
        with Image.open(BytesIO(_file(part))) as image:
            if 0x112 in image.getexif():
                _put(part, _as_png(image.convert("RGB")), "image/png")
    return forward(fields)


def _in_order(order: Callable[[list[str]], list[str]]) -> Gateway:
    """Puts the pictures of a request into another order."""

    def gateway(fields: Fields, forward: Forward) -> bytes:
        parts = _pictures(fields)
        for part, url in zip(parts, order([each["image_url"]["url"] for each in parts]), strict=True):
            part["image_url"] = {"url": url}
        return forward(fields)

    return gateway


def _first_picture(fields: Fields, forward: Forward) -> bytes:
    for message in fields["messages"]:
        if isinstance(message["content"], list):
            dropped = [each for each in message["content"] if each["type"] == "image_url"][1:]
            message["content"] = [each for each in message["content"] if each not in dropped]
    return forward(fields)


def _without_system(fields: Fields, forward: Forward) -> bytes:
    fields["messages"] = [each for each in fields["messages"] if each["role"] != "system"]
    return forward(fields)


def _cache_by_text() -> Gateway:
    kept: dict[str, bytes] = {}

    def gateway(fields: Fields, forward: Forward) -> bytes:
        said = [
            [part.get("text") for part in each["content"]] if isinstance(each["content"], list) else each["content"]
            for each in fields["messages"]
        ]
        key = json.dumps(said)
        if key not in kept:
            kept[key] = forward(fields)
        return kept[key]

    return gateway


class _Exchange:
    """Two requests in flight get each other's answers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[threading.Event, list[bytes], list[bytes]]] = []

    def __call__(self, fields: Fields, forward: Forward) -> bytes:
        body = forward(fields)
        with self._lock:
            partner = self._waiting.pop() if self._waiting else None
            mine = (threading.Event(), [body], list[bytes]())
            if partner is None:
                self._waiting.append(mine)
        if partner is not None:
            partner[2].append(body)
            partner[0].set()
            return partner[1][0]
        mine[0].wait(_PARTNER_S)
        with self._lock:
            if mine in self._waiting:
                self._waiting.remove(mine)
        return mine[2][0] if mine[2] else body


GATEWAYS: Mapping[str, Callable[[], Gateway]] = MappingProxyType(
    {
        "cache by text": _cache_by_text,
        "pictures sorted": lambda: _in_order(sorted),
        "pictures reversed": lambda: _in_order(lambda urls: urls[::-1]),
        "EXIF removed": lambda: _without_exif,
        "channels exchanged": lambda: _decoded("red and blue exchanged"),
        "cropped": lambda: _decoded("cropped to its centre"),
        "JPEG as BGR": lambda: _decoded("red and blue exchanged", only_jpeg=True),
        "second picture dropped": lambda: _first_picture,
        "system message dropped": lambda: _without_system,
        "answers exchanged": _Exchange,
    }
)


@contextmanager
def proxied(engine: str, gateway: Gateway, model: str = "") -> Iterator[str]:
    """The URL of a gateway before an engine, until the context ends; ``model`` replaces the name that is asked for."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            fields = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status = 200

            def forward(changed: Fields) -> bytes:
                nonlocal status
                if model:
                    changed["model"] = model
                sent = urllib.request.Request(
                    f"{engine}{self.path}", json.dumps(changed).encode(), {"content-type": "application/json"}
                )
                try:
                    with urllib.request.urlopen(sent, timeout=120) as reply:
                        return bytes(reply.read())
                except urllib.error.HTTPError as error:
                    status = error.code
                    return error.read()

            body = gateway(fields, forward)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing: the tests' output is their own."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
