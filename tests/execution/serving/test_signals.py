"""What stops a server."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from pytest_vqamt.serving.supervisor import Signals


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_counted_and_ends_nothing(number: signal.Signals) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with Signals().heard() as signals:
        os.kill(os.getpid(), number)
        assert signals.count == 1
        assert os.read(signals.pipe, 10) == b"!"


def test_nohup_is_heeded() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Signals().heard() as signals:
        os.kill(os.getpid(), signal.SIGHUP)
        assert signals.count == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
