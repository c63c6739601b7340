"""Many things at once: all of them, no more than allowed, and an end when nobody waits."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from threading import Event

import pytest

from pytest_vqamt.models.http.retry import run_concurrently


@pytest.mark.parametrize(("count", "threads"), [(0, 4), (1, 4), (100, 1), (100, 7)])
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
