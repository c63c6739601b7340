"""Who says nothing is not waited for."""

from __future__ import annotations

from pytest_vqamt.serving.app import Silence


class Cycle:
    def __init__(self, *, response_complete: bool) -> None:
        self.response_complete = response_complete


class Connection:
    """A connection that knows whether it was ended; it is its own transport."""

    def __init__(self, cycle: Cycle | None = None) -> None:
        self.cycle = cycle
        self.transport = self
        self.is_ended = False

    def abort(self) -> None:
        self.is_ended = True


def test_headers_without_an_end_are_not_waited_for() -> None:
    connection, silence = Connection(), Silence(most_s=90)
    silence.end([connection], 1000)
    silence.end([connection], 1090)
    assert not connection.is_ended
    silence.end([connection], 1091)
    assert connection.is_ended


def test_a_request_that_is_answered_slowly_is_not_silence() -> None:
    connection, silence = Connection(Cycle(response_complete=False)), Silence(most_s=90)
    for now in (0, 100, 10_000):
        silence.end([connection], now)
    connection.cycle = Cycle(response_complete=True)
    silence.end([connection], 10_001)
    assert not connection.is_ended


def test_each_request_begins_the_time_anew() -> None:
    connection, silence = Connection(Cycle(response_complete=True)), Silence(most_s=90)
    for now in (0, 80, 160, 240):
        connection.cycle = Cycle(response_complete=True)
        silence.end([connection], now)
    assert not connection.is_ended
    silence.end([connection], 331)  # the beginning of a second request, or the rest of a body that was refused
    assert connection.is_ended
