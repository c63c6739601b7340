"""The process that ends this one does so where nothing more is heard, and never else."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it needs signals")

WATCHED = """
import time
from pytest_vqamt.models import watchdog
watchdog._PROGRAM = watchdog._PROGRAM.replace(str(watchdog._GRACE_S), "0.2")
{}
print("alive")
"""


def watched(code: str) -> subprocess.CompletedProcess[str]:
    """A process that runs the code, with a watchdog of little patience."""
    return subprocess.run([sys.executable, "-c", WATCHED.format(code)], capture_output=True, text=True, check=False)


def test_calls_that_follow_each_other_at_once_leave_nothing_to_wait_for() -> None:
    ended = watched("""
for _ in range(200):
    with watchdog.WATCHDOG.watching():
        watchdog.WATCHDOG.beat(0.1, "hangs")
time.sleep(1)
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "alive\n", "")


def test_a_call_of_which_nothing_is_heard_is_ended() -> None:
    ended = watched("""
with watchdog.WATCHDOG.watching():
    watchdog.WATCHDOG.beat(0.1, "hangs")
    time.sleep(60)
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGKILL, "", "hangs")
