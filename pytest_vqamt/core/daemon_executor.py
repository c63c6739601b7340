"""Threads for calls that may never end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import TypeVar

WAIT_SLICE_S = 1.0
"""Waits are cut into slices of this length, so that an interruption is noticed on every system."""

Value = TypeVar("Value")


class DaemonExecutor:
    """Runs calls in order on a few daemon threads.

    The interpreter waits for the threads of a ThreadPoolExecutor when it exits, and a model may take long after Ctrl-C.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._max_threads = threads
        self._name = name
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def submit(self, call: Callable[[], Value]) -> Future[Value]:
        future: Future[Value] = Future()
        context = copy_context()  # which a new thread does not have: how messages spell options (core/spelling.py)

        def work() -> None:
            try:
                value = context.run(call)
            except BaseException as error:  # an interruption, too: the future raises it
                future.set_exception(error)
            else:
                future.set_result(value)

        self._calls.put(work)
        if len(self._threads) < self._max_threads:
            thread = Thread(target=self._work, name=self._name, daemon=True)
            thread.start()
            self._threads.append(thread)  # only once it runs: a time limit may interrupt start()
        return future

    def close(self) -> None:
        """Discards the calls that have not begun; those that have go on."""
        with suppress(Empty):  # empty() could be false before a thread takes the last call
            while True:
                self._calls.get_nowait()
        for _ in self._threads:
            self._calls.put(None)

    def __enter__(self) -> DaemonExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        while (work := self._calls.get()) is not None:
            work()
            del work  # which holds the batch
