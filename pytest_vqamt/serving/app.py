"""The ASGI application in front of the model: its token, its limits, and one inference per distinct query."""

from __future__ import annotations

import asyncio
import hmac
import json
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.models.http.settings import is_loopback
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.served.protocol import (
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
    write_answers,
    write_card,
    write_error,
    write_status,
)
from pytest_vqamt.models.served.requests import AnswersRequest, QueryRow, RequestTooLargeError, read_request
from pytest_vqamt.serving.messages import Chunk, ChunkResult, Progress, StatusMessage

Message: TypeAlias = MutableMapping[str, Any]
"""An ASGI message, whose values are of many types."""

Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
RunChunk: TypeAlias = "Callable[[Chunk], Awaitable[ChunkResult]]"

_NOT_FOUND = 404
_WRONG_METHOD = 405
_METHODS = {MODEL_PATH: "GET", STATUS_PATH: "GET", ANSWERS_PATH: "POST"}

_MAX_BODIES = 8
"""Bodies of the largest size that are read at once; further requests get 503."""

_MAX_REQUESTS = 64
"""Requests of the largest size that wait for answers at once, including those whose clients have disconnected."""

_MAX_QUERIES = 100_000
"""Distinct queries that wait for the model at once; further requests get 503."""

_RETRY_AFTER_S = 2
_BODY_TIMEOUT_S = 120

MAX_ANSWERS = 2_000_000
"""Answers that are kept, 100 to 300 bytes each on disk."""

MAX_IDLE_S = 90.0
"""Longer than a connection is kept alive between requests: one idle for so long has stopped within a request."""

_SQL_CHUNK = 900
"""Keys in one statement: SQLite took no more than 999 variables for a long time."""

_COLUMNS = "key text primary key, text text not null, scores text, truncated integer"
_DELETE_OLDEST = "delete from answers where rowid in (select rowid from answers order by rowid limit ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A status and a JSON body."""

    status: int
    body: bytes
    retry_after_s: int | None = None


class InferenceApp:
    """Answers requests about one model.

    Args:
        card: describes the model.
        inference: answers queries.
        token: required with every request; "" for none.
        replicas_alive: counts the running replicas; may block.
    """

    def __init__(
        self, card: ModelCard, inference: SingleFlight, *, token: str, replicas_alive: Callable[[], int]
    ) -> None:
        self._card = card
        self._inference = inference
        self._authorization = f"Bearer {token}".encode() if token else b""
        self._replicas_alive = replicas_alive
        self._began = time.monotonic()
        self._reading_bytes = 0
        self._waiting_bytes = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one HTTP request; other kinds of ASGI connections are ignored."""
        if scope["type"] != "http":
            return
        try:
            response = await self._respond(scope, receive)
        except DisconnectedError:
            return
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(response.body)).encode())]
        if response.retry_after_s is not None:
            headers.append((b"retry-after", str(response.retry_after_s).encode()))
        if response.status == UNAUTHORIZED:
            headers.append((b"www-authenticate", b"Bearer"))
        if response.status == TOO_LARGE:
            headers.append((b"connection", b"close"))  # the rest of the body is not read
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": response.body})

    async def _respond(self, scope: Message, receive: Receive) -> HttpResponse:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if self._authorization and not hmac.compare_digest(headers.get(b"authorization", b""), self._authorization):
            return _error(UNAUTHORIZED, f"Expected the token of {TOKEN_VARIABLE}, but got none or another: set it")
        if not self._authorization and (origin := foreign_origin(headers)):
            return _error(
                BAD_REQUEST, f"Expected a request of a program on this machine, but got {origin}: set {TOKEN_VARIABLE}"
            )
        path = str(scope["path"])
        method = _METHODS.get(path)
        if method is None:
            return _error(_NOT_FOUND, f"Expected one of the paths {', '.join(_METHODS)}, but got another")
        if scope["method"] != method:
            return _error(_WRONG_METHOD, f"Expected {method} for {path}, but got another method")
        if method == "POST" and not headers.get(b"content-type", b"").lower().startswith(b"application/json"):
            return _error(BAD_REQUEST, "Expected Content-Type: application/json, but got another, or none")
        if path == MODEL_PATH:
            return HttpResponse(status=200, body=write_card(self._card))
        if path == STATUS_PATH:
            return HttpResponse(status=200, body=write_status(await self._status()))
        return await self._infer(receive, headers)

    async def _infer(self, receive: Receive, headers: dict[bytes, bytes]) -> HttpResponse:
        max_bytes = self._card.max_bytes
        if self._reading_bytes >= _MAX_BODIES * max_bytes:
            return _error(NOT_READY, "Expected room for one more request, but there is none: try again", _RETRY_AFTER_S)
        length = headers.get(b"content-length", b"")
        reserved = min(max_bytes, int(length[:20])) if length.isdigit() else max_bytes
        self._reading_bytes += reserved
        try:
            body = await read_body(receive, headers, max_bytes)
            request = await asyncio.to_thread(
                read_request, body, max_queries=self._card.max_queries, max_bytes=max_bytes
            )
        except BodyTooLargeError:
            return _error(
                TOO_LARGE, f"Expected at most {max_bytes} bytes in one request, but got more: send fewer queries"
            )
        except RequestTooLargeError as error:
            return _error(TOO_LARGE, str(error))
        except WireError as error:
            return _error(BAD_REQUEST, str(error))
        finally:
            self._reading_bytes -= reserved
        if request.model != self._card.identity:
            return _error(
                OTHER_MODEL,
                f"Expected the model that is served here, {self._card.model!r} (model={self._card.identity!r}), but "
                f"got model={request.model[:80]!r}: run again, or name the server of that model",
            )
        if self._waiting_bytes + len(body) > _MAX_REQUESTS * max_bytes or self._inference.in_flight >= _MAX_QUERIES:
            return _error(NOT_READY, "Expected fewer queries to wait for the model: try again", _RETRY_AFTER_S)
        self._waiting_bytes += len(body)
        try:
            answers = await self._inference.answers(request)
        except ModelDisabledError as error:
            return _error(MODEL_DISABLED, str(error))
        except Exception as error:  # Ray may raise anything
            reason = f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')[:300]}"
            return _error(NOT_READY, f"Expected the replicas to answer, but got {reason}: try again", _RETRY_AFTER_S)
        finally:
            self._waiting_bytes -= len(body)
        return HttpResponse(status=200, body=await asyncio.to_thread(write_answers, self._card.identity, answers))

    async def _status(self) -> ServerStatus:
        return ServerStatus(
            queries_received=self._inference.received,
            queries_asked=self._inference.asked,
            answers_remembered=self._inference.cached,
            uptime_s=time.monotonic() - self._began,
            busy_s=self._inference.busy_s,
            replicas_alive=await asyncio.to_thread(self._replicas_alive),
        )


def _error(status: int, reason: str, retry_after_s: int | None = None) -> HttpResponse:
    return HttpResponse(status=status, body=write_error(reason), retry_after_s=retry_after_s)


class BodyTooLargeError(Exception):
    """The body of a request is too long."""


class DisconnectedError(Exception):
    """The client has disconnected, or sends too slowly."""


async def read_body(receive: Receive, headers: dict[bytes, bytes], max_bytes: int) -> bytes:
    """Reads a body, and holds at most ``max_bytes`` of it whatever the headers say.

    Raises:
        BodyTooLargeError: the body, or its Content-Length, is larger.
        DisconnectedError: the body did not end in time.
    """
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length[:20]) > max_bytes:
        raise BodyTooLargeError
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_TIMEOUT_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise DisconnectedError
                body += message.get("body", b"")
                if len(body) > max_bytes:
                    raise BodyTooLargeError
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise DisconnectedError from None


def foreign_origin(headers: Mapping[bytes, bytes]) -> str:
    """Describes a request that no program on this machine would send; "" for any other.

    A page of another site sends its Origin. After DNS rebinding, where the page's own name leads to this machine, the
    browser takes the request for one to the page's site, and sends that name as the Host.

    >>> foreign_origin({b"host": b"127.0.0.1:8000"}), foreign_origin({b"origin": b"https://a.example"})
    ('', 'one of a web page')
    """
    if b"origin" in headers or headers.get(b"sec-fetch-site", b"none") != b"none":
        return "one of a web page"
    host = headers.get(b"host", b"localhost").decode("latin-1")
    try:
        is_local = is_loopback(f"http://{host}")
    except ValueError:
        is_local = False
    return "" if is_local else f"one for host={host[:80]!r}"


class ModelDisabledError(Exception):
    """The model is disabled; the text gives the reason."""


class SingleFlight:
    """Runs the model once for each distinct query of all requests.

    Args:
        run_chunk: runs the model.
        cache: holds the answers so far.

    Attributes:
        received: queries of all requests.
        asked: distinct queries sent to the model.
        busy_s: how long the model had a batch, summed over replicas.
        batch_size: the most queries in a chunk.
    """

    def __init__(self, run_chunk: RunChunk, cache: BoundedAnswerCache, batch_size: int) -> None:
        self.received = 0
        self.asked = 0
        self.busy_s = 0.0
        self.batch_size = batch_size
        self._run_chunk = run_chunk
        self._cache = cache
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="vqamt-cache")
        self._in_flight: dict[str, asyncio.Future[QueryResult]] = {}
        self._chunks: set[asyncio.Task[None]] = set()

    @property
    def cached(self) -> int:
        """How many answers are cached."""
        return len(self._cache)

    @property
    def in_flight(self) -> int:
        """How many distinct queries wait for the model, or are with it."""
        return len(self._in_flight)

    async def answers(self, request: AnswersRequest) -> list[QueryResult]:
        """Returns an answer to each query of the request, in order.

        Inference goes on if the client disconnects: it will retry, and find the answers.

        Raises:
            ModelDisabledError: the model is disabled.
        """
        self.received += len(request.queries)
        keys = [request.key(place) for place in range(len(request.queries))]
        loop = asyncio.get_running_loop()
        known: dict[str, QueryResult] = dict(await loop.run_in_executor(self._disk, self._cache.get, list(set(keys))))
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
            running = loop.create_task(self._run(some, chunk))
            self._chunks.add(running)
            running.add_done_callback(self._chunks.discard)
        if pending:
            await asyncio.wait(pending.values())
        return [known[key] if key in known else pending[key].result() for key in keys]

    async def _run(self, keys: tuple[str, ...], chunk: Chunk) -> None:
        """Runs the model, caches its answers, and resolves the futures of ``keys``."""
        loop = asyncio.get_running_loop()
        try:
            result = await self._run_chunk(chunk)
            self.asked += len(keys)
            self.busy_s += result.busy_s
            self.batch_size = max(1, result.batch_size)
            if result.disabled:
                raise ModelDisabledError(result.disabled)
            answers = {key: each for key, each in zip(keys, result.answers, strict=True) if isinstance(each, Answer)}
            try:
                await loop.run_in_executor(self._disk, self._cache.put, answers)
            except sqlite3.Error as error:  # the answers are sent all the same
                with suppress(OSError):  # the log is on the same disk
                    print(f"not cached: {error!r}", file=sys.stderr, flush=True)
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
        wanted.sort(key=lambda each: each[1].picture)
        for start in range(0, len(wanted), size):
            some = wanted[start : start + size]
            yield tuple(key for key, _ in some), _chunk(request, task, [row for _, row in some])


def _chunk(request: AnswersRequest, task: Task, rows: list[QueryRow]) -> Chunk:
    places = {picture: place for place, picture in enumerate(dict.fromkeys(row.picture for row in rows))}
    return Chunk(
        task=task,
        pictures=tuple(request.pictures[picture] for picture in places),
        queries=tuple(replace(row, picture=places[row.picture]) for row in rows),
    )


class BoundedAnswerCache:
    """Answers by key in a file of the server's folder; the oldest are deleted when there are more than ``max_answers``.

    They outlive the process: a server process that is restarted goes on with them. Used from one thread at a time.
    """

    def __init__(self, file: Path, *, max_answers: int = MAX_ANSWERS) -> None:
        self._max_answers = max_answers
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        # The file is deleted with the server, so it need not survive a crash of the machine.
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = off")
        self._db.execute(f"create table if not exists answers ({_COLUMNS})")
        (self._count,) = self._db.execute("select count(*) from answers").fetchone()

    def __len__(self) -> int:
        return int(self._count)

    def get(self, keys: Sequence[str]) -> dict[str, Answer]:
        """The cached answers, by key."""
        found: dict[str, Answer] = {}
        for start in range(0, len(keys), _SQL_CHUNK):
            some = keys[start : start + _SQL_CHUNK]
            marks = ",".join("?" * len(some))
            wanted = f"select key, text, scores, truncated from answers where key in ({marks})"
            for key, text, scores, truncated in self._db.execute(wanted, some):
                found[key] = Answer(text, _scores(scores), bool(truncated))
        return found

    def put(self, answers: Mapping[str, Answer]) -> None:
        """Caches answers; one that is cached already stays.

        Raises:
            sqlite3.Error: they cannot be written, for example because the disk is full; none of them is cached then.
        """
        rows = [
            (key, answer.text, None if answer.scores is None else json.dumps(answer.scores), answer.truncated)
            for key, answer in answers.items()
        ]
        count = self._count
        self._db.execute("begin")
        try:
            count += max(0, self._db.executemany("insert or ignore into answers values (?, ?, ?, ?)", rows).rowcount)
            if (excess := count - self._max_answers) > 0:
                self._db.execute(_DELETE_OLDEST, [excess])
                count -= excess
            self._db.execute("commit")
        except sqlite3.Error:
            if self._db.in_transaction:  # some errors have ended it
                self._db.execute("rollback")
            raise
        self._count = count

    def close(self) -> None:
        self._db.close()


def _scores(text: str | None) -> tuple[tuple[str, float], ...] | None:
    return None if text is None else tuple((name, score) for name, score in json.loads(text))


class ProgressReporter:
    """Sends a ``Progress`` message when queries have come in since the last one."""

    def __init__(self, inference: SingleFlight, send: Callable[[StatusMessage], None]) -> None:
        self._inference = inference
        self._send = send
        self._last = (0, 0)
        self._since = time.monotonic()

    def report(self) -> None:
        now, counts = time.monotonic(), (self._inference.received, self._inference.asked)
        if counts != self._last:
            received, asked = counts
            recent = asked - self._last[1]
            self._send(Progress(received=received, asked=asked, recent=recent, since_s=now - self._since))
        self._last, self._since = counts, now


class _Cycle(Protocol):
    """A request and its response in uvicorn."""

    @property
    def response_complete(self) -> bool: ...


class _Transport(Protocol):
    def abort(self) -> None: ...


class Connection(Hashable, Protocol):
    """A connection of uvicorn; ``cycle`` is None until the headers of its first request are complete."""

    @property
    def cycle(self) -> _Cycle | None: ...

    @property
    def transport(self) -> _Transport: ...


class IdleConnections:
    """Closes connections that wait too long for the headers of a request, which uvicorn does not."""

    def __init__(self, *, max_idle_s: float = MAX_IDLE_S) -> None:
        self._max_idle_s = max_idle_s
        self._since: dict[Connection, tuple[_Cycle | None, float]] = {}

    def close(self, connections: Collection[Connection], now: float) -> None:
        """Closes the idle ones of all ``connections``; ``now`` is in seconds of a monotonic clock."""
        before, self._since = self._since, {}
        for connection in tuple(connections):
            cycle = connection.cycle
            if cycle is not None and not cycle.response_complete:
                continue
            last, since = before.get(connection, (cycle, now))
            since = since if last is cycle else now
            if now - since > self._max_idle_s:
                connection.transport.abort()
            else:
                self._since[connection] = (cycle, since)
