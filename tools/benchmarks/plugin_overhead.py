"""What sessions of pytest cost: without the plugin, with it alone, with ten cases, and again from the cache.

Aims, in processor time: without a model at most 1.15 of pytest alone, with ten cases 1.7 of it, and without leave to
write bytecode (``-B``, as ``PYTHONDONTWRITEBYTECODE`` and read-only containers have it) no more than that. A run with
all answers cached takes 0.15 of the first one, beyond what a session takes anyway.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tools.benchmarks.measuring import Cost, child, show

_RUNS = 11
_TEN = ("--vqamt-model=oracle", "--vqamt-relations=metavqa.partition[object]", "--vqamt-max-cases=10")
_FEW = "--vqamt-data=pictures:20"
_MODEL = """
class Free:
    fingerprint = "free"
    def answer(self, batch):
        return ["2"] * len(batch)
"""
_MANY = ("--vqamt-model=python:free:Free", "--vqamt-preset=today", "--vqamt-data=pictures:500")


def main() -> None:
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "test_of_a_user.py").write_text("def test_it(): pass\n", encoding="utf-8")
        (place / "free.py").write_text(_MODEL, encoding="utf-8")
        _start(place)
        _resume(place)


def _start(place: Path) -> None:
    kinds = {
        "pytest alone (-p no:vqamt)": ("-m", "pytest", "-p", "no:vqamt"),
        "with the plugin, without a model": ("-m", "pytest"),
        "ten cases": ("-m", "pytest", *_TEN, _FEW, "--vqamt-no-cache"),
        "ten cases, no bytecode written (-B)": ("-B", "-m", "pytest", *_TEN, _FEW, "--vqamt-no-cache"),
    }
    costs: dict[str, list[Cost]] = {kind: [] for kind in kinds}
    for _ in range(_RUNS):  # in turn, so that what else the machine does falls on all
        for kind, arguments in kinds.items():
            costs[kind].append(_session(place, *arguments))
    alone = _cpu_ms(costs["pytest alone (-p no:vqamt)"])
    rows = []
    for kind, found in costs.items():
        wall_ms, cpu_ms = 1000 * median(each.wall_s for each in found), _cpu_ms(found)
        rows.append((kind, f"{wall_ms:.0f}", f"{cpu_ms:.0f}", f"{cpu_ms / alone:.2f}"))
    show(f"Sessions of one empty test, medians of {_RUNS}", ("", "wall ms", "processor ms", "ratio"), rows)


def _resume(place: Path) -> None:
    """The same run twice, and a session of the empty test in between."""
    first, again = [], []
    for number in range(3):
        arguments = ("-m", "pytest", *_MANY, f"--vqamt-cache={place / str(number)}")
        first.append(_session(place, *arguments))
        again.append(_session(place, *arguments))
    nothing = _cpu_ms([_session(place, "-m", "pytest", *_TEN, _FEW, "--vqamt-no-cache") for _ in range(3)])
    cold, resumed = _cpu_ms(first), _cpu_ms(again)
    rows = [
        ("first run", f"{cold:.0f}", ""),
        ("all cached", f"{resumed:.0f}", f"{resumed / cold:.2f}"),
        ("both without what ten cases take", "", f"{max(0.0, resumed - nothing) / (cold - nothing):.2f}"),
    ]
    show("The preset today on 500 pictures, a model that costs nothing", ("", "processor ms", "ratio"), rows)


def _session(place: Path, *arguments: str) -> Cost:
    # Containers often set it, and would have a checkout compiled each time; what pip installs is compiled already.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(place), os.environ.get("PYTHONPATH", ""))))
    return child(*arguments, "-q", "-p", "no:cacheprovider", f"--rootdir={place}", cwd=place)


def _cpu_ms(costs: list[Cost]) -> float:
    return 1000 * median(each.cpu_s for each in costs)
