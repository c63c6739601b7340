"""What the plugin costs a session that names no model. Aim: under 20 ms."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tools.benchmarks.measuring import Cost, child, show

_RUNS = 21


def main() -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "test_of_a_user.py").write_text("def test_it(): pass\n", encoding="utf-8")
        without: list[Cost] = []
        with_it: list[Cost] = []
        for _ in range(_RUNS):  # in turn, so that what else the machine does falls on both
            without.append(_session(Path(folder), "-p", "no:vqamt"))
            with_it.append(_session(Path(folder)))
    rows = []
    for name, time_of in (("wall", _wall_ms), ("processor", _cpu_ms)):
        plain, ours = median(map(time_of, without)), median(map(time_of, with_it))
        least = min(map(time_of, with_it)) - min(map(time_of, without))
        rows.append((name, f"{plain:.0f}", f"{ours:.0f}", f"{ours - plain:+.0f}", f"{least:+.0f}"))
    show(
        f"A session of one empty test without --vqamt-model, ms; medians of {_RUNS} runs each",
        ("", "-p no:vqamt", "with the plugin", "difference", "of the quickest runs"),
        rows,
    )


def _session(folder: Path, *arguments: str) -> Cost:
    return child("-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *arguments, cwd=folder)


def _wall_ms(cost: Cost) -> float:
    return 1000 * cost.wall_s


def _cpu_ms(cost: Cost) -> float:
    return 1000 * cost.cpu_s
