"""Calls on threads for which nobody waits when the process ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import TypeVar

Value = TypeVar("Value")

LOOK_UP_S = 1.0
"""A wait is cut into pieces so long, between which an interruption is noticed on every system."""


class Aside:
    """A few threads that work on what they are given, in its order.

    Not a ThreadPoolExecutor: for its threads the interpreter waits at its end, and a model may be long in answering
    when somebody presses Ctrl-C.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._most = threads
        self._name = name
        self._threads: list[Thread] = []
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def start(self, call: Callable[[], Value]) -> Future[Value]:
        """What ``call`` returns or raises, when it has."""
        future: Future[Value] = Future()

        def work() -> None:
            try:
                value = call()
            except BaseException as error:  # handed to whoever wants the value, be it an interruption
                future.set_exception(error)
            else:
                future.set_result(value)

        self._waiting.put(work)
        if len(self._threads) < self._most:
            thread = Thread(target=self._work, name=self._name, daemon=True)
            thread.start()
            self._threads.append(thread)  # not before: a time limit may be up in between
        return future

    def close(self) -> None:
        """Takes no more; what is under way goes on, and what has not begun does not begin."""
        with suppress(Empty):  # asked whether it is empty, it might say no, and a thread take the last
            while True:
                self._waiting.get_nowait()
        for _ in self._threads:
            self._waiting.put(None)

    def __enter__(self) -> Aside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()
            del work  # it holds the batch
