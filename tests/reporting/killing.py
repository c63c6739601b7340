"""Writes reports in processes that are killed on the way, and says in which state each has left its folder.

A process of its own: it is forked, which a test process with threads is not to be.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.case_store import FILE_NAMES, GZIP_NAME, PLAIN_NAME
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import Report
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.reporting.case_writer import remove_report, start_parts
from pytest_vqamt.reporting.files import write_files, write_pages
from pytest_vqamt.reporting.html.case_selection import Images
from tests.reporting.erratic import SPEC
from tests.reporting.running import run_into, world

OLD, NEW = "0.0.1", "0.0.2"
"""The versions that the two runs say they are of, by which their files are told apart."""

_CHANGES = ("open", "os.mkdir", "os.remove", "os.rename", "os.rmdir")
"""What the interpreter tells of before it does it, and what changes a folder; "open" also where it only reads."""
_ENDS = {
    PLAIN_NAME: "}\n",
    GZIP_NAME: "}\n",
    "report.json": "}\n",
    "report.html": "</html>",
    "summary.md": "\n",
    "badge.json": "}\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A report, the parts of its cases, and what the file that is made of them is called."""

    report: Report
    parts: dict[str, bytes]
    cases_name: str

    def begin(self, folder: Path) -> None:
        """What a run has done before it writes its report."""
        start_parts(folder)
        (folder / ".cases").mkdir()
        for name, lines in self.parts.items():
            (folder / ".cases" / name).write_bytes(lines)

    def write(self, folder: Path, version: str) -> None:
        report = replace(self.report, vqamt_version=version)
        name = PLAIN_NAME if version == OLD else self.cases_name
        write_files(report, folder, source_of=_at_hand, images=Images.VIOLATIONS, cases_name=name)


def _at_hand(spec: str) -> SceneSource:
    return world(spec)


def _made(folder: Path, cases_name: str) -> Made:
    report = run_into(folder, model=SPEC, relations=["metavqa.partition[object]", "control.repeat"], max_cases=4)
    lines = (folder / "cases.jsonl").read_bytes().splitlines(keepends=True)
    of_items = [[line for line in lines if json.loads(line)["relation"] == each.item] for each in report.relations]
    parts = {f"{at:06}.jsonl": b"".join(own) for at, own in enumerate(of_items)}
    return Made(report=report, parts=parts, cases_name=cases_name)


def _in_child(do: Callable[[], object]) -> bool:
    """Does it in a process of its own; whether that was killed."""
    child = os.fork()
    if not child:
        status = 1
        try:
            do()
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    assert os.WIFSIGNALED(ended) or os.WEXITSTATUS(ended) == 0
    return os.WIFSIGNALED(ended)


def _dies_before(change: int, folder: Path) -> None:
    """Has this process killed before its change of this number to what is in ``folder``."""
    left = change

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _CHANGES and str(arguments[0]).startswith(str(folder)):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    sys.addaudithook(heard)


def _state(folder: Path) -> list[str]:
    """The files that are there, and the runs that they are of; all must be whole."""
    files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    versions = set()
    for file in files:
        text = (gzip.decompress(file.read_bytes()) if file.name == GZIP_NAME else file.read_bytes()).decode()
        assert text.endswith(_ENDS[file.name]), file
        if file.name in FILE_NAMES:
            assert len([json.loads(line) for line in text.splitlines()]) == 8
        else:
            versions |= {version for version in (OLD, NEW) if version in text}
        if file.name == "report.json":
            json.loads(text)
    return [*(file.name for file in files), *sorted(versions)]


def _before_each_change(made: Made, folder: Path, do: Callable[[Path], object]) -> list[list[str]]:
    """The states in which it leaves a folder with an old report, killed before its first change, its second and so on.

    The last is that where it came to its end.
    """
    made.begin(folder / "old")
    made.write(folder / "old", OLD)
    states: list[list[str]] = []
    killed = True
    while killed:
        here = folder / str(len(states))
        shutil.copytree(folder / "old", here)
        made.begin(here)

        def dying(change: int = len(states), here: Path = here) -> None:
            _dies_before(change, here)
            do(here)

        killed = _in_child(dying)
        state = _state(here)
        if state not in states:
            _next(made, here)
        states.append(state)
    return states


def _next(made: Made, folder: Path) -> None:
    """The next run works, and leaves nothing of those before."""
    made.begin(folder)
    made.write(folder, NEW)
    assert _state(folder) == ["badge.json", made.cases_name, "report.html", "report.json", "summary.md", NEW]
    assert len(list(folder.iterdir())) == 5


def _at_any_time(made: Made, folder: Path) -> list[list[str]]:
    """The states in which it leaves a folder with an old report, killed after some time and after ever more."""
    made.begin(folder)
    before = time.monotonic()
    made.write(folder, OLD)
    took_s = time.monotonic() - before
    states: list[list[str]] = []
    times = 12
    for number in range(times):
        made.begin(folder)

        def dying(after_s: float = max(1e-3, took_s * number / times)) -> None:
            signal.setitimer(signal.ITIMER_REAL, after_s)  # nobody handles its signal: the process ends at once
            made.write(folder, NEW)

        _in_child(dying)
        states.append(_state(folder))
    _next(made, folder)
    return states


def main(folder: Path, cases_name: str) -> None:
    """Prints the states, by what was killed; the new run calls its cases by the name, the old one by the usual."""
    made = _made(folder / "made", cases_name)
    states = {"report": _before_each_change(made, folder / "report", lambda here: made.write(here, NEW))}
    if cases_name == PLAIN_NAME:
        states["pages"] = _before_each_change(made, folder / "pages", _pages)
        states["removal"] = _before_each_change(made, folder / "removal", remove_report)
    states["any time"] = _at_any_time(made, folder / "any")
    print(json.dumps(states))


def _pages(folder: Path) -> None:
    write_pages(folder, source_of=_at_hand, images=Images.NONE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
