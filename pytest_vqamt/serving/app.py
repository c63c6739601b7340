"""The door: who may ask, and how much at once. An ASGI application of three paths."""

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
from pytest_vqamt.models.served.json_fields import WireError
from pytest_vqamt.models.served.protocol import (
    ANSWERS_PATH,
    BAD_REQUEST,
    MODEL_DISABLED,
    MODEL_PATH,
    NOT_READY,
    OTHER_MODEL,
    STATUS_PATH,
    TOKEN_VARIABLE,
    TOO_LARGE,
    UNAUTHORIZED,
    ModelCard,
    QueryResult,
    ServerStatus,
    write_answers,
    write_card,
    write_error,
    write_status,
)
from pytest_vqamt.models.served.requests import AnswersRequest, QueryRow, RequestTooLargeError, read_request
from pytest_vqamt.serving.messages import Chunk, ChunkResult, Progress, StatusMessage

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
class HttpResponse:
    """What is sent back: a status, and a body of JSON."""

    status: int
    body: bytes
    retry_after_s: int | None = None


class InferenceApp:
    """Answers requests about one model.

    Args:
        card: the model.
        once: what answers queries.
        token: what every request must bring; "" for none.
        alive: tells how many replicas are running; may take its time.
    """

    def __init__(self, card: ModelCard, once: SingleFlight, *, token: str, alive: Callable[[], int]) -> None:
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
        except DisconnectedError:
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

    async def _reply(self, scope: Message, receive: Receive) -> HttpResponse:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if self._expected and not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):
            return _error(UNAUTHORIZED, f"Expected the token of {TOKEN_VARIABLE}, but got none or another: set it")
        if not self._expected and (strange := foreign_origin(headers)):
            return _error(
                BAD_REQUEST, f"Expected a request of a program on this machine, but got {strange}: set {TOKEN_VARIABLE}"
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
        return await self._answers(receive, headers)

    async def _answers(self, receive: Receive, headers: dict[bytes, bytes]) -> HttpResponse:
        most = self._card.max_bytes
        if self._held >= _BODIES * most:
            return _error(NOT_READY, "Expected room for one more request, but there is none: ask again", _AGAIN_S)
        length = headers.get(b"content-length", b"")
        room = min(most, int(length[:20])) if length.isdigit() else most
        self._held += room
        try:
            body = await read_body(receive, headers, most)
            request = await asyncio.to_thread(read_request, body, max_queries=self._card.max_queries, max_bytes=most)
        except BodyTooLargeError:
            return _error(TOO_LARGE, f"Expected at most {most} bytes in one request, but got more: send fewer queries")
        except RequestTooLargeError as error:
            return _error(TOO_LARGE, str(error))
        except WireError as error:
            return _error(BAD_REQUEST, str(error))
        finally:
            self._held -= room
        if request.model != self._card.identity:
            return _error(
                OTHER_MODEL,
                f"Expected the model that is served here, {self._card.model!r} (model={self._card.identity!r}), but "
                f"got model={request.model[:80]!r}: run again, or ask the server that you mean",
            )
        if self._waiting + len(body) > _REQUESTS * most or self._once.under_way >= _QUERIES:
            return _error(NOT_READY, "Expected fewer queries to wait for the model: ask again", _AGAIN_S)
        self._waiting += len(body)
        try:
            told = await self._once.answers(request)
        except ModelDisabledError as error:
            return _error(MODEL_DISABLED, str(error))
        except Exception as error:  # of Ray, whatever that may be
            reason = f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')[:300]}"
            return _error(NOT_READY, f"Expected the replicas to answer, but got {reason}: ask again", _AGAIN_S)
        finally:
            self._waiting -= len(body)
        return HttpResponse(status=200, body=await asyncio.to_thread(write_answers, self._card.identity, told))

    async def _status(self) -> ServerStatus:
        return ServerStatus(
            queries_received=self._once.received,
            queries_asked=self._once.asked,
            answers_remembered=self._once.remembered,
            uptime_s=time.monotonic() - self._began,
            busy_s=self._once.busy_s,
            replicas_alive=await asyncio.to_thread(self._alive),
        )


def _error(status: int, reason: str, retry_after_s: int | None = None) -> HttpResponse:
    return HttpResponse(status=status, body=write_error(reason), retry_after_s=retry_after_s)


AskModel: TypeAlias = "Callable[[Chunk], Awaitable[ChunkResult]]"


class ModelDisabledError(Exception):
    """The model can be asked no more; the text says why."""


class SingleFlight:
    """Requests to answers, over all requests of a server.

    Attributes:
        received: queries of all requests.
        asked: distinct ones that the model was asked.
        busy_s: for how long it had a batch, summed over replicas.
        batch_size: how many queries a chunk has at most.
    """

    def __init__(self, ask: AskModel, remembered: BoundedAnswerCache, batch_size: int) -> None:
        self.received = 0
        self.asked = 0
        self.busy_s = 0.0
        self.batch_size = batch_size
        self._ask = ask
        self._remembered = remembered
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="vqamt-remember")
        self._under_way: dict[str, asyncio.Future[QueryResult]] = {}
        self._chunks: set[asyncio.Task[None]] = set()

    @property
    def remembered(self) -> int:
        """How many answers are kept."""
        return len(self._remembered)

    @property
    def under_way(self) -> int:
        """How many distinct queries wait for the model, or are with it."""
        return len(self._under_way)

    async def answers(self, request: AnswersRequest) -> list[QueryResult]:
        """What is told to each query of the request, in order.

        What it asks first is asked to the end, though whoever sent it may have gone: it comes again, and finds it.

        Raises:
            GivenUpError: the model can be asked no more.
        """
        self.received += len(request.queries)
        keys = [request.key(place) for place in range(len(request.queries))]
        loop = asyncio.get_running_loop()
        known: dict[str, QueryResult] = dict(
            await loop.run_in_executor(self._disk, self._remembered.get, list(set(keys)))
        )
        new: dict[str, int] = {}
        waited: dict[str, asyncio.Future[QueryResult]] = {}
        for place, key in enumerate(keys):
            if key in known or key in waited:
                continue
            if key not in self._under_way:
                self._under_way[key] = loop.create_future()
                new[key] = place
            waited[key] = self._under_way[key]
        for some, chunk in _chunks(request, new, self.batch_size):
            running = loop.create_task(self._asked(some, chunk))
            self._chunks.add(running)
            running.add_done_callback(self._chunks.discard)
        if waited:
            await asyncio.wait(waited.values())
        return [known[key] if key in known else waited[key].result() for key in keys]

    async def _asked(self, keys: tuple[str, ...], chunk: Chunk) -> None:
        """Asks the model, remembers its answers, and tells those who wait."""
        loop = asyncio.get_running_loop()
        try:
            outcome = await self._ask(chunk)
            self.asked += len(keys)
            self.busy_s += outcome.busy_s
            self.batch_size = max(1, outcome.batch_size)
            if outcome.given_up:
                raise ModelDisabledError(outcome.given_up)
            found = {key: told for key, told in zip(keys, outcome.told, strict=True) if isinstance(told, Answer)}
            try:
                await loop.run_in_executor(self._disk, self._remembered.put, found)
            except (
                sqlite3.Error
            ) as error:  # what was answered is told all the same, and asked again should it be wanted
                with suppress(OSError):  # the log is on the same disk
                    print(f"not remembered: {error!r}", file=sys.stderr, flush=True)
        except Exception as error:  # whoever waits is told, and answers for it
            for key in keys:
                future = self._under_way.pop(key)
                future.set_exception(error)
                future.exception()  # looked at: its requests may all have gone
        else:
            for key, told in zip(keys, outcome.told, strict=True):
                self._under_way.pop(key).set_result(told)


def _chunks(request: AnswersRequest, new: dict[str, int], size: int) -> Iterator[tuple[tuple[str, ...], Chunk]]:
    """What is new in a request in chunks of one task, all that is asked of one picture in a row, with its keys."""
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


Message: TypeAlias = MutableMapping[str, Any]
"""As ASGI has it; the values are of many types."""

Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_AT_MOST_S = 120
"""A body that takes longer is not waited for."""


class BodyTooLargeError(Exception):
    """The body is longer than allowed."""


class DisconnectedError(Exception):
    """Whoever sent the request has gone, or is too slow."""


async def read_body(receive: Receive, headers: dict[bytes, bytes], most: int) -> bytes:
    """The body, of at most ``most`` bytes: never are more than that held, whatever a header says or does not say.

    Raises:
        TooManyBytesError: it is longer, or says that it will be.
        GoneError: it did not come to its end.
    """
    said = headers.get(b"content-length", b"")
    if said.isdigit() and int(said[:20]) > most:
        raise BodyTooLargeError
    held = bytearray()
    try:
        async with asyncio.timeout(_AT_MOST_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise DisconnectedError
                held += message.get("body", b"")
                if len(held) > most:
                    raise BodyTooLargeError
                if not message.get("more_body"):
                    return bytes(held)
    except TimeoutError:
        raise DisconnectedError from None


def foreign_origin(headers: Mapping[bytes, bytes]) -> str:
    """What about a request no program on this machine would send, in words; "" where there is nothing.

    A page of another site says where it comes from. One whose name was made to lead to this machine after it had been
    loaded (DNS rebinding) asks its own site, as the browser sees it, and names that as the host.

    >>> strange_in({b"host": b"127.0.0.1:8000"}), strange_in({b"origin": b"https://a.example"})
    ('', 'one of a web page')
    """
    if b"origin" in headers or headers.get(b"sec-fetch-site", b"none") != b"none":
        return "one of a web page"
    host = headers.get(b"host", b"localhost").decode("latin-1")
    try:
        is_here = is_loopback(f"http://{host}")
    except ValueError:
        is_here = False
    return "" if is_here else f"one for host={host[:80]!r}"


MAX_ANSWERS = 2_000_000
"""So many answers are kept, some 100 to 300 bytes each on disk."""

_AT_ONCE = 900
"""Keys in one statement: SQLite took no more than 999 variables for a long time."""

_TABLE = "create table if not exists answers (key text primary key, text text not null, scores text, truncated integer)"

_FORGET = "delete from answers where rowid in (select rowid from answers order by rowid limit ?)"


class BoundedAnswerCache:
    """Answers by key in a file of the server's folder; the oldest go where there are more than ``most``.

    They outlive the process that put them there: a door that is started anew goes on with them. Used from one thread at
    a time.
    """

    def __init__(self, file: Path, *, most: int = MAX_ANSWERS) -> None:
        self._most = most
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        # The file goes with the server, so nothing need be safe on disk should the machine stop.
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = off")
        self._db.execute(_TABLE)
        (self._count,) = self._db.execute("select count(*) from answers").fetchone()

    def __len__(self) -> int:
        return int(self._count)

    def get(self, keys: Sequence[str]) -> dict[str, Answer]:
        """The answers there are, by key."""
        found: dict[str, Answer] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            wanted = f"select key, text, scores, truncated from answers where key in ({marks})"
            for key, text, scores, truncated in self._db.execute(wanted, some):
                found[key] = Answer(text, _scores(scores), bool(truncated))
        return found

    def put(self, answers: Mapping[str, Answer]) -> None:
        """Keeps answers; one that is there already stays.

        Raises:
            sqlite3.Error: they cannot be written, as on a disk that is full; none of them is kept then.
        """
        rows = [
            (key, answer.text, None if answer.scores is None else json.dumps(answer.scores), answer.truncated)
            for key, answer in answers.items()
        ]
        count = self._count
        self._db.execute("begin")
        try:
            count += max(0, self._db.executemany("insert or ignore into answers values (?, ?, ?, ?)", rows).rowcount)
            if (over := count - self._most) > 0:
                self._db.execute(_FORGET, [over])
                count -= over
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
    """What was done, told as it grows."""

    def __init__(self, once: SingleFlight, tell: Callable[[StatusMessage], None]) -> None:
        self._once = once
        self._tell = tell
        self._before = (0, 0)
        self._since = time.monotonic()

    def tell(self) -> None:
        """Tells what was done, if something was since it was told last."""
        now, done = time.monotonic(), (self._once.received, self._once.asked)
        if done != self._before:
            received, asked = done
            self._tell(
                Progress(received=received, asked=asked, lately=asked - self._before[1], since_s=now - self._since)
            )
        self._before, self._since = done, now


MAX_IDLE_S = 90.0
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


class IdleConnections:
    """Ends connections that have waited for the headers of a request too long; uvicorn waits for them without end."""

    def __init__(self, *, most_s: float = MAX_IDLE_S) -> None:
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
