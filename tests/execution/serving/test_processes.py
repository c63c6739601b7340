"""Processes are ended to the last one, with those that lost their parent and those that will not."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

TREE = """
import json, os, subprocess, sys, time
from pytest_vqamt.serving.supervisor import adopt_orphans, descendants, end_all

adopted = adopt_orphans()
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
# A process that ends at once and leaves two behind: one of them in a session of its own, deaf to SIGTERM.
parent = (
    "import subprocess, sys; "
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
    f"other = subprocess.Popen([sys.executable, '-c', {stubborn!r}], start_new_session=True, stdout=subprocess.PIPE); "
    "other.stdout.readline()"
)
subprocess.run([sys.executable, "-c", parent], check=True)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
before = len(descendants(os.getpid()))
began = time.monotonic()
left = end_all(GRACE)
print(json.dumps([adopted, before, left, len(descendants(os.getpid())), time.monotonic() - began]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lets a process adopt others")
@pytest.mark.parametrize("grace_s", [0.0, 0.5])
def test_nothing_is_left(grace_s: float) -> None:
    script = TREE.replace("GRACE", str(grace_s))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=50)
    adopted, before, left, after, took_s = json.loads(done.stdout)
    assert adopted
    assert before == 3
    assert left == []
    assert after == 0
    assert grace_s <= took_s < grace_s + 5
