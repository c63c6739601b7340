"""The key is sent to the server, and is in nothing else: no answer, no error, no log, no file, no local variable."""

from __future__ import annotations

import gc
import json
import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import ModelInput
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import Reply, Request, said
from tests.rows import each_row

KEY = "gateway.0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"
PIECES = (KEY[:14].lower(), KEY[10:24].lower(), KEY[-14:].lower())
"""No part of it is told either."""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_OPENAI_KEY", KEY)


def echoes(status: int, form: str) -> Callable[[Request], Reply]:
    """A server that shows what it was sent: in its body, in each form that servers use, and in a header."""

    def script(request: Request) -> Reply:
        sent = request.headers["authorization"]
        bodies = {
            "message": json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "code": sent}}),
            "text": f"<html>401: {sent}</html>",
            "short": json.dumps({"error": f"{KEY[:22]}... is wrong"}),
            "all": json.dumps(dict(request.headers)),
            "content": said(f"you are {sent}").body.decode(),
            "wrong content": said({"key": sent}).body.decode(),
            "choices": json.dumps({"choices": {sent: sent}}),
            "not JSON": sent,
        }
        headers = {"X-You-Sent": sent, "Location": f"http://127.0.0.1:1/{sent.split()[1]}?key={sent.split()[1]}"}
        return Reply(status=status, body=bodies[form].encode(), headers=headers)

    return script


@each_row("form", ["message", "text", "short", "all", "content", "wrong content", "choices", "not JSON"])
@each_row("status", [200, 307, 400, 401, 403, 404, 500])
def test_what_the_server_shows_is_not_passed_on(
    serve: Serve,
    model: Load,
    ask: Ask,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    status: int,
    form: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    server = serve(echoes(status, form))
    stub = model(server, cache=tmp_path, retries_s="0")
    told = [repr(stub), stub.fingerprint, str(stub.usage)]
    try:
        told += [answer.text for answer in stub.answer([ask()])]
    except VqamtError as error:
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
        told += [str(error), repr(error), "".join(shown.format())]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "x-you-sent" in caplog.text.lower(), "the log was there to be searched"
    told += [caplog.text, *(file.read_bytes().decode("latin-1") for file in tmp_path.rglob("*") if file.is_file())]
    for text in told:
        assert not any(piece in text.lower() for piece in PIECES), text


def test_a_status_line_that_is_none_is_not_passed_on(
    serve: Serve, model: Load, ask: Ask, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    server = serve(lambda request: Reply(headers={"X": f"\x00{request.headers['authorization']}"}))
    with pytest.raises(VqamtError, match="a reply that broke off") as error:
        model(server, retries_s="0").answer([ask()])
    shown = "".join(traceback.TracebackException.from_exception(error.value, capture_locals=True).format())
    for text in (str(error.value), shown, caplog.text):
        assert not any(piece in text.lower() for piece in PIECES), text


def test_the_log_is_as_it_was_when_the_model_is_gone(serve: Serve, model: Load, ask: Ask) -> None:
    logger = logging.getLogger("httpcore2.http11")
    before = set(logger.filters)
    gc.freeze()  # or the search goes through all that other tests have imported
    stub = model(serve(lambda _: said("yes")))
    stub.answer([ask()])
    (added,) = set(logger.filters) - before
    del stub
    gc.collect()
    gc.unfreeze()
    assert added not in logger.filters


def test_without_a_key_none_is_sent(
    serve: Serve, model: Load, many: Callable[[int], list[ModelInput]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VQAMT_OPENAI_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = serve(lambda _: said("yes"))
    model(server).answer(many(3))
    assert [request.headers.get("authorization") for request in server.requests] == [None] * 3


def test_what_is_asked_of_this_machine_goes_through_no_proxy(
    serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(lambda _: said("proxy"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert model(serve(lambda _: said("server"))).answer([ask()])[0].text == "server"
    assert proxy.requests == []
