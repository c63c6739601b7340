"""What a server has done, told every now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

from pytest_vqamt.execution.serving.once import Once
from pytest_vqamt.execution.serving.told import Progress, StatusMessage


class Account:
    """What was done, told as it grows."""

    def __init__(self, once: Once, tell: Callable[[StatusMessage], None]) -> None:
        self._once = once
        self._tell = tell
        self._before = (0, 0)
        self._since = time.monotonic()

    def tell(self) -> None:
        """Tells what was done, if something was since it was told last."""
        now, done = time.monotonic(), (self._once.received, self._once.asked)
        if done != self._before:
            received, asked = done
            self._tell(
                Progress(received=received, asked=asked, lately=asked - self._before[1], since_s=now - self._since)
            )
        self._before, self._since = done, now
