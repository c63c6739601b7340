"""What becomes of a batch that fails in part, or that is not brought to its end."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.models.http import pace
from pytest_vqamt.models.http.retry import QueryError
from pytest_vqamt.models.openai.chat_model import OpenAIModel
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import Reply, Request, always, failed, in_turn, said
from tests.rows import each_row

Many = Callable[[int], list[ModelInput]]


def echo(request: Request) -> Reply:
    """Says the first line of the prompt: the question."""
    return said(request.prompt.splitlines()[0])


def bisector(stub: OpenAIModel) -> BatchBisector:
    return BatchBisector(wrap_model("stub", stub, ModelOptions()))


@each_row("bad", [{"0"}, {"9"}, {"3", "4"}, {"0", "2", "4", "6", "8"}])
def test_a_failure_costs_only_its_query_and_no_request(serve: Serve, model: Load, many: Many, bad: set[str]) -> None:
    def script(request: Request) -> Reply:
        text = request.prompt.splitlines()[0]
        return failed(400, f"cannot read {text}") if text in bad else said(f"answer {text}")

    server = serve(script)
    runner = bisector(model(server))
    for repeated in (1, 2):
        for number, found in enumerate(runner.run(Task.VQA, many(10))):
            if str(number) in bad:
                assert isinstance(found, Failure)
                assert re.fullmatch(
                    rf"QueryError: Expected an answer .* 400 Bad Request \(cannot read {number}\)", found.reason
                )
            else:
                assert found == Answer(f"answer {number}")
        assert len(server.requests) == repeated * 10


def test_a_picture_that_cannot_be_drawn_costs_only_its_query(
    serve: Serve, model: Load, yard: Scene, many: Many
) -> None:
    def broken(_: object) -> Image.Image:
        raise ValueError("no such photo")

    server = serve(echo)
    asked = [*many(4), ModelInput(Query(picture=yard.picture.mirror(), text="?", meaning=Describe()), broken)]
    found = bisector(model(server)).run(Task.VQA, asked)
    assert found == [*(Answer(str(number)) for number in range(4)), Failure(reason="ValueError: no such photo")]
    assert len(server.requests) == 4


def test_each_answer_is_handed_on_before_the_batch_is_over(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: failed(401) if request.number == 5 else echo(request))
    stored: list[str] = []
    with pytest.raises(ModelError, match="401"):
        bisector(model(server, in_flight="1")).run(
            Task.VQA, many(10), lambda _inputs, answers: stored.extend(answer.text for answer in answers)
        )
    assert stored == ["0", "1", "2", "3", "4"]
    assert len(server.requests) == 6


def test_who_takes_no_more_answers_ends_the_requests(serve: Serve, model: Load, many: Many) -> None:
    go_on = threading.Event()

    def script(request: Request) -> Reply:
        assert request.number == 0 or go_on.wait(timeout=30)
        return echo(request)

    before = set(threading.enumerate())
    server = serve(script)
    outcomes = model(server, in_flight="4").stream_answers(Task.VQA, many(100))
    next(outcomes)
    outcomes.close()
    go_on.set()
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("vqamt-http"):
            thread.join(30)
    assert len(server.requests) <= 5, "the first, and what was under way"


def test_two_batches_at_once_share_what_is_in_flight(serve: Serve, model: Load, ask: Ask) -> None:
    def script(request: Request) -> Reply:
        text = request.prompt.splitlines()[0]
        return failed(400, text) if text.endswith("bad") else said(f"answer {text}", delay_s=0.02)

    server = serve(script)
    runner = bisector(model(server, in_flight="3"))
    batches = [[ask(text=f"{batch} {name}") for name in (*map(str, range(9)), "bad")] for batch in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda batch: runner.run(Task.VQA, batch), batches))
    assert len(server.requests) == 20
    assert server.peak == 3
    for batch, outcomes in enumerate(found, start=1):
        assert outcomes[:9] == [Answer(f"answer {batch} {number}") for number in range(9)]
        assert isinstance(outcomes[9], Failure)
        assert f"({batch} bad)" in outcomes[9].reason


# What may pass is asked again within the budget, and a server that keeps failing disables the model.

YES = said("yes")


def test_a_server_that_says_how_long_is_left_alone_so_long(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(in_turn(failed(429, Retry_After="0.25"), YES))
    stub = model(server)
    stub.answer([ask()])
    assert server.times[1] - server.times[0] >= 0.25
    assert stub.usage["seconds of Retry-After"] == 0.25


def test_those_that_wait_for_their_turn_leave_it_alone_too(
    serve: Serve, model: Load, many: Many, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "_FIRST_RATE", 20.0)
    server = serve(lambda request: failed(429, Retry_After="0.6") if request.number == 1 else YES)
    model(server).answer(many(6))
    after = [when for when in server.times if when > server.times[1]]
    assert len(server.requests) == 7
    assert sum(when - server.times[1] < 0.6 for when in after) <= 1, "one may have been sent before the refusal came"


def test_a_wait_beyond_the_budget_is_not_begun(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(failed(429, "tomorrow", Retry_After="3600")))
    with pytest.raises(
        QueryError, match=r"429 Too Many Requests \(tomorrow\), to be asked again in 3600 s, after 1 try \("
    ):
        model(server).answer([ask()])
    assert len(server.requests) == 1


def test_no_budget_is_no_second_try(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(in_turn(failed(503), YES))
    with pytest.raises(QueryError, match="after 1 try"):
        model(server, retries_s="0").answer([ask()])
    assert len(server.requests) == 1


def test_a_query_that_breaks_the_server_costs_only_itself(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: failed(500) if request.prompt.startswith("3\n") else YES)
    stub = model(server, retries_s="0.2")
    batch = many(6)
    with pytest.raises(QueryError, match="500"):
        stub.answer(batch)
    assert [answer.text for answer in stub.answer(batch[:3] + batch[4:])] == ["yes"] * 5


def test_a_server_that_gives_nothing_up_is_given_up(serve: Serve, model: Load, many: Many) -> None:
    server = serve(always(failed(503, "loading")))
    with pytest.raises(ModelError, match=r"503 Service Unavailable \(loading\).* 8 times in a row: check the server"):
        model(server, retries_s="0", in_flight="1").answer(many(50))
    assert len(server.requests) == 8


def test_failures_with_answers_between_them_are_not_in_a_row(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: YES if request.number % 8 == 7 else failed(503))
    with pytest.raises(QueryError, match="503"):
        model(server, retries_s="0", in_flight="1").answer(many(50))
    assert len(server.requests) == 50
