"""The Starlette application in front of the model: its token, its limits, and one inference per distinct query."""

from __future__ import annotations

import asyncio
import hmac
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import ClassVar, TypeAlias

from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, AuthenticationError, BaseUser
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.served.answer_requests import AnswersRequest, QueryRow, RequestTooLargeError, read_request
from pytest_vqamt.models.served.wire_format import (
    ANSWERS_PATH,
    BAD_REQUEST,
    MODEL_DISABLED,
    MODEL_PATH,
    NOT_READY,
    OTHER_MODEL,
    STATUS_PATH,
    TOO_LARGE,
    UNAUTHORIZED,
    ModelCard,
    QueryResult,
    ServerStatus,
    WireError,
    error_line,
    write_answers,
    write_card,
    write_error,
    write_status,
)
from pytest_vqamt.serving.replica import Chunk, ChunkResult

RunChunk: TypeAlias = Callable[[Chunk], Awaitable[ChunkResult]]

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""The names in a request's Host by which this machine reaches itself."""

_REQUEST_TIMEOUT = 408

_MAX_BODIES = 8
"""Bodies of the largest size that are read at once; further requests get 503."""

_MAX_REQUESTS = 64
"""Requests of the largest size that wait for answers at once, including those whose clients have disconnected."""

_MAX_QUERIES = 100_000
"""Distinct queries that wait for the model at once; further requests get 503."""

_RETRY_AFTER_S = 2
"""What a client is told to wait with a 503."""
_BODY_TIMEOUT_S = 120
"""The time for the body of a request, after which its client is taken for gone."""

_MAX_ANSWERS = 2_000_000
"""Answers that are cached, 100 to 300 bytes each on disk."""

_MAX_SILENT = 128
"""Connections that have sent no whole headers; of more, the oldest is closed. Clients keep 16 at most."""

_HEADERS_TIMEOUT_S = 90.0
"""Longer than a connection is kept alive between requests: one idle for so long has stopped within a request."""


def inference_app(
    card: ModelCard,
    inference: SingleFlight,
    *,
    token: str,
    replicas_alive: Callable[[], int],
    hosts: Sequence[str] = LOOPBACK_HOSTS,
) -> Starlette:
    """The application that answers requests about one model.

    Args:
        card: describes the model.
        inference: answers queries.
        token: required with every request; "" for none.
        replicas_alive: counts the running replicas; may block.
        hosts: names of the server in requests without a token. A page in a browser that reaches it by DNS rebinding
            sends another. (A page of another site can only send what browsers do not ask about first, which is no
            JSON, and reads no response.)
    """
    endpoints = _Endpoints(card, inference, replicas_alive)
    app = Starlette(
        routes=[
            Route(MODEL_PATH, endpoints.card),
            Route(STATUS_PATH, endpoints.status),
            Route(ANSWERS_PATH, endpoints.answers, methods=["POST"]),
        ],
        middleware=[
            Middleware(AuthenticationMiddleware, backend=_TokenBackend(token), on_error=_unauthorized)
            if token
            else Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
        ],
        exception_handlers={HTTPException: _error_response, ClientDisconnect: _no_response},
    )
    # Clients follow no redirect, and a 404 says more.
    app.router.redirect_slashes = False
    return app


class _TokenBackend(AuthenticationBackend):
    """Compares the token before the body is read, in the same time wherever it differs."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        if not hmac.compare_digest(conn.headers.get("authorization", "").encode("latin-1"), self._expected):
            raise AuthenticationError
        return None


def _unauthorized(_connection: HTTPConnection, _error: AuthenticationError) -> Response:
    reason = f"Expected the token of {TOKEN_VARIABLE}, but got none or another: set it"
    return _json(write_error(reason), UNAUTHORIZED, {"www-authenticate": "Bearer"})


def _error_response(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json(write_error(error.detail), error.status_code, error.headers)


def _no_response(_request: Request, _error: Exception) -> Response:
    return Response()  # the client has disconnected


def _json(body: bytes, status: int = 200, headers: object = None) -> Response:
    return Response(body, status, headers, "application/json")  # type: ignore[arg-type] # a mapping of either type


def _busy(reason: str) -> HTTPException:
    return HTTPException(NOT_READY, f"{reason}: try again", {"retry-after": str(_RETRY_AFTER_S)})


class _Endpoints:
    def __init__(self, card: ModelCard, inference: SingleFlight, replicas_alive: Callable[[], int]) -> None:
        self._card = card
        self._inference = inference
        self._replicas_alive = replicas_alive
        self._began = time.monotonic()
        self._reading_bytes = 0
        self._waiting_bytes = 0

    async def card(self, _request: Request) -> Response:
        return _json(write_card(self._card))

    async def status(self, _request: Request) -> Response:
        status = ServerStatus(
            queries_received=self._inference.received,
            queries_asked=self._inference.asked,
            answers_remembered=self._inference.cached,
            uptime_s=time.monotonic() - self._began,
            busy_s=self._inference.busy_s,
            replicas_alive=await asyncio.to_thread(self._replicas_alive),
        )
        return _json(write_status(status))

    async def answers(self, request: Request) -> Response:
        # A page of another site can send a body without asking the server first, but not as JSON.
        if not request.headers.get("content-type", "").lower().startswith("application/json"):
            raise HTTPException(BAD_REQUEST, "Expected Content-Type: application/json, but got another, or none")
        asked, size = await self._read(request)
        if asked.model != self._card.identity:
            raise HTTPException(
                OTHER_MODEL,
                f"Expected the model that is served here, {self._card.model!r} (model={self._card.identity!r}), but "
                f"got model={asked.model[:80]!r}: run again, or name the server of that model",
            )
        is_full = self._waiting_bytes + size > _MAX_REQUESTS * self._card.max_bytes
        if is_full or self._inference.in_flight >= _MAX_QUERIES:
            raise _busy("Expected fewer queries to wait for the model")
        self._waiting_bytes += size
        try:
            answers = await self._inference.answers(asked)
        except ModelDisabledError as error:
            raise HTTPException(MODEL_DISABLED, str(error)) from error
        except Exception as error:  # Ray may raise anything
            line = next(iter(str(error).strip().splitlines()), "")[:300]
            raise _busy(f"Expected the replicas to answer, but got {type(error).__name__}: {line}") from error
        finally:
            self._waiting_bytes -= size
        return _json(await asyncio.to_thread(write_answers, self._card.identity, answers))

    async def _read(self, request: Request) -> tuple[AnswersRequest, int]:
        """Reads a request, within the limits; also returns the size of its body."""
        max_bytes = self._card.max_bytes
        if self._reading_bytes >= _MAX_BODIES * max_bytes:
            raise _busy("Expected room for one more request, but there is none")
        # Counted before it is read, or many slow clients would fill the memory together.
        length = request.headers.get("content-length", "")
        # int() refuses thousands of digits, and twenty are more than enough.
        reserved = min(max_bytes, int(length[:20])) if length.isdecimal() else max_bytes
        self._reading_bytes += reserved
        try:
            async with asyncio.timeout(_BODY_TIMEOUT_S):
                body = await read_body(request, max_bytes)
            max_queries = self._card.max_queries
            asked = await asyncio.to_thread(read_request, body, max_queries=max_queries, max_bytes=max_bytes)
        except TimeoutError as error:
            reason = f"Expected the body of a request within {_BODY_TIMEOUT_S} s"
            raise HTTPException(_REQUEST_TIMEOUT, reason, {"connection": "close"}) from error
        except RequestTooLargeError as error:
            raise HTTPException(TOO_LARGE, str(error), {"connection": "close"}) from error  # the rest is not read
        except WireError as error:
            raise HTTPException(BAD_REQUEST, str(error)) from error
        finally:
            self._reading_bytes -= reserved
        return asked, len(body)


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Reads a body, and stores at most ``max_bytes`` of it whatever the headers say.

    Raises:
        RequestTooLargeError: the body, or its Content-Length, is larger.
        ClientDisconnect: the client disconnected.
    """
    length = request.headers.get("content-length", "")
    is_too_large = length.isdecimal() and int(length[:20]) > max_bytes
    body = bytearray()
    if not is_too_large:
        async for piece in request.stream():
            body += piece
            if is_too_large := len(body) > max_bytes:
                break
    if is_too_large:
        raise RequestTooLargeError(
            f"Expected at most {max_bytes} bytes in one request, but got more: send fewer queries"
        )
    return bytes(body)


class ModelDisabledError(Exception):
    """The model is disabled; the text gives the reason."""


class SingleFlight:
    """Runs the model, by ``run_chunk``, once for each distinct query of all requests, and stores the answers.

    Attributes:
        received: queries of all requests.
        asked: distinct queries sent to the model.
        cached: how many answers are cached.
        busy_s: how long the model had a batch, summed over replicas.
        batch_size: the most queries in a chunk.
    """

    def __init__(self, run_chunk: RunChunk, store: AnswerStore, batch_size: int) -> None:
        self.received = 0
        self.asked = 0
        self.cached = store.count()
        self.busy_s = 0.0
        self.batch_size = batch_size
        self._run_chunk = run_chunk
        self._store = store
        self._in_flight: dict[str, asyncio.Future[QueryResult]] = {}
        self._chunks: set[asyncio.Task[None]] = set()

    @property
    def in_flight(self) -> int:
        """How many distinct queries wait for the model, or are with it."""
        return len(self._in_flight)

    async def answers(self, request: AnswersRequest) -> list[QueryResult]:
        """Returns an answer to each query of the request, in order.

        Inference goes on if the client disconnects: it retries, and finds the answers in the cache.

        Raises:
            ModelDisabledError: the model is disabled.
        """
        self.received += len(request.queries)
        keys = [request.key(place) for place in range(len(request.queries))]
        loop = asyncio.get_running_loop()
        stored = await asyncio.to_thread(self._store.get, request.model, list(set(keys)))
        known: dict[str, QueryResult] = {**stored}
        new: dict[str, int] = {}
        pending: dict[str, asyncio.Future[QueryResult]] = {}
        for place, key in enumerate(keys):
            if key in known or key in pending:
                continue
            if key not in self._in_flight:
                self._in_flight[key] = loop.create_future()
                new[key] = place
            pending[key] = self._in_flight[key]
        for some, chunk in _chunks(request, new, self.batch_size):
            running = loop.create_task(self._run(request.model, some, chunk))
            # asyncio keeps no reference to its tasks, and one without any may be collected.
            self._chunks.add(running)
            running.add_done_callback(self._chunks.discard)
        # asyncio.wait refuses an empty set.
        if pending:
            await asyncio.wait(pending.values())
        return [known[key] if key in known else pending[key].result() for key in keys]

    async def _run(self, model: str, keys: tuple[str, ...], chunk: Chunk) -> None:
        """Runs the model, caches its answers, and resolves the futures of ``keys``."""
        try:
            result = await self._run_chunk(chunk)
            self.asked += len(keys)
            self.busy_s += result.busy_s
            # The model may have grown its batches, or run out of memory.
            self.batch_size = max(1, result.batch_size)
            if result.disabled:
                raise ModelDisabledError(result.disabled)
            # Failures are not stored: another try may succeed.
            answers = {key: each for key, each in zip(keys, result.answers, strict=True) if isinstance(each, Answer)}
            # A full cache is no error: further answers are computed anew.
            if self.cached + len(answers) <= _MAX_ANSWERS:
                try:
                    await asyncio.to_thread(self._store.put, model, answers)
                    self.cached += len(answers)
                except VqamtError as error:  # the answers are sent all the same
                    with suppress(OSError):  # the log is on the same disk
                        print(f"not cached: {error_line(error)}", file=sys.stderr, flush=True)
        except Exception as error:  # raised again in every request that waits
            for key in keys:
                future = self._in_flight.pop(key)
                future.set_exception(error)
                future.exception()  # marks it as retrieved: all its requests may have disconnected
        else:
            for key, answer in zip(keys, result.answers, strict=True):
                self._in_flight.pop(key).set_result(answer)


def _chunks(request: AnswersRequest, new: dict[str, int], size: int) -> Iterator[tuple[tuple[str, ...], Chunk]]:
    """Splits the new queries of a request into chunks of one task, sorted by picture, with their keys."""
    for task in Task:
        wanted = [(key, request.queries[place]) for key, place in new.items() if request.queries[place].task is task]
        # Queries about one picture in one chunk: it is drawn and encoded once.
        wanted.sort(key=lambda each: each[1].picture)
        for start in range(0, len(wanted), size):
            some = wanted[start : start + size]
            yield tuple(key for key, _ in some), _chunk(request, task, [row for _, row in some])


def _chunk(request: AnswersRequest, task: Task, rows: list[QueryRow]) -> Chunk:
    # Pictures of the chunk alone, numbered anew.
    shown = dict.fromkeys(picture for row in rows for picture in row.pictures)
    places = {picture: place for place, picture in enumerate(shown)}
    return Chunk(
        task=task,
        pictures=tuple(request.pictures[picture] for picture in places),
        queries=tuple(row.moved(places) for row in rows),
    )


class TimedH11Protocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a time limit for the headers of a request, which uvicorn itself lacks."""

    _timer: asyncio.TimerHandle | None = None
    _silent: ClassVar[dict[TimedH11Protocol, None]] = {}
    """Connections without the headers of a first request, the oldest first. Nothing is known of who is there."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._restart_timer()
        self._silent[self] = None
        if len(self._silent) > _MAX_SILENT:
            # One that sends a whole request does so at once: it is not the oldest of so many.
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            oldest.transport.abort()

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None:
            self._silent.pop(self, None)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._restart_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._silent.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()

    def _restart_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(_HEADERS_TIMEOUT_S, self._end_if_idle)

    def _end_if_idle(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first headers, whatever its type says
        if cycle is None or cycle.response_complete:  # otherwise a request is being answered
            self.transport.abort()
