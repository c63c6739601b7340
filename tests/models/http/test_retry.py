"""Many requests at once, and how long failed ones wait before they are sent again."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Event

import pytest

from pytest_vqamt.models.http import retry
from pytest_vqamt.models.http.retry import (
    QueryError,
    RetryPolicy,
    ServerState,
    StoppedError,
    TransientError,
    backoff_s,
    retry_after_s,
    run_concurrently,
)
from tests.rows import each_row


@each_row("count, threads", [(0, 4), (1, 4), (100, 1), (100, 7)])
def test_each_is_done_once(count: int, threads: int) -> None:
    found = dict(run_concurrently(count, threads, lambda place, _: place * place))
    assert found == {place: place * place for place in range(count)}


def test_what_is_raised_is_a_result() -> None:
    def do(place: int, _: Event) -> str:
        if place == 1:
            raise ValueError("one")
        return "fine"

    found = dict(run_concurrently(3, 2, do))
    assert (found[0], repr(found[1]), found[2]) == ("fine", "ValueError('one')", "fine")


def test_no_more_run_at_once_than_are_allowed() -> None:
    now, peak, lock = 0, 0, threading.Lock()

    def do(_place: int, _stop: Event) -> None:
        nonlocal now, peak
        with lock:
            now += 1
            peak = max(peak, now)
        time.sleep(0.005)
        with lock:
            now -= 1

    assert len(list(run_concurrently(40, 5, do))) == 40
    assert peak == 5


def test_who_stops_waiting_stops_the_rest() -> None:
    stopped = Event()

    def do(place: int, stop: Event) -> int:
        if place and stop.wait(10):
            stopped.set()
        return place

    running = run_concurrently(100, 4, do)
    assert next(running)[0] == 0
    running.close()
    assert stopped.wait(5)


def test_it_waits_for_what_takes_long() -> None:
    assert list(run_concurrently(1, 1, lambda _, __: time.sleep(0.5))) == [(0, None)]


def test_threads_keep_no_process_alive() -> None:
    code = (
        "import time; from pytest_vqamt.models.http.retry import run_concurrently\n"
        "running = run_concurrently(4, 4, lambda place, stop: place and time.sleep(60))\n"
        "print(next(running))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True)
    assert ended.stdout == "(0, 0)\n"


class Clock:
    """Stands for the module ``time``; ``meanwhile`` runs once, in the middle of the next wait.

    Attributes:
        now: the time, in seconds.
        waits: how long was waited, one after the other, without waits of no time.
    """

    def __init__(self) -> None:
        self.now = 100.0
        self.waits: list[float] = []
        self.meanwhile: Callable[[], object] | None = None

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float, stop: Event) -> None:
        if stop.is_set():
            raise StoppedError
        if seconds:
            self.waits.append(seconds)
        until = self.now + seconds
        if seconds and self.meanwhile:
            do, self.meanwhile = self.meanwhile, None
            do()
        self.now = max(self.now, until)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(retry, "time", made)
    monkeypatch.setattr(retry, "_wait", made.wait)
    return made


@pytest.fixture
def told_to_wait() -> list[float]:
    return []


@pytest.fixture
def policy(clock: Clock, told_to_wait: list[float]) -> RetryPolicy:
    return policy_of(10, told_to_wait)


def policy_of(retries_s: float, told_to_wait: list[float] | None = None) -> RetryPolicy:
    on_wait = [] if told_to_wait is None else told_to_wait
    return RetryPolicy("http://here", retries_s, on_wait=on_wait.append, disable_after=8, advice="check the server")


def busy(wait_s: float | None = None) -> TransientError:
    return TransientError("busy", state=ServerState.BUSY, wait_s=wait_s)


def broken() -> TransientError:
    return TransientError("broken", state=ServerState.BROKEN)


def in_turn(*outcomes: Exception | str) -> Callable[[], str]:
    """An attempt with these outcomes, one after the other."""
    left = iter(outcomes)

    def attempt() -> str:
        found = next(left)
        if isinstance(found, Exception):
            raise found
        return found

    return attempt


def ask(policy: RetryPolicy, name: str, *outcomes: Exception | str) -> str:
    return policy.call(name, in_turn(*outcomes), Event())


def test_a_wait_that_is_asked_for_is_kept(clock: Clock, policy: RetryPolicy, told_to_wait: list[float]) -> None:
    assert ask(policy, "a", busy(2), "yes") == "yes"
    (waited,) = clock.waits
    assert waited == 2 + 0.1 * backoff_s("a", 1), "and a share of the back-off: not all come back at once"
    assert told_to_wait == [2]


def test_without_one_waits_double(clock: Clock, policy: RetryPolicy) -> None:
    ask(policy, "a", busy(), busy(), busy(), "yes")
    assert clock.waits == [backoff_s("a", failures) for failures in (1, 2, 3)]


def test_while_the_server_is_left_alone_no_request_begins(clock: Clock, policy: RetryPolicy) -> None:
    clock.meanwhile = lambda: ask(policy, "b", "yes")
    ask(policy, "a", busy(2), "yes")
    first, others = clock.waits
    assert (round(first), others) == (2, 2), "b began when a was refused, and waited for as long"


def test_a_late_refusal_delays_only_its_own_query(clock: Clock, policy: RetryPolicy, told_to_wait: list[float]) -> None:
    refused = iter((True, False))

    def late() -> str:
        """Sent beside a, which is refused first; refused itself after a."""
        if next(refused):
            ask(policy, "a", busy(2), "yes")
            raise busy(2)
        return "yes"

    policy.call("b", late, Event())
    assert told_to_wait == [2], "the pause of all is not begun again"
    begun = clock.now
    ask(policy, "c", "yes")
    assert clock.now == begun


def test_a_query_that_has_waited_as_told_does_not_wait_for_others(clock: Clock, policy: RetryPolicy) -> None:
    def other() -> None:
        """Begins when the pause of all is over, and is refused in its turn."""
        clock.now += 2
        stop = Event()

        def refused() -> str:
            stop.set()
            raise busy(5)

        with pytest.raises(StoppedError):
            policy.call("b", refused, stop)

    clock.meanwhile = other
    ask(policy, "a", busy(2), "yes")
    assert len(clock.waits) == 1


def test_the_budget_ends_it(clock: Clock) -> None:
    policy = policy_of(4)
    ask(policy, "ok", "yes")
    with pytest.raises(QueryError, match=r"got broken after \d tries in \d\.\d s \(retries-s=4\)$"):
        ask(policy, "a", *(broken() for _ in range(20)))
    assert 2 <= len(clock.waits) <= 6
    assert sum(clock.waits) <= 4


def test_a_wait_beyond_the_budget_is_not_begun(clock: Clock, policy: RetryPolicy) -> None:
    with pytest.raises(QueryError, match=r"after 1 try \(retries-s=10\)"):
        ask(policy, "a", busy(11))
    assert clock.waits == []


def test_a_server_that_never_answered_has_a_smaller_budget(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_ANSWER_BUDGET_S", 2)
    policy = policy_of(8)
    with pytest.raises(QueryError, match=r"in [01]\.\d s \(2 s at most: it has never answered\)$"):
        ask(policy, "first", *(broken() for _ in range(20)))
    ask(policy, "ok", "yes")
    with pytest.raises(QueryError, match=r"in [4-7]\.\d s \(retries-s=8\)$"):
        ask(policy, "later", *(broken() for _ in range(20)))


def test_waits_double_up_to_half_a_minute() -> None:
    for failures, longest in ((1, 0.5), (2, 1), (3, 2), (6, 16), (7, 30), (1000, 30)):
        waits = [backoff_s(f"query {number}", failures) for number in range(50)]
        assert all(longest / 2 <= wait < longest for wait in waits)
        assert len(set(waits)) == 50, "no two come back at once"
        assert max(waits) - min(waits) > longest / 4


NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@each_row(
    "headers, seconds",
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "Sunday, 01-Mar-26 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 99 Mar 2026 12:00:30 GMT"}, None),
        # The server's clock is an hour ahead of ours.
        ({"retry-after": "Sun, 01 Mar 2026 13:00:30 GMT", "date": "Sun, 01 Mar 2026 13:00:20 GMT"}, 10),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT", "date": "today"}, 30),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2),
    ],
)
def test_the_server_says_how_long(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
