"""A session that is killed while it writes its report: what is there is whole, and the next one asks nothing again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import Run, asked

pytestmark = pytest.mark.full

TWO = "--vqamt-relations=metavqa.partition"
KILLER = """
    import os, signal, sys

    def heard(event, arguments):
        if event == "os.rename" and str(arguments[1]).endswith("{file}"):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(heard)
"""
"""Ends the session, as a power cut would, before it puts a file in its place."""

LEFT = {
    "cases.jsonl": set[str](),
    "report.json": {"cases.jsonl"},
    "summary.md": {"cases.jsonl", "report.json"},
    "report.html": {"cases.jsonl", "report.json", "summary.md"},
}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that nothing withstands")
@pytest.mark.parametrize("file", ["report.json", "report.html"])
def test_what_is_there_is_whole(pytester: pytest.Pytester, run: Run, counted: str, file: str) -> None:
    run(TWO, "--vqamt-report=out", model=counted, max_cases=2).assert_outcomes(passed=2)
    pytester.makepyfile(killer=KILLER.format(file=file))
    sampling = ("--vqamt-data=pictures:20", "--vqamt-max-cases=4", "--vqamt-sampler=random", "--vqamt-shrink=0")
    options = ("-p", "killer", TWO, f"--vqamt-model={counted}", *sampling, "--vqamt-report=out")
    session = subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=pytester.path, capture_output=True, check=False
    )
    assert session.returncode == -signal.SIGKILL
    folder = pytester.path / "out"
    assert {each.name for each in folder.iterdir() if not each.name.startswith(".")} == LEFT[file]
    assert counts(folder, LEFT[file]) == ([4, 4] if "report.json" in LEFT[file] else [])
    assert len((folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()) == 8
    assert asked(pytester)

    run(TWO, "--vqamt-report=out", model=counted).assert_outcomes(passed=2)
    assert asked(pytester) == []
    assert {each.name for each in folder.iterdir()} == {"cases.jsonl", "report.json", "report.html", "summary.md"}
    assert counts(folder, {"report.json"}) == [4, 4]


def counts(folder: Path, there: set[str]) -> list[int]:
    """How many cases the report counts of each item."""
    if "report.json" not in there:
        return []
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return [each["cases"] for each in report["relations"]]
