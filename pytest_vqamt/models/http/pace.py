"""How many requests a server is sent, found out by additive increase and multiplicative decrease."""

from __future__ import annotations

import time
from collections import deque
from threading import Condition, Event, Lock

_FIRST_RATE, _FIRST_DOUBLES_S = 32.0, 0.7
"""Requests a second at the beginning, and how soon they double until the server refuses one."""

_HIGHEST_RATE = 10_000.0

# Also the fewest answers of a round: fewer say little of how long answers take.
_FIRST_WINDOW = 8

_LATEST = 0.2
"""The weight of the latest answer in the mean of how long answers take."""

_FIRST_CUT, _CUT = 0.5, 0.97
"""The rate after the first refusal, and after others, as a share of the rate that the server was found to take."""

_LARGEST_CUT = 0.75
"""The rate that it was found to take is not below this share of the rate refused."""

_SOON_S = 5.0
"""A refusal so soon after a cut, with no answer since, does not cut again."""

_NEAR = 0.96
"""The share of the rate last refused from which on the rate grows slowly."""
_GROWTH_FAR = 0.06
"""Growth below it, each second, as a share of the rate last refused."""
_GROWTH_NEAR = 0.004
"""Growth above it, at first."""
_DOUBLES_S = 8.0
"""Growth above it doubles after each such time, for a quota that has become larger."""

_FIRST_HOLD_S, _LONGEST_HOLD_S = 0.25, 1.0
"""No request starts for so long after a refusal; the time doubles where the next one is refused, too."""

_SLOWER, _GAIN, _WINDOW_CUT = 2.0, 1.05, 0.7
"""Answers that take so many times as long, while not so many times as many come, are queued at the server: the
window is cut to this share."""

_LAST = 10
"""A failure that names no quota bounds the rate only where half of the last so many requests were refused."""

_SLACK_S = 0.02
"""A thread wakes up so late; what was not sent in the meantime is."""

_POLL_S = 0.2
"""A thread that waits checks so often whether its answer is still wanted."""


class PaceController:
    """Decides when a request may start. It has no clock: each call is given the time in seconds.

    A rate bounds the start of requests, a window those in flight. The rate doubles quickly until the server refuses a
    request. A refusal cuts it to just below what came since the one before; then it grows, slowly near the rate that
    was refused. The window doubles each round up to ``most``, until answers take twice as long as with fewer in flight
    while no more of them come: then it is cut, and grows by one each round. After a refusal the rate decides. A round
    in which the window was never full leaves it as it is.

    Attributes:
        most: the most requests in flight.
        window: the most in flight now.
        rate: the most that start in a second.
        in_flight: those that were started and have not ended.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.window = float(min(most, _FIRST_WINDOW))
        self._is_starting = True
        self.rate = _FIRST_RATE
        self.in_flight = 0
        self._next_start = 0.0
        self._took_s: float | None = None
        self._refused_rate: float | None = None
        self._accepted = 0
        self._cut_at = self._refused_at = float("-inf")
        self._hold_s = _FIRST_HOLD_S
        self._is_answered = True
        self._grown_at = float("inf")
        self._near_since = 0.0
        self._rounds: dict[int, tuple[float, float]] = {}
        self._round_began: float | None = None
        self._round_answers = 0
        self._round_took_s = 0.0
        self._round_was_full = False
        self._last_refused: deque[bool] = deque(maxlen=_LAST)

    def delay_s(self, now: float) -> float | None:
        """Seconds until a request may start: 0 for now, None for when another ends."""
        if self.in_flight >= int(self.window):
            # None: only the end of another request makes room, not time.
            return None
        self._grow(now)
        return max(0.0, self._next_start - now)

    def start(self, now: float) -> None:
        """Records that a request was sent."""
        self.in_flight += 1
        self._round_was_full = self._round_was_full or self.in_flight >= int(self.window)
        if self._round_began is None:
            self._round_began = self._grown_at = now
        # What a late thread missed is made up for, but not an idle minute: that would be a burst.
        self._next_start = max(self._next_start, now - _SLACK_S) + 1 / self.rate

    def answered(self, now: float, started: float) -> None:
        """Records an answer to a request that was sent at ``started``."""
        self.in_flight -= 1
        self._last_refused.append(False)
        took_s = max(now - started, 1e-4)
        self._took_s = took_s if self._took_s is None else self._took_s + _LATEST * (took_s - self._took_s)
        # Answers to requests from before the refusal say nothing about the time after it.
        if started >= self._refused_at:
            self._is_answered, self._hold_s = True, _FIRST_HOLD_S
        self._accepted += 1
        self._round_answers += 1
        self._round_took_s += took_s
        if self._round_answers >= max(_FIRST_WINDOW, int(self.window)):
            self._end_round(now)

    def refused(self, now: float, started: float, wait_s: float = 0.0, *, is_quota: bool = True) -> None:
        """Records that the server refused a request, and wants none for ``wait_s``.

        Of those sent before a refusal was known, only one counts. One that names no quota may be a stray failure: it
        counts only where half of the last requests were refused, or stray failures would slow down a server that takes
        all the rest.
        """
        self.in_flight -= 1
        self._last_refused.append(True)
        # All that were in flight when the quota ran out are refused together.
        if started < self._refused_at or not (is_quota or 2 * sum(self._last_refused) >= _LAST):
            return
        self._refused_at = now
        if not self._is_answered:
            self._hold_s = min(_LONGEST_HOLD_S, 2 * self._hold_s)
        self._next_start = max(self._next_start, now + max(self._hold_s, wait_s))
        if not self._is_answered and now - self._cut_at < _SOON_S:
            return  # nothing tells yet whether the last cut was enough
        self._is_answered = False
        self._cut(now)

    def failed(self) -> None:
        """Records that a request ended without an answer or a refusal."""
        self.in_flight -= 1

    def _cut(self, now: float) -> None:
        if self._took_s is None:
            self.rate = max(1.0, self.rate / 2)  # it has not answered yet, so it may be loading
            return
        if self._refused_rate is None:
            # While it doubles the rate is far above what is sent: the window and the time of an answer bound that.
            self._refused_rate = min(self.rate, self.window / self._took_s)
            self.rate = _FIRST_CUT * self._refused_rate
        else:
            # Between two refusals of a full quota the server takes just what it allows.
            came = self._accepted / max(now - self._cut_at, 1e-3)
            self._refused_rate = min(self.rate, max(came, _LARGEST_CUT * self.rate))
            self.rate = _CUT * self._refused_rate
        # A request in 20 s at least, or it would never find out that the server takes more.
        self.rate = max(self.rate, 0.05)
        self._accepted = 0
        self._cut_at = self._grown_at = self._near_since = now

    def _grow(self, now: float) -> None:
        passed_s = now - self._grown_at
        if passed_s <= 0:
            return
        if self._refused_rate is None:
            self.rate = min(self.rate * 2.0 ** (passed_s / _FIRST_DOUBLES_S), _HIGHEST_RATE)
        elif self.rate < _NEAR * self._refused_rate:
            self.rate = min(self.rate + _GROWTH_FAR * self._refused_rate * passed_s, _NEAR * self._refused_rate)
            self._near_since = now
        else:
            # At most 256 times: the power must not overflow after an hour.
            doubled = 2.0 ** min((now - self._near_since) / _DOUBLES_S, 8.0)
            self.rate += _GROWTH_NEAR * self._refused_rate * doubled * passed_s
        self._grown_at = now

    def _end_round(self, now: float) -> None:
        """Compares a round of answers with rounds that had clearly fewer requests in flight, and adapts the window."""
        window, began = int(self.window), self._round_began or 0.0
        came = self._round_answers / max(now - began, 1e-6)
        took_s = self._round_took_s / self._round_answers
        was_full, self._round_was_full = self._round_was_full, False
        self._round_began, self._round_answers, self._round_took_s = now, 0, 0.0
        # Fewer were sent than allowed, so the round says nothing about this window.
        if not was_full:
            return
        # Neighbouring windows differ by less than chance does.
        fewer = [found for other, found in self._rounds.items() if other <= 0.75 * window]
        is_queued = any(took_s > _SLOWER * before for _, before in fewer)
        gains = not fewer or came > _GAIN * max(before for before, _ in fewer)
        if self._refused_rate is None and is_queued and not gains:
            self.window = max(1.0, _WINDOW_CUT * window)
            self._is_starting = False
        else:
            self.window = min(self.most, 2 * self.window if self._is_starting else self.window + 1)
        # The shortest time is the server's at rest, whatever a later, slower round took.
        before, shortest = self._rounds.get(window, (came, took_s))
        self._rounds[window] = ((before + came) / 2, min(shortest, took_s))


class Pace:
    """A ``PaceController`` for many threads, on the monotonic clock."""

    def __init__(self, most: int) -> None:
        self._controller = PaceController(most)
        self._changed = Condition()
        self._turn = Lock()

    def start(self, stop: Event) -> float | None:
        """Waits until a request may start, and returns the time; None if it is no longer wanted."""
        while not self._turn.acquire(timeout=_POLL_S):  # or all would wake up each time that one may start
            if stop.is_set():
                return None
        try:
            with self._changed:
                while not stop.is_set():
                    now = time.monotonic()
                    delay = self._controller.delay_s(now)
                    if delay is not None and delay <= 0:
                        self._controller.start(now)
                        return now
                    self._changed.wait(_POLL_S if delay is None else min(delay, _POLL_S))
            return None
        finally:
            self._turn.release()

    def answered(self, started: float) -> None:
        """Records an answer; ``started`` is what ``start`` returned for the request."""
        with self._changed:
            self._controller.answered(time.monotonic(), started)
            # One is enough: only the thread that holds the turn waits here.
            self._changed.notify()

    def refused(self, started: float, wait_s: float, *, is_quota: bool = True) -> None:
        """Records that the server refused a request, and wants none for ``wait_s``."""
        with self._changed:
            self._controller.refused(time.monotonic(), started, wait_s, is_quota=is_quota)
            self._changed.notify()

    def failed(self) -> None:
        """Records that a request ended without an answer or a refusal."""
        with self._changed:
            self._controller.failed()
            self._changed.notify()
