"""Failures of HTTP requests: retried within a budget, until a server that keeps failing disables its model."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextvars import copy_context
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http import HTTPStatus
from math import isfinite
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TypeVar

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.identity import digest

T = TypeVar("T")

_FIRST_ANSWER_BUDGET_S = 10.0
"""The budget for an absent or broken server that has never answered: it will hardly recover."""

# Twice as long after each failure: 0.5 s, 1 s, 2 s, ... up to 30 s.
_FIRST_BACKOFF_S = 0.5
_MAX_BACKOFF_S = 30.0

_POLL_S = 0.2
"""The wait for a result is interrupted so often, for Ctrl-C to work on every platform."""


class QueryError(VqamtError):
    """One query has no answer, and a retry would not help; others may be answered."""


class ServerState(StrEnum):
    """The state of the server that a failure shows."""

    UNREACHABLE = "absent"
    """No connection, or a proxy that finds nothing behind it."""
    BROKEN = "broken"
    """Status 500, or a reply that broke off."""
    BUSY = "busy"
    """Too many requests, too slow, or restarting."""


class TransientError(Exception):
    """A failure that may pass: the same request may be retried.

    Attributes:
        reason: for messages.
        state: of the server.
        wait_s: the delay that the server asks for; None where it asks for none.
        is_quota: True if the server says that too many requests came.
        is_broken_off: True if the request got nowhere, or what answers it broke; it was not refused.
    """

    def __init__(
        self,
        reason: str,
        *,
        state: ServerState,
        wait_s: float | None = None,
        is_quota: bool = False,
        is_broken_off: bool = False,
    ) -> None:
        super().__init__(reason)
        self.is_quota = is_quota
        self.is_broken_off = is_broken_off or state is not ServerState.BUSY
        self.reason = reason
        self.state = state
        self.wait_s = wait_s


class ForbiddenError(Exception):
    """The server refuses with 403: either everything, or this query alone."""


def status_text(status: int) -> str:
    """A status as number and phrase.

    >>> status_text(503)
    '503 Service Unavailable'
    """
    try:
        # Servers have statuses of their own, such as 529 (Anthropic: overloaded).
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by Retry-After (RFC 9110, section 10.2.3); None where there is no such header.

    A date is compared with the server's own ``Date`` where there is one, since its clock and ours may differ. OpenAI's
    ``retry-after-ms``, which is more exact, comes first.

    >>> retry_after_s({"retry-after": "2"})
    2.0
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    # Seconds or a date: "2", or "Wed, 21 Oct 2026 07:28:00 GMT".
    seconds = _number(value)
    if seconds is not None:
        return seconds
    then = _date(value)
    if then is None:
        return None
    return max(0.0, (then - (_date(headers.get("date", "")) or now or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # float() also reads "nan", "inf" and "-1".
    return value if isfinite(value) and value >= 0 else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


class StoppedError(Exception):
    """The result is no longer wanted."""


class RetryPolicy:
    """Retries failed requests of a run; many threads share it.

    No thread starts a request during a delay that the server asks for. A request that was sent before such a
    pause ended delays only its own query: else one busy machine of several would pause all threads again and again.
    """

    def __init__(
        self, url: str, retries_s: float, *, on_wait: Callable[[float], object], disable_after: int, advice: str
    ) -> None:
        """Makes a policy for the server at ``url``, which messages name.

        A query may be retried for ``retries_s`` after its first failure; so many failed queries in a row as
        ``disable_after`` disable the model, with ``advice`` in the message. ``on_wait`` gets each delay in seconds that
        the server asks for.
        """
        self._url = url
        self._retries_s = retries_s
        self._on_wait = on_wait
        self._disable_after = disable_after
        self._advice = advice
        self._lock = Lock()
        self._has_answered = False
        self._failures_in_a_row = 0
        self._paused_until = 0.0

    def call(self, name: str, attempt: Callable[[], T], stop: Event) -> T:
        """The result of ``attempt``, retried within the budget; ``name`` is the query's id.

        Raises:
            QueryError: this query has no answer.
            ModelError: the server cannot be used.
            StoppedError: ``stop`` was set while it waited.
        """
        since: float | None = None
        failures = 0
        has_waited = False
        while True:
            # After a wait of its own a query does not also wait for a pause that other queries began meanwhile.
            _wait(0.0 if has_waited else max(0.0, self._paused_until - time.monotonic()), stop)
            # Noted before it is sent: a refusal only pauses all if it was sent after the last pause.
            sent = time.monotonic()
            try:
                found = attempt()
            except TransientError as failure:
                failures += 1
                since = time.monotonic() if since is None else since
                pause = self._pause(name, failure, failures, since)
                has_waited = failure.wait_s is not None
                if failure.wait_s:
                    self._pause_all(failure.wait_s, sent)
                _wait(pause, stop)
            except ForbiddenError as failure:
                raise self._forbidden(failure) from None
            # An error of one query is a reply: the server works.
            except QueryError:
                self._record_success()
                raise
            else:
                self._record_success(answered=True)
                return found

    def _pause(self, name: str, failure: TransientError, failures: int, since: float) -> float:
        """Seconds until the next attempt; raises where the budget does not reach so far."""
        now = time.monotonic()
        # A server that is busy is there, so it gets the whole budget from the first request on.
        never_answered = not self._has_answered and failure.state is not ServerState.BUSY
        budget = min(self._retries_s, _FIRST_ANSWER_BUDGET_S) if never_answered else self._retries_s
        backoff = backoff_s(name, failures)
        # A tenth of the backoff on top, or all that were refused together would come back together.
        wait = backoff if failure.wait_s is None else failure.wait_s + 0.1 * backoff
        if now + wait > since + budget:
            allowed = f"retries-s={self._retries_s:g}"
            if budget < self._retries_s:
                allowed = f"{budget:g} s at most: it has never answered"
            raise self._exhausted(failure, failures, now - since, allowed) from None
        return wait

    def _pause_all(self, wait_s: float, sent: float) -> None:
        """Pauses all threads, unless the request was sent before the last pause was over."""
        with self._lock:
            if sent < self._paused_until:
                return
            self._paused_until = time.monotonic() + wait_s
        self._on_wait(wait_s)

    def _exhausted(
        self, failure: TransientError, failures: int, spent_s: float, allowed: str
    ) -> QueryError | ModelError:
        delay = f", to be asked again in {failure.wait_s:.0f} s," if failure.wait_s else ""
        tries = "1 try" if failures == 1 else f"{failures} tries in {spent_s:.1f} s"
        message = f"Expected an answer from {self._url}, but got {failure.reason}{delay} after {tries} ({allowed})"
        # At the first query: the others would wait for nobody, too.
        if failure.state is ServerState.UNREACHABLE and not self._has_answered:
            return ModelError(f"{message}: check the URL, and that the server is running and can be reached from here")
        if self._record_failure():
            repeated = f", and so {self._disable_after} times in a row" if self._disable_after > 1 else ""
            return ModelError(f"{message}{repeated}: {self._advice}")
        return QueryError(message)

    def _forbidden(self, failure: ForbiddenError) -> QueryError | ModelError:
        # Some servers say 403 where their moderation takes offence at one query (openrouter.ai/docs/errors).
        if not self._has_answered or self._record_failure():
            return ModelError(f"{failure}: check what the key allows, and whether this model may be used from here")
        return QueryError(str(failure))

    def _record_failure(self) -> bool:
        """Counts a failed query; True if so many in a row disable the model."""
        with self._lock:
            self._failures_in_a_row += 1
            return self._failures_in_a_row >= self._disable_after

    def _record_success(self, *, answered: bool = False) -> None:
        with self._lock:
            self._failures_in_a_row = 0
            self._has_answered = self._has_answered or answered


def backoff_s(name: str, failures: int) -> float:
    """Seconds to wait after so many failures of the query ``name``: they double, up to 30.

    The jitter is derived from the name: requests that failed together are not retried together, and runs repeat.
    """
    # 16 keeps the power small: the result is 30 s from the seventh failure on.
    longest = min(_MAX_BACKOFF_S, _FIRST_BACKOFF_S * 2.0 ** min(failures - 1, 16))
    share = int(digest("back off", name, str(failures)), 16) / 2**64
    return longest * (0.5 + 0.5 * share)


def _wait(seconds: float, stop: Event) -> None:
    if stop.wait(seconds) if seconds > 0 else stop.is_set():
        raise StoppedError


def run_concurrently(
    count: int, threads: int, do: Callable[[int, Event], T]
) -> Generator[tuple[int, T | Exception], None, None]:
    """Runs ``do(0)`` to ``do(count - 1)`` on so many threads, and yields each index and result, in any order.

    An exception of ``do`` is its result. The event that ``do`` gets is set when the generator is closed, which does not
    wait for running calls. The threads are daemons, so a request in flight delays no exit.
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
                # Raised where the results are taken, not in this thread.
                results.put((place, error))

    try:
        for number in range(min(threads, count)):
            # A thread has no context of its own, which messages spell options by (core/spelling.py).
            Thread(target=copy_context().run, args=(work,), name=f"vqamt-http-{number}", daemon=True).start()
        missing = count
        while missing:
            try:
                yield results.get(timeout=_POLL_S)
            except Empty:
                continue
            missing -= 1
    finally:
        stop.set()
