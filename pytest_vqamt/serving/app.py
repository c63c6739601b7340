"""The door: who may ask, and how much at once. An ASGI application of three paths."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.execution.serving.body import GoneError, Message, Receive, Send, TooManyBytesError, body_of
from pytest_vqamt.execution.serving.once import GivenUpError, Once
from pytest_vqamt.execution.serving.web_pages import strange_in
from pytest_vqamt.models.served.protocol import (
    ANOTHER_MODEL,
    ANSWERS_PATH,
    GIVEN_UP,
    MODEL_PATH,
    NOT_READY,
    REFUSED,
    STATUS_PATH,
    TOKEN_VARIABLE,
    TOO_LARGE,
    UNAUTHORIZED,
    Card,
    Status,
    TooLargeError,
    WireError,
    read_request,
    write_card,
    write_error,
    write_reply,
    write_status,
)

_NOT_FOUND = 404
_WRONG_METHOD = 405
_METHODS = {MODEL_PATH: "GET", STATUS_PATH: "GET", ANSWERS_PATH: "POST"}

_BODIES = 8
"""As many bodies of the largest size are held at once; who comes then is asked to come again."""

_REQUESTS = 64
"""As many requests of the largest size wait for their answers at once, also those whose senders have gone."""

_QUERIES = 100_000
"""So many distinct queries are waited for at once; who asks for more is asked to come again."""

_AGAIN_S = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is sent back: a status, and a body of JSON."""

    status: int
    body: bytes
    retry_after_s: int | None = None


class Door:
    """Answers requests about one model.

    Args:
        card: the model.
        once: what answers queries.
        token: what every request must bring; "" for none.
        alive: tells how many replicas are running; may take its time.
    """

    def __init__(self, card: Card, once: Once, *, token: str, alive: Callable[[], int]) -> None:
        self._card = card
        self._once = once
        self._expected = f"Bearer {token}".encode() if token else b""
        self._alive = alive
        self._began = time.monotonic()
        self._held = 0
        self._waiting = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it; other kinds of connections are not for us."""
        if scope["type"] != "http":
            return
        try:
            reply = await self._reply(scope, receive)
        except GoneError:
            return
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(reply.body)).encode())]
        if reply.retry_after_s is not None:
            headers.append((b"retry-after", str(reply.retry_after_s).encode()))
        if reply.status == UNAUTHORIZED:
            headers.append((b"www-authenticate", b"Bearer"))
        if reply.status == TOO_LARGE:
            headers.append((b"connection", b"close"))  # what is left of the body is not read
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, scope: Message, receive: Receive) -> Reply:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if self._expected and not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):
            return _error(UNAUTHORIZED, f"Expected the token of {TOKEN_VARIABLE}, but got none or another: set it")
        if not self._expected and (strange := strange_in(headers)):
            return _error(
                REFUSED, f"Expected a request of a program on this machine, but got {strange}: set {TOKEN_VARIABLE}"
            )
        path = str(scope["path"])
        method = _METHODS.get(path)
        if method is None:
            return _error(_NOT_FOUND, f"Expected one of the paths {', '.join(_METHODS)}, but got another")
        if scope["method"] != method:
            return _error(_WRONG_METHOD, f"Expected {method} for {path}, but got another method")
        if method == "POST" and not headers.get(b"content-type", b"").lower().startswith(b"application/json"):
            return _error(REFUSED, "Expected Content-Type: application/json, but got another, or none")
        if path == MODEL_PATH:
            return Reply(status=200, body=write_card(self._card))
        if path == STATUS_PATH:
            return Reply(status=200, body=write_status(await self._status()))
        return await self._answers(receive, headers)

    async def _answers(self, receive: Receive, headers: dict[bytes, bytes]) -> Reply:
        most = self._card.max_bytes
        if self._held >= _BODIES * most:
            return _error(NOT_READY, "Expected room for one more request, but there is none: ask again", _AGAIN_S)
        length = headers.get(b"content-length", b"")
        room = min(most, int(length[:20])) if length.isdigit() else most
        self._held += room
        try:
            body = await body_of(receive, headers, most)
            request = await asyncio.to_thread(read_request, body, max_queries=self._card.max_queries, max_bytes=most)
        except TooManyBytesError:
            return _error(TOO_LARGE, f"Expected at most {most} bytes in one request, but got more: send fewer queries")
        except TooLargeError as error:
            return _error(TOO_LARGE, str(error))
        except WireError as error:
            return _error(REFUSED, str(error))
        finally:
            self._held -= room
        if request.model != self._card.identity:
            return _error(
                ANOTHER_MODEL,
                f"Expected the model that is served here, {self._card.model!r} (model={self._card.identity!r}), but "
                f"got model={request.model[:80]!r}: run again, or ask the server that you mean",
            )
        if self._waiting + len(body) > _REQUESTS * most or self._once.under_way >= _QUERIES:
            return _error(NOT_READY, "Expected fewer queries to wait for the model: ask again", _AGAIN_S)
        self._waiting += len(body)
        try:
            told = await self._once.answers(request)
        except GivenUpError as error:
            return _error(GIVEN_UP, str(error))
        except Exception as error:  # of Ray, whatever that may be
            reason = f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')[:300]}"
            return _error(NOT_READY, f"Expected the replicas to answer, but got {reason}: ask again", _AGAIN_S)
        finally:
            self._waiting -= len(body)
        return Reply(status=200, body=await asyncio.to_thread(write_reply, self._card.identity, told))

    async def _status(self) -> Status:
        return Status(
            queries_received=self._once.received,
            queries_asked=self._once.asked,
            answers_remembered=self._once.remembered,
            uptime_s=time.monotonic() - self._began,
            busy_s=self._once.busy_s,
            replicas_alive=await asyncio.to_thread(self._alive),
        )


def _error(status: int, reason: str, retry_after_s: int | None = None) -> Reply:
    return Reply(status=status, body=write_error(reason), retry_after_s=retry_after_s)
