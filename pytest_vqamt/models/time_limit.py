"""A limit on the time that a model may take, which runs its code on threads that can be left behind."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from threading import Lock
from typing import TypeAlias, TypeVar

from pytest_vqamt.core.daemon_executor import WAIT_SLICE_S, DaemonExecutor
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, quoted

MESSAGE_FD: int | None = None
"""The file descriptor for the message; None for standard error, which pytest may have captured."""

_GRACE_S = 6.0
"""A thread that may run says so at least once a second; on a busy machine later."""

# The process that ends this one, where a call holds the interpreter lock for ever and no thread of ours can run. It is
# a program of its own, in -I and -S, so that it starts in milliseconds and imports nothing of the user's.
_PROGRAM = f"""
import json, os, select, signal, sys, time
parent, due, message, warned, held = int(sys.argv[1]), None, "", False, b""
def is_stopped():  # by a debugger or Ctrl-Z
    try:
        with open(f"/proc/{{parent}}/stat") as state:
            return state.read().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False
while True:
    left = None if due is None else max(0.0, due - time.monotonic())
    if select.select([0], [], [], left)[0]:
        # Not readline(): what it has buffered, select does not tell of. Of several lines, the last says what holds now.
        received = os.read(0, 1 << 16)
        if not received:
            break
        *lines, held = (held + received).split(b"\\n")
        if not lines:
            continue
        limit_s, message = json.loads(lines[-1])
        due, warned = None if limit_s is None else time.monotonic() + limit_s + {_GRACE_S}, False
    elif os.getppid() != parent:  # it has ended; a fork of it may hold the input open
        break
    elif is_stopped() or not warned:  # or the whole machine slept: it has its time again
        due, warned = time.monotonic() + {_GRACE_S} / 2, not is_stopped()
    else:
        os.write(2, message.encode("utf-8", "backslashreplace"))
        os.kill(parent, signal.SIGKILL)
        break
"""

LOADING_FACTOR = 10
"""A factory may take so many times the limit of a batch: it loads weights."""

_MOST_OF_A_TEXT = 150
"""Characters of a query's text in messages."""

Value = TypeVar("Value")
Pairs: TypeAlias = Iterable[tuple[int, object]]


class Watchdog:
    """Ends this process if, while it is ``watching``, no ``beat`` follows the last within its limit. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0
        self._open = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches the calls within the block; several threads may use it at once."""
        with self._lock:
            self._open += 1
        try:
            yield
        finally:
            with self._lock:
                # While another thread's call is open, its limit holds.
                self._open -= 1
                if not self._open:
                    self._send([None, ""])

    def beat(self, limit_s: float, message: str) -> None:
        """Tells the watchdog that this process runs; ``message`` is printed if no other beat follows in time."""
        with self._lock:
            self._send([limit_s, message])

    def _send(self, row: list[float | str | None]) -> None:
        # Without SIGKILL and select() on pipes; there the limit inside this process is all.
        if os.name != "posix":
            return
        with suppress(OSError):  # without the process, the limit inside this one is left
            if self._process is None or self._pid != os.getpid():  # a fork has that of its parent
                self._pid = os.getpid()
                # In a session of its own: Ctrl-C ends this process first, and the other when its input ends.
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _PROGRAM, str(os.getpid())],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=MESSAGE_FD,
                    start_new_session=True,
                )
                atexit.register(_end, self._process)
            assert self._process.stdin is not None
            self._process.stdin.write(f"{json.dumps(row)}\n".encode())
            self._process.stdin.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process by closing its input."""
    assert process.stdin is not None
    with suppress(OSError, subprocess.TimeoutExpired):
        process.stdin.close()
        process.wait(1)


WATCHDOG = Watchdog()
"""The one watchdog of this process."""


class TimeLimitError(ModelError):
    """A model took longer than the user allows. Its thread is left behind, and ends with the process."""


class TimeLimit:
    """Runs a model's methods for at most ``limit_s`` seconds a batch.

    Args:
        name: the model's, for messages.
        threads: how many batches it may have at once.
    """

    def __init__(self, limit_s: float, name: str, threads: int = 1) -> None:
        self._limit_s = limit_s
        self._name = name
        # `prepare` runs beside the method that answers, and must not wait for it.
        self._answering = DaemonExecutor(threads, "vqamt-limited")
        self._preparing = DaemonExecutor(threads, "vqamt-limited-prepare")

    def method(self, method: Callable[[Sequence[ModelInput]], object]) -> Callable[[Sequence[ModelInput]], object]:
        """``answer``, ``entail`` or ``caption``, which raises TimeLimitError at the limit."""

        def limited(batch: Sequence[ModelInput]) -> object:
            return self._within(self._answering, partial(method, batch), "answer", batch)

        limited.__qualname__ = getattr(method, "__qualname__", type(method).__qualname__)
        limited.__wrapped__ = method  # type: ignore[attr-defined]  # for the place of the method in messages
        return limited

    def prepare(self, prepare: Callable[[Task, Sequence[ModelInput]], object]) -> Callable[..., object]:
        """``prepare``, which raises TimeLimitError at the limit."""

        def limited(task: Task, batch: Sequence[ModelInput]) -> object:
            return self._within(self._preparing, partial(prepare, task, batch), "prepare", batch)

        return limited

    def stream(self, stream: Callable[[Task, Sequence[ModelInput]], Pairs]) -> Callable[..., Pairs]:
        """``stream_answers``, whose iterator raises TimeLimitError at the limit of the whole batch."""

        def limited(task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, object]]:
            allowance = _Allowance(self._limit_s, batch)
            pairs = self._within(self._answering, lambda: iter(stream(task, batch)), "answer", batch, allowance)
            while True:
                # A list, since a StopIteration cannot leave a future.
                some = self._within(self._answering, lambda: list(islice(pairs, 1)), "answer", batch, allowance)
                if not some:
                    return
                yielded = time.monotonic()
                yield some[0]
                allowance.extend(time.monotonic() - yielded)  # what the caller does with an answer is not the model's

        return limited

    def _within(
        self,
        executor: DaemonExecutor,
        call: Callable[[], Value],
        what: str,
        batch: Sequence[ModelInput],
        allowance: _Allowance | None = None,
    ) -> Value:
        first = batch[0].query
        text = quoted(first.text, _MOST_OF_A_TEXT) if first.text else f"the {first.task.value}"
        message = (
            f"Expected model {self._name!r} to {what} {count_noun(len(batch), 'query', 'queries')} within "
            f"{option('timeout')}={self._limit_s:g} s, but it has not; the first: {text} on {first.picture.photo.id} "
            f"(id {first.id}): find out why it hangs, or allow more"
        )
        allowance = allowance or _Allowance(self._limit_s, batch)
        try:
            return _watched(executor, call, allowance.ends, self._limit_s, message)
        except NotDoneError:
            raise TimeLimitError(message) from None


class _Allowance:
    """The deadline of one batch; the time in which its pictures are drawn does not count."""

    def __init__(self, limit_s: float, batch: Sequence[ModelInput]) -> None:
        self._batch = batch
        # Pictures of an input may have been drawn for an earlier try; only what is drawn from now on puts the end off.
        self._ends = time.monotonic() + limit_s - self._drawn_s()

    def ends(self) -> float:
        return self._ends + self._drawn_s()

    def extend(self, seconds: float) -> None:
        self._ends += seconds

    def _drawn_s(self) -> float:
        return sum(item.drawn_s for item in self._batch)


class NotDoneError(Exception):
    """A call has not returned in time. The calls themselves may raise TimeoutError."""


def result_by(future: Future[Value], deadline: Callable[[], float]) -> Value:
    """The result of ``future``; raises NotDoneError if it is not there at the monotonic time ``deadline()``.

    That is asked for at least once a second: it may move.
    """
    while not wait((future,), timeout=max(0.0, min(deadline() - time.monotonic(), WAIT_SLICE_S))).done:
        if time.monotonic() >= deadline():
            raise NotDoneError
    return future.result()


def _watched(
    executor: DaemonExecutor, call: Callable[[], Value], deadline: Callable[[], float], limit_s: float, message: str
) -> Value:
    """Like ``result_by``, but where the call lets no other thread run, the process is ended with ``message``."""
    ended = f"\nvqamt: {message}. It let no other thread run, so the process was ended: what was answered is kept\n"

    def beat() -> float:
        WATCHDOG.beat(limit_s, ended)
        return deadline()

    with WATCHDOG.watching():
        beat()  # before the call begins: it may let this thread run no more
        return result_by(executor.submit(call), beat)


def loaded_within(limit_s: float | None, call: Callable[[], Value], spec: str) -> Value:
    """Calls a factory, for at most ``LOADING_FACTOR`` times the limit of a batch; without a limit on this thread.

    Raises:
        TimeLimitError: it has not returned.
    """
    if limit_s is None:
        return call()
    allowed_s = LOADING_FACTOR * limit_s
    ends = time.monotonic() + allowed_s
    message = (
        f"Expected the factory of model={spec!r} to return within {allowed_s:g} s ({LOADING_FACTOR} times "
        f"{option('timeout')}={limit_s:g}), but it has not: find out why it hangs, or allow more"
    )
    try:
        return _watched(DaemonExecutor(1, "vqamt-factory"), call, lambda: ends, allowed_s, message)
    except NotDoneError:
        raise TimeLimitError(message) from None
