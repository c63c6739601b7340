"""The signals that stop a server."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """The signals that stop a server, counted; a pipe wakes up whoever waits.

    Attributes:
        count: how many came.
        pipe: can be read from once one has come.
    """

    def __init__(self) -> None:
        self.count = 0
        self.pipe, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def came(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        with suppress(BlockingIOError):
            os.write(self._write, b"!")

    @contextmanager
    def heard(self) -> Iterator[Signals]:
        """They end nothing as long as this lasts. SIGHUP stays ignored where it is: ``nohup`` says so."""
        heard = [n for n in _STOPPING if n is not signal.SIGHUP or signal.getsignal(n) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.came) for number in heard}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self.pipe)
            os.close(self._write)
