"""What a piece of work costs, and how it is shown. Nothing here is asserted: a time says as much of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from platform import python_version

_MB = 1 << (20 if sys.platform == "darwin" else 10)
"""The unit of ``ru_maxrss`` differs: bytes on macOS, kilobytes elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a process took.

    Attributes:
        wall_s: from start to end. On a machine that does other things too, this is about them as well.
        cpu_s: on all processors, of the user's code and the system's.
        peak_mb: memory at its most. A child's is at least that of the process that started it, so that one stays small.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What a piece of work took in this process: by the clock, and on all processors."""

    wall_s: float
    cpu_s: float


def took(work: Callable[[], object]) -> Took:
    """What ``work`` takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(wall_s=time.perf_counter() - wall, cpu_s=time.process_time() - cpu)


def child(*arguments: str, cwd: Path) -> Cost:
    """The cost of a fresh interpreter with these arguments.

    Raises:
        RuntimeError: it failed.
    """
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"Expected {' '.join(arguments)} to end well, but it said:\n{output}")
    return Cost(wall_s=wall_s, cpu_s=usage.ru_utime + usage.ru_stime, peak_mb=usage.ru_maxrss / _MB)


def cheapest(runs: int, run: Callable[[], Cost]) -> Cost:
    """The run of several that took the least processor time: the one that was disturbed least."""
    return min((run() for _ in range(runs)), key=lambda cost: cost.cpu_s)


def cpu_s(work: Callable[[], object]) -> float:
    """The processor time of this process that ``work`` takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table, its first column to the left and the others to the right."""
    table = [head, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    print(f"\n{title}\n")
    for row in table:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  ", row[0].ljust(len(first)), *others, sep="  ")
    sys.stdout.flush()


def machine() -> str:
    """One line on where the figures are from."""
    load = f"{os.getloadavg()[0]:.1f} processes want to run" if hasattr(os, "getloadavg") else "load unknown"
    return f"Python {python_version()}, {os.cpu_count()} processors, {load}"
