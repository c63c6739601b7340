"""What may pass is asked again within the budget, and a server that keeps failing disables the model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.http import pace
from pytest_vqamt.models.http.retry import QueryError
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import always, failed, in_turn, said

Many = Callable[[int], list[ModelInput]]

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
