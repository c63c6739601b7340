"""A large sweep of all relations but one with a model that costs nothing: time a case and memory, from 10^4 cases up.

Aim: 1,000,000 cases with their report in 10 minutes on two cores, no process above 1.5 GB, time a case constant.
``--million`` goes that far; without it the largest has 100,000. ``--one-process`` does without xdist.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.benchmarks.measuring import Cost, child, show

_DATA = "pictures:5000"
_LEFT_OUT = "basic_questions.*"
"""Before its first case there is a regression of half a minute."""

_MODEL = """
class Free:
    def answer(self, batch):
        return ["2"] * len(batch)

    def entail(self, batch):
        return ["entailment"] * len(batch)

    def caption(self, batch):
        return ["a dog on a table"] * len(batch)
"""


def main() -> None:
    workers = ("-n0",) if "--one-process" in sys.argv else ("-n2",)
    sizes = (10_000, 100_000, *([1_000_000] if "--million" in sys.argv else []))
    with TemporaryDirectory() as folder:
        (Path(folder) / "free.py").write_text(_MODEL, encoding="utf-8")
        start, items = _swept(Path(folder), 1, *workers)
        rows = []
        before, fewer = start, items
        for size in sizes:
            cost, cases = _swept(Path(folder), -(-size // items), *workers)
            rows.append(
                (
                    f"{cases:,}",
                    f"{cost.wall_s:.0f}",
                    f"{cost.cpu_s:.0f}",
                    f"{1000 * (cost.wall_s - start.wall_s) / (cases - items):.3f}",
                    f"{1000 * (cost.cpu_s - start.cpu_s) / (cases - items):.3f}",
                    # What is found out about a scene is found out once, so that the first cases of each cost more.
                    f"{1000 * (cost.cpu_s - before.cpu_s) / (cases - fewer):.3f}",
                    f"{cost.peak_mb:.0f}",
                )
            )
            before, fewer = cost, cases
    show(
        f"{items} items on {_DATA}, {workers[0]}, --vqamt-sampler=random, with --vqamt-report; a case an item takes "
        f"{start.wall_s:.1f} s, {start.cpu_s:.1f} s of processors and {start.peak_mb:.0f} MB",
        (
            "cases",
            "wall s",
            "processor s",
            "wall ms a case",
            "processor ms a case",
            "of each more than above",
            "peak MB of a process",
        ),
        rows,
    )


def _swept(folder: Path, cases: int, *workers: str) -> tuple[Cost, int]:
    """What a run of at most so many cases an item takes, and how many cases it had."""
    (folder / "empty").mkdir(exist_ok=True)
    cost = child(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *workers,
        "--vqamt-model=python:free:Free", f"--vqamt-data={_DATA}", f"--vqamt-exclude={_LEFT_OUT}",
        "--vqamt-sampler=random", "--vqamt-shrink=0", "--vqamt-no-cache", f"--vqamt-max-cases={cases}",
        f"--vqamt-report={folder / 'out'}", "empty", cwd=folder,
    )  # fmt: skip
    report = json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))
    return cost, sum(relation["cases"] for relation in report["relations"])


if __name__ == "__main__":
    main()
