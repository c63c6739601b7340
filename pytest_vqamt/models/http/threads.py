"""Many things at once, each result as it comes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")

_LOOK_UP_S = 0.2
"""How often the wait for a result is looked up from: where nothing can interrupt it, Ctrl-C is heard so."""


def at_once(
    count: int, threads: int, do: Callable[[int, Event], T]
) -> Generator[tuple[int, T | Exception], None, None]:
    """Does ``do(0)`` to ``do(count - 1)``, so many at once, and yields each number with its result, in any order.

    What ``do`` raises is its result. It gets an event that is set when nobody waits any more: when the generator is
    closed, which does not wait for what is under way. The threads keep no process alive.
    """
    places = SimpleQueue[int]()
    for place in range(count):
        places.put(place)
    results = SimpleQueue[tuple[int, T | Exception]]()
    stop = Event()

    def work() -> None:
        while not stop.is_set():
            try:
                place = places.get_nowait()
            except Empty:
                return
            try:
                results.put((place, do(place, stop)))
            except Exception as error:
                results.put((place, error))

    try:
        for number in range(min(threads, count)):
            Thread(target=work, name=f"vqamt-http-{number}", daemon=True).start()
        missing = count
        while missing:
            try:
                yield results.get(timeout=_LOOK_UP_S)
            except Empty:
                continue
            missing -= 1
    finally:
        stop.set()
