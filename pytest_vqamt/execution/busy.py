"""For how long something was at work."""

from __future__ import annotations

import time
from threading import Lock


class Busy:
    """Counts the time in which at least one thread is inside; time with several counts once."""

    def __init__(self) -> None:
        self._inside = 0
        self._since = 0.0
        self._before = 0.0
        self._lock = Lock()

    @property
    def seconds(self) -> float:
        """So far, by a clock that nobody sets."""
        with self._lock:
            return self._before + (time.monotonic() - self._since if self._inside else 0.0)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._since = time.monotonic()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._before += time.monotonic() - self._since
