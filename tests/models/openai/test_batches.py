"""What becomes of a batch that fails in part, or that is not brought to its end."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.http.responses import QueryError
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import Reply, Request, failed, said

Many = Callable[[int], list[ModelInput]]


def echo(request: Request) -> Reply:
    """Says the first line of the prompt: the question."""
    return said(request.prompt.splitlines()[0])


def texts(answers: object) -> list[str]:
    assert isinstance(answers, tuple)
    return [answer.text for answer in answers]


def split(stub: object, batch: list[ModelInput]) -> dict[str, str]:
    """What the execution layer does: halves of a batch that failed, down to the queries that fail alone."""
    try:
        answers = stub.answer(batch)  # type: ignore[attr-defined]  # any model
    except QueryError as error:
        if len(batch) == 1:
            return {batch[0].text: f"failed: {error}"}
        middle = len(batch) // 2
        return {**split(stub, batch[:middle]), **split(stub, batch[middle:])}
    return dict(zip((asked.text for asked in batch), texts(answers), strict=True))


@pytest.mark.parametrize("bad", [{"0"}, {"9"}, {"3", "4"}, {"0", "2", "4", "6", "8"}])
def test_a_batch_that_failed_in_part_is_split_without_a_request(
    serve: Serve, model: Load, many: Many, bad: set[str]
) -> None:
    def script(request: Request) -> Reply:
        text = request.prompt.splitlines()[0]
        return failed(400, f"cannot read {text}") if text in bad else said(f"answer {text}")

    server = serve(script)
    stub = model(server)
    found = split(stub, many(10))
    assert len(server.requests) == 10
    for text, answer in found.items():
        if text in bad:
            assert re.fullmatch(rf"failed: Expected an answer .* 400 Bad Request \(cannot read {text}\)", answer)
        else:
            assert answer == f"answer {text}"
    # What failed is tried anew when it is asked again, later.
    split(stub, many(10))
    assert len(server.requests) == 20


def test_what_failed_before_does_not_hide_behind_what_is_new(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(lambda request: failed(400) if request.prompt.startswith("bad") else said("yes"))
    stub = model(server)
    bad, good, new = ask(text="bad"), ask(text="good"), ask(text="new")
    for batch in ([bad, good], [bad, new], [new, bad]):
        with pytest.raises(QueryError):
            stub.answer(batch)
    assert len(server.requests) == 3
    assert texts(stub.answer([good, new])) == ["yes", "yes"]
    assert len(server.requests) == 3


def test_a_picture_that_cannot_be_drawn_costs_only_its_query(
    serve: Serve, model: Load, yard: Scene, many: Many
) -> None:
    def broken(_: object) -> Image.Image:
        raise ValueError("no such photo")

    server = serve(echo)
    stub = model(server)
    asked = [*many(4), ModelInput(Query(picture=yard.picture.mirror(), text="?", meaning=Describe()), broken)]
    with pytest.raises(ValueError, match="no such photo"):
        stub.answer(asked)
    assert texts(stub.answer(asked[:4])) == ["0", "1", "2", "3"]
    assert len(server.requests) == 4


def test_what_was_answered_before_the_end_is_there_for_the_next(
    serve: Serve, model: Load, many: Many, tmp_path: Path
) -> None:
    def script(request: Request) -> Reply:
        return failed(401) if request.number == 5 else echo(request)

    server = serve(script)
    first = model(server, cache=tmp_path, in_flight="1")
    with pytest.raises(ModelError):
        first.answer(many(10))
    later = model(server, cache=tmp_path, in_flight="4")
    assert texts(later.answer(many(10))) == [str(number) for number in range(10)]
    assert len(server.requests) == 11, "five, the refused one, and the other five"
    assert later.usage["requests"] == 5


def test_an_interruption_ends_it_promptly_and_keeps_what_was_answered(
    serve: Serve, model: Load, many: Many, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(request: Request) -> Reply:
        return said("slow", delay_s=5) if request.prompt.startswith("9") else echo(request)

    server = serve(script)
    first = model(server, cache=tmp_path, in_flight="4")
    deadline = time.monotonic() + 5

    def interrupted(*_: object, **__: object) -> None:
        while len(server.requests) < 10 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("pytest_vqamt.models.openai.model.run_concurrently", _after(interrupted))
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            first.answer(many(10))
    assert time.monotonic() - started < 3
    later = model(server, cache=tmp_path)
    assert texts(later.answer(many(9))) == [str(number) for number in range(9)]
    assert len(server.requests) == 10


def test_two_batches_at_once_share_what_is_in_flight_and_keep_apart_what_failed(
    serve: Serve, model: Load, ask: Ask, tmp_path: Path
) -> None:
    def script(request: Request) -> Reply:
        text = request.prompt.splitlines()[0]
        return failed(400, text) if text.endswith("bad") else said(f"answer {text}", delay_s=0.02)

    server = serve(script)
    stub = model(server, cache=tmp_path, in_flight="3")
    batches = [[ask(text=f"{batch} {name}") for name in (*map(str, range(9)), "bad")] for batch in (1, 2)]
    found: dict[str, str] = {}
    threads = [Thread(target=lambda batch=batch: found.update(split(stub, batch))) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(server.requests) == 20, "no part of a batch is asked twice, and no failure is lost to the other's"
    assert server.peak == 3
    assert sorted(text for text, answer in found.items() if answer == f"answer {text}") == [
        f"{batch} {number}" for batch in (1, 2) for number in range(9)
    ]
    assert {text for text, answer in found.items() if answer.startswith("failed: ")} == {"1 bad", "2 bad"}


def test_what_a_thread_that_has_ended_was_given_is_dropped(
    serve: Serve, model: Load, many: Many, tmp_path: Path
) -> None:
    stub = model(serve(echo), cache=tmp_path)
    asking = Thread(target=lambda: stub.answer(many(3)))
    asking.start()
    asking.join(10)
    stub.answer(many(4)[3:])
    with closing(sqlite3.connect(tmp_path / "openai.sqlite")) as file:
        assert file.execute("select text from answered").fetchall() == [("3",)]


def _after(interrupted: Callable[..., None]) -> Callable[..., object]:
    """``at_once``, whose first result is an interruption."""
    from pytest_vqamt.models.http.retry import run_concurrently

    def run(*arguments: object) -> object:
        for _ in run_concurrently(*arguments):  # type: ignore[arg-type]  # handed on as they are
            interrupted()
            yield

    return run
