"""Time in which something was at work counts once, however much was."""

from __future__ import annotations

import time

import pytest

from pytest_vqamt.execution.inference import Busy


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What a clock shows that the test sets."""
    shown = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: shown[0])
    return shown


def test_time_counts_while_at_least_one_is_inside(clock: list[float]) -> None:
    busy = Busy()
    clock[0] = 103.0
    assert busy.seconds == 0
    with busy:
        clock[0] = 104.0
        assert busy.seconds == 1
        with busy:
            clock[0] = 106.0
        clock[0] = 107.0
    clock[0] = 110.0
    assert busy.seconds == 4


def test_what_was_raised_is_over(clock: list[float]) -> None:
    def fail() -> None:
        with busy:
            clock[0] = 100.5
            raise KeyError

    busy = Busy()
    with pytest.raises(KeyError):
        fail()
    clock[0] = 120.0
    assert busy.seconds == 0.5
