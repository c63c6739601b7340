"""What may pass is waited for, what is final is told in one line, and no run mixes the answers of two models."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

import pytest

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.query import Task
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.http import retry
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served.wire_format import ANSWERS_PATH, write_card
from tests.models.openai.stub import Reply, Request, Script, Stub
from tests.models.served.conftest import AskAbout, Load, Serve
from tests.models.served.desk import ByPixels, Desk, answer_of, failed
from tests.rows import each_row


def before(desk: Desk, *replies: Reply) -> Script:
    """The desk, but for the first requests for answers, which get these replies."""
    left = list(replies)

    def script(request: Request) -> Reply:
        return left.pop(0) if left and request.path.endswith(ANSWERS_PATH) else desk(request)

    return script


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def told(error: pytest.ExceptionInfo[VqamtError]) -> str:
    line = str(error.value)
    assert "\n" not in line
    return line


def test_a_server_that_is_away_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx2")
    monkeypatch.setattr(retry, "_FIRST_ANSWER_BUDGET_S", 0.2)
    url = f"http://127.0.0.1:{closed_port()}"
    with pytest.raises(ModelError) as error:
        ModelCatalogue().load(f"served:{url}", ModelOptions())
    assert told(error).startswith(f"Expected an answer from {url}, but got no connection (ConnectError: ")
    assert told(error).endswith(": check the URL, and that the server is running and can be reached from here")


@each_row(
    "reply",
    [
        failed(503, "no replica is alive", {"Retry-After": "0.1"}),
        Reply(status=500, body=b"Internal Server Error"),
        Reply(status=502),
        Reply(status=404, body=b"Path '/v1/answers' not found. Please ping http://.../-/routes"),
        Reply(body=b"x" * 100, cut=10),
    ],
)
def test_what_may_pass_is_asked_again(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, reply: Reply
) -> None:
    model = load(serve(before(Desk(ByPixels(), pictures), reply, reply)))
    assert model.ask(Task.VQA, [about("one")]) == (answer_of(about("one")),)


def test_it_is_left_alone_as_long_as_it_says(serve: Serve, load: Load, about: AskAbout, pictures: SceneSource) -> None:
    server = serve(before(Desk(ByPixels(), pictures), failed(503, "wait", {"Retry-After": "0.6"})))
    load(server).ask(Task.VQA, [about("one")])
    assert server.times[2] - server.times[1] >= 0.6


def test_a_server_that_stays_away_later_ends_the_run_in_one_line(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures)
    with Mortal(desk) as server:
        model = load(server, retries_s="0.3")
        model.ask(Task.VQA, [about("one")])
    with pytest.raises(ModelError) as error:
        model.ask(Task.VQA, [about(str(number)) for number in range(20)])
    assert "(retries-s=0.3): check the server, or wait for it longer" in told(error)
    assert model.health.disabled_reason


def test_a_server_that_comes_back_with_the_same_model_goes_on(
    load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    with Mortal(Desk(ByPixels("by pixels, 1"), pictures)) as server:
        model = load(server)
        model.ask(Task.VQA, [about("one")])
        port = server.port
    found: list[object] = []
    asking = Thread(target=lambda: found.extend(model.ask(Task.VQA, [about("two")])))
    asking.start()
    time.sleep(0.1)
    with Mortal(Desk(ByPixels("by pixels, 1"), pictures, session="second"), port):
        asking.join(60)
    assert found == [answer_of(about("two"))]


@each_row(
    "after",
    [
        lambda source: Desk(ByPixels("by pixels, 2"), source),
        lambda source: Desk(ByPixels("by pixels, 1"), source, spec="tiny"),
        lambda source: Desk(ByPixels(None), source),
    ],
)
def test_a_server_that_comes_back_with_another_model_is_not_asked(
    load: Load, about: AskAbout, pictures: SceneSource, after: Callable[[SceneSource], Desk]
) -> None:
    with Mortal(Desk(ByPixels("by pixels, 1"), pictures)) as server:
        model = load(server)
        model.ask(Task.VQA, [about("one")])
        port = server.port
    desk = after(pictures)
    with Mortal(desk, port), pytest.raises(ModelError) as error:
        model.ask(Task.VQA, [about("two")])
    assert "but it serves another one now (Expected model=" in told(error)
    assert told(error).endswith(": run again; answers of two models are never mixed")
    assert not any(asked.model == desk.card.identity for asked in desk.requests)


def test_a_model_without_a_fingerprint_is_another_one_when_it_is_started_anew(
    load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    with Mortal(Desk(ByPixels(None), pictures, session="first")) as server:
        model = load(server)
        port = server.port
    with Mortal(Desk(ByPixels(None), pictures, session="second"), port), pytest.raises(ModelError, match="another one"):
        model.ask(Task.VQA, [about("one")])


def test_an_answer_of_another_model_is_not_taken(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures)

    def mixed(request: Request) -> Reply:
        if not request.path.endswith(ANSWERS_PATH):
            return desk(request)
        fields = json.loads(desk(request).body)
        return Reply(body=json.dumps({**fields, "model": "0" * 16}).encode())

    with pytest.raises(ModelError, match="answers of two models are never mixed"):
        load(serve(mixed)).ask(Task.VQA, [about("one")])


def test_a_query_that_the_server_cannot_read_costs_itself(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures)
    batch = [about("one"), about("x" * 100_001), about("two")]
    found = BatchBisector(load(serve(desk))).run(Task.VQA, batch)
    assert [found[0], found[2]] == [answer_of(batch[0]), answer_of(batch[2])]
    reason = getattr(found[1], "reason", "")
    assert reason.startswith("QueryError: Expected http://127.0.0.1:")
    assert "Expected `str` of length <= 100000 - at `$.queries[0].text`)" in reason


@each_row(
    "body, what",
    [
        (b'{"model": "MODEL", "answers": []}', "Expected 1 answer, one for each query, but got 0"),
        (b'{"model": "MODEL", "answers": [{"text": 1}]}', "Expected `str`, got `int` - at `$.answers[0].text`"),
        (b'{"model": "MODEL", "answers": [{}]}', "Expected answers[0] to have one of text, error and unknown"),
        (b'{"model": "MODEL", "answers": [{"text": "a", "mood": 1}]}', "unknown field `mood` - at `$.answers[0]`"),
        (b'{"model": "MODEL", "answers": [{"text": "a", "scores": [["a", NaN]]}]}', "JSON is malformed"),
        (
            b'{"model": "MODEL", "answers": [{"text": "a", "scores": [["a"]]}]}',
            "at `$.answers[0].scores[0]`",
        ),
        (b'{"answers": [{"text": "a"}]}', "Object missing required field `model`"),
        (
            b"<html>hello</html>",
            "Expected the answers of a served model, but cannot read its 18 bytes: JSON is ",
        ),
        (b"[]", "Expected `object`, got `array`"),
    ],
)
def test_a_reply_that_is_none_ends_the_run_in_one_line(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, body: bytes, what: str
) -> None:
    desk = Desk(ByPixels(), pictures)
    reply = Reply(body=body.replace(b"MODEL", desk.card.identity.encode()))
    with pytest.raises(ModelError) as error:
        load(serve(before(desk, reply))).ask(Task.VQA, [about("one")])
    assert told(error).startswith("Expected `vqamt serve` of this version at http://127.0.0.1:")
    assert what in told(error)


def test_another_version_of_the_format_is_told_in_one_line(serve: Serve, load: Load) -> None:
    fields = json.loads(write_card(Desk(ByPixels()).card))
    card = json.dumps({**fields, "wire": 99, "vqamt_version": "9.9"}).encode()
    with pytest.raises(ModelError) as error:
        load(serve(lambda _: Reply(body=card)))
    assert "Expected wire=2, but got wire=99 of pytest-vqamt '9.9': install the same version on both" in told(error)


@each_row(
    "reply, what",
    [
        (Reply(body=b'{"hello": "world"}'), "Object missing required field `wire`"),
        (Reply(body=b"hello"), "Expected the card of a served model, but cannot read its 5 bytes"),
        (Reply(status=301, headers={"Location": "http://127.0.0.1:1/"}), "301 Moved Permanently, which sends on to an"),
        (Reply(status=405), "Expected `vqamt serve` at http://127.0.0.1:"),
        (
            Reply(status=401, body=b'{"error": "no token"}'),
            r"401 Unauthorized (no token): none was sent: put it, which ",
        ),
    ],
)
def test_what_is_no_server_of_ours_is_told_at_once(serve: Serve, load: Load, reply: Reply, what: str) -> None:
    server = serve(lambda _: reply)
    with pytest.raises(ModelError) as error:
        load(server)
    assert what in told(error)
    assert len(server.requests) == 1


def test_when_one_thread_finds_the_server_of_no_use_the_others_wait_no_longer(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures)
    must_wait = Event()

    def script(request: Request) -> Reply:
        if not request.path.endswith(ANSWERS_PATH):
            return desk(request)
        if request.fields["queries"][0]["text"] == "slow":
            must_wait.set()
            return failed(503, "wait", {"Retry-After": "100"})
        must_wait.wait(60)
        return failed(410, "the model is broken")

    model = load(serve(script))
    errors: list[Exception] = []

    def ask(text: str) -> None:
        try:
            model.ask(Task.VQA, [about(text)])
        except ModelError as error:
            errors.append(error)

    threads = [Thread(target=ask, args=(text,)) for text in ("fast", "slow")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)  # less than the server has asked for
    assert len(errors) == 2


class Mortal(Stub):
    """A server that dies as a process does, with all its connections; at a ``port``, where one is named."""

    allow_reuse_address = True

    def __init__(self, script: Script, port: int = 0) -> None:
        self._wanted = port
        self._connections: list[socket.socket] = []
        super().__init__(script)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def __enter__(self) -> Mortal:
        super().__enter__()
        return self

    def server_bind(self) -> None:
        self.server_address = ("127.0.0.1", self._wanted)
        super().server_bind()

    def get_request(self) -> tuple[socket.socket, object]:
        connection, address = super().get_request()
        self._connections.append(connection)
        return connection, address

    def server_close(self) -> None:
        super().server_close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
