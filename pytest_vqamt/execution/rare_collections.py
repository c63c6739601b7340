"""Python's collector of reference cycles looks for them less often while cases run.

It starts whenever there are 700 objects or so more than at the last time, and now and then goes through all there are.
A run keeps hundreds of thousands of them (scenes, and what is known of them) and makes hardly a cycle: a seventh of its
time went there, of which this leaves about half. What is no part of a cycle goes at once, as ever.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

YOUNG = 10_000
"""So many objects more there are until the next look. Five times as many gained hardly more, and what a model leaves
behind in cycles, such as its tensors, waits for that look."""


class _Thresholds:
    """The collector's settings, which belong to the process.

    The first run that begins changes them, and the last one that ends puts them back.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs = 0
        self._before = gc.get_threshold()
        self._ours = self._before

    def begin(self) -> None:
        with self._lock:
            self._runs += 1
            if self._runs == 1:
                self._before = self._ours = gc.get_threshold()
                # Nought means never.
                if 0 < self._before[0] < YOUNG:
                    gc.set_threshold(YOUNG, *self._before[1:])
                    self._ours = gc.get_threshold()

    def end(self) -> None:
        with self._lock:
            self._runs -= 1
            # What somebody else, such as a model, has set meanwhile stays.
            if self._runs == 0 and gc.get_threshold() == self._ours:
                gc.set_threshold(*self._before)


_thresholds = _Thresholds()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Within, cycles are looked for less often; afterwards as often as before."""
    _thresholds.begin()
    try:
        yield
    finally:
        _thresholds.end()
