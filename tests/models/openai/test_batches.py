"""What becomes of a batch that fails in part, or that is not brought to its end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.openai.failures import QueryError
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
        patched.setattr("pytest_vqamt.models.openai.model.at_once", _after(interrupted))
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            first.answer(many(10))
    assert time.monotonic() - started < 3
    later = model(server, cache=tmp_path)
    assert texts(later.answer(many(9))) == [str(number) for number in range(9)]
    assert len(server.requests) == 10


def _after(interrupted: Callable[..., None]) -> Callable[..., object]:
    """``at_once``, whose first result is an interruption."""
    from pytest_vqamt.models.openai.threads import at_once

    def run(*arguments: object) -> object:
        for _ in at_once(*arguments):  # type: ignore[arg-type]  # handed on as they are
            interrupted()
            yield

    return run
