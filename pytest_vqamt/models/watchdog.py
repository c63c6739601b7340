"""A process that ends this one where a model lets no other thread run, which no limit inside the process can."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

MESSAGE_FD: int | None = None
"""Where the message goes; None for standard error, which pytest may have captured."""

_GRACE_S = 6.0
"""A thread that may run says so at least once a second; on a busy machine later."""

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


class Watchdog:
    """Ends this process if, while it is ``watching``, no ``beat`` follows the last within its limit. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0
        self._open = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches what is inside; several threads may be."""
        with self._lock:
            self._open += 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._send([None, ""])

    def beat(self, limit_s: float, message: str) -> None:
        """Says that this process runs; ``message`` is printed where no more follows."""
        with self._lock:
            self._send([limit_s, message])

    def _send(self, row: list[float | str | None]) -> None:
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
    """Ends it, by the end of its input."""
    assert process.stdin is not None
    with suppress(OSError, subprocess.TimeoutExpired):
        process.stdin.close()
        process.wait(1)


WATCHDOG = Watchdog()
"""That of this process."""
