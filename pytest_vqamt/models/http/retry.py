"""What may pass is asked again, within a budget; a server that nothing helps with is given up."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TypeVar

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.http.responses import ForbiddenError, PassingError, QueryError, Sign

T = TypeVar("T")

_AT_FIRST_S = 10.0
"""A server that has never answered is asked no longer where it is absent or broken: it will not come to itself."""


_FIRST_S = 0.5
_LONGEST_S = 30.0


class StoppedError(Exception):
    """Nobody waits for the answer any more."""


class Patience:
    """How failures are met, over all queries of a run. Many threads share it.

    Where the server asks to be left alone, nobody starts a request until then. Whoever is told so while all are silent
    waits for himself alone: one full machine of several would else silence all of them again and again.
    """

    def __init__(
        self, url: str, retries_s: float, *, waits: Callable[[float], object], hopeless_after: int, advice: str
    ) -> None:
        """Patience with the server at ``url``.

        Args:
            url: for messages.
            retries_s: how long a query may be tried again after its first failure.
            waits: is told how many seconds the server wants no request.
            hopeless_after: so many queries given up in a row, with none answered in between, and no other is tried.
            advice: what to do then.
        """
        self._url = url
        self._retries_s = retries_s
        self._waits = waits
        self._hopeless_after = hopeless_after
        self._advice = advice
        self._lock = Lock()
        self._has_answered = False
        self._in_a_row = 0
        self._quiet_until = 0.0

    def ask(self, name: str, attempt: Callable[[], T], stop: Event) -> T:
        """What ``attempt`` returns, tried as often as the budget allows; ``name`` is the query's id.

        Raises:
            QueryError: this query has no answer.
            ModelError: no query has.
            StoppedError: ``stop`` was set while it waited.
        """
        since: float | None = None
        failures = 0
        has_waited = False
        while True:
            _wait(0.0 if has_waited else max(0.0, self._quiet_until - time.monotonic()), stop)
            sent = time.monotonic()
            try:
                found = attempt()
            except PassingError as failure:
                failures += 1
                since = time.monotonic() if since is None else since
                pause = self._pause(name, failure, failures, since)
                has_waited = failure.wait_s is not None
                if failure.wait_s:
                    self._leave_alone(failure.wait_s, sent)
                _wait(pause, stop)
            except ForbiddenError as failure:
                raise self._forbidden(failure) from None
            except QueryError:
                self._heard()
                raise
            else:
                self._heard(answered=True)
                return found

    def _pause(self, name: str, failure: PassingError, failures: int, since: float) -> float:
        """Seconds until the next try.

        Raises:
            QueryError: there is none: the budget does not reach so far.
            ModelError: as above, and once too often.
        """
        now = time.monotonic()
        never_came = not self._has_answered and failure.sign is not Sign.BUSY
        budget = min(self._retries_s, _AT_FIRST_S) if never_came else self._retries_s
        own = back_off(name, failures)
        wait = own if failure.wait_s is None else failure.wait_s + 0.1 * own
        if now + wait > since + budget:
            allowed = f"retries-s={self._retries_s:g}"
            if budget < self._retries_s:
                allowed = f"{budget:g} s at most: it has never answered"
            raise self._given_up(failure, failures, now - since, allowed) from None
        return wait

    def _leave_alone(self, wait_s: float, sent: float) -> None:
        """Silences all, unless the request was sent before the last silence was over."""
        with self._lock:
            if sent < self._quiet_until:
                return
            self._quiet_until = time.monotonic() + wait_s
        self._waits(wait_s)

    def _given_up(self, failure: PassingError, failures: int, spent_s: float, allowed: str) -> QueryError | ModelError:
        asked = f", to be asked again in {failure.wait_s:.0f} s," if failure.wait_s else ""
        tries = "1 try" if failures == 1 else f"{failures} tries in {spent_s:.1f} s"
        told = f"Expected an answer from {self._url}, but got {failure.reason}{asked} after {tries} ({allowed})"
        if failure.sign is Sign.ABSENT and not self._has_answered:
            return ModelError(f"{told}: check the URL, and that the server is running and can be reached from here")
        if self._is_too_often():
            often = f", and so {self._hopeless_after} times in a row" if self._hopeless_after > 1 else ""
            return ModelError(f"{told}{often}: {self._advice}")
        return QueryError(told)

    def _forbidden(self, failure: ForbiddenError) -> QueryError | ModelError:
        # Some servers say 403 where their moderation takes offence at one query (openrouter.ai/docs/errors).
        if not self._has_answered or self._is_too_often():
            return ModelError(f"{failure}: check what the key allows, and whether this model may be used from here")
        return QueryError(str(failure))

    def _is_too_often(self) -> bool:
        with self._lock:
            self._in_a_row += 1
            return self._in_a_row >= self._hopeless_after

    def _heard(self, *, answered: bool = False) -> None:
        with self._lock:
            self._in_a_row = 0
            self._has_answered = self._has_answered or answered


def back_off(name: str, failures: int) -> float:
    """Seconds to wait after so many failures of the query ``name``: they double, up to 30.

    A share of it is made from the name: requests that failed together do not come back together, without any chance.
    """
    longest = min(_LONGEST_S, _FIRST_S * 2.0 ** min(failures - 1, 16))
    share = int(digest("back off", name, str(failures)), 16) / 2**64
    return longest * (0.5 + 0.5 * share)


def _wait(seconds: float, stop: Event) -> None:
    if stop.wait(seconds) if seconds > 0 else stop.is_set():
        raise StoppedError


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
