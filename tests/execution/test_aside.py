"""Calls on threads of their own give back what they return or raise, and hold up no end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

import pytest

from pytest_vqamt.execution import prefetch as module
from pytest_vqamt.execution.prefetch import Aside


def test_what_calls_return_and_raise_comes_back() -> None:
    def end() -> int:
        raise SystemExit(3)

    with Aside(2, "tried") as aside:
        first, second = aside.start(lambda: 7), aside.start(end)
        assert first.result(timeout=30) == 7
        with pytest.raises(SystemExit):
            second.result(timeout=30)


def test_one_thread_does_one_thing_after_the_other() -> None:
    done: list[int] = []
    with Aside(1, "tried") as aside:
        for last in [aside.start(partial(done.append, n)) for n in range(20)]:
            last.result(timeout=30)
    assert done == list(range(20))


def test_threads_end_and_what_has_not_begun_does_not_begin() -> None:
    may_end, began = threading.Event(), threading.Event()
    done: list[str] = []

    def wait() -> None:
        began.set()
        assert may_end.wait(30)
        done.append("first")

    with Aside(1, "tried-to-end") as aside:
        first = aside.start(wait)
        assert began.wait(30)
        aside.start(lambda: done.append("second"))
    may_end.set()
    first.result(timeout=30)
    deadline = time.monotonic() + 30
    while any(thread.name == "tried-to-end" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert done == ["first"]


def test_closing_does_not_wait_for_what_a_thread_takes_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    class TakenMeanwhile(SimpleQueue[Callable[[], None] | None]):
        """Whoever asks is told of something that is gone when he comes for it."""

        def empty(self) -> bool:
            return False

    monkeypatch.setattr(module, "SimpleQueue", TakenMeanwhile)
    closing = threading.Thread(target=Aside(2, "tried").close, daemon=True)
    closing.start()
    closing.join(timeout=5)
    assert not closing.is_alive()


def test_a_thread_that_could_not_be_started_is_not_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoMore(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with Aside(1, "tried") as aside:
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(module, "Thread", NoMore)
            with pytest.raises(RuntimeError, match="new thread"):
                aside.start(int)
        assert aside.start(lambda: 7).result(timeout=30) == 7


def test_nobody_waits_for_them_at_the_end_of_the_process() -> None:
    script = """
import threading
from pytest_vqamt.execution.prefetch import Aside
aside = Aside(1, "long")
aside.start(lambda: threading.Event().wait(600))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0
