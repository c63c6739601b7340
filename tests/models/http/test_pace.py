"""The pace of requests against simulated servers: no clock, no threads, no chance."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pytest_vqamt.models.http.pace import Pace, PaceController
from tests.rows import each_row

Takes = Callable[[float], bool]
"""Whether a server takes a request that arrives at this time."""


def quota(rate: float, most: float) -> Takes:
    """A bucket that fills with ``rate`` requests a second, up to ``most``."""
    left, before = most, 0.0

    def takes(now: float) -> bool:
        nonlocal left, before
        left, before = min(most, left + rate * (now - before)), now
        if left < 1:
            return False
        left -= 1
        return True

    return takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Requests a second that were answered, and the share that was refused."""

    rate: float
    refused: float


def simulate(
    controller: PaceController,
    total: int,
    *,
    takes: Takes = lambda _: True,
    answer_s: float = 0.05,
    at_once: int | None = None,
    retry_after_s: float = 0.0,
    is_quota: bool = True,
) -> Outcome:
    """Sends requests until ``total`` are answered.

    The server answers so many ``at_once``, each in ``answer_s``, and refuses within 30 ms. No request starts during
    ``retry_after_s``, and one that was refused is sent again after it, or half a second.
    """
    now = paused_until = last = 0.0
    answered = sent = refused = 0
    under_way: list[tuple[float, int, float, bool]] = []
    again: list[float] = []
    busy_until = [0.0] * (at_once or 0)
    left = total
    while answered < total:
        while (again and again[0] <= now) or (left and paused_until <= now):
            if controller.delay_s(now) != 0:
                break
            controller.start(now)
            sent += 1
            if again and again[0] <= now:
                heapq.heappop(again)
            else:
                left -= 1
            is_taken, ends = takes(now), now + answer_s
            if busy_until:
                ends = max(now, heapq.heappop(busy_until)) + answer_s
                heapq.heappush(busy_until, ends)
            heapq.heappush(under_way, (ends if is_taken else now + 0.03, sent, now, is_taken))
        coming = [under_way[0][0]] if under_way else []
        if (delay_s := controller.delay_s(now)) is not None:
            coming += [max(now + delay_s, again[0])] if again else []
            coming += [max(now + delay_s, paused_until)] if left else []
        now = max(min(coming), now + 1e-9)
        while under_way and under_way[0][0] <= now:
            ended, _, started, is_taken = heapq.heappop(under_way)
            if is_taken:
                controller.answered(ended, started)
                answered, last = answered + 1, ended
                continue
            controller.refused(ended, started, is_quota=is_quota)
            refused += 1
            paused_until = max(paused_until, ended + retry_after_s)
            heapq.heappush(again, ended + (retry_after_s or 0.5))
    return Outcome(rate=answered / last, refused=refused / sent)


@pytest.mark.parametrize("retry_after_s", [0.0, 1.0], ids=["no Retry-After", "Retry-After 1"])
@each_row("allowed", [20, 100, 500])
def test_it_comes_near_a_quota_and_is_hardly_ever_refused(allowed: int, retry_after_s: float) -> None:
    found = simulate(PaceController(64), 45 * allowed, takes=quota(allowed, allowed), retry_after_s=retry_after_s)
    assert found.rate >= 0.9 * allowed, "no fixed number in flight does better than the quota"
    assert found.refused <= 0.01


@pytest.mark.full
@each_row("answer_s, most", [(0.05, 64), (0.3, 256)])
@each_row("allowed", [20, 100, 500])
def test_quotas_that_save_nothing_up(allowed: int, answer_s: float, most: int) -> None:
    takes = quota(allowed, max(2.0, 0.1 * allowed))
    found = simulate(PaceController(most), 60 * allowed, takes=takes, answer_s=answer_s)
    assert found.rate >= 0.85 * allowed
    assert found.refused <= 0.01


def test_a_server_that_queues_gets_no_more_than_keeps_it_busy() -> None:
    controller = PaceController(64)
    found = simulate(controller, 400, at_once=1)
    assert found.rate == pytest.approx(20, rel=0.02)
    assert controller.window < 16


def test_a_server_that_answers_many_at_once_gets_them() -> None:
    controller = PaceController(64)
    assert simulate(controller, 2000, answer_s=0.5).rate > 0.9 * 64 / 0.5
    assert controller.window == 64


def stray(one_in: int) -> Takes:
    """Fails one in so many requests, whatever their rate."""
    sent = 0

    def takes(_now: float) -> bool:
        nonlocal sent
        sent += 1
        return sent % one_in > 0

    return takes


@each_row("one_in", [200, 50, 10])
def test_stray_failures_do_not_slow_it_down(one_in: int) -> None:
    found = simulate(PaceController(32), 12_000, takes=stray(one_in), is_quota=False)
    assert found.rate > 0.8 * 32 / 0.05


def test_a_server_that_is_overloaded_slows_it_down_without_naming_a_quota() -> None:
    found = simulate(PaceController(64), 4_000, takes=quota(50, 50), is_quota=False)
    assert found.rate > 0.9 * 50
    assert found.refused < 0.5


def test_no_more_are_in_flight_than_allowed() -> None:
    controller = PaceController(2)
    for now in (0.0, 1.0):
        assert controller.delay_s(now) == 0
        controller.start(now)
    assert controller.delay_s(2.0) is None
    controller.failed()
    assert controller.delay_s(2.0) == 0


def test_a_quota_that_grows_is_found_again() -> None:
    controller = PaceController(64)
    few, many = quota(20, 20), quota(200, 200)
    simulate(controller, 400, takes=few)
    controller.in_flight = 0
    later = 1000.0

    def takes(now: float) -> bool:
        return many(now)

    start = controller.rate
    controller.delay_s(later)
    assert controller.rate > 5 * start
    assert takes(later)


def test_one_event_counts_once() -> None:
    controller = PaceController(8)
    for _ in range(4):
        controller.start(0.0)
    controller.answered(0.1, 0.0)
    controller.refused(0.1, 0.0)
    cut = controller.rate
    controller.refused(0.11, 0.0)
    controller.refused(0.12, 0.0)
    assert controller.rate == cut
    assert (controller.delay_s(0.12) or 0) > 0.1, "a refusal is followed by a pause"


def test_requests_one_by_one_say_nothing_about_how_many_can_be_in_flight() -> None:
    # `vqamt probe` sends small pictures, then large ones, each alone, and later a batch that must be in flight at once.
    controller, now = PaceController(16), 0.0
    first = controller.window
    for took_s in (*[0.01] * 30, *[0.1] * 60):
        controller.start(now)
        controller.answered(now + took_s, started=now)
        now += took_s
    assert controller.window == first


def test_no_request_starts_while_the_server_wants_none() -> None:
    controller = PaceController(8)
    for _ in range(2):
        controller.start(0.0)
    controller.answered(0.1, 0.0)
    controller.refused(0.2, 0.0, wait_s=5.0)
    assert controller.delay_s(0.2) == 5
    assert controller.delay_s(5.2) == 0


def test_threads_share_it_and_one_that_is_not_wanted_leaves() -> None:
    pace, stop = Pace(1), threading.Event()
    started = pace.start(stop)
    assert started is not None
    found: list[float | None] = []
    waiting = threading.Thread(target=lambda: found.append(pace.start(stop)))
    waiting.start()
    pace.answered(started)
    waiting.join(timeout=20)
    assert found[0] is not None
    last = threading.Thread(target=lambda: found.append(pace.start(stop)))
    last.start()
    stop.set()
    last.join(timeout=20)
    assert found[1] is None
