"""The token is sent to the server, and is in nothing else: no answer, no error, no log, no local variable."""

from __future__ import annotations

import gc
import json
import logging
import subprocess
import sys
import traceback

import pytest

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.served.wire_format import ANSWERS_PATH
from tests.models.openai.stub import Reply, Request
from tests.models.served.conftest import AskAbout, Load, Serve
from tests.models.served.desk import ByPixels, Desk, answer_of
from tests.rows import each_row

TOKEN = "gateway.0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"
PIECES = (TOKEN[:14].lower(), TOKEN[10:24].lower(), TOKEN[-14:].lower())
"""No part of it is told either."""


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)


def test_the_token_opens_the_door(serve: Serve, load: Load, about: AskAbout, pictures: SceneSource) -> None:
    server = serve(Desk(ByPixels(), pictures, token=TOKEN))
    assert load(server).ask(Task.VQA, [about("one")]) == (answer_of(about("one")),)
    assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {TOKEN}"] * 2


def test_another_token_is_told_in_one_line(serve: Serve, load: Load) -> None:
    with pytest.raises(ModelError) as error:
        load(serve(Desk(ByPixels(), token="another")))
    line = str(error.value)
    assert "401 Unauthorized (the token is missing or another): one was sent: put the right one, which" in line
    assert TOKEN_VARIABLE in line
    assert "\n" not in line


def test_a_token_that_no_header_can_hold_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "two words")
    with pytest.raises(OptionError, match=f"in the environment variable {TOKEN_VARIABLE}") as error:
        ModelCatalogue().check("served:http://127.0.0.1:8000", ModelOptions())
    assert "two words" not in str(error.value)


@each_row("path", ["/v1/model", ANSWERS_PATH])
@each_row("status", [200, 301, 400, 401, 404, 409, 410, 413, 418, 503])
def test_what_the_server_shows_is_not_passed_on(
    serve: Serve,
    load: Load,
    about: AskAbout,
    pictures: SceneSource,
    caplog: pytest.LogCaptureFixture,
    status: int,
    path: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    desk = Desk(ByPixels(), pictures)

    def script(request: Request) -> Reply:
        sent = request.headers["authorization"]
        if request.path != path:
            return desk(request)
        body = json.dumps({"error": f"you sent {sent}", "model": sent, "answers": [{"text": sent}]})
        return Reply(status=status, body=body.encode(), headers={"X-You-Sent": sent, "Location": f"/{TOKEN}"})

    told = []
    try:
        found = BatchBisector(load(serve(script), retries_s="0")).run(Task.VQA, [about("one")])
        told = [repr(each) for each in found]
    except VqamtError as error:
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
        told = [str(error), repr(error), "".join(shown.format())]
    assert told
    assert "x-you-sent" in caplog.text.lower(), "the log was there to be searched"
    for text in (*told, caplog.text):
        assert not any(piece in text.lower() for piece in PIECES), text


def test_an_answer_that_holds_the_token_does_not(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    class Telltale(ByPixels):
        def answer(self, batch: object) -> list[Answer]:
            return [Answer(f"you are {TOKEN}!", ((TOKEN, 1.0),))]

    (answer,) = load(serve(Desk(Telltale(), pictures))).ask(Task.VQA, [about("one")])
    assert answer == Answer("you are [key]!", (("[key]", 1.0),))


def test_the_log_is_as_it_was_when_the_model_is_gone(serve: Serve, load: Load) -> None:
    logger = logging.getLogger("httpcore2.http11")
    before = set(logger.filters)
    gc.freeze()  # or the search goes through all that other tests have imported
    model = load(serve(Desk(ByPixels())))
    (added,) = set(logger.filters) - before
    del model
    gc.collect()
    gc.unfreeze()
    assert added not in logger.filters


ASKS = """
import sys
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.catalogue import ModelCatalogue

heavy = ("torch", "transformers", "numpy", "scipy", "PIL", "ray", "pytest_vqamt.data")
ModelCatalogue().check(f"served:{sys.argv[1]}", ModelOptions())
print(*(name for name in (*heavy, "httpx2") if name in sys.modules))
print(ModelCatalogue().load(f"served:{sys.argv[1]}", ModelOptions()).name)
print(*(name for name in heavy if name in sys.modules))
"""


def test_the_client_brings_nothing_heavy_and_to_check_it_not_even_what_sends(serve: Serve) -> None:
    server = serve(Desk(ByPixels(), spec="tiny"))
    ended = subprocess.run(
        [sys.executable, "-c", ASKS, server.url], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.stderr == ""
    assert ended.stdout == "\ntiny\n\n"
