"""The process that ends this one does so where nothing more is heard, and never else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it needs signals")

WATCHED = """
import time
from pytest_vqamt.models import time_limit as watchdog
watchdog._PROGRAM = watchdog._PROGRAM.replace(str(watchdog._GRACE_S), "0.2")
{}
print("alive")
"""


def watched(code: str, stderr: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """A process that runs the code, with a watchdog of little patience."""
    command = [sys.executable, "-c", WATCHED.format(code)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it needs fork")
def test_it_ends_with_the_process_though_a_fork_of_it_goes_on() -> None:
    # The watchdog has the standard error of the process: whoever reads that would wait for both.
    code = """
import os
with watchdog.WATCHDOG.watching():
    watchdog.WATCHDOG.beat(0.1, "hangs")
    print(watchdog.WATCHDOG._process.pid, flush=True)
    if not os.fork():
        os.close(1)
        time.sleep(20)
    os._exit(0)
"""
    process = int(watched(code, subprocess.DEVNULL).stdout)
    until = time.monotonic() + 15
    while _runs(process):
        assert time.monotonic() < until
        time.sleep(0.05)


def _runs(process: int) -> bool:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()[:1] not in ("", "Z")
