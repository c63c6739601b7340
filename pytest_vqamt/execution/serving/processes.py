"""The processes that a server consists of: found, and ended to the last one."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""

_POLL_S = 0.05

_PROCESSES = Path("/proc")
"""Where Linux tells of processes; other systems are asked with ps."""


def adopt_orphans() -> bool:
    """Makes this process the parent of each of its descendants whose own parent ends; False where there is no such way.

    Ray's processes start each other, and not each of them ends with the one that started it: adopted, none is lost.
    """
    if not sys.platform.startswith("linux"):
        return False
    done: int = ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return done == 0


def end_all(grace_s: float, *, spared: Collection[int] = (), at_most_s: float = 20) -> tuple[int, ...]:
    """Ends all descendants of this process but those ``spared`` and theirs; gives those that are left.

    They are asked to end, and after ``grace_s`` made to. Those that were adopted are found, too; where there is
    no adoption, those that are still in the line.
    """
    me = os.getpid()
    known: set[int] = set()
    begun = time.monotonic()
    asked: set[int] = set()
    while True:
        known |= descendants(me, spared)
        known = {process for process in known if _lives(process)}
        if not known:
            return ()
        past_s = time.monotonic() - begun
        if past_s > at_most_s:
            return tuple(sorted(known))
        for process in known if past_s >= grace_s else known - asked:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL if past_s >= grace_s else signal.SIGTERM)
            asked.add(process)
        time.sleep(_POLL_S)


def descendants(of: int, spared: Collection[int] = ()) -> set[int]:
    """The ids of the processes that descend from ``of``, and of those that have ended and that nobody has looked at."""
    children: dict[int, list[int]] = {}
    for process, parent in _processes():
        children.setdefault(parent, []).append(process)
    found: set[int] = set()
    waiting = [of]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found and child not in spared:
                found.add(child)
                waiting.append(child)
    return found


def _lives(process: int) -> bool:
    """Whether a process is there and has not ended; one of ours that has is taken note of, and gone."""
    with suppress(ChildProcessError):
        if os.waitpid(process, os.WNOHANG)[0] == process:
            return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _state(process) not in ("Z", "X")


def _state(process: int) -> str:
    """The letter that Linux has for what a process does; "" where it is not told."""
    try:
        return (
            (_PROCESSES / str(process) / "stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()[0]
        )
    except (OSError, IndexError):
        return ""


def _processes() -> Iterator[tuple[int, int]]:
    """Every process with its parent."""
    if _PROCESSES.is_dir():
        for name in os.listdir(_PROCESSES):  # noqa: PTH208 - names alone are wanted, of which there are thousands
            if name.isdecimal():
                with suppress(OSError, IndexError, ValueError):
                    stat = (_PROCESSES / name / "stat").read_text(encoding="utf-8", errors="replace")
                    yield int(name), int(stat.rpartition(")")[2].split()[1])
        return
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        process, parent = line.split()
        yield int(process), int(parent)
