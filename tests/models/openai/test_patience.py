"""What may pass is asked again: as late as the server says, else twice as late each time, as long as allowed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.http import retry
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.http.retry import backoff_s
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import Reply, Request, always, failed, in_turn, said

Many = Callable[[int], list[ModelInput]]

YES = said("yes")


def test_a_server_that_says_how_long_is_left_alone_so_long(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(in_turn(failed(429, Retry_After="1"), YES))
    model(server).answer([ask()])
    assert 1.0 <= server.times[1] - server.times[0] < 1.6


def test_a_server_may_name_a_date(serve: Serve, model: Load, ask: Ask) -> None:
    def script(request: Request) -> Reply:
        # By the server's own clock, which http.server puts into Date, in whole seconds.
        until = datetime.now(UTC) + timedelta(seconds=1)
        return failed(503, Retry_After=format_datetime(until, usegmt=True)) if request.number == 0 else YES

    server = serve(script)
    model(server).answer([ask()])
    assert 1.0 <= server.times[1] - server.times[0] < 1.6


def test_while_it_is_left_alone_nobody_begins(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: failed(429, Retry_After="0.6") if request.number == 0 else said("x", delay_s=0.1))
    assert len(model(server, in_flight="2").answer(many(8))) == 8
    quiet = [moment - server.times[0] for moment in server.times]
    # The other thread had begun one request before it heard; that one is answered, and nothing more is sent.
    assert sum(moment < 0.55 for moment in quiet) <= 2


def test_a_late_refusal_does_not_silence_those_who_have_waited(serve: Serve, model: Load, many: Many) -> None:
    # All three are sent at once: refused at 0 s, refused at 0.4 s, and answered.
    replies = (failed(429, Retry_After="0.5"), replace(failed(429, Retry_After="0.5"), delay_s=0.4), YES)
    server = serve(lambda request: replies[request.number] if request.number < 3 else YES)
    stub = model(server, in_flight="3")
    stub.answer(many(4))
    times = [moment - server.times[0] for moment in server.times]
    assert all(0.45 < moment < 0.8 for moment in times[3:5]), "the first refusal's half a second, and not the second's"
    assert 0.85 < times[5] < 1.2
    assert stub.usage["seconds told to wait"] == 0.5


def test_who_has_waited_as_told_does_not_wait_for_others(
    serve: Serve, model: Load, many: Many, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first is told to wait half a second and adds its share of 0.1 to 0.2 s; meanwhile the second, which was
    # answered, begins again, and is told to wait half a second in its turn.
    monkeypatch.setattr(retry, "_FIRST_BACKOFF_S", 2.0)
    refused = failed(429, Retry_After="0.5")
    server = serve(lambda request: (refused, YES, refused)[request.number] if request.number < 3 else YES)
    model(server, in_flight="2").answer(many(3))
    assert 0.55 < server.times[3] - server.times[0] < 0.9


def test_a_wait_beyond_the_budget_is_not_begun(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(failed(429, "tomorrow", Retry_After="3600")))
    started = time.monotonic()
    with pytest.raises(
        QueryError, match=r"429 Too Many Requests \(tomorrow\), to be asked again in 3600 s, after 1 try \("
    ):
        model(server).answer([ask()])
    assert time.monotonic() - started < 1


def test_the_budget_ends_it(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(failed(500, "always broken")))
    started = time.monotonic()
    with pytest.raises(
        QueryError, match=r"500 Internal Server Error \(always broken\) after \d+ tries in 0\.\d s \(retries-s=0\.4\)"
    ):
        model(server, retries_s="0.4").answer([ask()])
    assert time.monotonic() - started < 1
    assert 3 <= len(server.requests) < 12


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


def test_a_server_that_never_answered_is_not_waited_for(
    serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "_FIRST_ANSWER_BUDGET_S", 0.2)
    broken = serve(lambda request: YES if request.prompt.startswith("ok") else failed(500))
    stub = model(broken, retries_s="1.2")
    with pytest.raises(QueryError, match=r"in 0\.\d s \(0\.2 s at most: it has never answered\)$"):
        stub.answer([ask(text="first")])
    stub.answer([ask(text="ok")])
    with pytest.raises(QueryError, match=r"in (0\.[5-9]|1\.\d) s \(retries-s=1\.2\)$"):
        stub.answer([ask(text="later")])


def test_waits_double_up_to_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_BACKOFF_S", 0.5)
    for failures, longest in ((1, 0.5), (2, 1), (3, 2), (6, 16), (7, 30), (1000, 30)):
        on_wait = [backoff_s(f"query {number}", failures) for number in range(50)]
        assert all(longest / 2 <= wait < longest for wait in on_wait)
        assert len(set(on_wait)) == 50, "no two come back at once"
        assert max(on_wait) - min(on_wait) > longest / 4


def test_waits_are_the_same_in_every_run() -> None:
    assert [backoff_s("q", 3), backoff_s("q", 4)] == [backoff_s("q", 3), backoff_s("q", 4)]
