"""Who may ask, what, and how much of it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.conversation import Role
from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.models.served.answer_requests import (
    AnswersRequest,
    QueryRow,
    RecipeRow,
    RequestTooLargeError,
    TurnRow,
)
from pytest_vqamt.models.served.wire_format import ModelCard, ServedData, read_answers_response, read_card, read_status
from pytest_vqamt.serving import app as app_module
from pytest_vqamt.serving.app import (
    ModelDisabledError,
    SingleFlight,
    TimedH11Protocol,
    inference_app,
    read_body,
)
from pytest_vqamt.serving.replica import Chunk, ChunkResult
from tests.rows import each_row

httpx2 = pytest.importorskip("httpx2")

TOKEN = "a-token-of-some-length"
MOST = 20_000
CARD = ModelCard(
    identity="id-of-tiny",
    vqamt_version="1",
    model="tiny",
    fingerprint="f",
    persistent=True,
    tasks=(Task.VQA,),
    batch_size=4,
    data=(ServedData(spec="pictures:5", digest="d"),),
    max_queries=10,
    max_bytes=MOST,
)
RECIPE: dict[str, Json] = {"photo": "p", "digest": "d", "edits": []}
JSON = {"content-type": "application/json"}
QUERY: dict[str, Json] = {"task": "vqa", "text": "Is there a dog?", "picture": 0}


class Replicas:
    """Answers yes, or says why not."""

    def __init__(self) -> None:
        self.asked = 0
        self.disabled = ""
        self.error: Exception | None = None

    async def ask(self, chunk: Chunk) -> ChunkResult:
        self.asked += len(chunk.queries)
        if self.error is not None:
            raise self.error
        return ChunkResult(answers=(Answer("yes"),) * len(chunk.queries), batch_size=4, disabled=self.disabled)


class Server:
    """The application without a network."""

    def __init__(self, folder: Path, token: str = "") -> None:
        self.replicas = Replicas()
        flight = SingleFlight(self.replicas.ask, AnswerStore(folder / "answers.sqlite"), 4)
        self.app = inference_app(CARD, flight, token=token, replicas_alive=lambda: 1)

    def request(self, method: str, path: str, **arguments: Any) -> Any:  # as httpx2 has it
        async def sent() -> Any:
            async with httpx2.AsyncClient(
                transport=httpx2.ASGITransport(self.app), base_url="http://127.0.0.1:8000"
            ) as client:
                return await client.request(method, path, **arguments)

        return asyncio.run(sent())

    def post(self, body: bytes | Json | AsyncIterator[bytes], **headers: str) -> Any:
        content = json.dumps(body).encode() if isinstance(body, dict | list) else body
        return self.request("POST", "/v1/answers", content=content, headers={**JSON, **headers})


def asked(*queries: Json, pictures: Json | None = None, model: str = "id-of-tiny") -> dict[str, Json]:
    return {"model": model, "pictures": [RECIPE] if pictures is None else pictures, "queries": list(queries)}


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def test_a_query_is_answered(server: Server) -> None:
    reply = server.post(asked(QUERY, {**QUERY, "text": "How many?"}))
    assert reply.status_code == 200
    assert read_answers_response(reply.content, 2).answers == (Answer("yes"), Answer("yes"))
    assert server.replicas.asked == 2


def test_the_card_and_the_status_are_told(server: Server) -> None:
    assert read_card(server.request("GET", "/v1/model").content) == CARD
    server.post(asked(QUERY))
    status = read_status(server.request("GET", "/v1/status").content)
    assert (status.queries_received, status.queries_asked, status.replicas_alive) == (1, 1, 1)


@each_row("path", ["/v1/model", "/v1/status", "/v1/answers", "/", "/-/routes"])
@each_row("given", [None, "", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer ", "bearer"])
def test_without_the_token_there_is_nothing(tmp_path: Path, path: str, given: str | None) -> None:
    server = Server(tmp_path, TOKEN)
    headers = {} if given is None else {"authorization": given}
    reply = server.request("POST" if path.endswith("answers") else "GET", path, headers=headers, content=b"x" * 10)
    assert reply.status_code == 401
    assert TOKEN not in reply.text
    assert json.loads(reply.text) == {
        "error": "Expected the token of VQAMT_SERVE_TOKEN, but got none or another: set it"
    }


def test_a_body_is_not_read_before_the_token(tmp_path: Path) -> None:
    server = Server(tmp_path, TOKEN)

    async def sent() -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        scope = {"type": "http", "method": "POST", "path": "/v1/answers", "headers": []}

        async def receive() -> dict[str, Any]:
            raise AssertionError("it was read")

        async def send(message: Any) -> None:
            out.append(message)

        await server.app(scope, receive, send)
        return out

    assert asyncio.run(sent())[0]["status"] == 401


def test_with_the_token_there_is_all(tmp_path: Path) -> None:
    server = Server(tmp_path, TOKEN)
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert server.post(asked(QUERY), **headers).status_code == 200
    assert server.request("GET", "/v1/model", headers=headers).status_code == 200


@each_row(
    "headers",
    [
        {"host": "evil.example:8000"},  # which leads to this machine by now
        {"host": "127.0.0.1.evil.example"},
        {"host": "[::1"},
        {"content-type": "text/plain"},  # all that a form can send: no browser asks first
        {"content-type": "application/x-www-form-urlencoded"},
    ],
)
def test_a_web_page_is_no_client_where_there_is_no_token(server: Server, headers: dict[str, str]) -> None:
    assert server.post(asked(QUERY), **headers).status_code == 400
    assert server.replicas.asked == 0


@each_row("host", ["127.0.0.1:8000", "localhost", "[::1]:8000"])
def test_by_any_name_of_the_loopback_it_is_this_machine(server: Server, host: str) -> None:
    assert server.post(asked(QUERY), host=host).status_code == 200


def test_a_page_of_another_name_reads_nothing_either(server: Server) -> None:
    assert server.request("GET", "/v1/status", headers={"host": "evil.example"}).status_code == 400


def test_with_a_token_the_host_has_any_name(tmp_path: Path) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "host": "gpu-box:8000"}
    assert Server(tmp_path, TOKEN).post(asked(QUERY), **headers).status_code == 200


@each_row(
    "method, path, status",
    [
        ("GET", "/", 404),
        ("GET", "/v1/../etc/passwd", 404),
        ("GET", "/v1/model/", 404),
        ("POST", "/v1/model", 405),
        ("GET", "/v1/answers", 405),
        ("DELETE", "/v1/status", 405),
    ],
)
def test_no_other_path_or_method(server: Server, method: str, path: str, status: int) -> None:
    reply = server.request(method, path)
    assert reply.status_code == status
    assert "error" in json.loads(reply.text)


def test_a_body_that_says_that_it_is_too_large_is_not_read(server: Server) -> None:
    assert server.post(b"x" * (MOST + 1)).status_code == 413


def test_a_body_that_does_not_say_so_is_read_up_to_the_bound(server: Server) -> None:
    sent = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += 1000
            yield b"x" * 1000

    reply = server.post(pieces())
    assert reply.status_code == 413
    assert json.loads(reply.text)["error"].startswith("Expected at most 20000 bytes in one request, but got more")
    assert reply.headers["connection"] == "close"


def test_a_body_without_an_end_costs_no_more_than_the_bound() -> None:
    async def run() -> int:
        read = 0

        async def receive() -> dict[str, Any]:
            nonlocal read
            read += 1000
            return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

        with pytest.raises(RequestTooLargeError):
            await read_body(Request({"type": "http", "headers": []}, receive), MOST)
        return read

    assert asyncio.run(run()) == MOST + 1000


def test_only_so_many_bodies_are_held(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_MAX_BODIES", 0)
    reply = server.post(asked(QUERY))
    assert reply.status_code == 503
    assert reply.headers["retry-after"] == "2"


@pytest.mark.parametrize("bound", ["_MAX_REQUESTS", "_MAX_QUERIES"])
def test_only_so_much_is_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(app_module, bound, 0)
    reply = server.post(asked(QUERY))
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
    assert server.replicas.asked == 0


def test_what_is_answered_is_waited_for_no_more(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_MAX_REQUESTS", 1)
    body = json.dumps(asked({**QUERY, "text": "x" * (MOST // 2)})).encode()
    assert [server.post(body).status_code for _ in range(5)] == [200] * 5


def test_too_many_queries_are_too_much(server: Server) -> None:
    assert server.post(asked(*[QUERY] * 11)).status_code == 413
    assert server.post(asked(*[QUERY] * 10)).status_code == 200


def deep(levels: int) -> bytes:
    return b'{"model":' + b"[" * levels + b"]" * levels + b',"pictures":[],"queries":[]}'


@each_row(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        deep(9000),
        json.dumps({**asked(QUERY), "more": 1}).encode(),
        b'{"model":"id-of-tiny","pictures":[{"photo":"p","digest":"d","edits":[NaN]}],"queries":[]}',
        b'{"model":"id-of-tiny","pictures":[{"photo":"p","digest":"d","edits":[Infinity]}],"queries":[]}',
    ],
)
def test_what_is_no_request_is_refused(server: Server, body: bytes) -> None:
    reply = server.post(body)
    assert reply.status_code == 400
    assert "\n" not in json.loads(reply.text)["error"]
    assert server.replicas.asked == 0


def nested(levels: int) -> Json:
    made: Json = 0
    for _ in range(levels):
        made = [made]
    return made


@each_row(
    "pictures",
    [
        [{**RECIPE, "edits": [nested(30)]}],
        [{**RECIPE, "edits": [1e300]}],
        [{**RECIPE, "edits": [10**400]}],
        [{**RECIPE, "edits": [[]] * 300}],
        [{**RECIPE, "edits": "all"}],
        [{**RECIPE, "photo": 5}],
        [{**RECIPE, "photo": "p" * 5000}],
        [{**RECIPE, "path": "/etc/passwd"}],
        [{"file": "/etc/passwd"}],
        ["../../etc/passwd"],
        [{"png": "/etc/passwd"}],
        [{"png": "aGVsbG8="}],
        [{"png": 7}],
        [],
        {},
    ],
)
def test_pictures_of_other_shapes_are_refused(server: Server, pictures: Json) -> None:
    assert server.post(asked({**QUERY, "text": "q"}, pictures=pictures)).status_code in (400, 413)
    assert server.replicas.asked == 0


@each_row(
    "change",
    [
        {"task": "delete"},
        {"task": None},
        {"text": 5},
        {"picture": 1},
        {"picture": -1},
        {"picture": True},
        {"trial": -1},
        {"trial": 1.5},
        {"meaning": {"is": "Photo", "id": "a", "digest": "b"}},
        {"meaning": {"is": "os.system"}},
        {"meaning": nested(30)},
        {"scene": {}},
    ],
)
def test_queries_of_other_shapes_are_refused(server: Server, change: dict[str, Json]) -> None:
    assert server.post(asked({**QUERY, **change})).status_code == 400
    assert server.replicas.asked == 0


def test_another_model_is_not_taken_for_this_one(server: Server) -> None:
    reply = server.post(asked(QUERY, model="id-of-another"))
    assert reply.status_code == 409
    assert "'tiny'" in json.loads(reply.text)["error"]


def test_a_model_that_is_given_up_is_told_so(server: Server) -> None:
    server.replicas.disabled = "Expected a key, but got none"
    reply = server.post(asked(QUERY))
    assert (reply.status_code, json.loads(reply.text)) == (410, {"error": "Expected a key, but got none"})


def test_what_goes_wrong_below_is_asked_again_later(server: Server) -> None:
    server.replicas.error = RuntimeError("no replica\nat all")
    reply = server.post(asked(QUERY))
    assert reply.status_code == 503
    assert json.loads(reply.text)["error"] == (
        "Expected the replicas to answer, but got RuntimeError: no replica: try again"
    )
    server.replicas.error = None
    assert server.post(asked(QUERY)).status_code == 200


def test_who_leaves_within_a_body_is_not_answered(server: Server) -> None:
    async def run() -> list[Any]:
        out: list[Any] = []
        headers = [(name.encode(), value.encode()) for name, value in JSON.items()]
        scope = {"type": "http", "method": "POST", "path": "/v1/answers", "headers": headers}
        waiting = iter(
            [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}],
        )

        async def receive() -> Any:
            return next(waiting)

        async def send(message: Any) -> None:
            out.append(message)

        await server.app(scope, receive, send)
        return out

    assert [message["type"] for message in asyncio.run(run())] == ["http.response.start", "http.response.body"]
    assert server.replicas.asked == 0


def test_a_chunk_holds_all_pictures_of_its_conversations_and_no_other(tmp_path: Path) -> None:
    async def run() -> None:
        replicas = RecordingReplicas()
        flight = single_flight(replicas, tmp_path, batch_size=1)
        turns = (TurnRow(role=Role.USER, parts=("see", 2, "and", 0)), TurnRow(role=Role.USER, parts=("why?",)))
        asked = request(("a", "one"), ("b", "two"), ("c", "three"))
        told = QueryRow(task=Task.VQA, text="why?", picture=2, turns=turns)
        await flight.answers(replace(asked, queries=(told, *asked.queries)))
        (chunk,) = (chunk for chunk in replicas.chunks if chunk.queries[0].turns)
        assert [row.row["photo"] for row in chunk.pictures if isinstance(row, RecipeRow)] == ["c", "a"]
        (query,) = chunk.queries
        assert (query.picture, query.turns[0].parts) == (0, ("see", 0, "and", 1))
        assert {len(chunk.pictures) for chunk in replicas.chunks if not chunk.queries[0].turns} == {1}

    asyncio.run(run())


class RecordingReplicas:
    """Answers after a moment with the text and the photo, and writes down what it was asked."""

    def __init__(self, disabled: str = "") -> None:
        self.chunks: list[Chunk] = []
        self.disabled = disabled

    async def ask(self, chunk: Chunk) -> ChunkResult:
        self.chunks.append(chunk)
        await asyncio.sleep(0.01)
        told = tuple(self._told(chunk, row) for row in chunk.queries)
        return ChunkResult(answers=told, busy_s=0.5, batch_size=4, disabled=self.disabled)

    @property
    def asked(self) -> list[str]:
        return [f"{chunk.pictures[row.picture].key} {row.text}" for chunk in self.chunks for row in chunk.queries]

    @staticmethod
    def _told(chunk: Chunk, row: QueryRow) -> Answer | Failure:
        picture = chunk.pictures[row.picture]
        assert isinstance(picture, RecipeRow)
        return Failure(reason="no") if row.text == "fail" else Answer(f"{row.text} of {picture.row['photo']}")


def request(*asked: tuple[str, str], task: Task = Task.VQA, trial: int = 0) -> AnswersRequest:
    """Questions about photos: (photo, text)."""
    photos = list(dict.fromkeys(photo for photo, _ in asked))
    return AnswersRequest(
        model="m",
        pictures=tuple(RecipeRow({"photo": photo, "digest": photo, "edits": []}) for photo in photos),
        queries=tuple(
            QueryRow(task=task, text=text, picture=photos.index(photo), trial=trial) for photo, text in asked
        ),
    )


def single_flight(replicas: RecordingReplicas, folder: Path, batch_size: int = 4) -> SingleFlight:
    return SingleFlight(replicas.ask, AnswerStore(folder / "answers.sqlite"), batch_size)


def test_one_answer_each_in_order_and_each_asked_once(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    made = single_flight(replicas, tmp_path)
    asked = [(f"p{number % 3}", f"q{number % 5}") for number in range(40)]
    told = asyncio.run(made.answers(request(*asked)))
    assert told == [Answer(f"{text} of {photo}") for photo, text in asked]
    assert len(replicas.asked) == len(set(replicas.asked)) == 15
    assert (made.received, made.asked, made.cached) == (40, 15, 15)


def test_chunks_are_batches_of_one_task_with_a_picture_in_a_row(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    asyncio.run(single_flight(replicas, tmp_path).answers(request(*[(f"p{n % 2}", f"q{n}") for n in range(10)])))
    assert [len(chunk.queries) for chunk in replicas.chunks] == [4, 4, 2]
    assert [len(chunk.pictures) for chunk in replicas.chunks] == [1, 2, 1]


def test_what_is_under_way_is_waited_for(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    made = single_flight(replicas, tmp_path)

    async def three() -> list[list[object]]:
        wanted = [request(("p", "a"), ("p", "b")), request(("p", "b"), ("p", "c")), request(("p", "a"))]
        return [list(told) for told in await asyncio.gather(*map(made.answers, wanted))]

    assert asyncio.run(three()) == [
        [Answer("a of p"), Answer("b of p")],
        [Answer("b of p"), Answer("c of p")],
        [Answer("a of p")],
    ]
    assert len(replicas.asked) == 3
    assert made.asked == 3


def test_a_trial_and_a_task_are_queries_of_their_own(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    made = single_flight(replicas, tmp_path)

    async def all_of_them() -> None:
        await made.answers(request(("p", "a")))
        await made.answers(request(("p", "a"), trial=1))
        await made.answers(request(("p", "a"), task=Task.CAPTIONING))
        await made.answers(request(("p", "a"), trial=1))

    asyncio.run(all_of_them())
    assert len(replicas.asked) == 3


def test_a_failure_is_told_and_not_remembered(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    made = single_flight(replicas, tmp_path)

    async def twice() -> list[object]:
        return [*await made.answers(request(("p", "fail"))), *await made.answers(request(("p", "fail")))]

    assert asyncio.run(twice()) == [Failure(reason="no")] * 2
    assert len(replicas.asked) == 2
    assert made.cached == 0


def test_who_leaves_early_finds_the_answer_later(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    made = single_flight(replicas, tmp_path)

    async def impatient() -> list[object]:
        leaving = asyncio.create_task(made.answers(request(("p", "a"))))
        while not replicas.chunks:
            await asyncio.sleep(0.001)
        leaving.cancel()
        return list(await made.answers(request(("p", "a"))))

    assert asyncio.run(impatient()) == [Answer("a of p")]
    assert len(replicas.asked) == 1


def test_a_model_that_is_given_up_is_told_to_all_that_wait(tmp_path: Path) -> None:
    made = single_flight(RecordingReplicas(disabled="no weights"), tmp_path)

    async def two() -> list[object]:
        wanted = [request(("p", "a")), request(("p", "a"), ("p", "b"))]
        return list(await asyncio.gather(*map(made.answers, wanted), return_exceptions=True))

    for error in asyncio.run(two()):
        assert isinstance(error, ModelDisabledError)
        assert str(error) == "no weights"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_batches_change_as_the_replicas_say(tmp_path: Path, size: int) -> None:
    made = single_flight(RecordingReplicas(), tmp_path, batch_size=size)
    asyncio.run(made.answers(request(("p", "a"))))
    assert made.batch_size == 4
    assert made.busy_s == 0.5


def test_answers_that_cannot_be_written_down_are_told_all_the_same(tmp_path: Path) -> None:
    replicas, store = RecordingReplicas(), AnswerStore(tmp_path / "answers.sqlite")
    flight = SingleFlight(replicas.ask, store, 4)
    store._connection.execute("pragma query_only = on")  # as on a disk that takes nothing any more

    async def run() -> list[object]:
        return [*await flight.answers(request(("a", "q"))), *await flight.answers(request(("a", "q")))]

    assert asyncio.run(run()) == [Answer("q of a")] * 2
    assert (flight.asked, flight.in_flight, flight.cached) == (2, 0, 0)


def test_an_application_that_is_restarted_has_the_answers(tmp_path: Path) -> None:
    replicas = RecordingReplicas()
    asyncio.run(single_flight(replicas, tmp_path).answers(request(("p", "a"), ("p", "b"))))
    again = single_flight(replicas, tmp_path)
    assert again.cached == 2
    assert asyncio.run(again.answers(request(("p", "a")))) == [Answer("a of p")]
    assert len(replicas.asked) == 2


def test_no_more_answers_are_cached_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_MAX_ANSWERS", 2)
    replicas = RecordingReplicas()
    made = single_flight(replicas, tmp_path)

    async def one_by_one() -> list[object]:
        return [each for text in "abcabc" for each in await made.answers(request(("p", text)))]

    assert asyncio.run(one_by_one()) == [Answer(f"{text} of p") for text in "abcabc"]
    assert [name.rpartition(" ")[2] for name in replicas.asked] == ["a", "b", "c", "c"]
    assert made.cached == 2


def test_a_connection_without_headers_is_ended_and_a_slow_answer_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_HEADERS_TIMEOUT_S", 0.2)
    silent_has_ended = asyncio.Event()

    async def slow(_scope: object, _receive: object, send: Any) -> None:
        await silent_has_ended.wait()
        await asyncio.sleep(0.3)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> tuple[bytes, bytes, bytes]:
        server = uvicorn.Server(uvicorn.Config(slow, http=TimedH11Protocol, lifespan="off", log_config=None))
        listener = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        answered, sends = await asyncio.open_connection(*listener.getsockname())
        sends.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await sends.drain()
        silent, half = await asyncio.open_connection(*listener.getsockname())
        half.write(b"GET / HTTP/1.1\r\nhost")
        ended = await silent.read()
        silent_has_ended.set()
        status = await answered.readline()
        rest = await answered.read()  # the second request does not come
        for each in (sends, half):
            each.close()
        server.should_exit = True
        await serving
        return ended, status, rest

    ended, status, rest = asyncio.run(run())
    assert (ended, status) == (b"", b"HTTP/1.1 200 OK\r\n")
    assert rest.endswith(b"\r\n\r\n")


def test_of_many_silent_connections_the_oldest_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_MAX_SILENT", 3)

    async def at_once(_scope: object, _receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> tuple[list[bool], bytes]:
        server = uvicorn.Server(uvicorn.Config(at_once, http=TimedH11Protocol, lifespan="off", log_config=None))
        listener = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        first, asks = await asyncio.open_connection(*listener.getsockname())
        asks.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        status = await first.readline()
        opened = [await asyncio.open_connection(*listener.getsockname()) for _ in range(5)]
        ended: list[bool] = []
        for reader, _ in opened:
            try:
                ended.append(await asyncio.wait_for(reader.read(), 0.2) == b"")
            except ConnectionResetError:
                ended.append(True)
            except TimeoutError:
                ended.append(False)
        # The one that had asked is not among the silent.
        asks.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        status += await first.readuntil(b"HTTP/1.1 200")
        for writer in (asks, *(writer for _, writer in opened)):
            writer.close()
        server.should_exit = True
        await serving
        return ended, status

    ended, status = asyncio.run(run())
    assert ended == [True, True, False, False, False]
    assert status.count(b"HTTP/1.1 200") == 2
